/**
 * Keys, tokens and passwords in a text become `***`, all other words stay. A secret is found by the
 * prefix of its maker, by a frame (PEM, an address, an option), or by a name in front of a value.
 */

import { CODE } from "./secret_code.ts";
import { ofUnknownMakers, prefixed } from "./secret_formats.ts";
import { FORMS, framed } from "./secret_frames.ts";
import { GUESSES } from "./secret_guesses.ts";
import { NAME_HINTS, namedValues } from "./secret_names.ts";
import { PLACES } from "./secret_places.ts";
import { mayBeRun, PROGRAMS } from "./secret_programs.ts";
import { inLists, inManifests, inTables } from "./secret_tables.ts";
import { isHash, looksRandom, type Secret } from "./secret_values.ts";
import { PHRASES } from "./secret_words.ts";
import {
  maskPage,
  mayBeCommand,
  type Page,
  rewrap,
  unwrap,
  withoutColours,
} from "./secret_wraps.ts";

/** Every form, place and guess that a text is searched for. */
export const FRAMES = [FORMS, PHRASES, PLACES, CODE, PROGRAMS, GUESSES];

const SHORTEST = 8;
const MASK = "***";

/** A mask may uncover another secret: `a=ghp_…` was taken for one word. */
const MOST_ROUNDS = 5;

/** For text that is read. A colour in the middle of a secret does not hide it. */
export function maskSecrets(text: string): string {
  let seen = text.includes("\x1b[") ? maskedIn(withoutColours(text), findInPage).text : text;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const found = findSecrets(seen);
    if (found.length === 0) break;
    seen = masked(seen, found);
  }
  return seen;
}

/** For a screen that is read: a long key is broken at its edge. */
export function maskScreen(text: string): string {
  return maskSecrets(acrossLines(text, findInPage).text);
}

/** The first word of a screen may be the end of a key that begins above it. */
function atTop(text: string): Secret[] {
  const [, margin = "", word = ""] = /^(\s*(?:[│┃║>][ \t]+)?)([\w+/=-]{16,})/.exec(text) ?? [];
  const isKey = looksRandom(word, 0.35) && !isHash(word) && /[a-z].*[A-Z]|[A-Z].*[a-z]/.test(word);
  const end = margin.length + word.length;
  return isKey ? [{ start: margin.length, end, what: "the end of a key", kind: "format" }] : [];
}

/** Masks what `find` finds in the text with its long words whole, and breaks these again. */
function acrossLines(text: string, find: (page: Page) => Secret[]): Approval {
  const whole = unwrap(text);
  const top = atTop(whole.text);
  const { text: shown, masked } = maskedIn(maskPage(whole, top, MASK), find);
  return { text: shown, masked: [...top.map(({ what }) => what), ...masked] };
}

const findInPage = ({ text }: Page) => findSecrets(text);

function maskedIn(whole: Page, find: (page: Page) => Secret[]): Approval {
  let page = whole;
  const hidden: string[] = [];
  for (let round = 0; round < MOST_ROUNDS && page.breaks.length > 0; round++) {
    const found = find(page);
    if (found.length === 0) break;
    page = maskPage(page, found, MASK);
    hidden.push(...found.map(({ what }) => what));
  }
  return { text: rewrap(page), masked: hidden };
}

/** What may be hidden from who approves: in the line after a break may be another command. */
function hidable({ text, breaks }: Page): Secret[] {
  const parts = shownToNone(text, "screen").flatMap((secret) => plainParts(text, secret));
  return parts.map((part) => {
    const open = breaks.find(({ at }) =>
      at > part.start && at < part.end && mayBeCommand(text.slice(at, part.end))
    );
    return open === undefined ? part : { ...part, end: open.at };
  });
}

/** Without those that the word of a program tells, and those that may be a program. */
function shownToNone(text: string, from: "command" | "screen"): Secret[] {
  const isRun = mayBeRun(text, from);
  return findSecrets(
    text,
    ({ start, kind, onlyRead }) =>
      !onlyRead && (kind === "format" || kind === "block" || !isRun(start)),
  );
}

export interface Approval {
  text: string;
  /** What was masked, in the order of the text: `a password in an address`. */
  masked: string[];
}

/**
 * For text that is approved: no character that a shell acts on is ever hidden. On a screen a token
 * may go on in the next line; in a command that line is another command.
 */
export function maskForApproval(text: string, from: "command" | "screen" = "command"): Approval {
  const approval = from === "screen" ? acrossLines(text, hidable) : { text, masked: [] };
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const secrets = shownToNone(approval.text, from).filter(({ isRest }) =>
      from === "screen" || !isRest
    );
    const parts = secrets.map((secret) => plainParts(approval.text, secret));
    const found = parts.flat();
    if (found.length === 0) break;
    const firsts = parts.filter((_, index) => !secrets[index]!.isRest).map(([first]) => first);
    approval.text = masked(approval.text, found);
    approval.masked.push(...firsts.flatMap((first) => first === undefined ? [] : [first.what]));
  }
  return approval;
}

/** Further in, a value is kept as one text. */
const DEEPEST = 100;

/** What a text is shown for: to approve a command or what a screen shows, or to be read. */
type Shown = "command" | "screen" | "read";

function maskAs(text: string, from: Shown): string {
  return from === "read" ? maskSecrets(text) : maskForApproval(text, from).text;
}

/** A copy with all its texts masked, by default for approval; the name of a field tells what its text is. */
export function maskFields(value: unknown, from: Shown = "command"): unknown {
  const mask = (value: unknown, name: string, depth: number): unknown => {
    if (typeof value === "string") return maskField(value, name, from);
    if (typeof value !== "object" || value === null) return value;
    if (depth > DEEPEST) return maskAs(JSON.stringify(value), from);
    if (Array.isArray(value)) return value.map((one) => mask(one, name, depth + 1));
    const fields = Object.entries(value).map(([key, one]) => [
      maskAs(key, from),
      mask(one, key, depth + 1),
    ]);
    return Object.fromEntries(fields);
  };
  return mask(value, "", 0);
}

