/** The rows of a dialog: what can be picked, and where the cursor is. */

export interface DialogOption {
  number: number;
  label: string;
  description: string;
  /** Only where a row has a box to tick. */
  checked?: boolean;
  focused: boolean;
  /** The row carries the mark of an answer that is taken already. */
  selected?: boolean;
  /** The row shows its number, so that the digit key works on it. */
  numbered: boolean;
  /** An arrow beside it: more rows follow that are not drawn. */
  more?: true;
}

export const CHAT = "Chat about this";
/** The line below a dialog that says which keys work. */
export const FOOTER =
  /(Enter to (select|confirm|continue)|Esc to (cancel|exit|go back|close|reject all)|to navigate ·|Tab to amend|ctrl\+g to edit in )|^ {2}Showing detailed transcript/;

/** The frame beside the options of a preview question. */
export const PICTURE = /\s{2,}[┌│└╭╰].*$/;
// 2.1.197 leaves out the blank after the number of a label that wraps; ↑ ↓ mark a list cut short.
const NUMBERED = /^(\s*(?:[❯↑↓] )?\s*)(\d+)\. *(?:\[(.)\] *)?(\S.*)$/;

/**
 * The last list that counts up in the column of the row with the cursor. Where none has it: a list
 * inside the text comes before it, one inside a description is indented further. The numbers begin
 * at 1 unless the list is scrolled.
 */
export function readOptions(body: string[]): DialogOption[] {
  const own = cursorColumn(body);
  let found: DialogOption[] = [];
  let column = -1;
  let ended = false; // after a blank line nothing describes an option any more
  for (const line of body) {
    const match = NUMBERED.exec(line);
    const number = Number(match?.[2]);
    const at = match?.[1]?.length ?? 0;
    const begins = number === 1 || (found.length === 0 && /^\s*↑ /.test(line));
    const isOwn = own === undefined ? found.length === 0 || at <= column : at === own;
    if (match && at >= 2 && begins && isOwn) {
      found = [optionFrom(line, match, number)];
      column = at;
      ended = false;
    } else if (match && found.length > 0 && continues(found, number, match[4]!, at - column)) {
      found.push(optionFrom(line, match, number));
    } else if (found.length > 0 && line === "") {
      ended = true;
    } else if (found.length > 0 && !ended) {
      describe(found, line);
    }
  }
  return found.length > 0 ? found : readRows(body);
}

function cursorColumn(body: string[]): number | undefined {
  const focused = body.findLast((line) => /^ {0,4}❯ +\d+\./.test(line));
  const match = NUMBERED.exec(focused ?? "");
  return match === null ? undefined : match[1]!.length + (Number(match[2]) > 9 ? 1 : 0);
}

function continues(found: DialogOption[], number: number, label: string, shift: number): boolean {
  const last = found.at(-1)!.number;
  // In a low window the rows between are scrolled away.
  const next = number === last + 1 || (number > last && label === CHAT);
  return next && (shift === 0 || (shift === -1 && number > 9));
}

function optionFrom(line: string, match: RegExpExecArray, number: number): DialogOption {
  const label = match[4]!.replace(PICTURE, "").trim();
  return {
    number,
    label: label.replace(/ ✔$/, ""),
    ...(label.endsWith(" ✔") ? { selected: true } : {}),
    description: "",
    ...(match[3] === undefined ? {} : { checked: match[3] !== " " }),
    focused: /^\s*❯ /.test(line),
    numbered: true,
    ...(/^\s*[↑↓] /.test(line) ? { more: true } : {}),
  };
}

function describe(options: DialogOption[], line: string): void {
  const option = options.at(-1)!;
  if (!/^ {2,}\S/.test(line) || /^(❯| ) {4}(Submit|Next)$/.test(line)) return;
  const words = line.replace(/^\s{20,}.*$|\s{2,}[┌│└].*$/, "").trim();
  if (words !== "") option.description = `${option.description} ${words}`.trim();
}

/** Rows without numbers: those in the column of the row with the cursor, in groups. */
function readRows(body: string[]): DialogOption[] {
  const focusedAt = body.findLastIndex((line) => /^\s*❯ /.test(line));
  if (focusedAt === -1) return [];
  const column = body[focusedAt]!.indexOf("❯") + 2;
  const isRow = (line: string) =>
    /^\s*[❯↑↓]?\s*$/.test(line.slice(0, column)) && /^\S/.test(line.slice(column));
  const paired = body.some((line, at) =>
    line === "" && at > focusedAt && isRow(body[at + 1] ?? "")
  );
  let first = focusedAt;
  while (first > 0 && (isRow(body[first - 1]!) || (paired && body[first - 1] === ""))) first--;
  // The project's name is alone above the first entry.
  if (paired && body[first + 1] === "" && first < focusedAt) first += 2;
  const options: DialogOption[] = [];
  for (let at = first; at < body.length; at++) {
    const line = body[at]!;
    if (line === "" && paired) continue;
    if (!isRow(line) || FOOTER.test(line) || /^\s*Ctrl\+/.test(line)) break;
    const label = line.slice(column).trim();
    if (paired && body[at - 1] !== "" && options.length > 0) {
      describeRow(options, label);
      continue;
    }
    options.push({
      number: options.length + 1,
      label,
      description: "",
      focused: at === focusedAt,
      numbered: false,
      ...(/^\s*[↑↓] /.test(line) ? { more: true } : {}),
    });
  }
  return options;
}

function describeRow(options: DialogOption[], words: string): void {
  const option = options.at(-1)!;
  option.description = `${option.description} ${words}`.trim();
}
