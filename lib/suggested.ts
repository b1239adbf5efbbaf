/** The slash commands that Claude's text mentions and that its session has. */

import { readTextIfThere } from "./files.ts";
import { type Paths, safeName } from "./paths.ts";

/** What a session can be given as a step; written where it starts, and by its companion. */
export function commandsFile({ state }: Pick<Paths, "state">, session: string): string {
  return `${state}/commands/${safeName(session)}.json`;
}

/** Built-in commands that open no dialog. Those of skills, plugins and people open none either. */
export const QUIET_COMMANDS = ["clear", "compact", "context"];

const MENTION = /(?:^|[\s("'`*])\/([a-z][\w:.-]*)(?![\w/])/gi;
const MOST_NAMED = 8;

/** Most texts mention none: that costs one search. */
function mayMention(text: string): boolean {
  return text.includes("/") && mentionsIn(text).length > 0;
}

function mentionsIn(text: string): string[] {
  const names = Array.from(text.matchAll(MENTION), ([, name]) => name!.replace(/[.:-]+$/, ""));
  return [...new Set(names)];
}

/** Names of the list alone, so that nothing of the text is passed on. */
export function suggestedIn(text: string, known: readonly string[]): string[] {
  const mentioned = mentionsIn(text);
  return mentioned.map((name) => known.find((one) => one === name))
    .filter((name) => name !== undefined).slice(0, MOST_NAMED).map((name) => `/${name}`);
}

export function knownCommands(paths: Pick<Paths, "state">, session: string): string[] {
  try {
    const value: unknown = JSON.parse(readTextIfThere(commandsFile(paths, session)) ?? "[]");
    const listed = Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
    return [...QUIET_COMMANDS, ...listed.filter((name) => NAME.test(name))];
  } catch {
    return QUIET_COMMANDS;
  }
}

/** A name as it may stand in a wake. */
export const NAME = /^[A-Za-z][\w:.-]{0,79}$/;

/** A field of `[TRIGGER]`, where there is any. */
export function suggestedField(
  paths: Pick<Paths, "state">,
  session: string,
  text: string,
): { suggested?: string } {
  if (!mayMention(text)) return {};
  const names = suggestedIn(text, knownCommands(paths, session));
  return names.length === 0 ? {} : { suggested: names.join(" ") };
}
