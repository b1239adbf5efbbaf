/** Reads Claude Code's screen. The words of the conversation never decide: what is drawn does. */

import { type Dialog, readDialog } from "./dialog.ts";
import { YES_NO_ROW } from "./dialog_kind.ts";
import { isOffer, readOffers } from "./offers.ts";

export type { Dialog, DialogKind, DialogOption } from "./dialog.ts";

export interface Screen {
  /** "unknown": this is no screen of Claude Code. */
  state: "menu" | "permission_prompt" | "idle" | "working" | "error" | "unknown";
  /** The input box is there, no dialog is in its way, and it takes a prompt (not a shell line). */
  ready: boolean;
  /** The text in the input box; its placeholder does not count. */
  draft: string;
  dialog?: Dialog;
  /** How full the context is, where the screen itself says so. */
  pressurePct?: number;
}

interface Box {
  top: number;
  bottom: number;
  width: number;
  /** "❯" takes a prompt, "!" a shell line. */
  mark: string;
  draft: string;
}

/**
 * Takes `capture-pane -p`, with or without `-e`. With colours a dim suggestion in the input box is
 * distinguished from a draft; without them only the known placeholders are.
 *
 *   ────────────────────────────────
 *   ❯ draft
 *   ────────────────────────────────
 *     status line
 *     ⏵⏵ auto mode on (shift+tab to cycle) · esc to interrupt
 */
export function readScreen(capture: string): Screen {
  const coloured = capture.split("\n");
  const lines = coloured.map((line) => stripCodes(line).trimEnd());
  const box = findBox(lines, coloured);
  if (box === undefined) {
    const dialog = readDialog(lines);
    if (dialog === undefined) return { state: "unknown", ready: false, draft: "" };
    const permission = dialog.kind === "permission" || dialog.kind === "plan";
    return { state: permission ? "permission_prompt" : "menu", ready: false, draft: "", dialog };
  }

  const footer = [lines[box.bottom]!.replace(/─+/g, ""), ...lines.slice(box.bottom + 1)]
    .filter((line) => line !== "");
  const notices = noticesAbove(lines, box);
  const pressurePct = pressureOf(notices, footer);
  const reading = {
    draft: box.draft,
    ...(pressurePct === undefined ? {} : { pressurePct }),
  };
  const menu = readOffers(box.draft, lines.slice(0, box.top), lines.slice(box.bottom + 1));
  if (menu !== undefined) return { state: "menu", ready: false, ...reading, dialog: menu };
  const ready = box.mark === "❯";
  if (isWorking(lines, box, footer)) return { state: "working", ready, ...reading };
  const failing = [...notices, ...footer].some((line) => LOGIN_TROUBLE.test(line));
  return { state: failing ? "error" : "idle", ready, ...reading };
}

