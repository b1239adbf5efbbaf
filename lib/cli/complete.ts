/** What may follow the words of a `gsd-code` call, for the completion of shells. */

import { type Command, COMMANDS, loadCommand, type WordKind } from "./commands.ts";

export interface Completion {
  word: string;
  about: string;
}

export interface Names {
  sessions(): string[];
  agents(): string[];
}

/** `words`: those after `gsd-code`; the last one is being typed. Nothing: files may follow. */
export async function complete(words: string[], names: Names): Promise<Completion[]> {
  const typed = words.at(-1) ?? "";
  const all = await candidatesFor(words.slice(0, -1), typed.startsWith("-"), names);
  return all.filter(({ word }) => word.startsWith(typed));
}

async function candidatesFor(
  [name, ...before]: string[],
  wantsOption: boolean,
  names: Names,
): Promise<Completion[]> {
  if (name === undefined) return wantsOption ? GENERAL : [...commandNames(), HELP_WORD];
  if (name === "help") return before.length === 0 ? commandNames() : [];
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined || before.includes("--")) return [];
  // The command itself is loaded for its options alone: some take long to load.
  const hasOptions = wantsOption || before.some((word) => word.startsWith("-"));
  const options = hasOptions ? optionsIn((await loadCommand(command)).HELP) : [];
  const takesValue = (word: string | undefined) =>
    options.some((option) => option.word === word && option.takesValue);
  if (takesValue(before.at(-1))) {
    return before.at(-1) === "--agent" ? plain(names.agents(), "agent") : [];
  }
  if (wantsOption) return options;
  const position =
    before.filter((word, index) => !word.startsWith("-") && !takesValue(before[index - 1])).length;
  return wordsAt(command, position, names);
}

const GENERAL: Completion[] = [
  { word: "--help", about: "all commands" },
  { word: "--version", about: "which version this is" },
];
const HELP_WORD: Completion = { word: "help", about: "explain a command" };

function commandNames(): Completion[] {
  return COMMANDS.map(({ name, summary }) => ({ word: name, about: summary }));
}

function wordsAt({ words }: Command, position: number, names: Names): Completion[] {
  const kind: WordKind | readonly string[] | undefined = words?.[position];
  if (kind === undefined) return [];
  if (typeof kind !== "string") return plain(kind, "");
  const sessions = kind === "agent" ? [] : plain(names.sessions(), "session");
  const agents = kind === "session" ? [] : plain(names.agents(), "agent");
  return [...sessions, ...agents];
}

function plain(words: readonly string[], about: string): Completion[] {
  return words.map((word) => ({ word, about }));
}

/** The options that a help text explains: `  --agent <id>   only this agent`. */
export function optionsIn(help: string): (Completion & { takesValue: boolean })[] {
  return Array.from(
    help.matchAll(/^ {2}(--[a-z-]+)( <[^>]+>)? {2,}(\S.*)$/gm),
    ([, word = "", value, about = ""]) => ({ word, about, takesValue: value !== undefined }),
  );
}
