/** Reads a call of `queue`, by hand: its runner is started without packages. */

import { afterOf, type NewStep, type Place, stepsIn } from "./step_list.ts";

export type QueueAction =
  | { kind: "add"; steps: NewStep[] }
  | { kind: "list" }
  | { kind: "clear" }
  | { kind: "drop"; numbers: number[] }
  | { kind: "move"; n: number; to: Place }
  | { kind: "pause"; reason: string }
  | { kind: "resume"; isAgain: boolean };

export interface QueueCallOptions {
  json: boolean;
  dryRun: boolean;
  socket?: string;
  by?: string;
}

export type QueueOrder =
  | { kind: "help" }
  | { kind: "usage"; problem: string }
  /** For our own programs. */
  | { kind: "run"; session?: string; claim?: string }
  | { kind: "order"; session: string; action: QueueAction; options: QueueCallOptions };

const ACTIONS = "add, list, drop, move, clear, pause or resume";
const VALUES = ["after", "if-last-matches", "stop-on", "file", "socket", "by", "claimed"];
const FLAGS = ["json", "dry-run", "again", "help"];

export function readQueueArgs(
  args: string[],
  { now, readFile }: { now: Date; readFile(path: string): string },
): QueueOrder {
  const given = optionsIn(args);
  if (typeof given === "string") return usage(given);
  const { words, values, flags } = given;
  if (flags.has("help")) return { kind: "help" };
  if (words[0] === "run") {
    const [, session] = words;
    const claim = values.get("claimed");
    return {
      kind: "run",
      ...(session === undefined ? {} : { session }),
      ...(claim === undefined ? {} : { claim }),
    };
  }
  const [session = "", verb = "list", ...rest] = words;
  if (session === "") return usage("Which session? Give its tmux name");
  const misplaced = misplacedFor(verb, given);
  if (misplaced !== undefined) return usage(misplaced);
  const action = actionOf(verb, rest, given, { now, readFile });
  if (typeof action === "string") return usage(action);
  const [socket, by] = [values.get("socket"), values.get("by")];
  return {
    kind: "order",
    session,
    action,
    options: {
      json: flags.has("json"),
      dryRun: flags.has("dry-run"),
      ...(socket === undefined ? {} : { socket }),
      ...(by === undefined ? {} : { by }),
    },
  };
}

interface Given {
  words: string[];
  values: Map<string, string>;
  flags: Set<string>;
}

function optionsIn(args: string[]): Given | string {
  const given: Given = { words: [], values: new Map(), flags: new Set() };
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (word === "--") {
      given.words.push(...args.slice(at + 1));
      break;
    }
    if (word === "-h") given.flags.add("help");
    else if (!/^--[a-z]/.test(word)) given.words.push(word);
    else {
      const [name = "", ...joined] = word.slice(2).split("=");
      if (FLAGS.includes(name) && joined.length === 0) given.flags.add(name);
      else if (!VALUES.includes(name)) return `"--${name}" is not an option of queue`;
      else {
        const value = joined.length > 0 ? joined.join("=") : args[++at];
        if (value === undefined || value === "") return `--${name} needs a value`;
        if (given.values.has(name)) return `--${name} can be given once`;
        given.values.set(name, value);
      }
    }
  }
  return given;
}

/** An option that goes with another action would be ignored. */
function misplacedFor(verb: string, { values, flags }: Given): string | undefined {
  const ofAdd = ["after", "if-last-matches", "stop-on", "file"].find((name) => values.has(name));
  if (verb !== "add" && ofAdd !== undefined) return `--${ofAdd} goes with add only`;
  if (verb !== "resume" && flags.has("again")) return "--again goes with resume only";
  return values.has("claimed") ? '"--claimed" is not an option of queue' : undefined;
}

function actionOf(
  verb: string,
  rest: string[],
  { values, flags }: Given,
  { now, readFile }: { now: Date; readFile(path: string): string },
): QueueAction | string {
  switch (verb) {
    case "add": {
      const when = afterOf(values.get("after") ?? "done", now);
      if (typeof when === "string") return when;
      if (rest.includes("-")) return '"-" is no step: add --file - reads them from standard input';
      const file = values.get("file");
      const texts = [...rest, ...(file === undefined ? [] : stepsIn(readFile(file)))];
      if (texts.length === 0) return 'add needs a text: add "Run the tests"';
      const match = values.get("if-last-matches");
      const stop = values.get("stop-on");
      const each = {
        ...when,
        ...(match === undefined ? {} : { if_last_matches: match }),
        ...(stop === undefined ? {} : { stop_on: stop }),
      };
      return { kind: "add", steps: texts.map((text) => ({ text, ...each })) };
    }
    case "list":
    case "clear":
      return rest.length === 0 ? { kind: verb } : `${verb} takes no "${rest[0]}"`;
    case "drop": {
      const numbers = rest.map(numberOf);
      if (numbers.length === 0 || numbers.includes(0)) {
        return "drop needs numbers of steps, such as: drop 3";
      }
      return { kind: "drop", numbers };
    }
    case "move": {
      const to = placeOf(rest.slice(1));
      const n = numberOf(rest[0] ?? "");
      if (n === 0 || to === undefined) {
        return "move needs a step and a place: move 5 first, move 5 last, move 5 before 2, " +
          "move 5 after 2";
      }
      return { kind: "move", n, to };
    }
    case "pause":
      return { kind: "pause", reason: rest.join(" ") };
    case "resume":
      return rest.length === 0
        ? { kind: "resume", isAgain: flags.has("again") }
        : `resume takes no "${rest[0]}"`;
    default:
      return `"${verb}" is not an action of queue; the actions are ${ACTIONS}`;
  }
}

function placeOf([kind, other, ...more]: string[]): Place | undefined {
  if (more.length > 0) return undefined;
  if (kind === "first" || kind === "last") return other === undefined ? { kind } : undefined;
  const n = numberOf(other ?? "");
  return (kind === "before" || kind === "after") && n > 0 ? { kind, n } : undefined;
}

/** 0 for what is no number of a step. */
function numberOf(word: string): number {
  return /^\d{1,6}$/.test(word) ? Number(word) : 0;
}

function usage(problem: string): { kind: "usage"; problem: string } {
  return { kind: "usage", problem };
}
