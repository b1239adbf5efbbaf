/** What every action works with: the pane, the agent, its rights; and the result it returns. */

import { listPending, type Pending } from "../answers.ts";
import { isToCome } from "../questions.ts";
import type { ClaudePane, PaneScreen } from "./claude_pane.ts";
import type { InboxRoad } from "./inbox_road.ts";
import type { ModRoad } from "./mod_road.ts";
import type { Paths } from "../paths.ts";
import type { RoadName } from "./prompt_words.ts";
import type { ByKind } from "../records.ts";
import { maskForApproval } from "../text.ts";
import { waitForScreen } from "./screen_wait.ts";

export type ActionResult =
  /** `isAnswer`: it answered a question or a request, which has its own record in the journal. */
  | { kind: "done"; said: string; via?: "hook" | RoadName; isAnswer?: boolean }
  /** `isUnsure`: it may have been done. */
  | { kind: "refused"; reason: string; isUnsure?: true };

export interface DriverContext {
  /** The mod inside this Claude Code, where it has one. */
  mod?: ModRoad;
  /** Which road the caller insists on. */
  road?: RoadName;
  /** Its inbox socket, where it has one. */
  inbox?: InboxRoad;
  /** Whether the model reads the prompt as the user's or as an agent's. */
  voice: "user" | "agent";
  paths: Paths;
  session: string;
  pane: ClaudePane;
  agentId: string;
  by: string;
  byKind: ByKind;
  /** The programs that have called the driver, for the journal. */
  caller: string;
  /** Why this agent may not decide about permissions; undefined where it may. */
  whyNoDecision: string | undefined;
  waitMs: number;
  dryRun: boolean;
  /** Act also on a draft that the agent did not type. */
  anyway: boolean;
  now(): Date;
  /** Called before a prompt is sent, on each road: UserPromptSubmit then knows whose it is. */
  beforePrompt(text: string): void;
  /** Does a hook still wait for this answer? */
  isWaiting(pending: Pending): boolean;
  /** Lists the processes again: a hook may have started since. */
  lookForHooks(): Promise<void>;
  /** From the line of a wake. Without it an answer goes to the screen, with keys. */
  secret?: string;
  /** Is that the secret of this request? Only then its hook takes the answer. */
  opens(pending: Pending): boolean;
  /** Has the caller read the full request, where its wake shows only a part? */
  hasRead(pending: Pending): boolean;
}

/** What is open in this pane. A dialog of another pane cannot be on its screen. */
export function pendingHere({ paths, session, pane }: DriverContext): Pending[] {
  return listPending(paths, session).filter((one) => (one.pane ?? pane.id) === pane.id);
}

/** A hook waits and accepts an answer from this caller. */
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
/** Claude Code runs all hooks of PreToolUse before it opens the question that ours has reported. */
const TO_COME_WITHIN_MS = 60_000;
const HOOK_WITHIN_MS = 3000;

/** The screen once it shows a dialog or an idle prompt. Waits for a question that is announced. */
export async function lookForDialog(context: DriverContext, id?: string): Promise<PaneScreen> {
  const { pane, waitMs, paths, session } = context;
  const isThere = ({ dialog, state }: PaneScreen) => dialog !== undefined || state === "idle";
  let screen = await waitForScreen(pane, Math.min(waitMs, DIALOG_WITHIN_MS), isThere);
  const isOpen = () => id === undefined || !isToCome(paths, session, id);
  if (isOpen() || screen.state === "idle") return screen;
  screen = await waitForScreen(pane, TO_COME_WITHIN_MS, (now) => isThere(now) || isOpen());
  // Its hook starts when the dialog is drawn.
  const isEnough = (now: PaneScreen) => now.state === "idle" || isOpen();
  if (screen.dialog !== undefined) screen = await waitForScreen(pane, HOOK_WITHIN_MS, isEnough);
  await context.lookForHooks();
  return screen;
}

export function refused(reason: string): { kind: "refused"; reason: string } {
  return { kind: "refused", reason };
}

/** It may have been done. */
export function unsure(reason: string): ActionResult {
  return { kind: "refused", reason, isUnsure: true };
}

/** The present state. Every refusal ends with it. */
export function describe(screen: PaneScreen): string {
  const { state, dialog, draft } = screen;
  if (dialog !== undefined) {
    return `the present state is ${state} (${dialog.kind.replace("_", " ")}: ${
      maskedLine(dialog.title)
    })`;
  }
  if (draft !== "") {
    return `the present state is ${state}, with the draft "${maskedLine(draft, 40)}" in the box`;
  }
  return `the present state is ${state}`;
}

/** One masked line of at most `most` characters. Mask first: a secret that is cut may not be found. */
export function maskedLine(text: string, most = 100): string {
  const line = maskForApproval(text, "screen").text.replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
