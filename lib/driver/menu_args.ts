/** Reads a call of `menu-driver`, by hand: a text to type may look like an option. */

import { splitName } from "../request_ids.ts";
import { EMPTY_OPTIONS, type MenuOptions, type MenuOrder, type Verb } from "./menu_order.ts";
import { whyUnfitForKeys } from "./prompt_words.ts";

const VERBS =
  "snapshot, choose, answer, type, clear, clear_then, enter, esc, submit, allow, deny, fill, " +
  "decline or leave";

export function readMenuArgs(args: string[], readStdin: () => string): MenuOrder {
  const options: MenuOptions = { ...EMPTY_OPTIONS, notes: [] };
  const words = [...args];
  const session = takeWord(words, options);
  if (session.kind === "end" || (session.kind === "word" && session.word === "")) {
    return usage("Which session? Give its tmux name");
  }
  if (session.kind !== "word") return session;
  const verb = takeWord(words, options);
  if (verb.kind === "end") return usage(`What to do in session "${session.word}"? ${VERBS}`);
  if (verb.kind !== "word") return verb;
  if (isText(verb.word)) return textOrder(session.word, verb.word, words, options, readStdin);
  const rest: string[] = [];
  while (words.length > 0) {
    if (words[0] === "--") {
      rest.push(...words.slice(1));
      break;
    }
    const next = takeWord(words, options);
    if (next.kind === "word") rest.push(next.word);
    else if (next.kind !== "end") return next;
  }
  const read = readVerb(verb.word, rest);
  if (typeof read === "string") return usage(read);
  if (options.now) return usage(NOW_TYPES);
  if (options.afterTurn) return usage(AFTER_TURN_TYPES);
  if (options.road === "socket") return usage(SOCKET_TYPES);
  if (options.question === undefined && FORMS.includes(read.kind)) return usage(NEEDS_FORM);
  if (options.question !== undefined && !BOUND.includes(read.kind)) return usage(NOT_BOUND);
  return { kind: "order", session: session.word, verb: read, options };
}

/** The actions that --question can name a question or request for. */
const FORMS = ["fill", "decline", "leave"];
const NEEDS_FORM = "a form is named by --question: use the line of its wake";
const BOUND = ["choose", "answer", "type", "allow", "deny", ...FORMS];
const NOT_BOUND = `--question goes with ${BOUND.join(", ")} only`;

const AFTER_TURN_TYPES = "--after-turn goes with type only";
const NOW_TYPES = "--now goes with type only";
const SOCKET_TYPES = "--road socket goes with type only";

function isText(verb: string): verb is "type" | "clear_then" | "deny" {
  return verb === "type" || verb === "clear_then" || verb === "deny";
}

/** The name of a question is never the end of a text; a wrong answer cannot be taken back. */
const NAMED_BEHIND = /(^|\s)--question[\s=]+[qpf]-[0-9A-Z]{16}(\.[0-9A-Z]*)?[.,;]?\s*$/;

/** Behind these actions everything is text. `-` alone reads standard input. */
function textOrder(
  session: string,
  verb: "type" | "clear_then" | "deny",
  words: string[],
  options: MenuOptions,
  readStdin: () => string,
): MenuOrder {
  const given = words[0] === "--" && words.length > 1 ? words.slice(1) : words;
  const text = given.length === 1 && given[0] === "-" ? readStdin() : given.join(" ");
  if (words[0] !== "--" && NAMED_BEHIND.test(given.join(" "))) {
    if (verb === "clear_then") return usage(NOT_BOUND);
    const right = `menu-driver ${session} --question <id> ${verb} <text>`;
    return usage(`behind ${verb} all is text, so --question goes before it: ${right}`);
  }
  // A prompt may go by another road than keys.
  const unfit = verb === "deny" || options.question !== undefined || options.road === "keys"
    ? whyUnfitForKeys(text)
    : undefined;
  if (unfit !== undefined) return usage(unfit);
  if (verb === "deny") {
    return { kind: "order", session, verb: { kind: verb, message: text.trim() }, options };
  }
  if (text.trim() === "") return usage(`${verb} needs a text`);
  if (options.question !== undefined && verb === "clear_then") return usage(NOT_BOUND);
  if (options.now && verb === "clear_then") return usage(NOW_TYPES);
  if (options.road === "socket" && verb === "clear_then") return usage(SOCKET_TYPES);
  if (options.afterTurn) {
    const problem = whyNotAfterTurn(verb, options);
    if (problem !== undefined) return usage(problem);
  }
  const clean = text.replace(/\r\n?/g, "\n").replace(/\n+$/, "");
  return { kind: "order", session, verb: { kind: verb, text: clean }, options };
}