function maskField(value: string, name: string, from: Shown): string {
  const alone = () => maskAs(value, from);
  if (name === "" || value.length > 4000 || !/^[^\s"'\\]+$/.test(value)) return alone();
  const head = `"${name}": "`;
  const text = maskAs(`${head}${value}"`, from === "screen" ? "command" : from);
  return text.startsWith(head) && text.endsWith('"') ? text.slice(head.length, -1) : alone();
}

function masked(text: string, found: Secret[]): string {
  let out = "";
  let done = 0;
  for (const { start, end } of found) {
    out += text.slice(done, start) + MASK;
    done = end;
  }
  return out + text.slice(done);
}

/** In the order of the text; none overlaps another, and each is on one line, but for blocks. */
function findSecrets(text: string, counts = (_: Secret) => true): Secret[] {
  if (text.length < SHORTEST) return [];
  const lower = text.toLowerCase();
  const found = [
    ...[...prefixed(text), ...ofUnknownMakers(text), ...inLists(text)],
    ...FRAMES.flatMap((frames) => [...framed(text, lower, frames)]),
  ];
  if (NAME_HINTS.some((hint) => lower.includes(hint))) {
    found.push(...named(text), ...inTables(text), ...inManifests(text));
  }
  return inOrder(text, found.filter(counts));
}

/** What is known by itself goes before what is known by its name: its prefix stays readable. */
function inOrder(text: string, found: Secret[]): Secret[] {
  if (found.length === 0) return found;
  const rank = { block: 0, format: 1, value: 2, named: 3, guess: 4 };
  found.sort((a, b) => rank[a.kind] - rank[b.kind]);
  const byStart = (a: Secret, b: Secret) => a.start - b.start;
  const groups = [
    found.filter(({ kind }) => rank[kind] < 2),
    found.filter(({ kind }) => rank[kind] === 2 || rank[kind] === 3),
    found.filter(({ kind }) => rank[kind] === 4),
  ];
  let kept: Secret[] = [];
  for (const group of groups) {
    kept = mergeInto(kept, group.sort(byStart));
  }
  // What was masked before stays as it is.
  return kept.filter(({ start, end, kind }) => {
    const beside = rank[kind] < 2 ? 0 : MASK.length;
    return !text.slice(Math.max(0, start - beside), end + beside).includes(MASK);
  });
}

/** Both in order; of `more` only what overlaps nothing that is there. */
function mergeInto(kept: Secret[], more: Secret[]): Secret[] {
  const all: Secret[] = [];
  let at = 0;
  let end = 0;
  for (const secret of more) {
    while (at < kept.length && kept[at]!.start < secret.end) {
      all.push(kept[at]!);
      end = Math.max(end, kept[at++]!.end);
    }
    if (secret.start < end) continue;
    all.push(secret);
    end = secret.end;
  }
  return [...all, ...kept.slice(at)];
}

function* named(text: string): Generator<Secret> {
  for (const { parts, what, head } of namedValues(text)) {
    for (const part of parts) {
      yield { ...part, what, head, kind: "named", isRest: part !== parts[0] };
    }
  }
}

const PLAIN = /^[A-Za-z0-9_+/=.,:@%-]+/;

/** The parts of a secret that hold nothing a shell acts on, and where nothing is run. */
function plainParts(text: string, { start, end, what, kind, head = "" }: Secret): Secret[] {
  const secret = text.slice(start, end);
  const part = (from: number, length: number): Secret => ({
    start: from,
    end: from + length,
    what,
    kind,
  });
  if (kind === "block") {
    return keyLines(text, start, secret).map(([from, length]) => part(from, length));
  }
  // `TOKEN= x` runs x, and so does what follows a newline, a pipe or a bracket.
  const isNamed = kind === "named" || kind === "guess";
  const marks = isNamed ? /[\n|(>{\x60]/ : /[\n|;]/;
  if (marks.test(head.slice(-12)) || /[^ \t]=[ \t]+["']?$/.test(head)) return [];
  const plain = PLAIN.exec(secret)?.[0] ?? "";
  if (plain === secret) return isInPath(text, start) ? [] : [part(start, plain.length)];
  if (kind === "value") return [];
  const runs = isNamed ? [plain] : secret.split(/[^A-Za-z0-9_+/=.,:@%-]/);
  const found: Secret[] = [];
  let at = 0;
  for (const run of runs) {
    if (run.length >= 16 && looksRandom(run, 0.5)) found.push(part(start + at, run.length));
    at += run.length + 1;
  }
  return found;
}

/** `./ghp_…` is a file that is run, and must be seen. */
function isInPath(text: string, start: number): boolean {
  const word = text.slice(Math.max(0, start - 300), start).split(/[\s"'=;|&()<>$]/).at(-1)!;
  return word.includes("/") && !/:\/\/|^[\w-]+(?:\.[\w-]+)+\//.test(word);
}

/** Of a key's lines those that can be nothing else; a slash stays, since a path can be run. */
function keyLines(text: string, start: number, body: string): [number, number][] {
  const found: [number, number][] = [];
  for (const { 0: line, index } of body.matchAll(/(?<=^|\n|\\n)[ \t]*[A-Za-z0-9+/=]{40,}/g)) {
    if (text.indexOf(line.trim()) !== text.lastIndexOf(line.trim())) continue;
    for (const run of line.matchAll(/[A-Za-z0-9+=]{12,}/g)) {
      found.push([start + index + run.index, run[0].length]);
    }
  }
  return found;
}
