/** What was spent and by how much limits were raised, on disk: in `budgets/` of the state folder. */

import { readTextIfThere, writeAtomic } from "../files.ts";
import { isObject } from "../json.ts";
import { type Paths, safeName } from "../paths.ts";
import { EMPTY, type Ledger } from "./spending.ts";

/** The watch alone writes it. */
export interface SpendingFile extends Ledger {
  /** Since when each limit is near or reached. */
  levels: Record<string, number>;
}

export function spendingFile({ state }: Pick<Paths, "state">): string {
  return `${state}/watch/spending.json`;
}

export function readSpending(paths: Pick<Paths, "state">): SpendingFile {
  const value = objectIn(spendingFile(paths));
  const part = (name: keyof SpendingFile) => isObject(value[name]) ? value[name] : {};
  return {
    ...EMPTY,
    conversations: part("conversations") as Ledger["conversations"],
    days: part("days") as Ledger["days"],
    levels: part("levels") as SpendingFile["levels"],
  };
}

export function writeSpending(paths: Pick<Paths, "state">, file: SpendingFile): void {
  writeAtomic(spendingFile(paths), JSON.stringify(file));
}

/** Dollars beyond the limits of the registry: for one day, and for conversations. */
export interface Raised {
  day: { date: string; usd: number };
  sessions: Record<string, number>;
}

export function raisedFile({ state }: Pick<Paths, "state">, agentId: string): string {
  return `${state}/budgets/${safeName(agentId)}.json`;
}

export function readRaised(paths: Pick<Paths, "state">, agentId: string): Raised {
  const { day, sessions } = objectIn(raisedFile(paths, agentId));
  const { date, usd } = isObject(day) ? day : {};
  const entries = Object.entries(isObject(sessions) ? sessions : {});
  return {
    day: { date: String(date ?? ""), usd: Number(usd) || 0 },
    sessions: Object.fromEntries(entries.map(([id, more]) => [id, Number(more) || 0])),
  };
}

const MOST_SESSIONS = 200;

/** Raises both limits of a conversation: its own, and that of the day. */
export function raise(
  paths: Pick<Paths, "state">,
  agentId: string,
  { claude, date, usd }: { claude: string; date: string; usd: number },
): Raised {
  const { day, sessions } = readRaised(paths, agentId);
  const { [claude]: before = 0, ...others } = sessions;
  const kept = Object.entries(others).slice(1 - MOST_SESSIONS);
  const raised = {
    day: { date, usd: usd + (day.date === date ? day.usd : 0) },
    sessions: Object.fromEntries([...kept, ...claude === "" ? [] : [[claude, before + usd]]]),
  };
  writeAtomic(raisedFile(paths, agentId), JSON.stringify(raised), { durable: true });
  return raised;
}

function objectIn(path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readTextIfThere(path) ?? "{}");
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
