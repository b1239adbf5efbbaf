/** At which dialogs keys may accept something for an agent that may not decide. Default: at none. */

import { decides } from "../dialog_kind.ts";
import type { Dialog, DialogKind } from "../pane.ts";
import { describe, type DriverContext } from "./driver_context.ts";
import type { PaneScreen } from "./claude_pane.ts";

/** `free`: it grants nothing. A kind that is not known to be free is not. */
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

/** Why no key may accept what this dialog offers; undefined where one may. */
export function whyNoKeys(context: DriverContext, screen: PaneScreen): string | undefined {
  const { dialog } = screen;
  if (dialog === undefined) return undefined;
  const { free, because } = RIGHTS[dialog.kind];
  if (free) return undefined;
  if (context.whyNoDecision !== undefined) {
    return `${context.whyNoDecision}; at this dialog (${because}) only snapshot and esc work, or ` +
      `a person attaches and decides; ${describe(screen)}`;
  }
  const cut = whyUnreadable(dialog);
  return cut === undefined ? undefined : `${cut}; ${describe(screen)}`;
}

/** What cannot be read whole is not decided. */
export function whyUnreadable(dialog: Dialog): string | undefined {
  if (!decides(dialog.kind) || dialog.whole) return undefined;
  return "the window is too low to show all rows of this dialog: make it larger, or answer " +
    "through the waiting hook with --question";
}
