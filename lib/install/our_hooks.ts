/** Whose a registered command is: ours, the old bash system's, or somebody else's. */

import { HOOKS } from "./hook_list.ts";
import { lastWord } from "../shell.ts";

/** Outside tmux nothing starts at all; every command of ours begins with it. */
export const TMUX_GUARD = '[ -n "$TMUX" ] || exit 0;';

export type Owner =
  | { kind: "ours"; root: string; file: string }
  | { kind: "old"; script: string }
  | { kind: "foreign" };

const OLD_SCRIPTS = [
  "stop",
  "notification-idle",
  "notification-permission",
  "pre-tool-use",
  "post-tool-use",
  "pre-compact",
  "session-end",
  "session-start",
].map((name) => `${name}-hook.sh`);

/** A folder that has moved leaves its old path behind: the shape of our command still tells. */
export function ownerOf(command: string, root: string): Owner {
  const program = lastWord(command) ?? "";
  const ours = /^(.*)\/hooks\/([a-z_]+\.ts)$/s.exec(program);
  if (ours !== null && HOOKS.some((hook) => hook.file === ours[2])) {
    const folder = ours[1]!;
    const shaped = command.startsWith(TMUX_GUARD) && / run (-A|--)/.test(command);
    if (shaped || folder === root || folder.endsWith("/gsd-code-skill")) {
      return { kind: "ours", root: folder, file: ours[2]! };
    }
  }
  const script = program.slice(program.lastIndexOf("/") + 1);
  if (script === "gsd-session-hook.sh") return { kind: "old", script };
  return OLD_SCRIPTS.includes(script) && program.includes("/gsd-code-skill/")
    ? { kind: "old", script }
    : { kind: "foreign" };
}
