/** What every action works with: the pane, the agent, its rights; and the result it returns. */

import type { Pending } from "../answers.ts";
import type { ClaudePane, PaneScreen } from "./claude_pane.ts";
import type { Paths } from "../paths.ts";
import { waitForScreen } from "./screen_wait.ts";

export type ActionResult =
  | { kind: "done"; said: string; via?: "hook" | "keys" }
  | { kind: "refused"; reason: string };

export interface DriverContext {
  paths: Paths;
  session: string;
  pane: ClaudePane;
  agentId: string;
  by: string;
  /** The programs that have called the driver, for the journal. */
  caller: string;
  /** Why this agent may not decide about permissions; undefined where it may. */
  whyNoDecision: string | undefined;
  waitMs: number;
  dryRun: boolean;
  now(): Date;
  /** Does a hook still wait for this answer? */
  isWaiting(pending: Pending): boolean;
  /** From the line of a wake. Without it an answer goes to the screen, with keys. */
  secret?: string;
  /** Is that the secret of this request? Only then its hook takes the answer. */
  opens(pending: Pending): boolean;
  /** Has the caller read the whole of a request that its wake shows in part? */
  hasRead(pending: Pending): boolean;
}

/** A hook waits, and takes an answer of this caller. */
export function mayUseHook(context: DriverContext, pending: Pending): boolean {
  return context.isWaiting(pending) && context.opens(pending);
}

/** Why the secret behind an id is refused; undefined where it is right, or none was given. */
export function whyWrongSecret(context: DriverContext, pending: Pending): string | undefined {
  return context.secret === undefined || context.opens(pending)
    ? undefined
    : `what follows ${pending.id}. is not its secret: use the line of its wake as it stands`;
}

/** A wake may arrive before its dialog is drawn. */
const DIALOG_WITHIN_MS = 3000;

/** The screen once it shows a dialog, or an idle prompt. */
export function lookForDialog(context: DriverContext): Promise<PaneScreen> {
  const { pane, waitMs } = context;
  const ms = Math.min(waitMs, DIALOG_WITHIN_MS);
  return waitForScreen(
    pane,
    ms,
    (screen) => screen.dialog !== undefined || screen.state === "idle",
  );
}

export function refused(reason: string): { kind: "refused"; reason: string } {
  return { kind: "refused", reason };
}

/** The present state. Every refusal ends with it. */
export function describe(screen: PaneScreen): string {
  const { state, dialog, draft } = screen;
  if (dialog !== undefined) {
    return `the present state is ${state} (${dialog.kind.replace("_", " ")}: ${
      brief(dialog.title)
    })`;
  }
  if (draft !== "") {
    return `the present state is ${state}, with the draft "${brief(draft, 40)}" in the box`;
  }
  return `the present state is ${state}`;
}

/** One line, cut after `most` characters. */
export function brief(text: string, most = 100): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
