/** A session in which Claude Code runs: what it waits for, does, or has said. */

import { textOf } from "../events.ts";
import { isObject } from "../json.ts";
import type { Dialog, Screen } from "../pane.ts";
import { oneLine } from "../text.ts";
import { resetIn } from "../limit_reset.ts";
import type { SessionObservation } from "./observation.ts";
import type { FleetState, Judged } from "./session_view.ts";
import { agoOf } from "./ago.ts";

/** Claude Code's own status, if it has one; else what the screen shows. */
function statusOf({ entry }: SessionObservation, screen: Screen | undefined): string {
  if (entry !== undefined && entry.status !== "") return entry.status;
  const { dialog, state = "unknown" } = screen ?? {};
  if (dialog !== undefined && dialog.kind !== "slash_menu") return "waiting";
  return state === "working" ? "busy" : state === "unknown" ? "unknown" : "idle";
}

/** A dialog is open. A completion menu is not a dialog. */
export function waiting(seen: SessionObservation, screen: Screen | undefined): Judged | undefined {
  const { entry, pending, transcript } = seen;
  if (statusOf(seen, screen) !== "waiting") return undefined;
  const dialog = screen?.dialog?.kind === "slash_menu" ? undefined : screen?.dialog;
  const state = stateOfDialog(seen, dialog);
  const open = pending.findLast(({ kind }) =>
    kind !== "form" && (kind === "question") === (state === "asks")
  );
  const asked = open === undefined ? 0 : Date.parse(open.asked_at) || 0;
  const since = asked || entry?.statusSince || seen.sameSince || transcript?.at || 0;
  const evidence = dialog === undefined
    ? `Claude Code says that it waits (${plainWords(entry?.waitingFor ?? "")})`
    : `its screen shows a dialog (${dialog.kind})`;
  const now = questionIn(open?.tool_input) || questionIn(transcript?.toolInput) ||
    askedBy(seen, state) || dialog?.title || entry?.waitingFor || "";
  const rows = dialog === undefined || dialog.options.length < 2 ? "" : ` (1-${rowsOf(dialog)})`;
  const shown: Judged = { state, since, now: `${oneLine(now)}${rows}`, evidence };
  return dialog === undefined ? shown : { ...shown, dialog };
}

function stateOfDialog(
  { entry, transcript }: SessionObservation,
  dialog: Dialog | undefined,
): FleetState {
  if (dialog !== undefined) {
    if (dialog.kind === "question" || dialog.kind === "review") return "asks";
    return dialog.kind === "permission" || dialog.kind === "plan" ? "permission" : "dialog";
  }
  if (transcript?.kind === "tool") {
    return transcript.tool === "AskUserQuestion" ? "asks" : "permission";
  }
  if (entry?.waitingFor === "permission prompt") return "permission";
  return entry?.waitingFor === "input needed" ? "asks" : "dialog";
}

/** The rows of a question that Claude itself offered. */
function rowsOf({ kind, options }: Dialog): number {
  const added = /^(Type something\.?|Chat about this)$/;
  return kind === "question"
    ? options.filter(({ label }) => !added.test(label)).length
    : options.length;
}

function questionIn(input: unknown): string {
  const questions = isObject(input) && Array.isArray(input.questions) ? input.questions : [];
  return questions.filter(isObject).map((one) => textOf(one, "question"))[0] ?? "";
}

/** What a permission allows: the action itself, not Claude's description of it. */
function askedBy({ transcript }: SessionObservation, state: FleetState): string {
  return state === "permission" && transcript?.kind === "tool" ? toolLine(transcript, TARGETS) : "";
}

const TARGETS = ["command", "file_path", "pattern", "url", "query", "prompt"];

/** `Bash: Run the tests`, from a tool's own description of what it does. */
function toolLine(
  { tool, toolInput }: { tool: string; toolInput: object },
  names = ["description", ...TARGETS],
): string {
  const input = toolInput as Record<string, unknown>;
  const about = names.map((name) => textOf(input, name)).find((text) => text !== "");
  if (tool === "ExitPlanMode") return "the plan";
  return about === undefined ? tool : `${tool}: ${about}`;
}

/** No Claude Code shows a screen of its start for longer than this. */
const STARTS_WITHIN_MS = 120_000;

export function starting(
  seen: SessionObservation,
  screen: Screen | undefined,
  now: number,
): Judged | undefined {
  if (statusOf(seen, screen) !== "unknown") return undefined;
  const { sameSince, capture = "" } = seen;
  const first = capture.split("\n").map((line) => line.trim()).find((line) => line !== "");
  if (first !== undefined && sameSince !== undefined && now - sameSince > STARTS_WITHIN_MS) {
    const evidence = "its screen does not change, and is not one that we know";
    return { state: "dialog", since: sameSince, now: oneLine(first), evidence };
  }
  const evidence = "its process runs, and neither its list nor its screen says more";
  return { state: "working", since: startedAt(seen), now: "Claude Code is starting", evidence };
}

