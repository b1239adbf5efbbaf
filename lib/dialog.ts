/** The dialog at the bottom of Claude Code's screen: what is asked, and the rows one can pick. */

import { type DialogKind, isWhole, kindOf } from "./dialog_kind.ts";
import { type DialogOption, FOOTER, PICTURE, readOptions } from "./dialog_options.ts";

export type { DialogKind } from "./dialog_kind.ts";
export type { DialogOption } from "./dialog_options.ts";

export interface Dialog {
  kind: DialogKind;
  title: string;
  /** The dialog as drawn, without its frame. */
  text: string;
  options: DialogOption[];
  /** All rows can be seen. In a low window some are off the screen, "No" among them. */
  whole: boolean;
  /** One per question, where there are several or several choices. */
  tabs: { label: string; answered: boolean }[];
  /** A question whose options are shown with a picture: a digit moves, Enter selects. */
  preview: boolean;
  /** What stands in the row with the cursor, "" when no row has it. */
  focused: string;
}

const TOP = /^(─{10,}|▔{10,})/;
const TABS = /^\s?(←\s+)?[☐☒✔]\s/;
/** Undefined when the lines do not end in a dialog. `lines` are without colours and end blanks. */
export function readDialog(lines: string[]): Dialog | undefined {
  let end = lines.length;
  while (end > 0 && lines[end - 1] === "") end--;
  const start = dialogStart(lines, end);
  const body = lines.slice(start, end);
  const found = readOptions(body);
  const focusedRow = focusedIn(body, found);
  const options = withOneCursor(found, focusedRow);
  const framed = start > 0 || TOP.test(lines[0] ?? "");
  const last = body.findLast((line) => !/^ {20,}\S/.test(line)) ?? "";
  // A review has no footer, and in a low window neither frame nor tabs.
  const reviewed = /\nReady to submit your answers\?\n\n[❯ ] 1\. Submit answers\n[❯ ] 2\. Cancel$/
    .test(body.join("\n"));
  const signed = FOOTER.test(last) || isFooterWrapped(body) || reviewed ||
    (start > 0 && isSettings(body));
  // A shell's prompt below what a dialog has left behind stands at the left edge.
  if (!signed && !last.startsWith("  ")) return undefined;
  if (focusedRow === undefined && !signed) return undefined;
  if (options.length === 0 && !signed) return undefined;
  if (!framed && !signed) return undefined;

  const text = trimBlank(body.filter((line) => !TOP.test(line.trimStart())));
  const tabLine = text.find((line) => line !== "") ?? "";
  const kind = kindOf({
    body,
    options,
    title: start > 0 ? tabLine.trim() : "",
    isReview: reviewed,
  });
  const hasTabs = (kind === "question" || kind === "review") && TABS.test(tabLine);
  return {
    kind,
    title: titleOf(text, kind, { hasTabs, options }),
    text: undented(text),
    options,
    whole: isWhole(kind, options),
    tabs: hasTabs ? readTabs(tabLine) : [],
    preview: text.some((line) => /Notes: |n to add notes/.test(line)) && kind === "question",
    focused: focusedRow?.replace(/^\s*❯ /, "").replace(PICTURE, "").trim() ?? "",
  };
}

/** The page of statistics (/stats) has no footer; its tabs are below the frame. */
function isSettings(body: string[]): boolean {
  const tabs = body.find((line) => line !== "") ?? "";
  return /^ {2,3}Settings {2,}Status {2,}Config {2,}Usage {2,}Stats$/.test(tabs);
}

/** In a narrow window: begun on one line, ended on the next, and nothing after it. */
function isFooterWrapped(body: string[]): boolean {
  const [begun = "", ended = ""] = body.filter((line) => line !== "").slice(-2);
  if (!FOOTER.test(`${begun} ${ended.trim()}`)) return false;
  if (/\bEsc( to)?$/.test(begun) && /^ *(to )?(cancel|exit|go back|close)$/.test(ended)) {
    return true;
  }
  // A shell's prompt below it stands at the left edge, a row has a number.
  return !FOOTER.test(begun) || /^ +[a-z][^❯\d]{0,40}$/.test(ended);
}

/** The row with the cursor: an option, or "Submit" below them; never a ❯ inside a description. */
function focusedIn(body: string[], options: DialogOption[]): string | undefined {
  const numbered = options.some((option) => option.numbered);
  const mark = numbered ? /^ {0,4}❯ / : /^\s*❯ /;
  return body.findLast((line) => mark.test(line));
}

/** Beside a preview the option keeps its ❯ while the cursor stands on "Chat about this" below. */
function withOneCursor(options: DialogOption[], focusedRow = ""): DialogOption[] {
  const number = /^\s*❯ +(\d+)\./.exec(focusedRow)?.[1];
  return options.map((option) =>
    option.numbered ? { ...option, focused: option.number === Number(number) } : option
  );
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

function titleOf(
  text: string[],
  kind: DialogKind,
  { hasTabs, options }: { hasTabs: boolean; options: DialogOption[] },
): string {
  const rest = trimBlank(hasTabs ? text.slice(1) : text);
  if (kind !== "question") return rest[0]?.trim() ?? "";
  // A question may have numbered lines of its own: the rows are the last ones that look so.
  const numberOf = (line: string) => /^[❯↑ ] (\d+)\./.exec(line)?.[1];
  const end = rest.findLastIndex((line) => numberOf(line) === String(options[0]?.number));
  return rest.slice(0, end === -1 ? undefined : end)
    .map((line) => line.replace(/^│ /, "").trim()).join(" ").trim();
}

/** `←  ☒ Language  ☐ License  ✔ Submit  →` */
function readTabs(line: string): { label: string; answered: boolean }[] {
  return Array.from(
    line.matchAll(/([☐☒]) (\S+(?: \S+)*)/g),
    (match) => ({ label: match[2]!, answered: match[1] === "☒" }),
  );
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
