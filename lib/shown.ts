/** Which of the open requests the screen shows, by the text of the dialog. */

import type { Pending } from "./answers.ts";
import type { Dialog } from "./pane.ts";
import { type Question, readQuestions } from "./questions.ts";
import { isLike } from "./text.ts";

/** Is it this question? In a low window its beginning, and some of its options, are cut off. */
function isShown(question: Question, dialog: Dialog): boolean {
  const [asked, title] = [squeeze(question.question), squeeze(dialog.title)];
  if (!endsLike(asked, title)) return false;
  const rows = dialog.options.filter((row) => row.number <= question.options.length);
  const fitting = rows.filter((row) => {
    const label = squeeze(question.options[row.number - 1]!.label);
    const drawn = squeeze(row.label).replace(/…$/, "");
    return drawn !== "" && beginsLike(label, drawn);
  });
  // Wide letters may be drawn over their neighbours: then the words of the question count more.
  const least = isLike(asked, title) ? rows.length / 2 : rows.length;
  return rows.length > 0 && fitting.length >= least;
}

/** Is it the text, or its end? Where it is masked, the end must be behind the mask. */
export function endsLike(masked: string, shown: string): boolean {
  const end = masked.lastIndexOf("***");
  if (end < 0) return masked.endsWith(shown);
  return isLike(masked, shown) || masked.slice(end + "***".length).endsWith(shown);
}

function beginsLike(masked: string, shown: string): boolean {
  const [first] = masked.split("***", 1);
  return first === masked
    ? masked.startsWith(shown)
    : first!.startsWith(shown) || shown.startsWith(first!);
}

/** Where a text begins that may be masked; -1 where it is not there. */
export function placeLike(text: string, masked: string, from = 0): number {
  const [first, ...pieces] = masked.replace(/\*+$/, "").split("***");
  const found = text.indexOf(first!, from);
  let at = found + first!.length;
  for (const piece of found < 0 ? [] : pieces) {
    const place = text.indexOf(piece, at + 1);
    if (place < 0) return -1;
    at = place + piece.length;
  }
  return found;
}

/** Which of the questions it is; -1 when it is none of them, or when it could be several. */
export function shownAmong(questions: Question[], dialog: Dialog): number {
  const title = squeeze(dialog.title);
  const shown = questions.map((question) => isShown(question, dialog));
  const whole = questions.findIndex((question, index) =>
    shown[index] && isLike(squeeze(question.question), title)
  );
  if (whole !== -1) return whole;
  return shown.filter(Boolean).length === 1 ? shown.indexOf(true) : -1;
}

/**
 * What a dialog says above its rows: the same while the cursor moves and words are written into a
 * row. How many more wait after it (`1 of 2`) may change at any time.
 */
export function markOf(dialog: Dialog): string {
  const { kind, title } = dialog;
  // Lists are still being filled while one looks at them; only a request says what it is about.
  const text = kind === "permission" || kind === "plan" ? above(dialog) : title;
  return kind + squeeze(text.replace(/\b\d+ of \d+\b/g, ""));
}

/** With the count: two requests for the same thing differ in nothing else. */
export function placeOf(dialog: Dialog): string {
  return dialog.kind + squeeze(above(dialog));
}

function above(dialog: Dialog): string {
  const lines = dialog.text.split("\n");
  const first = dialog.options[0];
  const at = first === undefined
    ? -1
    : lines.findLastIndex((line) =>
      first.numbered
        ? new RegExp(`^\\s*(❯ )?\\s*${first.number}\\. *`).test(line)
        : line.replace("❯", " ").trim().startsWith(first.label)
    );
  return lines.slice(0, at === -1 ? undefined : at).join("\n");
}

/** The requests that the dialog may be about, of the kind that it is: the best matches only. */
export function requestsShown(pendings: Pending[], dialog: Dialog): Pending[] {
  if (dialog.kind === "plan") return latestPlans(pendings);
  const lines = above(dialog).split("\n");
  const scored = pendings.filter((one) => one.kind === dialog.kind)
    .map((pending) => ({ pending, score: scoreOf(pending, lines) }));
  const best = Math.max(0, ...scored.map(({ score }) => score));
  if (best === 0) return [];
  const found = scored.filter(({ score }) => score === best);
  // A short one may be seen in a long one, of which the window shows a part.
  const isPartOf = (long: Pending) =>
    found.some(({ pending }) =>
      subjectsOf(long).some((one) => subjectsOf(pending).some((part) => holds(one, part)))
    );
  return scored.filter(({ pending, score }) =>
    score === best || (score === IN_PART && isPartOf(pending))
  ).map(({ pending }) => pending);
}

function subjectsOf({ tool_input: input }: Pending): string[] {
  return SUBJECTS.flatMap((name) => typeof input[name] === "string" ? [squeeze(input[name])] : []);
}

/**
 * The dialog of a plan shows the plan drawn, in part, or not at all, so words cannot decide. But a
 * Claude shows one plan at a time: it is the last that it has asked about.
 */
function latestPlans(pendings: Pending[]): Pending[] {
  const plans = pendings.filter((one) => one.kind === "plan");
  return plans.filter(({ asked_at, claude_session_id }) =>
    !plans.some((other) =>
      other.claude_session_id === claude_session_id && other.asked_at > asked_at
    )
  );
}

