/**
 * What kind of dialog it is, and whether all its rows can be seen. Text above the rows may be a
 * command that Claude wrote to look like a dialog. So rows, frame and left edge decide.
 */

import { CHAT, type DialogOption } from "./dialog_options.ts";

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

/** Where keys may accept something for an agent that may not decide: `free` grants nothing. */
export const RIGHTS: Record<DialogKind, { free: boolean; because: string }> = {
  question: { free: true, because: "Claude gets an answer in words, and no right" },
  review: { free: true, because: "it sends the answers that were chosen" },
  slash_menu: { free: true, because: "it completes what type could send as well" },
  resume_picker: { free: true, because: "it changes the conversation, as /clear does" },
  resume_summary: { free: true, because: "it sets how much of the conversation is loaded" },
  permission: { free: false, because: "it allows a tool call" },
  plan: { free: false, because: "it lets Claude change files" },
  trust: { free: false, because: "it lets the folder's hooks and servers run" },
  bypass: { free: false, because: "it turns all requests off" },
  rewind: { free: false, because: "it can overwrite files of the working folder" },
  other: {
    free: false,
    because: "it is none of the known menus: it may start an MCP server or change settings",
  },
};

export interface DialogSigns {
  /** All lines below the frame. */
  body: string[];
  options: DialogOption[];
  /** The first line below the frame. "" when the frame is off the screen: then it may be a command. */
  title: string;
  isReview: boolean;
}

export function kindOf({ body, options, title, isReview }: DialogSigns): DialogKind {
  if (isReview) return "review";
  if (isQuestion(body)) return "question";
  const labels = options.map((option) => option.label);
  if (body.some((line) => YES_NO_ROW.test(line)) || labels.some((label) => YES_NO.test(label))) {
    return decisionKind(labels, title);
  }
  if (/^Resume session\b/.test(title)) return "resume_picker";
  if (/^Rewind\b/.test(title)) return "rewind";
  if (PLAN_TITLE.test(title) || labels.some((label) => PLAN_ROW.test(label))) return "plan";
  return title !== "" && SUMMARY_ROWS.test(labels.join("|")) ? "resume_summary" : "other";
}

/** A row by which something is allowed or refused; ↑ ↓ mark a list cut short. */
export const YES_NO_ROW = /^\s*([❯↑↓] )?\s*\d+\. *(Yes|No)\b/;
/** The same without a number, as the dialogs of the start have them. */
const YES_NO = /^(Yes|No|Yes, I .*|No, exit)$/;
const PLAN_TITLE = /^(Exit plan mode\?|Ready to code\?)/;
// From its beginning: a row "don't ask again for: …" ends with words of the command.
const PLAN_ROW =
  /^(No, keep planning|Yes, (and )?(manually |auto-)(approve|accept) edits|Tell Claude what to change)/;
const SUMMARY_ROWS =
  /^Resume from summary \((instant, )?recommended\)\|Resume full session as-is\|Don't ask me again$/;

function decisionKind(labels: string[], title: string): DialogKind {
  if (labels.some((label) => /^Yes, I trust this folder/.test(label))) return "trust";
  if (labels.includes("Yes, I accept") || /Bypass Permissions mode/.test(title)) return "bypass";
  if (/^Accessing workspace/.test(title)) return "trust";
  const isPlan = PLAN_TITLE.test(title) || labels.some((label) => PLAN_ROW.test(label));
  return isPlan ? "plan" : "permission";
}

const FOOTER_BEGINS = /^Enter to select · /;
const QUESTION_FOOTER =
  /^Enter to select · (↑\/↓|Tab\/Arrow keys) to navigate( · [a-z+]+ to [^·]+)* · Esc to cancel$/;
const CHAT_ROW = new RegExp(`^[❯ ] (\\d+\\. )?${CHAT}$`);

/**
 *   ──────────────────────
 *     5. Chat about this
 *
 *   Enter to select · ↑/↓ to navigate · Esc to cancel
 *
 * Claude Code draws these at the left edge, and nothing below them. It indents what a tool call
 * shows; only letters that tmux draws wider than Claude Code thinks can push text to the left edge.
 */
function isQuestion(body: string[]): boolean {
  const lines = body.filter((line) => line !== "" && !/^ {20,}\S/.test(line));
  const footer = lines.findLastIndex((line) => FOOTER_BEGINS.test(line));
  // In a narrow window the footer has several lines.
  if (footer === -1 || !QUESTION_FOOTER.test(lines.slice(footer).join(" "))) return false;
  const chat = lines.findLastIndex((line, at) => at < footer && CHAT_ROW.test(line));
  return chat > 0 && /^─{10,}/.test(lines[chat - 1]!);
}

/** Dialogs in which a Yes allows something. */
export function decides(kind: string | undefined): boolean {
  return kind === "permission" || kind === "plan" || kind === "trust" || kind === "bypass";
}

/** In a low window Claude Code draws only some of the rows, and no mark where it draws just one. */
export function isWhole(kind: DialogKind, options: DialogOption[]): boolean {
  const isInOrder = options.every((option, index) => option.number === index + 1 && !option.more);
  if (!isInOrder || options.length === 0) return false;
  if (!decides(kind)) return true;
  const labels = options.map((option) => option.label);
  const isRefusal = (label: string) => /^No\b/.test(label) || PLAN_ROW.test(label);
  return labels.some((label) => /^Yes\b/.test(label)) && labels.some(isRefusal);
}
