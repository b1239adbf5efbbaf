/** Findings that no event ends: limits of spending, and hooks that do not run. Pure. */

import { limitOwner, unmeasuredLimits } from "./budgets.ts";
import type { FleetFinding } from "./findings.ts";
import type { SessionView } from "./session_view.ts";
import { hasHooks, lateTurns } from "./reported.ts";

/**
 * Findings that were reported and are over: the running session has its hooks again. If the hooks go
 * missing once more, that is reported again.
 */
export function isOver(key: string, views: SessionView[], lasting: FleetFinding[]): boolean {
  if (!key.startsWith('["hooks",')) return false;
  const [, pid] = JSON.parse(key);
  return views.some(({ seen }) => seen.entry?.pid === pid) &&
    !lasting.some((one) => one.key === key);
}

/** A raised limit, or a context that is full once more, makes another finding. */
export function budgets(view: SessionView): FleetFinding[] {
  return (view.budgets ?? []).map(({ since, ...budget }) => {
    const { measure, level, of, limit } = budget;
    const times = measure === "context" ? [since] : [];
    const about = [limitOwner(view, budget), measure, level, of, limit, ...times];
    const key = JSON.stringify(["budget", ...about]);
    return { kind: "budget", key, since, view, budget };
  });
}

/** A limit is set, a turn has ended, and nothing says what it has cost. */
export function unmeasured(view: SessionView): FleetFinding[] {
  const { agent, entry, transcript } = view.seen;
  if (entry?.status !== "idle" || transcript?.kind !== "answer") return [];
  if (transcript.at < entry.startedAt || unmeasuredLimits(view).length === 0) return [];
  const key = JSON.stringify(["unmeasured", entry.pid, entry.startedAt]);
  return agent === undefined ? [] : [{ kind: "unmeasured", key, since: transcript.at, view }];
}

/** A single turn may have met a full disk or a broken registry. */
const LATE_TURNS = 2;

/** No hook of ours runs in it: by its settings, or because none has run though turns have ended. */
export function hooksOff(view: SessionView): FleetFinding[] {
  const { seen, seen: { entry, renamedTo, hooksOff: why } } = view;
  if (entry === undefined || view.state === "ended" || view.state === "lost") return [];
  // After a rename the hooks run, and find no agent.
  const hasNone = renamedTo === undefined && lateTurns(seen) >= LATE_TURNS && !hasHooks(seen);
  if (why === undefined && !hasNone) return [];
  const key = JSON.stringify(["hooks", entry.pid, entry.startedAt, why ?? ""]);
  return [{ kind: "hooks", key, since: why === undefined ? entry.startedAt : 0, view }];
}