/** Evidence stands outside of a wake's fence: only what Claude Code itself says, such as `input needed`. */
function plainWords(text: string): string {
  return /^[a-z ]{1,30}$/.test(text) ? text : "for something";
}

const RETRYING = /^[·✢✳✶✻✽*⎿ ]*.*\bRetrying in \d+/;

export function atWork(
  seen: SessionObservation,
  screen: Screen | undefined,
  now: number,
): Judged | undefined {
  if (statusOf(seen, screen) !== "busy") return undefined;
  const { entry, transcript } = seen;
  const since = entry?.statusSince || transcript?.at || 0;
  const doing = transcript?.kind === "tool"
    ? toolLine(transcript)
    : transcript?.kind === "asked"
    ? transcript.words || transcript.prompt
    : "";
  const retry = seen.capture?.split("\n").find((line) => RETRYING.test(line))?.trim();
  const evidence = entry === undefined
    ? "its screen shows work"
    : `Claude Code says that it is busy since ${clock(since)}`;
  if (retry !== undefined) {
    return { state: "retrying", since, now: oneLine(retry), evidence: "its screen shows retries" };
  }
  const quiet = Math.max(since, transcript?.writtenAt ?? 0, seen.sameSince ?? 0);
  const after = (seen.agent?.settings.stall_after_s ?? Infinity) * 1000;
  const judged = { since, now: oneLine(doing), quiet_since: quiet };
  if (quiet > 0 && now - quiet >= after) {
    const told = `no new line in its transcript and no change of its screen for ${
      agoOf(now - quiet)
    }`;
    return { ...judged, state: "stalled", evidence: `${evidence}; ${told}` };
  }
  return { ...judged, state: "working", evidence };
}

function startedAt({ entry, launch }: SessionObservation): number {
  return entry?.startedAt || Date.parse(launch?.started_at ?? "") || 0;
}

export function resting(seen: SessionObservation, screen: Screen | undefined, now: number): Judged {
  const { entry, transcript } = seen;
  const evidence = entry === undefined
    ? "its screen shows the prompt"
    : `Claude Code says that it is idle since ${clock(entry.statusSince)}`;
  const since = entry?.statusSince || transcript?.at || startedAt(seen);
  if (transcript?.kind === "failed") {
    const until = resetIn(transcript.message, transcript.at) ?? resetOfApi(seen);
    const failed = { since: transcript.at, now: oneLine(transcript.message) };
    const told = { ...failed, evidence: `${evidence}; the turn failed` };
    if (until === undefined) return { ...told, state: "failed" };
    return { ...told, state: until > now ? "limited" : "failed", until };
  }
  if (screen?.state === "error") {
    const now = "it is not logged in, or its API key is wrong";
    return { state: "failed", since, now, evidence: "its screen asks for a login" };
  }
  const words = isInterrupted(seen) ? "Interrupted" : oneLine(transcript?.words ?? "");
  if (STILL_RUNS.test(lastMarkIn(seen))) {
    return { state: "paused", since, now: words, evidence: "its screen says what still runs" };
  }
  const where = seen.renamedTo === undefined ? "" : "; it runs under another name";
  return { state: "idle", since, now: words, evidence: evidence + where };
}

/** The message may say nothing where the API's answer did: the mod has read that. */
function resetOfApi({ transcript, usage }: SessionObservation): number | undefined {
  const resets = usage?.apiResetsAt?.getTime();
  const isLimit = transcript?.error === "rate_limit";
  return isLimit && resets !== undefined && resets > transcript.at ? resets : undefined;
}

/** `✻ Churned for 0s · done 12:39 AM · 1 shell still running`: Claude goes on by itself. */
const STILL_RUNS = /· \d+ .*still running$/;

/** The last line that Claude Code itself has written into the conversation. */
function lastMarkIn({ capture = "" }: SessionObservation): string {
  return capture.split("\n").findLast((line) => /^[·✢✳✶✻✽*] /.test(line))?.trimEnd() ?? "";
}

/** Esc ended the turn: Claude Code is idle, and its transcript has no answer of this process. */
export function isInterrupted({ entry, transcript }: SessionObservation): boolean {
  if (entry?.status !== "idle" || transcript === undefined) return false;
  if (transcript.at < entry.startedAt || transcript.at > entry.statusSince + 1000) return false;
  return ["interrupted", "asked", "tool"].includes(transcript.kind);
}

function clock(time: number): string {
  return time === 0 ? "its start" : new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}