const LOGIN_TROUBLE = /\b(Not logged in|Invalid API key|Please run \/login|Run \/login)\b/;
const RULE = /^─{10,}/;
// deno-lint-ignore no-control-regex
const GREY_RULE = /\u001b\[(?:[\d;]*;)?(?:2|3[0-8]|9[0-7])[;m]/;

/**
 * The lower rule with the footer written over it. Letters that tmux draws wider than Claude Code
 * thinks push everything below them down by a line:
 *
 *   ────────────────────────────────
 *   ❯
 *   ──⏸ manual mode on · ? for shortcuts────────
 */
const OVERDRAWN = /^──[^─\s].*─{10,}$/;

function isRule(line: string): boolean {
  return RULE.test(line) && line.replace(/[^─]/g, "").length * 2 > line.length;
}

/** The last two rules, when the first is followed by the prompt sign and only a footer follows. */
function findBox(lines: string[], coloured: string[]): Box | undefined {
  const bottom = lines.findLastIndex((line) => isRule(line) || OVERDRAWN.test(line));
  if (bottom < 2) return undefined;
  const top = lines.findLastIndex((line, at) => at < bottom && isRule(line));
  if (top === -1 || bottom - top < 2) return undefined;
  const inside = lines.slice(top + 1, bottom);
  const mark = inside[0]![0] ?? "";
  if (!/^[❯!]([ \u00a0]|$)/.test(inside[0]!)) return undefined;
  if (inside.slice(1).some((line) => line !== "" && !line.startsWith("  "))) return undefined;
  // Claude Code indents all that is below its box, but for what 2.1.197 offers there:
  // anything else at the left edge is a shell that came after it.
  if (lines.slice(bottom + 1).some((line) => /^\S/.test(line) && !isOffer(line))) {
    return undefined;
  }
  // A command in a request can draw a box with letters that push text to the left edge.
  if (lines.slice(bottom + 1).some(isOfRequest)) return undefined;
  // The rules are Claude Code's own, so they show whether it draws in colour. Where NO_COLOR is
  // set it still inverts the letter under the cursor.
  const isColoured = [top, bottom].some((at) => GREY_RULE.test(coloured[at]!));
  const shown = coloured.slice(top + 1, bottom).map((line) => stripCodes(withoutGhost(line)));
  const draft = shown.map((line) => line.slice(2).trimEnd()).join("\n").trim();
  return {
    top,
    bottom,
    width: lines[bottom]!.length,
    mark,
    // With colours the placeholder is gone by now: what is left was typed.
    draft: !isColoured && PLACEHOLDER.test(draft) ? "" : draft,
  };
}

/** No input box has this below it. */
function isOfRequest(line: string): boolean {
  return YES_NO_ROW.test(line) || /\bEsc to (cancel|reject all)\b/.test(line);
}

const PLACEHOLDER = /^(Try ".*"?|Press up to edit queued messages|Message @\S+…)$/;

/** Right-aligned hints between the conversation and the box. */
function noticesAbove(lines: string[], box: Box): string[] {
  const notices: string[] = [];
  for (let at = box.top - 1; at >= Math.max(0, box.top - 3); at--) {
    const line = lines[at]!;
    if (!/^ {8,}\S/.test(line) || line.length < box.width - 4) break;
    notices.push(line.trim());
  }
  return notices;
}

function isWorking(lines: string[], box: Box, footer: string[]): boolean {
  if (footer.some((line) => /\besc to interrupt\b|· esc to …?$/.test(line))) return true;
  if (footer.some((line) => line.includes("? for shortcuts"))) return false;
  // Before a turn, with a status line, and in a narrow window the footer does not say it. The
  // spinner is at the left edge, where no prose begins; it may name a task, or what Claude Code does.
  const marked = lines.findLast((line, at) => at < box.top && /^\S/.test(line)) ?? "";
  return /^[·✢✳✶✻✽*] \S.*…( \(|$)/.test(marked) || /^[·✢✳✶✻✽*] .*\bRetrying in \d+s\b/.test(marked);
}

function pressureOf(notices: string[], footer: string[]): number | undefined {
  for (const line of [...notices, ...footer]) {
    const left = /\b(\d{1,3})% until auto-compact\b|\buntil auto-compact: (\d{1,3})%/.exec(line);
    if (left) return within(100 - Number(left[1] ?? left[2]));
  }
  for (const line of footer) {
    const used = USED.exec(line) ?? USED_BEFORE.exec(line);
    if (used === null) continue;
    const percent = Number(used.groups!.percent);
    return within(/left|free|remaining/i.test(used[0]) ? 100 - percent : percent);
  }
  return undefined;
}

/** `CTX 50%`, `context: 42.5%`, `context left 20%`: between name and number nothing but signs. */
const USED =
  /\b(?:ctx|context)(?: window)?(?: (?:used|left|free|remaining))?[^\w%,]{0,24}(?<percent>\d{1,3})(?:\.\d+)? ?%(?: (?:left|free|remaining))?/i;
const USED_BEFORE =
  /\b(?<percent>\d{1,3})(?:\.\d+)? ?% (?:of )?(?:ctx|context)\b(?: (?:left|free|remaining))?/i;

function within(value: number): number {
  return Math.max(0, Math.min(100, value));
}

// deno-lint-ignore no-control-regex
const CODES = /\u001b(?:\[[0-9;:?]*[A-Za-z]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()][A-Z0-9])/g;

// deno-lint-ignore no-control-regex
const COLOUR = /(\u001b\[[0-9;:]*m)/;

/** Text without colours and links. */
export function stripCodes(line: string): string {
  return line.includes("\u001b") ? line.replace(CODES, "") : line;
}

/**
 * Without the dim suggestion that Claude Code draws into an empty box. Its first letter is under
 * the cursor and is drawn inverted, not dim: one inverted letter alone is no draft either.
 */
function withoutGhost(line: string): string {
  if (!line.includes("\u001b")) return line;
  let dim = false, inverse = false, ghost = false;
  let kept = "", plain = "";
  for (const part of line.split(COLOUR)) {
    if (part.startsWith("\u001b[")) {
      for (const code of part.slice(2, -1).split(";")) {
        if (code === "2") dim = true;
        else if (code === "7") inverse = true;
        else if (code === "22") dim = false;
        else if (code === "27") inverse = false;
        else if (code === "0" || code === "") dim = inverse = false;
      }
      continue;
    }
    if (dim) {
      ghost ||= part.trim() !== "";
    } else {
      kept += part;
      if (!inverse) plain += part;
    }
  }
  return ghost ? plain : kept;
}
