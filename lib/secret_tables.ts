/** Finds secrets by the head of their column, the first cell of their row, or the kind of file. */

import { isPlaceholder, isReference, looksRandom, type Secret } from "./secret_values.ts";

const NAME =
  /^[\s"'`*]*(?:[\w .-]{1,30}[ _.-])?(?:password|passwd|passphrase|pwd|pass|secret|token|api[ _-]?key|secret[ _-]?key|access[ _-]?key)[\s"'`*]*$/i;
const MOST_ROWS = 200;

const isReal = (value: string) =>
  value.length >= 6 && !/\s/.test(value) && !isPlaceholder(value) && !isReference(value);

/** In a column or behind a first cell a value must look like one: `string` is a type. */
const looksGiven = (value: string, name: string) =>
  isReal(value) && (/pass|pwd/i.test(name) && /\D/.test(value) || looksRandom(value, 0.5)) &&
  (/\d|[!@#$%^&*?]|[a-z][A-Z]/.test(value)) && !/[(){}]|^--?\w/.test(value);

interface Line {
  text: string;
  start: number;
}

interface Cell extends Line {
  end: number;
}

/** The cells of a row without blanks and quotes around them. */
function cellsOf({ text, start }: Line, mark: string): Cell[] {
  let at = start;
  return text.split(mark).map((cell) => {
    const inner = cell.replace(/^[\s"'`*]+|[\s"'`*]+$/g, "");
    const from = at + cell.indexOf(inner);
    at += cell.length + mark.length;
    return { text: inner, start: from, end: from + inner.length };
  });
}

const MARKS = ["|", "│", ",", ";", "\t"];
const RULE = /^[\s|+│┃├┼┤─═:-]*$/;

export function* inTables(text: string): Generator<Secret> {
  if (!/pass|pwd|secret|token|key/i.test(text)) return;
  if (!text.includes("\n") && !/[|│]/.test(text)) return;
  const lines = linesOf(text);
  // The rows of a table are read once, whatever they hold.
  let done = 0;
  for (const [index, line] of lines.entries()) {
    if (line.text.length > 1000 || !/pass|pwd|secret|token|key/i.test(line.text)) continue;
    const mark = MARKS.find((one) => line.text.includes(one));
    if (mark === undefined) continue;
    const head = cellsOf(line, mark);
    const columns = head.flatMap(({ text: name }, at) => NAME.test(name) ? [at] : []);
    if (columns.length === 0 || head.length < 2) continue;
    const isRow = /^\s*[|│]/.test(line.text) && head.length <= 5;
    const beside = isRow && columns[0] === 1 ? head[2] : undefined;
    if (beside !== undefined && looksGiven(beside.text, head[1]!.text)) yield found(beside);
    if (index < done) continue;
    const rows = lines.slice(index + 1, index + 1 + MOST_ROWS);
    done = index + 1 + (yield* below(rows, mark, head, columns));
  }
}

function linesOf(text: string): Line[] {
  let at = 0;
  return text.split("\n").map((line) => {
    const start = at;
    at += line.length + 1;
    return { text: line, start };
  });
}

/** A table goes on as long as its rows have as many cells. */
function* below(
  lines: Line[],
  mark: string,
  head: Cell[],
  columns: number[],
): Generator<Secret, number> {
  for (const [index, line] of lines.entries()) {
    if (RULE.test(line.text) && line.text.trim() !== "") continue;
    const cells = line.text.length > 1000 ? [] : cellsOf(line, mark);
    if (cells.length !== head.length) return index;
    for (const column of columns) {
      if (looksGiven(cells[column]!.text, head[column]!.text)) yield found(cells[column]!);
    }
  }
  return lines.length;
}

const found = ({ start, end }: Cell): Secret => ({
  start,
  end,
  what: "a password in a table",
  kind: "value",
  // `| password | x |` may be a pipe.
  onlyRead: true,
});

/** Every value of a Kubernetes Secret, whatever its name; a certificate is public. */
export function* inManifests(text: string): Generator<Secret> {
  if (!/^[ \t]*kind:[ \t]*Secret[ \t]*$/m.test(text)) return;
  let indent = -1;
  for (const { text: line, start } of linesOf(text)) {
    const opened = /^([ \t]*)(?:data|stringData):[ \t\r]*$/.exec(line);
    if (opened !== null) {
      indent = opened[1]!.length;
      continue;
    }
    const entry = /^([ \t]*)([\w.-]{1,100}):[ \t]+["']?([^\s"']{4,})["']?[ \t\r]*$/.exec(line);
    if (entry === null || entry[1]!.length <= indent) {
      if (/^[ \t]*(?:---|\w)/.test(line)) indent = -1;
      continue;
    }
    if (indent < 0 || /\.crt$|cert|user|name$|host|port/i.test(entry[2]!)) continue;
    const value = entry[3]!;
    if (isPlaceholder(value) || isReference(value) || value.includes("://")) continue;
    const from = start + line.indexOf(value, entry[1]!.length + entry[2]!.length + 1);
    yield { start: from, end: from + value.length, what: "a value of a Secret", kind: "value" };
  }
}

/** The codes below a title: `Recovery codes:`. */
export function* inLists(text: string): Generator<Secret> {
  if (!/(?:recovery|backup|scratch)[ _-]codes?/i.test(text)) return;
  let isList = false;
  for (const { text: line, start } of linesOf(text)) {
    const code =
      /^([\s>│|*-]*(?:\d{1,2}[.)][ \t]+)?)([A-Za-z\d]{4,10}(?:[- ][A-Za-z\d]{4,10}){0,3})[\s│|]*$/
        .exec(line);
    if (isList && code !== null && (/\d/.test(code[2]!) || code[2]!.includes("-"))) {
      const from = start + code[1]!.length;
      yield {
        start: from,
        end: from + code[2]!.length,
        what: "a code to log in",
        kind: "value",
        onlyRead: true,
      };
      continue;
    }
    if (line.trim() !== "") {
      isList = /(?:recovery|backup|scratch)[ _-]codes?\b[^:]{0,60}:?\s*$/i.test(line);
    }
  }
}