/** Is it what this hook was called for? A review comes after its questions. */
export function isAbout(pending: Pending, dialog: Dialog): boolean {
  if (pending.kind !== "question") return requestsShown([pending], dialog).length === 1;
  return dialog.kind === "review" ||
    (dialog.kind === "question" &&
      readQuestions(pending.tool_input).some((question) => isShown(question, dialog)));
}

/** What a request is about; of a tool that has none of these, any text of its input. */
const SUBJECTS = ["command", "file_path", "notebook_path", "path", "url", "plan", "query"];
const ENOUGH = 60;
/** Fewer characters are not enough where nothing but the end of a command can be seen. */
const LEAST_OF_END = 16;
const WHOLE = 3;
const IN_PART = 2;
const BY_NAME = 1;

/** How well the input of a tool fits: as a whole, with its beginning or end, with its file's name. */
function scoreOf(pending: Pending, lines: string[]): number {
  const { tool_input: input } = pending;
  const text = squeeze(lines.join("\n"));
  const named = SUBJECTS.filter((name) => typeof input[name] === "string");
  const names = named.length > 0 ? named : Object.keys(input).filter((n) => n !== "description");
  if (!names.some((name) => typeof input[name] === "string")) {
    return isCallOf(pending, lines) ? WHOLE : 0;
  }
  const scores = names.map((name) => {
    const value = input[name];
    const whole = typeof value === "string" ? squeeze(value) : "";
    if (whole === "") return 0;
    if (holds(text, whole) || (name === "url" && text.includes(encoded(value)))) return WHOLE;
    const ends = [
      whole.slice(0, ENOUGH).replace(/\*+$/, ""),
      whole.slice(-ENOUGH).replace(/^\*+/, ""),
    ];
    if (whole.length > ENOUGH && ends.some((end) => holds(text, end))) return IN_PART;
    if (isEndOf(whole, lines)) return IN_PART;
    const file = /^[^\n]*\/([^\n/]+)$/.exec(String(value))?.[1];
    return file !== undefined && holds(text, squeeze(file)) ? BY_NAME : 0;
  });
  return Math.max(0, ...scores);
}

/** 2.1.325 shows an address as it is sent. */
function encoded(url: unknown): string {
  return URL.canParse(String(url)) ? new URL(String(url)).href : String(url);
}

/** In a low window the end of a command stands at the top, with nothing above it. */
function isEndOf(whole: string, lines: string[]): boolean {
  let seen = "";
  return lines.some((line) => {
    seen += squeeze(line);
    return seen.length >= LEAST_OF_END && whole.endsWith(seen);
  });
}

/**
 * A request without a text of its own, by all that is shown:
 *   Tool use                        2.1.325      Tool use                        2.1.197
 *   forms — Noargs Tool: (MCP)                     forms - noargs(n: 5) (MCP)
 *   n: 5
 *   About the forms — Noargs Tool:
 */
function isCallOf({ tool, tool_input: input }: Pending, lines: string[]): boolean {
  if (!tool.startsWith("mcp__")) return false;
  const [name, values] = [letters(tool.slice("mcp__".length)), letters(JSON.stringify(input))];
  const call = `(${name}${values}mcp|${name}toolmcp${values}(aboutthe|doyouwant))`;
  return new RegExp(`^tooluse(fromthe.*agent)?${call}`, "u").test(letters(lines.join("\n")));
}

function letters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Do both ask for the very same thing? */
export function isSameInput(a: Pending, b: Pending): boolean {
  return a.tool === b.tool && JSON.stringify(a.tool_input) === JSON.stringify(b.tool_input);
}

const MOST_STARTS = 50;

/** A request is masked on disk: `***` stands for what masking may hide, and for nothing else. */
function holds(text: string, part: string): boolean {
  const [first, ...pieces] = part.split("***");
  if (pieces.length === 0) return text.includes(part);
  let start = text.indexOf(first!);
  for (let tries = 0; start >= 0 && tries < MOST_STARTS; tries++) {
    if (goesOn(text, start + first!.length, pieces)) return true;
    start = text.indexOf(first!, start + 1);
  }
  return false;
}

/** Each piece where it comes first: a pattern with gaps could take very long. */
function goesOn(text: string, from: number, pieces: string[]): boolean {
  let at = from;
  return pieces.every((piece) => {
    const place = text.indexOf(piece, at + 1);
    const isHidden = place >= 0 && /^(?:\*{3}|[\w+/=.,:@%-]+)$/.test(text.slice(at, place));
    at = place + piece.length;
    return isHidden;
  });
}

/**
 * Without blanks and frames: a wrapped line looks like one that was typed so. And without what a
 * terminal leaves out or replaces: selectors and colours of emoji, marks that have no width.
 */
export function squeeze(text: string): string {
  const bare = text.replace(/[\s│]+/g, "");
  // deno-lint-ignore no-control-regex
  return /^[\x00-\x7f]*$/.test(bare) ? bare : bare.normalize().replace(UNSEEN, "");
}

const UNSEEN =
  /[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20e3\ufe00-\ufe0f\ufeff\ufffd]|\p{Emoji_Modifier}/gu;
