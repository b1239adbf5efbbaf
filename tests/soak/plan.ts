/** The events and faults of a run, all drawn from the seed before it begins. */

import { Dice } from "../support/fuzz.ts";
import type { Mishap } from "../support/fake_gateway.ts";

export type EventKind =
  | "Stop"
  | "StopFailure"
  | "permission"
  | "idle"
  | "notice"
  | "question"
  | "answer"
  | "PreCompact";

export interface PlannedEvent {
  /** Part of the event's text and so of the message: finds duplicates by their content. */
  marker: string;
  kind: EventKind;
  /** What the wake is called, under [TRIGGER]. */
  trigger: string;
  agent: string;
  session: string;
  /** The turn it belongs to. An answer shares that of its question, a reminder that of its Stop. */
  prompt: string;
  /** What the gateway does with the first requests that carry it. */
  mishaps: Mishap[];
  killHook?: { afterMs: number; whole: boolean };
  killDeliverer?: { afterMs: number };
  restart?: Restart;
}

export interface Restart {
  downMs: number;
  forget: boolean;
  /** The age that it reports then: a young gateway is watched, an old one is not. */
  upMs: number;
}

export interface Plan {
  agents: string[];
  /** By session, in the order in which its Claude Code sends them. */
  sessions: Map<string, PlannedEvent[]>;
}

const SESSIONS_PER_AGENT = 2;
const HOUR = 3_600_000;

export function planRun(seed: number, count: number, agentCount: number): Plan {
  const dice = new Dice(seed);
  const agents = Array.from({ length: agentCount }, (_, index) => `soak-${index + 1}`);
  const places = agents.flatMap((agent) =>
    // The second one belongs to the agent by its numeric suffix, as spawn names it.
    Array.from({ length: SESSIONS_PER_AGENT }, (_, index) => ({
      agent,
      session: `${agent}-main${index === 0 ? "" : `-${index + 1}`}`,
    }))
  );
  const sessions = new Map(places.map(({ session }) => [session, [] as PlannedEvent[]]));
  for (let index = 0; index < count; index++) {
    const { agent, session } = places[index % places.length]!;
    const before = sessions.get(session)!.at(-1);
    sessions.get(session)!.push(planEvent(dice, index, agent, session, before));
  }
  return { agents, sessions };
}

const TRIGGERS: Record<EventKind, string> = {
  Stop: "response_complete",
  StopFailure: "response_failed",
  permission: "permission_prompt",
  idle: "idle_prompt",
  notice: "soak_notice",
  question: "ask_user_question",
  answer: "ask_user_question_answered",
  PreCompact: "pre_compact",
};

function planEvent(
  dice: Dice,
  index: number,
  agent: string,
  session: string,
  before: PlannedEvent | undefined,
): PlannedEvent {
  const kind = nextKind(dice, before);
  const follows = kind === "answer" || kind === "idle";
  // An answer repeats its question, a reminder the words of the turn's end: the marker with them.
  const marker = follows ? before!.marker : `soak-event-${String(index).padStart(6, "0")}`;
  return {
    marker,
    kind,
    trigger: TRIGGERS[kind],
    agent,
    session,
    prompt: follows ? before!.prompt : `prompt-${index}`,
    mishaps: mishapsFor(dice),
    ...maybe(dice, 60, "killHook", () => ({ afterMs: dice.next(160), whole: dice.next(4) > 0 })),
    ...maybe(dice, 40, "killDeliverer", () => ({ afterMs: dice.next(150) })),
    ...maybe(dice, 14, "restart", () => aRestart(dice)),
  };
}

/** A gateway without memory was restarted; one with memory may have been unreachable. */
function aRestart(dice: Dice): Restart {
  const forget = dice.next(2) === 0;
  const upMs = !forget && dice.next(2) === 0 ? HOUR : 0;
  return { downMs: 100 + dice.next(2500), forget, upMs };
}

function nextKind(dice: Dice, before: PlannedEvent | undefined): EventKind {
  if (before?.kind === "question") return "answer";
  if (before?.kind === "Stop" && dice.next(10) === 0) return "idle";
  return dice.pick<EventKind>(
    [
      "Stop",
      "Stop",
      "Stop",
      "Stop",
      "question",
      "permission",
      "notice",
      "StopFailure",
      "PreCompact",
    ],
  );
}

/** `share` of a thousand. */
function maybe<Name extends string, T>(dice: Dice, share: number, name: Name, make: () => T) {
  return (dice.next(1000) < share ? { [name]: make() } : {}) as Partial<Record<Name, T>>;
}

/** None for most events; each further one is rarer. Silence is the rarest: it costs 30 s. */
function mishapsFor(dice: Dice): Mishap[] {
  const mishaps: Mishap[] = [];
  while (mishaps.length < 4 && dice.next(100) < 20) mishaps.push(aMishap(dice));
  return mishaps;
}

function aMishap(dice: Dice): Mishap {
  const drawn = dice.next(200);
  const [kept, crash] = [dice.next(2) === 0, dice.next(2) === 0];
  const afterMs = dice.next(dice.pick([100, 600, 4500])); // within the five seconds of watching
  if (drawn < 35) return { kind: "dropBefore" };
  if (drawn < 70) return { kind: "dropAfter", crash };
  if (drawn < 85) return { kind: "unavailable" };
  if (drawn < 115) return { kind: "revoke", afterMs };
  if (drawn < 185) return { kind: "break", afterMs, kept, crash };
  if (drawn < 198) return { kind: "slow", afterMs: 2 * afterMs };
  return { kind: "swallow", kept };
}

/** What the gateway does with the nth history that is asked of a session. */
export function historyMishap(seed: number, session: string, nth: number): Mishap | undefined {
  const salt = Array.from(session).reduce((sum, char) => sum * 31 + char.charCodeAt(0) | 0, seed);
  const drawn = new Dice(salt ^ Math.imul(nth, 0x9e3779b1)).next(400);
  if (drawn < 60) return { kind: "error" };
  if (drawn < 80) return { kind: "dropBefore" };
  return drawn < 82 ? { kind: "swallow", kept: false } : undefined;
}
