/** The dialog at the bottom of Claude Code's screen: what is asked, and the rows one can pick. */

export type DialogKind =
  | "question"
  | "review"
  | "permission"
  | "plan"
  | "trust"
  | "bypass"
  | "resume_picker"
  | "resume_summary"
  | "rewind"
  | "slash_menu"
  | "other";

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
}

export interface Dialog {
  kind: DialogKind;
  title: string;
  /** The dialog as drawn, without its frame. */
  text: string;
  options: DialogOption[];
  /** One per question, where there are several or several choices. */
  tabs: { label: string; answered: boolean }[];
  /** A question whose options are shown with a picture: a digit moves, Enter selects. */
  preview: boolean;
  /** What stands in the row with the cursor, "" when no row has it. */
  focused: string;
}

const CHAT = "Chat about this";
const TOP = /^(─{10,}|▔{10,})/;
const TABS = /^\s?(←\s+)?[☐☒✔]\s/;
const FOOTER =
  /(Enter to (select|confirm|continue)|Esc to (cancel|exit|go back|close)|to navigate ·|Tab to amend)|^ {2}Showing detailed transcript/;

/** Undefined when the lines do not end in a dialog. `lines` are without colours and end blanks. */
export function readDialog(lines: string[]): Dialog | undefined {
  let end = lines.length;
  while (end > 0 && lines[end - 1] === "") end--;
  const start = dialogStart(lines, end);
  const body = lines.slice(start, end);
  const options = readOptions(body);
  const focusedRow = focusedIn(body, options);
  const framed = start > 0 || TOP.test(lines[0] ?? "");
  const last = body.findLast((line) => !/^ {20,}\S/.test(line)) ?? "";
  const signed = FOOTER.test(last);
  // A shell's prompt below what a dialog has left behind stands at the left edge.
  if (!signed && !last.startsWith("  ")) return undefined;
  if (focusedRow === undefined && !signed) return undefined;
  if (options.length === 0 && !signed) return undefined;
  if (!framed && !signed) return undefined;

  const text = trimBlank(body.filter((line) => !TOP.test(line.trimStart())));
  const tabLine = text.find((line) => line !== "") ?? "";
  const hasTabs = TABS.test(tabLine);
  const kind = kindOf(text, options, hasTabs);
  return {
    kind,
    title: titleOf(text, kind, hasTabs),
    text: undented(text),
    options,
    tabs: hasTabs ? readTabs(tabLine) : [],
    preview: text.some((line) => /Notes: |n to add notes/.test(line)) && kind === "question",
    focused: focusedRow?.replace(/^\s*❯ /, "").replace(PICTURE, "").trim() ?? "",
  };
}

/** The row with the cursor: an option, or "Submit" below them; never a ❯ inside a description. */
function focusedIn(body: string[], options: DialogOption[]): string | undefined {
  const numbered = options.some((option) => option.numbered);
  const mark = numbered ? /^ {0,4}❯ / : /^\s*❯ /;
  return body.findLast((line) => mark.test(line));
}

/**
 * A question has two rules, one above it and one above "Chat about this"; all others have one.
 * The line after the last rule: the top of the dialog may have scrolled out of a low window.
 */
function dialogStart(lines: string[], end: number): number {
  let last = -1;
  for (let at = end - 1; at >= 0; at--) {
    if (!TOP.test(lines[at]!)) continue;
    if (last === -1) {
      last = at;
      if (!/^\s+(\d+\. )?Chat about this/.test(lines[at + 1]?.replace("❯", " ") ?? "")) break;
    } else {
      return at + 1;
    }
  }
  if (last === -1) return 0;
  return /Chat about this/.test(lines[last + 1] ?? "") ? 0 : last + 1;
}

function kindOf(text: string[], options: DialogOption[], hasTabs: boolean): DialogKind {
  const labels = options.map((option) => option.label);
  const title = text.find((line) => line !== "")?.trim() ?? "";
  const last = text.findLast((line) => line !== "") ?? "";
  if (labels.at(-2) === "Submit answers" && labels.at(-1) === "Cancel") return "review";
  if (hasTabs || labels.at(-1) === CHAT) return "question";
  if (/^Enter to select · (↑\/↓|Tab\/Arrow)/.test(last)) return "question";
  if (/^Accessing workspace/.test(title) || labels.some((l) => /trust this folder/.test(l))) {
    return "trust";
  }
  if (/Bypass Permissions mode/.test(title) || labels.at(-1) === "Yes, I accept") return "bypass";
  if (/^Resume session\b/.test(title)) return "resume_picker";
  if (/^Rewind\b/.test(title)) return "rewind";
  if (labels.some((label) => /^Resume from summary/.test(label))) return "resume_summary";
  if (/^(Exit plan mode\?|Ready to code\?)/.test(title)) return "plan";
  if (
    labels.some((label) => /keep planning|approve edits|tell Claude what to change/i.test(label))
  ) {
    return "plan";
  }
  if (/^Yes\b/.test(labels[0] ?? "") && labels.some((label) => /^No\b/.test(label))) {
    return "permission";
  }
  return "other";
}

function titleOf(text: string[], kind: DialogKind, hasTabs: boolean): string {
  const rest = trimBlank(hasTabs ? text.slice(1) : text);
  if (kind !== "question") return rest[0]?.trim() ?? "";
  const title: string[] = [];
  for (const line of rest) {
    if (/^[❯↑ ] \d+\./.test(line)) break;
    title.push(line.replace(/^│ /, "").trim());
  }
  return title.join(" ").trim();
}

/** `←  ☒ Language  ☐ License  ✔ Submit  →` */
function readTabs(line: string): { label: string; answered: boolean }[] {
  return Array.from(
    line.matchAll(/([☐☒]) (\S+(?: \S+)*)/g),
    (match) => ({ label: match[2]!, answered: match[1] === "☒" }),
  );
}

/** The frame beside the options of a preview question. */
const PICTURE = /\s{2,}[┌│└╭╰].*$/;
// 2.1.197 leaves out the blank after the number of a label that wraps; ↑ ↓ mark a list cut short.
const NUMBERED = /^(\s*(?:[❯↑↓] )?\s*)(\d+)\. *(?:\[(.)\] +)?(\S.*)$/;

/**
 * The last list that counts up in one column; a list inside the text comes before it, one inside
 * a description is indented further. The numbers begin at 1 unless the list is scrolled.
 */
function readOptions(body: string[]): DialogOption[] {
  let found: DialogOption[] = [];
  let column = -1;
  let ended = false; // after a blank line nothing describes an option any more
  for (const line of body) {
    const match = NUMBERED.exec(line);
    const number = Number(match?.[2]);
    const at = match?.[1]?.length ?? 0;
    const begins = number === 1 || (found.length === 0 && /^\s*↑ /.test(line));
    if (match && at >= 2 && begins && (found.length === 0 || at <= column)) {
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
  // Above the first entry stands the project's name, alone.
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
    });
  }
  return options;
}

function describeRow(options: DialogOption[], words: string): void {
  const option = options.at(-1)!;
  option.description = `${option.description} ${words}`.trim();
}

function trimBlank(lines: string[]): string[] {
  let start = 0, end = lines.length;
  while (start < end && lines[start]!.trim() === "") start++;
  while (end > start && lines[end - 1]!.trim() === "") end--;
  return lines.slice(start, end);
}

function undented(lines: string[]): string {
  const shown = lines.filter((line) => line !== "" && !line.startsWith("╌"));
  const least = Math.min(...shown.map((line) => line.search(/\S/)), 20);
  return lines.map((line) => line.startsWith("╌") ? line : line.slice(least)).join("\n");
}
