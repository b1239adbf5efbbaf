/** Starts a lost session again: at most three times an hour, then it reports the failure. */

import type { World } from "../cli/world.ts";
import { isHeld } from "../doors/held_lock.ts";
import { record } from "../journal.ts";
import { messageOf } from "../process.ts";
import type { Registry } from "../registry.ts";
import { comesBack } from "../sessions/comeback.ts";
import { globalReceiver } from "../sessions/global_status.ts";
import { sessionNameOf } from "../sessions/session_names.ts";
import { shellQuote } from "../text.ts";
import { commandWords } from "../wake.ts";
import type { FindingMarks } from "./finding_marks.ts";
import type { SessionView } from "./session_view.ts";
import { sendNews } from "./tell_finding.ts";
import type { WatchMemory } from "./watch_memory.ts";

/** Between two tries for the same session. */
const AGAIN_AFTER_MS = 30_000;

export interface RecoveryTools {
  world: World;
  memory: WatchMemory;
  marks: FindingMarks;
  /** Runs `recover` for an agent; its exit code. */
  recover(agentId: string): Promise<number>;
}

export class AutoRecovery {
  readonly #running = new Set<string>();

  constructor(private readonly tools: RecoveryTools) {}

  /** The session is restarted automatically, now or soon. */
  isWanted(view: SessionView): boolean {
    const { memory, world } = this.tools;
    return isRecoverable(view) && memory.mayRecover(view.session, world.now().getTime());
  }

  /** Starts a recovery for each lost session, or gives it up and reports that. */
  look(views: SessionView[], registry: Registry): void {
    for (const view of views) {
      if (view.state !== "lost" || !isRecoverable(view)) continue;
      if (this.isWanted(view)) this.#start(view);
      else this.#giveUp(view, registry);
    }
  }

  /** Resolves when no recovery runs. */
  async settled(): Promise<void> {
    await Promise.all(this.#endings);
  }

  #endings: Promise<void>[] = [];

  #start({ session, agent_id }: SessionView): void {
    const { memory, world, recover } = this.tools;
    const now = world.now().getTime();
    const last = memory.recoveriesOf(session, now).at(-1) ?? 0;
    // `recover` refuses to run beside another, also a person's, and that would count as a try.
    const isBusy = this.#running.size > 0 || isHeld(`${world.paths.state}/locks/recover`);
    if (isBusy || Math.abs(now - last) < AGAIN_AFTER_MS) return;
    this.#running.add(agent_id);
    memory.noteRecovery(session, now);
    const about = { kind: "session", session, agent_id, source: "watch" } as const;
    record(world.paths, { ...about, reason: "it was lost and is started again" });
    const ending = recover(agent_id).then(
      (code) => {
        if (code !== 0) record(world.paths, { ...about, reason: `recover ended with ${code}` });
      },
      (error) => record(world.paths, { ...about, kind: "problem", reason: messageOf(error) }),
    ).finally(() => this.#running.delete(agent_id));
    this.#endings.push(ending);
  }

  #giveUp({ session, agent_id, evidence }: SessionView, registry: Registry): void {
    const { memory, marks, world } = this.tools;
    const now = world.now().getTime();
    const times = memory.recoveriesOf(session, now);
    const last = times.at(-1) ?? 0;
    // The last try may still run, or has just ended.
    if (this.#running.has(agent_id) || Math.abs(now - last) < AGAIN_AFTER_MS) return;
    const to = globalReceiver(registry);
    const key = JSON.stringify(["gave up", session, last]);
    if (to === undefined || marks.isTold(key)) return;
    const mark = marks.begin(key, now);
    const recover = [...commandWords(world.paths, "recover"), "--agent", agent_id];
    sendNews(
      session,
      {
        ...{ trigger: "recovery_failed", section: "CONTENT", state: "error" },
        body:
          `${session} of ${agent_id} is lost again. It was started ${times.length} times within ` +
          "an hour, and is now left alone.",
        details: { advice: "Find out what ends it, then run the action.", evidence },
        actions: [recover.map(shellQuote).join(" ")],
      },
      mark.wake_id,
      to,
      { world },
    );
    marks.finish(mark);
  }
}

/** `recover` would restart the session, and its agent wants that. */
function isRecoverable({ session, seen }: SessionView): boolean {
  const { agent, launch } = seen;
  if (agent === undefined || !agent.auto_recover) return false;
  const isKnown = launch !== undefined ||
    session === sessionNameOf(agent) && agent.working_directory !== "";
  return isKnown && comesBack(seen, false);
}