/** A step goes by the road that is open then, and is no answer. */
function whyNotAfterTurn(verb: string, options: MenuOptions): string | undefined {
  if (verb !== "type") return AFTER_TURN_TYPES;
  const others = {
    "--queue": options.queue,
    "--now": options.now,
    "--question": options.question,
    "--road": options.road,
    "--pane": options.pane,
  };
  const other = Object.entries(others).find(([, value]) => value)?.[0];
  return other === undefined ? undefined : `--after-turn does not go with ${other}`;
}

function readVerb(verb: string, rest: string[]): Verb | string {
  const none = (
    kind: "snapshot" | "clear" | "enter" | "esc" | "submit" | "allow" | "decline" | "leave",
  ): Verb | string =>
    rest.length === 0 ? { kind } : `${kind} takes no further words, but "${rest[0]}" was given`;
  switch (verb) {
    case "snapshot":
    case "clear":
    case "enter":
    case "esc":
    case "submit":
    case "allow":
    case "decline":
    case "leave":
      return none(verb);
    case "fill":
      return rest.length > 0
        ? { kind: "fill", words: rest }
        : "fill needs the values, such as: fill host=alpha port=80";
    case "choose": {
      const number = /^\d{1,3}$/.test(rest[0] ?? "") ? Number(rest[0]) : 0;
      return rest.length === 1 && number > 0
        ? { kind: "choose", number }
        : "choose needs the number of an option, such as: choose 2";
    }
    case "answer": {
      const unfit = rest.map(whyUnfitForKeys).find((reason) => reason !== undefined);
      if (unfit !== undefined) return unfit;
      return rest.length > 0
        ? { kind: "answer", words: rest }
        : 'answer needs one answer per question, such as: answer 2 1,3 "my own words"';
    }
    default:
      return `"${verb}" is no action of the menu driver; the actions are ${VERBS}`;
  }
}

type NextWord =
  | { kind: "word"; word: string }
  | { kind: "end" }
  | { kind: "help" }
  | { kind: "usage"; problem: string };

/** The next word that is not an option. Options before it are applied. */
function takeWord(words: string[], options: MenuOptions): NextWord {
  while (words.length > 0) {
    const word = words.shift()!;
    if (!word.startsWith("--")) return word === "-h" ? { kind: "help" } : { kind: "word", word };
    const [name = "", ...joined] = word.split("=");
    const value = () => joined.length > 0 ? joined.join("=") : words.shift();
    const problem = takeOption(name, value, options);
    if (problem === "help") return { kind: "help" };
    if (problem !== undefined) return usage(problem);
  }
  return { kind: "end" };
}

/** The options without a value. */
const FLAGS = new Map(Object.entries(
  {
    "--json": "json",
    "--queue": "queue",
    "--after-turn": "afterTurn",
    "--prompt-only": "promptOnly",
    "--anyway": "anyway",
    "--dry-run": "dryRun",
    "--now": "now",
  } as const,
));

/** "help", or what is wrong with it. */
function takeOption(
  name: string,
  value: () => string | undefined,
  options: MenuOptions,
): string | undefined {
  const flag = FLAGS.get(name);
  if (flag !== undefined) {
    options[flag] = true;
    return undefined;
  }
  switch (name) {
    case "--help":
      return "help";
    case "--road": {
      const road = value();
      if (road !== "mod" && road !== "socket" && road !== "keys") {
        return "--road is mod, socket or keys";
      }
      options.road = road;
      return undefined;
    }
    case "--notes": {
      const notes = value();
      if (notes === undefined) return "--notes needs a text";
      options.notes.push(notes);
      return undefined;
    }
    case "--wait": {
      const seconds = Number(value());
      if (!(seconds >= 0 && seconds <= 600)) return "--wait needs seconds from 0 to 600";
      options.waitMs = seconds * 1000;
      return undefined;
    }
    case "--question": {
      const { id, secret } = splitName(value() ?? "");
      if (!id) return `${name} needs a value`;
      options.question = id;
      if (secret) options.secret = secret;
      return undefined;
    }
    case "--socket":
    case "--pane":
    case "--seen":
    case "--by": {
      const given = value();
      if (!given) return `${name} needs a value`;
      options[name.slice(2) as "socket" | "pane" | "seen" | "by"] = given;
      return undefined;
    }
    default:
      return `"${name}" is not an option of the menu driver`;
  }
}

function usage(problem: string): { kind: "usage"; problem: string } {
  return { kind: "usage", problem };
}
