/** Where a verb plays: the pane, the agent, what it may do, and how it tells what came of it. */

import type { ClaudePane, Look } from "./claude_pane.ts";
import type { Paths } from "../paths.ts";
import { waitFor } from "./typing.ts";

export type Outcome =
  | { kind: "done"; said: string; via?: "hook" | "keys" }
  | { kind: "refused"; reason: string };

export interface Scene {
  paths: Paths;
  session: string;
  pane: ClaudePane;
  agentId: string;
  by: string;
  /** May this agent decide about permissions? Else why not. */
  whyNoDecision: string | undefined;
  waitMs: number;
  dryRun: boolean;
  isAlive(pid: number): boolean;
}

/** A wake may be quicker than the dialog that it tells of. */
const DIALOG_WITHIN_MS = 3000;

/** The screen, once a dialog is there or it is plain that none will come. */
export function lookForDialog(scene: Scene): Promise<Look> {
  const { pane, waitMs } = scene;
  const ms = Math.min(waitMs, DIALOG_WITHIN_MS);
  return waitFor(pane, ms, (screen) => screen.dialog !== undefined || screen.state === "idle");
}

export function refused(reason: string): { kind: "refused"; reason: string } {
  return { kind: "refused", reason };
}

/** The present state, for every refusal. */
export function describe(screen: Look): string {
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

/** On one line, and not longer than a reader needs. */
export function brief(text: string, most = 100): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
