/**
 * What was spent: by conversation, and by agent and day. Claude Code counts for itself, from its start
 * or from a new conversation on. This file sums up by how much the counters grow. Pure.
 */

export interface CostReading {
  agent_id: string;
  /** The conversation. */
  claude: string;
  /** The process of Claude Code: its number and its start. */
  run: string;
  /** What its counter says. */
  usd: number;
  /** The conversation was begun today. */
  isOfToday: boolean;
  /** With a new conversation the counter begins at 0; in older versions it goes on. */
  resets: boolean;
}

interface Counter {
  agent_id: string;
  /** All that the conversation has cost. */
  usd: number;
  since: number;
  at: number;
  /** What its counter said last, and in which process. */
  last: number;
  run: string;
}

export interface Ledger {
  conversations: Record<string, Counter>;
  /** By date, then by agent. */
  days: Record<string, Record<string, number>>;
}

export const EMPTY: Ledger = { conversations: {}, days: {} };

/** The same ledger where nothing has changed. */
export function withReading(
  ledger: Ledger,
  { agent_id, claude, run, usd, isOfToday, resets }: CostReading,
  { date, now }: { date: string; now: number },
): Ledger {
  const known = ledger.conversations[claude];
  if (claude === "" || (known?.last === usd && known.run === run)) return ledger;
  // A counter that is lower than before has begun anew: Claude Code was killed.
  const before = known?.last ?? (resets ? 0 : lastOf(ledger, run));
  const grown = usd >= before ? usd - before : usd;
  const isOld = known === undefined && !isOfToday;
  const today = isOld ? 0 : grown;
  const counter = {
    ...{ agent_id, usd: (known?.usd ?? 0) + grown, since: known?.since ?? now, at: now },
    ...{ last: usd, run },
  };
  const day = ledger.days[date] ?? {};
  const sum = (day[agent_id] ?? 0) + today;
  return {
    conversations: { ...ledger.conversations, [claude]: counter },
    days: { ...ledger.days, [date]: { ...day, [agent_id]: sum } },
  };
}

/** The last value of a process's counter, in any conversation. */
function lastOf({ conversations }: Ledger, run: string): number {
  const own = Object.values(conversations).filter((one) => one.run === run);
  return own.reduce((latest, one) => one.at >= latest.at ? one : latest, { at: 0, last: 0 }).last;
}

/** Takes a day's sum from the journal where it is larger: the watch was off, or lost its file. */
export function withJournal(ledger: Ledger, date: string, agentId: string, usd: number): Ledger {
  const day = ledger.days[date] ?? {};
  if (usd <= (day[agentId] ?? 0)) return ledger;
  return { ...ledger, days: { ...ledger.days, [date]: { ...day, [agentId]: usd } } };
}

const MOST_DAYS = 31;
const KEPT_MS = MOST_DAYS * 86_400_000;

export function withoutOld({ conversations, days }: Ledger, now: number): Ledger {
  return {
    conversations: Object.fromEntries(
      Object.entries(conversations).filter(([, { at }]) => now - at < KEPT_MS),
    ),
    days: Object.fromEntries(Object.entries(days).sort().slice(-MOST_DAYS)),
  };
}
