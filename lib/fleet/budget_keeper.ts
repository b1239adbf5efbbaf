/** Keeps what was spent across restarts, and compares each session with its limits. */

import { namesIn } from "../files.ts";
import {
  readStop,
  removeStop,
  type SpendingStop,
  stopsDir,
  writeStop,
} from "../doors/spending_stops.ts";
import { textOf } from "../events.ts";
import { journalSessions, readStory } from "../journal_read.ts";
import { originalName, type Paths } from "../paths.ts";
import {
  raisedFile,
  readRaised,
  readSpending,
  type SpendingFile,
  writeSpending,
} from "./budget_files.ts";
import { budgetsOf, conversationOf, dateOf, limitOwner } from "./budgets.ts";
import { FileCache } from "./file_cache.ts";
import type { SessionObservation } from "./observation.ts";
import { tmuxName } from "./session_commands.ts";
import type { SessionView } from "./session_view.ts";
import { type CostReading, withJournal, withoutOld, withReading } from "./spending.ts";
import { spentWords } from "./budget_words.ts";

export class BudgetKeeper {
  readonly #files = new FileCache();
  #file: SpendingFile;
  #isSaved = true;
  /** The agents whose journals were read. */
  readonly #caughtUp = new Set<string>();
  readonly #stops: Set<string>;

  constructor(private readonly paths: Paths) {
    this.#file = readSpending(paths);
    const names = namesIn(stopsDir(paths)).filter((name) => name.endsWith(".json"));
    this.#stops = new Set(names.map((name) => originalName(name.slice(0, -".json".length))));
  }

  /** Counts what the sessions have cost, and adds it to each observation. */
  note(sessions: SessionObservation[], now: number): void {
    const date = dateOf(now);
    for (const seen of sessions) {
      const reading = readingOf(seen, date);
      if (reading === undefined) continue;
      this.#change({ ...this.#file, ...withReading(this.#file, reading, { date, now }) });
    }
    for (const seen of sessions) {
      const { agent } = seen;
      if (agent === undefined || seen.holds !== "alive") continue;
      const { agent_id } = agent;
      if (agent.settings.max_usd_per_day > 0) this.#catchUp(agent_id, date);
      const claude = conversationOf(seen);
      const own = this.#file.conversations[claude];
      const usd = this.#file.days[date]?.[agent_id];
      const raised = this.#raised(agent_id);
      seen.spending = {
        ...(own === undefined ? {} : { session: { usd: own.usd, since: own.since } }),
        day: {
          usd: usd ?? 0,
          date,
          sessions: sessions.filter((one) => one.agent?.agent_id === agent_id).length,
        },
        more: {
          session: raised?.sessions[claude] ?? 0,
          day: raised?.day.date === date ? raised.day.usd : 0,
        },
      };
    }
  }

  /** Undefined also where it cannot be read: then the limits of the registry hold. */
  #raised(agentId: string): ReturnType<typeof readRaised> | undefined {
    try {
      const file = raisedFile(this.paths, agentId);
      return this.#files.of(file, () => readRaised(this.paths, agentId));
    } catch {
      return undefined;
    }
  }

  /** Reads today's costs from the journal, once: the watch may not have run all day. */
  #catchUp(agentId: string, date: string): void {
    if (this.#caughtUp.has(agentId)) return;
    this.#caughtUp.add(agentId);
    const [year, month, day] = date.split("-").map(Number) as [number, number, number];
    const since = new Date(year, month - 1, day).getTime();
    let usd = 0;
    for (const session of journalSessions(this.paths)) {
      for (const line of readStory(this.paths, session, since)) {
        const isCounted = line.agent_id === agentId && typeof line.cost_usd === "number" &&
          Date.parse(textOf(line, "at")) >= since;
        if (isCounted) usd += line.cost_usd as number;
      }
    }
    this.#change({ ...this.#file, ...withJournal(this.#file, date, agentId, usd) });
  }

  /** Which limits are near or reached, and since when. */
  judge(views: SessionView[], now: number): void {
    const levels: Record<string, number> = {};
    for (const view of views) {
      if (view.seen.holds !== "alive") continue;
      view.budgets = budgetsOf(view).map((budget) => {
        const { measure, of, limit, level } = budget;
        const keyFor = (owner: string) => JSON.stringify([level, measure, owner, of, limit]);
        const key = keyFor(limitOwner(view, budget));
        // Earlier versions wrote the session's name.
        levels[key] = this.#file.levels[key] ?? this.#file.levels[keyFor(view.session)] ?? now;
        return { ...budget, since: levels[key] };
      });
    }
    const isSame = JSON.stringify(levels) === JSON.stringify(this.#file.levels);
    if (!isSame) this.#change({ ...this.#file, levels });
    this.#save(now);
  }

  /** Tells the driver in which sessions no new work may begin. */
  keepStops(views: SessionView[]): void {
    const wanted = new Map<string, SpendingStop>();
    for (const { budgets = [], seen } of views) {
      const reached = budgets.filter(({ level }) => level === "reached");
      if (reached.length === 0) continue;
      const clears = reached.every(({ measure }) => measure !== "day");
      const why = reached.map(spentWords).join("; ");
      wanted.set(tmuxName(seen), { why, clears });
    }
    for (const session of this.#stops) {
      if (wanted.has(session)) continue;
      removeStop(this.paths, session);
      this.#stops.delete(session);
    }
    for (const [session, stop] of wanted) {
      const known = this.#stops.has(session) ? readStop(this.paths, session) : undefined;
      if (known?.why === stop.why) continue;
      writeStop(this.paths, session, stop);
      this.#stops.add(session);
    }
  }

  #change(file: SpendingFile): void {
    const isSame = file.conversations === this.#file.conversations &&
      file.days === this.#file.days && file.levels === this.#file.levels;
    if (isSame) return;
    this.#file = file;
    this.#isSaved = false;
  }

  #save(now: number): void {
    if (this.#isSaved) return;
    this.#file = { ...this.#file, ...withoutOld(this.#file, now) };
    try {
      writeSpending(this.paths, this.#file);
      this.#isSaved = true;
    } catch {
      // The disk is full: this run of the watch still has it in memory.
    }
  }
}

function readingOf(seen: SessionObservation, date: string): CostReading | undefined {
  const { agent, usage, entry, transcript } = seen;
  if (agent === undefined || usage?.usd === undefined) return undefined;
  const run = `${entry?.pid ?? 0} ${entry?.procStart ?? ""}`;
  const claude = conversationOf(seen);
  const isOfToday = transcript !== undefined && bornOn(transcript.path) === date;
  const { usd, from } = usage;
  // Versions of Claude Code with mods reset the counter for a new conversation.
  return { agent_id: agent.agent_id, claude, run, usd, isOfToday, resets: from === "mod" };
}

/** A resumed conversation goes on in its own file. */
function bornOn(path: string): string {
  try {
    const { birthtime } = Deno.statSync(path);
    return birthtime === null ? "" : dateOf(birthtime.getTime());
  } catch {
    return "";
  }
}
