/** Sessions that have only a journal left. */

import { statusOf } from "../delivery/wake_life.ts";
import { readJournal } from "../journal_read.ts";
import type { Paths } from "../paths.ts";
import { isReport } from "../sessions/global_status.ts";
import { type SessionView, viewOf } from "./session_view.ts";

/** `known`: the sessions that have a journal. */
export function withOld(
  views: SessionView[],
  now: number,
  known: string[],
  paths: Paths,
): SessionView[] {
  const old = known.filter((session) =>
    !views.some((view) => view.session === session) && isOfSession(readJournal(paths, session))
  );
  const bare = { holds: "gone", isServerThere: false, unsent: 0, dead: 0 } as const;
  return [
    ...views,
    ...old.map((session) => ({
      ...viewOf({ ...bare, session, pending: [], journal: [] }, now),
      agent_id: statusOf(session, readJournal(paths, session), []).agent_id,
    })),
  ];
}

/** The watch writes down what stops it, under its own name. Reports have names of their own, too. */
function isOfSession(records: Iterable<Record<string, unknown>>): boolean {
  return [...records].some(({ kind, agent_id, session, reason }) =>
    (kind !== "problem" || agent_id !== undefined) &&
    !isReport(String(agent_id), String(session)) &&
    !(session === agent_id && kind === "session" && HOLDS.test(String(reason)))
  );
}

/** A pause or quiet hours: of an agent they stand under its id. */
const HOLDS = /^(paused|to be resumed|resumed|quiet hours)\b/;
