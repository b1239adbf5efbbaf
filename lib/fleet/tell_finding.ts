/** Reports a finding: writes the mark, then the wake, then updates the mark. */

import type { World } from "../cli/world.ts";
import type { HookEvent } from "../events.ts";
import { type AccountLimit, limitIn } from "../failures.ts";
import type { HookContext } from "../hook_context.ts";
import { record } from "../journal.ts";
import { newWake, queuedRecord, type Receiver, receiverOf } from "../new_wake.ts";
import { enqueue, isDelivered } from "../outbox.ts";
import { readScreen } from "../pane.ts";
import type { Registry } from "../registry.ts";
import { sendWake } from "../sending.ts";
import { GLOBAL_AGENT, globalReceiver } from "../sessions/global_status.ts";
import { deliver } from "../sessions/recovery_wake.ts";
import type { WakeDraft } from "../wake.ts";
import { draftOf, failureOf, isLate } from "./finding_drafts.ts";
import type { FindingMark, FindingMarks } from "./finding_marks.ts";
import type { FleetFinding } from "./findings.ts";
import type { SessionView } from "./session_view.ts";
import type { TurnStopOutcomes } from "./turn_stops.ts";

export interface ReportContext {
  world: World;
  registry: Registry;
  marks: FindingMarks;
  /** When the look began that has found it. */
  lookedAt: number;
  /** The session is being started again by itself. */
  isRecovered(view: SessionView): boolean;
  /** The results for turns that a limit ends. */
  stops: TurnStopOutcomes;
}

/** Throws where it cannot be reported now. The next look tries again with the same wake. */
export async function tellFinding(finding: FleetFinding, telling: ReportContext): Promise<void> {
  const { world, marks } = telling;
  const { view, key } = finding;
  const now = world.now();
  const mark = marks.begin(key, now.getTime());
  if (!wasQueued(mark, finding, telling)) {
    const isRecovered = telling.isRecovered(view);
    const own = stopsOf(finding, telling);
    const about = { paths: world.paths, now: now.getTime(), isRecovered, stops: own };
    const draft = draftOf(finding, about);
    if (isLate(finding.kind)) await sendLate(finding, draft, mark, telling);
    else sendNews(view.session, draft, mark.wake_id, receiverFor(finding, telling), telling);
  }
  marks.finish(mark);
}

/** An earlier try sent it: its wake waits, is a dead letter, or is in the journal. */
function wasQueued(mark: FindingMark, { view }: FleetFinding, { world }: ReportContext): boolean {
  const ids = [view.agent_id, GLOBAL_AGENT];
  return ids.some((agent_id) => !isDelivered(world.paths, { agent_id, wake_id: mark.wake_id })) ||
    view.seen.journal.some((line) => line.wake_id === mark.wake_id);
}

/** The stops of the session; for a day's limit those of all the agent's sessions. */
function stopsOf({ view, budget }: FleetFinding, { stops }: ReportContext): Map<string, string> {
  const isDay = budget?.measure === "day";
  const all = stops.get(view.agent_id) ?? new Map<string, string>();
  return new Map(Array.from(all).filter(([session]) => isDay || session === view.session));
}

function receiverFor({ kind, view }: FleetFinding, { registry }: ReportContext): Receiver {
  const global = kind === "unanswered" ? globalReceiver(registry) : undefined;
  return global ?? receiverOf(view.seen.agent!);
}

/** Puts a wake of the watch into the outbox and has it delivered. */
export function sendNews(
  session: string,
  draft: WakeDraft,
  wakeId: string,
  to: Receiver,
  { world }: Pick<ReportContext, "world">,
): void {
  const { paths } = world;
  const wake = newWake(paths, to, session, draft, { wakeId, now: world.now() });
  enqueue(paths, wake);
  const reason = draft.details?.evidence;
  const begins = draft.before === undefined ? {} : { begins: draft.body };
  record(paths, queuedRecord(wake, { source: "watch", ...begins, ...(reason ? { reason } : {}) }));
  deliver(world, to.agent_id, session);
}

/** Remembers the wake as its hook would, so a late hook or a reminder counts as a duplicate. */
async function sendLate(
  finding: FleetFinding,
  draft: WakeDraft,
  { wake_id: wakeId }: FindingMark,
  telling: ReportContext,
): Promise<void> {
  const { dialog } = finding.view;
  await sendWake(contextOf(finding, telling), draft, {
    source: "watch",
    wakeId,
    ...(dialog === undefined ? {} : { dialog: dialog.kind }),
    ...limitOf(finding),
  });
}

function limitOf({ kind, view }: FleetFinding): { limit?: AccountLimit } {
  const limit = kind === "failure" ? limitIn(failureOf(view), view.since) : undefined;
  return limit === undefined ? {} : { limit };
}

/** As of the look: an end that a hook has noted since is later than this event. */
function contextOf(finding: FleetFinding, { world, lookedAt }: ReportContext): HookContext {
  const { seen } = finding.view;
  const agent = seen.agent!;
  const screen = readScreen(seen.capture ?? "");
  const env = (name: string) =>
    name === "TMUX" ? `${seen.socket ?? ""},0,0` : name === "TMUX_PANE" ? seen.pane : undefined;
  return {
    ...{ session: seen.session, pane: seen.pane ?? "", agent, settings: agent.settings },
    ...{ event: eventOf(finding), paths: world.paths, env, now: new Date(lookedAt) },
    leaveToShell: () => {},
    startQueue: () => {},
    capture: () => Promise.resolve(seen.capture),
    screen: () => Promise.resolve(screen),
    startDeliverer: () => {
      world.startDeliverer(agent.agent_id);
      return Promise.resolve();
    },
  };
}

/** The part of the hook's event that identifies the wake. */
function eventOf({ kind, view }: FleetFinding): HookEvent {
  const { transcript, entry, memory } = view.seen;
  const event = {
    sessionId: entry?.sessionId ?? memory?.claude_session_id ?? "",
    transcriptPath: transcript?.path ?? memory?.transcript_path ?? "",
    cwd: entry?.cwd ?? memory?.cwd ?? "",
    promptId: transcript?.promptId ?? "",
  };
  switch (kind) {
    case "turn":
      return { ...event, name: "Stop", fields: { last_assistant_message: transcript?.lastBlock } };
    case "failure":
      return { ...event, name: "StopFailure", fields: { error: transcript?.error } };
    case "question":
      return { ...event, name: "PreToolUse", fields: { tool_use_id: transcript?.toolUseId } };
    case "permission": {
      const fields = {
        notification_type: "permission_prompt",
        message: "Claude needs your permission",
      };
      return { ...event, name: "Notification", fields };
    }
    default:
      return { ...event, name: "Interrupted", fields: {} };
  }
}
