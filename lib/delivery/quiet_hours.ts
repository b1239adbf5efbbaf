/** Quiet hours of an agent: a hold that begins and ends by the clock of the machine. */

import { endOf, readHold, writeHold } from "../doors/holds.ts";
import { readTextIfThere } from "../files.ts";
import type { QuietHours } from "../hook_settings.ts";
import { record } from "../journal.ts";
import { messageOf } from "../json.ts";
import type { Paths } from "../paths.ts";
import { readRegistry } from "../registry.ts";

/** A crash and a question of money are never held. */
const ALWAYS_SENT = ["session_lost", "recovery_failed", "budget"];

/** Where `pass` is not set: what keeps Claude from going on, and what the agent waits for. */
const PASS_BY_DEFAULT = [
  ...["ask_user_question", "permission_prompt", "dialog_open", "elicitation_dialog"],
  ...["elicitation_url_dialog", "agent_needs_input", "worker_permission_prompt"],
  ...["session_recovered", "doctor_test"],
];

export interface QuietWindow {
  since: Date;
  until: Date;
}

/** The quiet hours that run now. They follow the local time, also when the clock changes. */
export function quietWindow({ from, to }: QuietHours, now: Date): QuietWindow | undefined {
  const isOverMidnight = to < from;
  for (const day of [-1, 0]) {
    const since = atTime(now, day, from);
    const until = atTime(now, isOverMidnight ? day + 1 : day, to);
    if (since <= now && now < until) return { since, until };
  }
  return undefined;
}

/** A local time of today, or of another day. */
function atTime(now: Date, days: number, clock: string): Date {
  const [hour, minute] = clock.split(":").map(Number) as [number, number];
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour, minute);
}

/**
 * Begins the hold of quiet hours, and ends it early where the registry no longer has them. Called by
 * the deliverer alone, under the agent's lock, before it looks for what it may send.
 */
export function keepQuiet(paths: Paths, agentId: string, now: number): void {
  try {
    const hold = readHold(paths, "quiet", agentId);
    if (hold !== undefined && (hold.release !== undefined || (endOf(hold) ?? 0) <= now)) return;
    const quiet = quietHoursOf(paths, agentId);
    if (quiet === "unknown") return;
    const window = quiet === null ? undefined : quietWindow(quiet, new Date(now));
    if (window === undefined && hold === undefined) return;
    const until = (window?.until ?? new Date(now)).toISOString();
    const pass = [...ALWAYS_SENT, ...quiet?.pass ?? PASS_BY_DEFAULT];
    if (hold?.until === until && String(hold.pass) === String(pass)) return;
    const since = hold?.since || window!.since.toISOString();
    writeHold(paths, { kind: "quiet", name: agentId, agent_id: agentId, since, until, pass });
    if (hold !== undefined) return;
    const reason = `quiet hours: until ${until.replace(/\.\d+Z$/, "Z")}`;
    record(paths, { kind: "session", session: agentId, agent_id: agentId, reason });
  } catch (error) {
    // The disk is full: send wakes that could have waited.
    const reason = `Cannot keep quiet hours: ${messageOf(error)}`;
    record(paths, { kind: "problem", session: agentId, agent_id: agentId, reason });
  }
}

/** "unknown": the registry cannot be read now, so nothing changes. */
function quietHoursOf(paths: Paths, agentId: string): QuietHours | null | "unknown" {
  let text: string;
  try {
    text = readTextIfThere(paths.registry) ?? "";
  } catch {
    return "unknown";
  }
  const reading = readRegistry(text, [], [agentId]);
  if (reading.kind !== "registry") return "unknown";
  const agent = reading.registry.agents.find((one) => one.agent_id === agentId);
  return agent?.settings.quiet_hours ?? null;
}
