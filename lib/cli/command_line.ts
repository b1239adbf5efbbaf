/** Reads the words after a command, and refuses wrong ones in one wording. */

import { parseArgs } from "@std/cli/parse-args";
import { asCalled } from "./as_called.ts";
import { isRefusedAsRoot } from "../doors/as_root.ts";
import { messageOf } from "../json.ts";
import type { Paths } from "../paths.ts";
import { onOneLine, type Speaker } from "./speaker.ts";

export interface Spec<Flag extends string, Value extends string> {
  /** Its name: `gsd-code <task>`, `deno task <task>`. */
  task: string;
  help: string;
  flags: readonly Flag[];
  /** What each needs, for the sentence when it is missing. */
  values?: Readonly<Record<Value, string>>;
  /** How many plain words there may be; 0 by default. */
  words?: number;
  /** One letter for a long name. */
  short?: Readonly<Partial<Record<Flag, string>>>;
}

export interface CommandLine<Flag extends string, Value extends string> {
  flags: Record<Flag, boolean>;
  values: Partial<Record<Value, string[]>>;
  words: string[];
}

/** What was given, or the exit code after help or a wrong word. */
export function readCommandLine<Flag extends string, Value extends string = never>(
  args: string[],
  spec: Spec<Flag, Value>,
  speaker: Speaker,
): CommandLine<Flag, Value> | number {
  const needs: Partial<Record<string, string>> = spec.values ?? {};
  const names = Object.keys(needs);
  const unknown: string[] = [];
  const parsed = parseArgs(args, {
    boolean: [...spec.flags, "help"],
    alias: { help: "h", ...spec.short },
    string: ["_", ...names],
    collect: names,
    unknown: (arg, key) => key === undefined || (unknown.push(arg), false),
  });
  if (parsed.help === true) {
    speaker.say(asCalled(spec.help.trimEnd()));
    return 0;
  }
  const words = parsed._.map(String);
  const [flag] = args.slice(0, args.includes("--") ? args.indexOf("--") : undefined)
    .flatMap((arg) => spec.flags.filter((name) => arg.startsWith(`--${name}=`)));
  if (flag !== undefined) return refuse(`--${flag} takes no value`, spec, speaker);
  unknown.push(...words.slice(spec.words ?? 0));
  if (unknown.length > 0) {
    return refuse(`${spec.task} does not take "${unknown[0]}"`, spec, speaker);
  }
  // Names, and no free text, which may be empty.
  const areNames = (spec.words ?? 0) < Infinity;
  if (areNames && words.includes("")) {
    return refuse(`${spec.task} does not take an empty word`, spec, speaker);
  }
  const values: Record<string, string[]> = {};
  for (const name of names) {
    const given = parsed[name] as string[];
    if (given.includes("")) return refuse(`--${name} needs ${needs[name]}`, spec, speaker);
    if (given.length > 0) values[name] = given;
  }
  const flags = Object.fromEntries(spec.flags.map((name) => [name, parsed[name] === true]));
  return {
    flags: flags as Record<Flag, boolean>,
    values: values as Partial<Record<Value, string[]>>,
    words,
  };
}

/** Says what is wrong with the call, and names the help. */
export function refuse(problem: string, { task }: { task: string }, speaker: Speaker): 2 {
  speaker.warn(asCalled(`${problem}; see gsd-code ${task} --help`));
  return 2;
}

interface CommandOutcome {
  /** For `--json`. */
  result: unknown;
  /** The lines for a person. */
  say: string[];
  /** What went wrong: the exit code is 1 then. */
  warn?: string[];
}

/** Does the work of a command and shows its outcome; what it throws is the reason of a refusal. */
export async function attempt(
  what: string,
  { json }: { json: boolean },
  speaker: Speaker & { paths: Pick<Paths, "state"> },
  work: () => Promise<CommandOutcome>,
): Promise<number> {
  if (isRefusedAsRoot(what, speaker)) return 1;
  try {
    const { result, say, warn = [] } = await work();
    for (const line of json ? [JSON.stringify(result, null, 2)] : say) speaker.say(line);
    for (const line of warn) speaker.warn(line);
    return warn.length === 0 ? 0 : 1;
  } catch (error) {
    speaker.warn(onOneLine(`Cannot ${what}: ${messageOf(error)}`));
    return 1;
  }
}

/** Seconds in milliseconds; undefined if the text is not a number of seconds. */
export function milliseconds(text: string): number | undefined {
  const seconds = Number(text);
  return seconds > 0 && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}
