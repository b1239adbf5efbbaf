/** What an agent that may not decide can accept and type. At a dialog the default is: nothing. */

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
  const cut = whyRowsMissing(dialog);
  return cut === undefined ? undefined : `${cut}; ${describe(screen)}`;
}

/** A dialog that cannot be read in full is not decided. */
export function whyRowsMissing(dialog: Dialog): string | undefined {
  if (!decides(dialog.kind) || dialog.whole) return undefined;
  return "the window is too low to show all rows of this dialog: make it larger, or answer " +
    "through the waiting hook with --question";
}

/** Commands that change settings, servers or plugins at once when words follow. */
const CHANGES_RIGHTS = /^\s*(\/(config|settings|sandbox|mcp|plugins?|marketplace))\s+\S/i;

/** Why this prompt may not be typed; `/config permissionMode=auto` asks for no permission. */
export function whyNotTyped(context: DriverContext, text: string): string | undefined {
  const command = CHANGES_RIGHTS.exec(text)?.[1];
  if (command === undefined || context.whyNoDecision === undefined) return undefined;
  return `${context.whyNoDecision}; "${command} …" can change what Claude may do, without a ` +
    "dialog: let a person type it";
}
