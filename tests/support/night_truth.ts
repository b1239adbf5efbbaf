/** What truly happened in a night, what the agents' models were given, and how they compare. Pure. */

/** Something that somebody has to know, by the player's or the scripted model's own doing. */
export interface Fact {
  /** The fault, as the table calls it. */
  fault: string;
  /** The session, by its first name. */
  session: string;
  at: number;
  /** Each of these triggers tells it. */
  triggers: readonly string[];
  /** What the wake has to hold, where the fact has words of its own. */
  part?: string;
  /** It may be reported, and need not be: it is over before an agent has to know. */
  isOptional?: boolean;
}

/** A wake as an agent's model got it. */
export interface Heard {
  at: number;
  wakeId: string;
  agent: string;
  /** The session, by its first name; "" where it is unknown. */
  session: string;
  trigger: string;
  message: string;
  /** How many programs waited for each core then: an overloaded machine is slow for everybody. */
  load?: number;
}

/** A time in which nothing can be told: no gateway, no room on the disk. */
export interface Outage {
  from: number;
  to: number;
}

export interface Told extends Fact {
  heard: Heard[];
  /** Seconds since an agent could be woken; undefined when none was. */
  seconds: number | undefined;
}

export interface Comparison {
  told: Told[];
  /** Wakes that no fact explains. */
  causeless: Heard[];
}

export const WITHIN_S = 60;
/** Clocks are read at different places. */
const NEAR_MS = 3000;

/** Each wake belongs to the latest fact before it that it can tell; one with the words first. */
export function compare(facts: Fact[], heard: Heard[], outages: Outage[]): Comparison {
  const told = facts.map((fact): Told => ({ ...fact, heard: [], seconds: undefined }));
  const causeless: Heard[] = [];
  for (const wake of heard.toSorted((a, b) => a.at - b.at)) {
    const able = told.filter((fact) => canTell(wake, fact));
    const named = able.filter(({ part }) => part !== undefined);
    const fact = (named.length > 0 ? named : able).sort(byFit).at(-1);
    if (fact === undefined) causeless.push(wake);
    else fact.heard.push(wake);
  }
  for (const fact of told) {
    const first = fact.heard[0];
    if (first !== undefined) fact.seconds = secondsUntil(fact, first.at, outages);
  }
  return { told, causeless };
}

/** The latest one that was not reported yet; else the latest. */
function byFit(a: Told, b: Told): number {
  return Number(a.heard.length === 0) - Number(b.heard.length === 0) || a.at - b.at;
}

function canTell(wake: Heard, { session, at, triggers, part }: Fact): boolean {
  return wake.session === session && triggers.includes(wake.trigger) && wake.at >= at - NEAR_MS &&
    (part === undefined || wake.message.includes(part));
}

/** An outage counts that begins before the time is up: its end is then where the time begins. */
function secondsUntil({ at }: Fact, heardAt: number, outages: Outage[]): number {
  let from = at;
  for (const outage of outages.toSorted((a, b) => a.from - b.from)) {
    const isIn = outage.to > from && outage.from < Math.min(heardAt, from + WITHIN_S * 1000);
    if (isIn) from = Math.min(outage.to, heardAt);
  }
  return Math.max(0, Math.round((heardAt - from) / 100) / 10);
}

/** What was wrong, a line each; none for a good night. */
export function faultsIn({ told, causeless }: Comparison): string[] {
  const line = ({ fault, session, at, triggers, part = "" }: Fact) =>
    `${clock(at)} ${session}: ${fault} (${triggers.join(" or ")}${part && ` with ${part}`})`;
  return told.flatMap((fact) => {
    const { heard, seconds, isOptional } = fact;
    if (seconds === undefined) return isOptional ? [] : [`never told: ${line(fact)}`];
    const late = seconds > WITHIN_S * slownessAt(heard[0])
      ? [`told after ${seconds} s: ${line(fact)}`]
      : [];
    const ids = heard.map(({ trigger, wakeId, at }) => `${trigger} ${wakeId} at ${clock(at)}`);
    const twice = heard.length > 1 ? [`told ${heard.length} times: ${line(fact)}: ${ids}`] : [];
    return [...late, ...twice];
  }).concat(
    causeless.map(({ at, session, trigger, wakeId, message }) =>
      `told without a cause: ${clock(at)} ${session}: ${trigger} ${wakeId}\n${message}`
    ),
  );
}

/** With up to two programs for each core nobody waits long; with more, in proportion. */
function slownessAt({ load = 0 }: Heard = {} as Heard): number {
  return Math.max(1, load / 2);
}

function clock(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}

export interface Row {
  fault: string;
  times: number;
  told: string;
  goneOn: string;
}

/** A line for each fault: how often, seconds until reported (median and longest), who has gone on. */
export function rowsOf({ told }: Comparison, goneOn: Map<string, boolean[]>): Row[] {
  return Array.from(goneOn, ([fault, done]) => {
    const seconds = told.filter((one) => one.fault === fault && !one.isOptional)
      .map((one) => one.seconds ?? Infinity).sort((a, b) => a - b);
    const median = seconds[Math.floor((seconds.length - 1) / 2)];
    return {
      fault,
      times: done.length,
      told: seconds.length === 0 ? "-" : `${median} | ${seconds.at(-1)}`,
      goneOn: `${done.filter(Boolean).length} of ${done.length}`,
    };
  });
}

export function tableOf(rows: Row[]): string {
  return [
    "| fault | times | seconds until reported, median | longest | gone on |",
    "|---|---|---|---|---|",
    ...rows.map(({ fault, times, told, goneOn }) =>
      `| ${fault} | ${times} | ${told.includes("|") ? told : `${told} | ${told}`} | ${goneOn} |`
    ),
  ].join("\n");
}
