/** At which dialogs keys may accept something for an agent that may not decide. Default: at none. */

import { decides, RIGHTS } from "../dialog_kind.ts";
import type { Dialog } from "../pane.ts";
import { describe, type DriverContext } from "./driver_context.ts";
import type { PaneScreen } from "./claude_pane.ts";

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
