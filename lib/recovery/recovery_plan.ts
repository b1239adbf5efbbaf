/** What recover does with each session of an agent, by what the fleet shows: pure functions. */

import type { FleetReading } from "../fleet/fleet_reader.ts";
import type { SessionObservation } from "../fleet/observation.ts";
import type { Agent } from "../registry.ts";
import { type Verdict, verdictsOn } from "../sessions/comeback.ts";
import { sessionNameOf } from "../sessions/session_names.ts";

export interface PlanScope {
  agent: Agent;
  fleet: FleetReading;
  /** `--agent` names this agent. */
  isNamed: boolean;
  /** Named by the caller: they come back however they ended, and no other one is looked at. */
  sessions: readonly string[];
}

/** The latest first. */
export function planFor(
  scope: PlanScope,
  now: number,
): { seen: SessionObservation; verdict: Verdict }[] {
  const all = sessionsOf(scope);
  const verdicts = verdictsOn(all, { isNamed: scope.isNamed, now });
  return all.map((seen, at) => ({ seen, verdict: asWished(scope, seen, verdicts[at]!) }));
}

/** The agent's sessions that were started by us or run; else its first one. */
function sessionsOf({ agent, fleet }: PlanScope): SessionObservation[] {
  const own = [...fleet.sessions, ...fleet.elsewhere]
    .filter((seen) => seen.agent?.agent_id === agent.agent_id)
    // It runs in no pane that we know: it is ending, or cannot be reached.
    .map((seen) => seen.renamedTo === "" ? { ...seen, holds: "gone" as const } : seen);
  // A shell under the agent's name need not be the agent's: only a running Claude Code counts.
  const known = own.filter(({ launch, holds }) => launch !== undefined || holds === "alive");
  const sign = ({ launch, memory }: SessionObservation) =>
    launch === undefined ? "" : memory?.updated_at ?? launch.started_at;
  if (known.length > 0) return known.sort((a, b) => sign(a) < sign(b) ? 1 : -1);
  const session = sessionNameOf(agent);
  const bare = { holds: "gone", isServerThere: false, unsent: 0, dead: 0 } as const;
  return [
    own.find((seen) => seen.session === session) ??
      { ...bare, session, agent, pending: [], journal: [] },
  ];
}

function asWished(
  { sessions }: PlanScope,
  { session, holds }: SessionObservation,
  verdict: Verdict,
): Verdict {
  if (sessions.length === 0) return verdict;
  if (!sessions.includes(session)) return "unlisted";
  return holds === "alive" ? "alive" : "comes_back";
}
