/** The watch: compares what is with what was told, and closes the difference. */

import type { World } from "../cli/world.ts";
import type { GatewayState } from "../delivery/gateway_up.ts";
import { record } from "../journal.ts";
import { hasQueue } from "../known_sessions.ts";
import { messageOf } from "../process.ts";
import { globalReceiver } from "../sessions/global_status.ts";
import { readQueue } from "../steps_file.ts";
import { followRename } from "../sessions/rename_session.ts";
import { AutoRecovery } from "./auto_recovery.ts";
import { FindingMarks } from "./finding_marks.ts";
import { type Findings, findingsOf, type FleetFinding } from "./findings.ts";
import { FleetReader } from "./fleet_reader.ts";
import { ScreenTimes } from "./screen_times.ts";
import { type SessionView, viewsOf } from "./session_view.ts";
import { tellFinding } from "./tell_finding.ts";
import { WaitingWakes } from "./waiting_wakes.ts";
import { WatchMemory } from "./watch_memory.ts";

export interface WatchWorld extends World {
  /** Runs `recover` for an agent; its exit code. */
  recover(agentId: string): Promise<number>;
  gateway(): Promise<GatewayState>;
  /** Has the queue of a session go on, unless it rests or somebody works it off. */
  startQueue(session: string, now: Date): void;
  /** Types a prompt into a session, by the driver; why it could not. */
  type(view: SessionView, text: string): Promise<string | undefined>;
}

export interface Look {
  views: SessionView[];
  told: FleetFinding[];
  /** When something is to be told, if it lasts. */
  nextAt: number | undefined;
}

export class FleetWatch {
  readonly #reader: FleetReader;
  readonly #times: ScreenTimes;
  readonly #marks: FindingMarks;
  readonly #memory: WatchMemory;
  readonly #recovery: AutoRecovery;
  readonly #waiting: WaitingWakes;
  readonly #seenSince = new Map<string, number>();
  /** Problems are recorded once while they last. */
  #problems = new Set<string>();

  constructor(private readonly world: WatchWorld) {
    const { paths } = world;
    this.#times = new ScreenTimes(paths);
    this.#reader = new FleetReader(world, this.#times);
    this.#marks = new FindingMarks(paths);
    this.#memory = new WatchMemory(paths);
    const recover = (agentId: string) => world.recover(agentId);
    this.#recovery = new AutoRecovery({ world, memory: this.#memory, marks: this.#marks, recover });
    this.#waiting = new WaitingWakes(world, () => world.gateway());
  }

