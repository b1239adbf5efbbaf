/** The words of a shell command, and what a launch command starts. */

export interface Word {
  text: string;
  /** A part of it is in quotes, so it is not an option. */
  isQuoted: boolean;
}

/** Split as a shell would; variables and the like stay as written. */
export function wordsOf(command: string): Word[] {
  const words: Word[] = [];
  let word: Word | undefined;
  const pieces = /(\s+)|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(.)/gs;
  for (const [, blank, single, double, escaped, plain, stray] of command.matchAll(pieces)) {
    if (blank !== undefined) word = undefined;
    else {
      if (word === undefined) words.push(word = { text: "", isQuoted: false });
      word.text += single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? plain ?? stray;
      word.isQuoted ||= single !== undefined || double !== undefined;
    }
  }
  return words;
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

/** The program of a launch command: its first word that is not an assignment. */
export function programOf(command: string): string {
  return wordsOf(command).find(({ text }) => !ASSIGNMENT.test(text))?.text ?? "";
}

/** The value that a variable is given before the program. */
export function assignedIn(command: string, name: string): string | undefined {
  for (const { text } of wordsOf(command)) {
    const [, assigned, value] = ASSIGNMENT.exec(text) ?? [];
    if (assigned === undefined) return undefined;
    if (assigned === name) return value;
  }
  return undefined;
}

const CHOICE = /^(-c|--continue|-r|--resume|--session-id|--from-pr|--teleport)(=|$)/;

/**
 * The launch command names a conversation itself, so that we must not. Only words after Claude's
 * program count: the `-c` of `bash -c '… claude "$@"' claude` is the shell's.
 */
export function choosesConversation(command: string): boolean {
  return wordsOfClaude(command).some(isChoice);
}

export type Chosen = { kind: "latest" } | { kind: "id"; id: string };

/** The conversation that the command names; an id of "" when only Claude Code will know. */
export function chosenIn(command: string): Chosen {
  const words = wordsOfClaude(command);
  const at = words.findIndex(isChoice);
  const [, option = "", value] = /^([^=]*)(?:=(.*))?$/s.exec(words[at]?.text ?? "") ?? [];
  if (words.some(({ text }) => text === "--fork-session")) return { kind: "id", id: "" };
  if (/^(-c|--continue)$/.test(option)) return { kind: "latest" };
  if (!/^(-r|--resume|--session-id)$/.test(option)) return { kind: "id", id: "" };
  const next = words[at + 1]?.text ?? "";
  return { kind: "id", id: value ?? (next.startsWith("-") ? "" : next) };
}

/** An option with which Claude Code runs neither hooks nor mods. */
export function modeWithoutHooks(command: string): string | undefined {
  const isMode = ({ text, isQuoted }: Word) => !isQuoted && /^--(bare|safe-mode)$/.test(text);
  return wordsOfClaude(command).find(isMode)?.text;
}

function isChoice({ text, isQuoted }: Word): boolean {
  return !isQuoted && CHOICE.test(text);
}

function wordsOfClaude(command: string): Word[] {
  const words = wordsOf(command);
  const claude = words.findIndex(({ text }) => /^claude\b/.test(baseName(text)));
  const program = words.findIndex(({ text }) => !ASSIGNMENT.test(text));
  if (claude === -1 && isShell(words[program]?.text ?? "")) return [];
  return words.slice((claude === -1 ? program : claude) + 1);
}

export function isShell(program: string): boolean {
  return /^-?(ba|z|da|k|mk|fi|a)?sh$/.test(baseName(program));
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
