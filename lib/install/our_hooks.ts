/** The owner of a command in Claude Code's settings: we, the old bash system, or another program. */

import { HOOKS } from "./hook_list.ts";

export type Owner =
  /** `folder`: the clone that it names, or the data folder of its launcher. */
  | { kind: "ours"; folder: string }
  | { kind: "old"; script: string }
  | { kind: "foreign" };

const OLD_NAMES = "(?:stop|notification-idle|notification-permission|pre-tool-use|post-tool-use|" +
  "pre-compact|session-end|session-start)";
const EVENTS = HOOKS.map(({ file }) => file.replace(/\.ts$/, "")).join("|");

const WORD = String.raw`('(?:[^']|'\\'')*'|"[^"]*"|[^\s'"<>;&|()]+)`;
const SCRIPT = String.raw`/hooks/(?:${EVENTS})\.ts`;
const IN_TMUX = '[ -n "$TMUX" ] || exit 0; ';

const LAUNCHED = new RegExp(
  String.raw`^\[ -z "\$TMUX" \] \|\| \[ ! -x ${WORD} \] \|\| exec ${WORD} (?:${EVENTS})$`,
);
const LAST_WORD = new RegExp(` ${WORD}$`);
const DIRECT = new RegExp(String.raw`^(?:exec )?${WORD} (?:run )?(?:-\S+ )*${WORD}$`);
const SHELL = String.raw`(?:(?:/\S+/)?(?:ba|da|k|z)?sh (?:-\w+ )*)?`;
const BY_SHELL = new RegExp(String.raw`^(?:exec |nohup )?${SHELL}${WORD}(?: [\w-]+)*$`);
const OLD = new RegExp(
  `/gsd-code-skill/(?:.*/)?(${OLD_NAMES}-hook\\.sh)$|/(gsd-session-hook\\.sh)$`,
);
const NAMED = new RegExp(
  String.raw`${SCRIPT}|/bin/hook'? (?:${EVENTS})\b|gsd-session-hook\.sh|` +
    String.raw`/gsd-code-skill/.*${OLD_NAMES}-hook\.sh`,
);

/** Longer than any command of ours. */
const MOST_CHARS = 8000;

/** Strict on purpose: a command that may not be ours is foreign, and stays. */
export function commandOwner(command: string, root: string): Owner {
  if (command.length > MOST_CHARS) return { kind: "foreign" };
  const text = withoutTail(command);
  const launched = LAUNCHED.exec(text);
  if (launched !== null && launched[1] === launched[2]) {
    const folder = /^(.*)\/bin\/hook$/s.exec(plain(launched[1]!))?.[1];
    if (folder !== undefined) return { kind: "ours", folder };
  }
  // As earlier versions wrote it: the whole of today's bin/hook in one line.
  if (text.startsWith(IN_TMUX) && / GSD_(REGISTRY|STATE_DIR)=/.test(text)) {
    const inline = hookIn(LAST_WORD.exec(text)?.[1]);
    if (inline !== undefined) return inline;
  }
  const direct = DIRECT.exec(text.startsWith(IN_TMUX) ? text.slice(IN_TMUX.length) : text);
  const script = hookIn(direct?.[2]);
  if (script !== undefined && /deno[^/]*$/.test(plain(direct![1]!))) {
    if (script.folder === root || script.folder.endsWith("/gsd-code-skill")) return script;
  }
  const old = OLD.exec(plain(BY_SHELL.exec(text)?.[1] ?? ""));
  return old === null ? { kind: "foreign" } : { kind: "old", script: old[1] ?? old[2]! };
}

/** Without what people write after a command: a redirection, `|| true`, `&`, a comment. */
function withoutTail(command: string): string {
  let text = command.replace(/ #[^'"]*$/, "").trimEnd();
  for (let before = ""; before !== text;) {
    before = text;
    text = text.replace(/ \|\| true$|[&;]$|(?<= )\d?[<>]{1,2}&? ?[^\s<>;&|'"]{1,200}$/, "")
      .trimEnd();
  }
  return text;
}

/** A foreign command that names a file of ours: perhaps ours, and edited. */
export function mayBeOurs(command: string): boolean {
  return NAMED.test(command);
}

function hookIn(word: string | undefined) {
  const [folder = "", file] = plain(word ?? "").split(/\/hooks\/([a-z_]+\.ts)$/);
  return HOOKS.some((hook) => hook.file === file) ? { kind: "ours" as const, folder } : undefined;
}

/** The word without its quotes. */
function plain(word: string): string {
  return /^['"]/.test(word) ? word.slice(1, -1).replaceAll(`'\\''`, "'") : word;
}
