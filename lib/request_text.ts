/** What Claude asks to be allowed, as text: what decides comes first, and no field is left out. */

import { cutMiddle, maskForApproval as masked } from "./text.ts";
import { briefLine, visible } from "./visible.ts";

export interface RequestText {
  /** For the wake: masked, harmless and short enough as it stands. */
  text: string;
  /** Where a field had to be cut: which, and the text with all of it. */
  cut?: { what: string; whole: string };
  /** What was masked, by field: `command (a value)`. "" where nothing was. */
  masked: string;
}

/** These decide what happens, so they come first, in this order. */
const DECIDING = [
  ...["command", "file_path", "notebook_path", "path", "url", "plan"],
  ...["content", "old_string", "new_string", "new_source", "edits"],
];
const MOST_OF_A_DESCRIPTION = 200;
/** Title, description, and the notes on what was cut. */
const MOST_AROUND = 1000;

/**
 *   Claude asks for permission to use Bash
 *
 *   command:
 *   | cd build
 *   | make
 *   timeout: 600000
 *   description (Claude's words): Build it
 */
export function describeRequest(
  tool: string,
  input: Record<string, unknown>,
  room: number,
): RequestText {
  const fields = fieldsOf(tool, input);
  const title = titleOf(tool, fields);
  const end = labelOf(tool, input);
  const join = (shown: string[]) => `${title}\n\n${[...shown, ...end].join("\n")}`.trimEnd();
  const whole = join(fields.map(({ text }) => text));
  const { shown, cut } = fitted(fields, room);
  const text = join(shown);
  // Thousands of fields fit by no cut of each.
  const isOver = cut.length > 0 && text.length > room + MOST_AROUND;
  const what = isOver ? `the input has ${whole.length} characters` : sizesOf(cut);
  return {
    text: isOver ? shortened(whole, room) : text,
    ...(cut.length === 0 ? {} : { cut: { what, whole } }),
    masked: fields.filter(({ hidden }) => hidden.length > 0)
      .map(({ name, hidden }) => `${plainName(name)} (${hidden.join(", ")})`).join(", "),
  };
}

function fitted(fields: Field[], room: number): { shown: string[]; cut: Field[] } {
  const rooms = shareOut(fields.map(({ text }) => text.length), room);
  const shown = fields.map(({ text }, index) => shortened(text, rooms[index]!));
  return { shown, cut: fields.filter(({ text }, index) => shown[index] !== text) };
}

/** Short enough for a line of `[TRIGGER]` that names a file behind it. */
function sizesOf(fields: Field[]): string {
  const first = fields.slice(0, 3).map(({ name, size }) =>
    `${plainName(name)} has ${size} characters`
  );
  const more = fields.length > 3 ? [`${fields.length - 3} more are cut`] : [];
  return [...first, ...more].join(", ");
}

/** Outside the fence only names that we know: a server may call its fields what it likes. */
function plainName(name: string): string {
  return DECIDING.includes(name) ? `the ${name}` : "another field";
}

interface Field {
  name: string;
  /** Of its value. */
  size: number;
  text: string;
  hidden: string[];
}

function titleOf(tool: string, fields: Field[]): string {
  if (tool !== "ExitPlanMode") return `Claude asks for permission to use ${briefLine(tool, 200)}`;
  const title = "Claude has a plan and asks for approval";
  return fields.some(({ name }) => name === "plan")
    ? title
    : `${title}. It is on the screen: look (snapshot) before you decide`;
}

/** A description that decides nothing. The tools of an MCP server may take one as input. */
function isLabel(tool: string, name: string, value: unknown): value is string {
  return name === "description" && typeof value === "string" && !tool.startsWith("mcp__");
}

function labelOf(tool: string, { description }: Record<string, unknown>): string[] {
  if (!isLabel(tool, "description", description)) return [];
  const words = masked(briefLine(description, MOST_OF_A_DESCRIPTION)).text;
  return words === "" ? [] : [`description (Claude's words): ${words}`];
}

/** What decides first, then the others, short ones first. */
function fieldsOf(tool: string, input: Record<string, unknown>): Field[] {
  const place = (name: string) => (DECIDING.indexOf(name) + 1) || DECIDING.length + 1;
  return Object.entries(input).filter(([name, value]) => !isLabel(tool, name, value))
    .map(([name, value]) => fieldOf(name, value))
    .sort((a, b) => place(a.name) - place(b.name) || a.size - b.size);
}

