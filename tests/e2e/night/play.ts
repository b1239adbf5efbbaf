/** Plays the faults in an order that the seed gives, and waits until the sessions have gone on. */

import { messageOf } from "../../../lib/process.ts";
import { Dice } from "../../support/fuzz.ts";
import { compare, faultsIn } from "../../support/night_truth.ts";
import { pause } from "../../support/until.ts";
import { SESSION_FAULTS, type SessionFault, WIDE_FAULTS, type WideFault } from "./faults.ts";
import type { Night, NightSession } from "./stage.ts";

export interface Played {
  /** By fault: whether each session that met it has gone on. */
  goneOn: Map<string, boolean[]>;
  /** Why a session has not. */
  stuck: string[];
}

export async function playNight(
  night: Night,
  { seed, isLong }: { seed: number; isLong: boolean },
): Promise<Played> {
  const dice = new Dice(seed);
  const player = new Player(night);
  const rounds = isLong ? LONG_ROUNDS : 1;
  const lastsMs = isLong ? 60_000 : 10_000;
  for (let round = 0; round < rounds; round++) {
    const waiting = shuffled(dice, SESSION_FAULTS.filter(({ isQuick }) => isLong || isQuick));
    // A short night kills the watch only beside other faults.
    const wide = shuffled(dice, WIDE_FAULTS.filter(({ isQuick }) => isLong || isQuick));
    while (waiting.length > 0) {
      const kills = (session: NightSession) => session.server === night.stage.server ? 0 : rounds;
      const pairs = matched(shuffled(dice, player.able()), waiting, kills);
      if (pairs.length === 0) break;
      await Promise.all([
        ...pairs.map(([session, fault]) => player.play(session, fault)),
        // The watch is killed while others need it.
        pause(dice.next(10_000)).then(() => night.restartWatch()),
      ]);
    }
    for (const fault of wide) await player.playWide(fault, lastsMs);
    const { facts, heard, outages } = night;
    const wrong = [...player.stuck, ...faultsIn(compare(facts, heard, outages))];
    progress(`round ${round + 1} of ${rounds}: ${wrong.length} wrong\n${wrong.join("\n")}`);
  }
  return player;
}

/** `GSD_NIGHT_ROUNDS` has more of them, or one. */
const LONG_ROUNDS = Number(Deno.env.get("GSD_NIGHT_ROUNDS") ?? 3);

/** Each session gets a fault that fits it, and the faults that are taken leave the list. */
function matched(
  sessions: NightSession[],
  waiting: SessionFault[],
  /** How often its tmux server is killed in the whole night. */
  kills: (session: NightSession) => number,
): [NightSession, SessionFault][] {
  // The plain one first: some faults are for it alone.
  return sessions.toSorted((a, b) => Number(b.isPlain) - Number(a.isPlain)).flatMap((session) => {
    const fits = waiting.filter((fault) =>
      (fault.for === undefined || fault.for === (session.isPlain ? "plain" : "mod")) &&
      !(fault.isLoss && session.losses + kills(session) >= MOST_LOSSES)
    );
    const fault = fits.find((one) => one.for !== undefined) ?? fits[0];
    if (fault === undefined) return [];
    waiting.splice(waiting.indexOf(fault), 1);
    return [[session, fault] as [NightSession, SessionFault]];
  });
}

/** The watch starts a session again so often in an hour. */
const MOST_LOSSES = 3;

class Player implements Played {
  readonly goneOn = new Map<string, boolean[]>();
  readonly stuck: string[] = [];
  readonly #broken = new Set<NightSession>();

  constructor(private readonly night: Night) {}

  able(): NightSession[] {
    return this.night.sessions.filter((session) => !this.#broken.has(session));
  }

  async play(session: NightSession, fault: SessionFault): Promise<void> {
    if (fault.isLoss) session.losses++;
    await this.#during(fault.name, [session], () => fault.play(this.night, session));
  }

  async playWide(fault: WideFault, lastsMs: number): Promise<void> {
    const whyNot = fault.whyNot?.(this.night);
    if (whyNot !== undefined) {
      progress(`${fault.name}: not played: ${whyNot}`);
      return;
    }
    const able = this.able();
    const second = able.filter(({ server }) => server !== this.night.stage.server);
    const sessions = fault.name === "tmux server killed" ? second : able;
    if (sessions.length === 0) return;
    await this.#during(fault.name, sessions, () => fault.play(this.night, sessions, lastsMs));
  }

  async #during(
    name: string,
    sessions: NightSession[],
    play: () => Promise<void>,
  ): Promise<void> {
    const begun = performance.now();
    const done = this.goneOn.get(name) ?? [];
    this.goneOn.set(name, done);
    for (const session of sessions) session.fault = name;
    try {
      await play();
      done.push(...sessions.map(() => true));
    } catch (error) {
      const names = sessions.map((session) => session.name).join(", ");
      this.stuck.push(`${name}: ${names}: ${messageOf(error)}`);
      for (const session of sessions) {
        this.#broken.add(session);
        done.push(false);
      }
    }
    const seconds = Math.round((performance.now() - begun) / 1000);
    const has = done.at(-1) ? "gone on" : "NOT gone on";
    progress(`${name}: ${sessions.map((one) => one.name)}: ${has} after ${seconds} s`);
  }
}

/** `GSD_NIGHT_LOG` names a file: what a test prints is shown only when it has ended. */
export function progress(text: string): void {
  const line = `${new Date().toISOString().slice(11, 19)} ${text}`;
  console.log(line);
  const file = Deno.env.get("GSD_NIGHT_LOG");
  if (file !== undefined) Deno.writeTextFileSync(file, `${line}\n`, { append: true });
}

function shuffled<T>(dice: Dice, items: T[]): T[] {
  const left = [...items];
  const order: T[] = [];
  while (left.length > 0) order.push(...left.splice(dice.next(left.length), 1));
  return order;
}