  async look(): Promise<Look> {
    const observation = await this.#reader.read();
    const { now, sessions } = observation;
    const problems = new Set(observation.problems);
    for (const one of sessions) {
      if (one.capture === undefined) continue;
      one.sameSince = this.#times.note(one.session, one.capture, now);
    }
    this.#times.save(new Set(sessions.map(({ session }) => session)));
    this.#memory.noteLooks(sessions.map(({ entry }) => entry?.sessionId ?? ""), now);

    const views = viewsOf(observation);
    const { registry } = this.#reader;
    const told: FleetFinding[] = [];
    let findings: Findings = { ripe: [], nextAt: undefined, lasting: [] };
    if (registry !== undefined) {
      findings = findingsOf(
        views,
        this.#knowledge(globalReceiver(registry) !== undefined, now),
        now,
      );
      const isRecovered = (view: SessionView) => this.#recovery.isWanted(view);
      const telling = { world: this.world, registry, marks: this.#marks, isRecovered };
      for (const finding of findings.ripe) {
        try {
          if (!await this.#sentOn(finding)) await tellFinding(finding, telling);
          told.push(finding);
        } catch (error) {
          problems.add(
            `Cannot tell ${finding.kind} of ${finding.view.session}: ${messageOf(error)}`,
          );
        }
      }
      for (const finding of findings.lasting) await this.#follow(finding, problems);
      // What was lost is told first: its agent reads the wakes in this order.
      const known = views.filter((view) => view.state !== "lost" || this.#isTold(view, findings));
      this.#recovery.look(known, registry);
    }
    this.#startQueues(views, problems);
    this.#forget(new Set(findings.lasting.map(({ key }) => key)), now);
    await this.#waiting.send();
    this.#note(problems);
    return { views, told, nextAt: findings.nextAt };
  }

  /** Resolves when what it has started has ended. */
  async settled(): Promise<void> {
    await this.#recovery.settled();
  }

  /** Its queue waits for the end of the same limit. */
  #goesOnByQueue({ session }: SessionView): boolean {
    const { paths } = this.world;
    const queue = hasQueue(paths, session) ? readQueue(paths, session) : undefined;
    return queue?.steps.some(({ cut }) => cut === "limit") === true;
  }

  /** A queue that should go on, and that nobody works off. */
  #startQueues(views: SessionView[], problems: Set<string>): void {
    const { paths, now } = this.world;
    const isGone = ({ state }: SessionView) => state === "lost" || state === "ended";
    for (const view of views.filter((one) => !isGone(one))) {
      try {
        if (hasQueue(paths, view.session)) this.world.startQueue(view.session, now());
      } catch (error) {
        problems.add(`Cannot go on with the queue of ${view.session}: ${messageOf(error)}`);
      }
    }
  }

  /** Once its agent knows, what is kept of a session takes its new name. */
  async #follow({ kind, key, view }: FleetFinding, problems: Set<string>): Promise<void> {
    const { session, seen: { renamedTo, launch } } = view;
    if (kind !== "renamed" || !renamedTo || launch === undefined || !this.#marks.isTold(key)) {
      return;
    }
    try {
      await followRename(this.world, session, renamedTo);
    } catch (error) {
      problems.add(`Cannot let ${session} follow its new name ${renamedTo}: ${messageOf(error)}`);
    }
  }

  /** After a limit Claude goes on by itself, where its agent wants that. */
  async #sentOn({ kind, key, view }: FleetFinding): Promise<boolean> {
    const { paths, now } = this.world;
    if (kind !== "limit_over") return false;
    if (this.#goesOnByQueue(view)) {
      this.#marks.finish(this.#marks.begin(key, now().getTime()));
      return true;
    }
    if (!view.seen.agent?.settings.resume_after_limit) return false;
    // Marked first: typed twice is worse than not typed.
    const mark = this.#marks.begin(key, now().getTime());
    this.#marks.finish(mark);
    const failed = await this.world.type(view, "continue");
    const about = { session: view.session, agent_id: view.agent_id, source: "watch" };
    if (failed !== undefined) {
      const reason = `it could not be sent on after its limit: ${failed}`;
      record(paths, { kind: "problem", ...about, reason });
      this.#marks.reopen(mark);
      return false;
    }
    record(paths, { kind: "session", ...about, reason: "it was sent on after its limit" });
    return true;
  }

  #knowledge(hasGlobal: boolean, now: number) {
    return {
      hasGlobal,
      isTold: (key: string) => this.#marks.isTold(key),
      firstLook: (claudeId: string) => this.#memory.firstLook(claudeId),
      seenSince: (key: string) => {
        const since = this.#seenSince.get(key) ?? now;
        this.#seenSince.set(key, since);
        return since;
      },
    };
  }

  /** Nobody has to be told any more that it is lost. */
  #isTold(view: SessionView, { lasting }: Findings): boolean {
    const own = lasting.find((one) => one.kind === "lost" && one.view === view);
    return own === undefined || this.#marks.isTold(own.key);
  }

  #forget(keys: ReadonlySet<string>, now: number): void {
    for (const key of this.#seenSince.keys()) if (!keys.has(key)) this.#seenSince.delete(key);
    this.#marks.prune(keys, now);
  }

  #note(problems: Set<string>): void {
    for (const reason of problems) {
      if (this.#problems.has(reason)) continue;
      record(this.world.paths, { kind: "problem", session: "watch", reason });
    }
    this.#problems = problems;
  }
}