function fieldOf(key: string, value: unknown): Field {
  const name = /^\w+$/.test(key) ? key : visible(JSON.stringify(key));
  const raw = typeof value === "string" ? value : JSON.stringify(value) ?? "null";
  const isBare = typeof value !== "string" || (raw.trim() === raw && raw !== "");
  const hides = hidesProgram(key, raw);
  const { text: shown, masked: hidden } = hides ? { text: raw, masked: [] } : masked(raw);
  const escaped = visible(shown);
  const changed = escaped === shown ? "" : " (\\u… is a character that cannot be shown)";
  if (escaped.includes("\n")) {
    const lines = escaped.split("\n").map((line) => `| ${line}`);
    const text = [`${name}${changed}:`, ...lines].join("\n");
    return { name, size: raw.length, text, hidden };
  }
  const plain = `${name}${changed}: ${isBare ? escaped : visible(JSON.stringify(shown))}`;
  const line = hides ? { text: plain, masked: [] } : masked(plain);
  return { name, size: raw.length, text: line.text, hidden: [...hidden, ...line.masked] };
}

/** Their text is run. */
const RUN = ["command", "cmd", "script", "code", "args"];
const SHELLS =
  "(?:(?:sh|bash|dash|zsh|ksh|source|\\.|exec|sudo|python\\d*|node|perl|ruby)(?:\\s+-\\w+)*\\s+)";
const BEGINS = "(?:^|[;&|]|\\$\\()[ \\t]*";
/** Text that becomes a program: it is decoded, or a variable is run. */
const MAKES_PROGRAM = new RegExp(
  "\\beval\\b|\\bbase(?:64|32)\\b[^\\n|;&]{0,200}\\s(?:-[dD]|--decode)\\b|\\bopenssl\\b[^\\n|;&]{0,200}\\s-d\\b|\\bxxd\\b|" +
    `\\bb64decode\\b|\\batob\\b|(?:${BEGINS}|\\n[ \\t]*)${SHELLS}*["']?\\$\\{?\\w`,
);
const MASKED_PROGRAM = new RegExp(`(?:${BEGINS}|(?:^|\\s)${SHELLS}["']?)[\\w.-]*\\*{3}`);

/** A key may be made to look like one: where a mask could hide what is run, nothing is masked. */
function hidesProgram(name: string, raw: string): boolean {
  if (!RUN.includes(name)) return false;
  const { text, masked: hidden } = masked(raw);
  return hidden.length > 0 && (MAKES_PROGRAM.test(raw) || MASKED_PROGRAM.test(text));
}

/** How many characters each may have: short ones all of theirs, long ones what is left in parts. */
function shareOut(sizes: number[], room: number): number[] {
  const rooms = sizes.map(() => 0);
  let left = room;
  const ascending = sizes.map((size, index) => ({ size, index })).sort((a, b) => a.size - b.size);
  ascending.forEach(({ size, index }, at) => {
    rooms[index] = Math.min(size, Math.max(0, Math.floor(left / (sizes.length - at))));
    left -= rooms[index]!;
  });
  return rooms;
}

/** Our note alone has no `| ` before it. */
function shortened(text: string, room: number): string {
  const cut = cutMiddle(text, room);
  if (cut === undefined) return text;
  const tail = cut.tail.startsWith("…") ? `| ${cut.tail}` : cut.tail;
  const note = `… ${cut.missing.chars} of ${text.length} characters are not shown here`;
  return [cut.head, note, tail].join("\n");
}

/** The tool and what decides, in one line that reads as one: beginning and end of a long one. */
export function requestLine(tool: string, input: Record<string, unknown>): string {
  const first = DECIDING.find((name) => typeof input[name] === "string" && input[name] !== "");
  const others = Object.entries(input).filter(([name, value]) => !isLabel(tool, name, value));
  const what = first === undefined ? JSON.stringify(Object.fromEntries(others)) : input[first];
  const text = String(what);
  const shown = hidesProgram(first ?? "", text) ? text : masked(text).text;
  const line = quotable(`${tool} ${shown}`);
  return line.length > 240 ? `${line.slice(0, 120)} … ${line.slice(-120)}` : line;
}

/** For use between quotes: neither a quote nor a line end of the text can be taken for ours. */
export function quotable(text: string): string {
  return visible(JSON.stringify(text).slice(1, -1));
}
