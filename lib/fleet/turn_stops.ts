/** Stops turns that spend more than their limit allows: each turn once. */

import type { World } from "../cli/world.ts";
import { record } from "../journal.ts";
import { messageOf } from "../process.ts";
import { isToStop } from "./budgets.ts";
import { spentWords } from "./budget_words.ts";
import type { FindingMark, FindingMarks } from "./finding_marks.ts";
import type { SessionView } from "./session_view.ts";

/** By agent, then by session: "stopped", or why it could not be. */
export type TurnStopOutcomes = ReadonlyMap<string, ReadonlyMap<string, string>>;

const AGAIN_AFTER_MS = 15_000;
const MOST_TRIES = 5;

export class TurnStops {
  readonly #tries = new Map<string, { count: number; at: number }>();

  constructor(
    private readonly world: Pick<World, "paths" | "now">,
    private readonly marks: FindingMarks,
    private readonly stopTurn: (view: SessionView) => Promise<string | undefined>,
  ) {}

  async stop(views: SessionView[]): Promise<TurnStopOutcomes> {
    const outcomes = new Map<string, Map<string, string>>();
    for (const view of views) {
      const reached = (view.budgets ?? []).filter(({ level }) => level === "reached");
      const since = Math.max(...reached.map((one) => one.since));
      if (reached.length === 0 || !isToStop(view, since)) continue;
      const outcome = await this.#stopOnce(view, reached.map(spentWords).join("; "));
      if (outcome === undefined) continue;
      const own = outcomes.get(view.agent_id) ?? new Map<string, string>();
      outcomes.set(view.agent_id, own.set(view.session, outcome));
    }
    return outcomes;
  }

  /** Undefined: this turn was stopped before, or the next try is later. */
  async #stopOnce(view: SessionView, why: string): Promise<string | undefined> {
    const { session, agent_id, seen: { entry, transcript } } = view;
    const now = this.world.now().getTime();
    const turn = transcript?.promptId || entry?.statusSince || view.since;
    const key = JSON.stringify(["stop", session, entry?.sessionId ?? "", turn]);
    const { count = 0, at = 0 } = this.#tries.get(key) ?? {};
    const isLater = count >= MOST_TRIES || Math.abs(now - at) < AGAIN_AFTER_MS;
    if (this.marks.isTold(key) || isLater) return undefined;
    this.#tries.set(key, { count: count + 1, at: now });
    let mark: FindingMark | undefined;
    let failed: string | undefined;
    try {
      mark = this.marks.begin(key, now);
      failed = await this.stopTurn(view);
    } catch (error) {
      failed = messageOf(error);
    }
    const about = { session, agent_id, source: "watch" };
    if (failed !== undefined) {
      const reason = `the turn could not be stopped: ${failed}`;
      record(this.world.paths, { kind: "problem", ...about, reason });
      return failed;
    }
    if (mark !== undefined) this.marks.finish(mark);
    this.#tries.delete(key);
    record(this.world.paths, { kind: "session", ...about, reason: `stopped by a limit: ${why}` });
    return "stopped";
  }
}
