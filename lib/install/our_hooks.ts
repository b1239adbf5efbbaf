/** Whose a registered command is: ours, the old bash system's, or somebody else's. */

import { HOOKS } from "./hook_list.ts";
import { baseName, scriptsRunBy } from "./shell_words.ts";
import { shellQuote } from "../shell.ts";

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

/**
 * What a command runs decides, not what it names. Our own is known by its shape, also with an edit
 * around it, since a folder that has moved leaves its old path behind; the guard alone anyone has.
 */
export function ownerOf(command: string, root: string): Owner {
  const shaped = command.includes(TMUX_GUARD) && / run (-A|--)/.test(command) &&
    /\bGSD_(REGISTRY|STATE_DIR)=/.test(command);
  // A Deno may have any name; in a command of our shape it is what is told to run.
  const isDeno = (program: string) =>
    baseName(program).includes("deno") || shaped && command.includes(`${shellQuote(program)} run `);
  for (const script of scriptsRunBy(command, isDeno)) {
    const ours = /^(.*)\/hooks\/([a-z_]+\.ts)$/s.exec(script);
    if (ours !== null && HOOKS.some((hook) => hook.file === ours[2])) {
      const [folder, file] = [ours[1]!, ours[2]!];
      if (shaped || folder === root || folder.endsWith("/gsd-code-skill")) {
        return { kind: "ours", root: folder, file };
      }
    }
    const name = baseName(script);
    const isOld = OLD_SCRIPTS.includes(name) && script.includes("/gsd-code-skill/");
    if (isOld || name === "gsd-session-hook.sh") return { kind: "old", script: name };
  }
  return { kind: "foreign" };
}
