/** The watch: compares the state of the sessions with what was reported, and reports the rest. */

import type { World } from "../cli/world.ts";
import type { GatewayState } from "../delivery/gateway_up.ts";
import { record } from "../journal.ts";
import { hasQueue } from "../known_sessions.ts";
import { messageOf } from "../process.ts";
import { globalReceiver } from "../sessions/global_status.ts";
import { writeLaunch } from "../sessions/launch_files.ts";
import type { AgentListing } from "../sessions/openclaw_sessions.ts";
import { readQueue } from "../steps_file.ts";
import { AutoRecovery } from "./auto_recovery.ts";
import { BudgetKeeper } from "./budget_keeper.ts";
import { FindingMarks } from "./finding_marks.ts";
import { type Findings, findingsOf, type FleetFinding } from "./findings.ts";
import { FleetReader } from "./fleet_reader.ts";
import { HookFiles } from "./hook_files.ts";
import { ScreenTimes } from "./screen_times.ts";
import { type SessionView, viewsOf } from "./session_view.ts";
import { isOver } from "./standing_findings.ts";
import { tellFinding } from "./tell_finding.ts";
import { TurnStops } from "./turn_stops.ts";
import { UnknownAgents } from "./unknown_agents.ts";
import { WaitingWakes } from "./waiting_wakes.ts";
import { WatchMemory } from "./watch_memory.ts";

export interface WatchWorld extends World {
  /** Runs `recover` for an agent; its exit code. */
  recover(agentId: string): Promise<number>;
  gateway(): Promise<GatewayState>;
  /** Starts the runner of a session's queue, unless it has one, or only an event can bring work. */
  startQueue(session: string, now: Date): void;
  /** Types a prompt into a session, by the driver; why it could not. */
  type(view: SessionView, text: string): Promise<string | undefined>;
  /** Stops the turn that runs, by the mod or else with Esc; why it could not. */
  stopTurn(view: SessionView): Promise<string | undefined>;
  /** The agents that OpenClaw has. It is asked seldom. */
  openclawAgents(): Promise<AgentListing>;
}

export interface Look {
  views: SessionView[];
  told: FleetFinding[];
  /** When the next finding must be reported, if it lasts. */
  nextAt: number | undefined;
}

export class FleetWatch {
  readonly #reader: FleetReader;
  readonly #times: ScreenTimes;
  readonly #marks: FindingMarks;
  readonly #memory: WatchMemory;
  readonly #recovery: AutoRecovery;
  readonly #waiting: WaitingWakes;
  readonly #budgets: BudgetKeeper;
  readonly #stops: TurnStops;
  readonly #hooks: HookFiles;
  readonly #unknown: UnknownAgents;
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
    this.#budgets = new BudgetKeeper(paths);
    this.#stops = new TurnStops(world, this.#marks, (view) => world.stopTurn(view));
    this.#hooks = new HookFiles(paths);
    this.#unknown = new UnknownAgents(world, this.#marks, () => world.openclawAgents());
  }

  async look(): Promise<Look> {
    const observation = await this.#reader.read();
    const { now, sessions } = observation;
    const problems = new Set(observation.problems);
    for (const one of sessions) {
      const why = this.#hooks.whyNoHooks(one);
      if (why !== undefined) one.hooksOff = why;
      if (one.capture === undefined) continue;
      one.sameSince = this.#times.note(one.session, one.capture, now);
    }
    this.#times.save(new Set(sessions.map(({ session }) => session)));
    this.#memory.noteLooks(sessions.map(({ entry }) => entry?.sessionId ?? ""), now);

    this.#budgets.note(sessions, now);
    const views = viewsOf(observation);
    this.#budgets.judge(views, now);
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
      const stops = await this.#stops.stop(views);
      this.#keepStops(views, problems);
      const telling = {
        ...{ world: this.world, registry, marks: this.#marks, lookedAt: now },
        ...{ isRecovered, stops },
      };
      for (const finding of findings.ripe) {
        try {
          if (!await this.#sentOn(finding)) await tellFinding(finding, telling);
          told.push(finding);
        } catch (error) {
          problems.add(
            `Cannot report ${finding.kind} of ${finding.view.session}: ${messageOf(error)}`,
          );
        }
      }
      for (const finding of findings.lasting) await this.#follow(finding, problems);
      // Report the loss first: the agent reads the wakes in this order.
      const known = views.filter((view) => view.state !== "lost" || this.#isTold(view, findings));
      this.#recovery.look(known, registry);
      for (const problem of await this.#unknown.look(registry)) problems.add(problem);
      this.#marks.endOver((key) => isOver(key, views, findings.lasting));
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

  /** The session's queue waits for the end of the same limit. */
  #goesOnByQueue({ session }: SessionView): boolean {
    const { paths } = this.world;
    const queue = hasQueue(paths, session) ? readQueue(paths, session) : undefined;
    return queue?.steps.some(({ cut }) => cut === "limit") === true;
  }

  /** A queue that should go on and has no runner. */
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

  #keepStops(views: SessionView[], problems: Set<string>): void {
    try {
      this.#budgets.keepStops(views);
    } catch (error) {
      problems.add(`Cannot note which limits are reached: ${messageOf(error)}`);
    }
  }

  /** Once the agent knows, the session's files and record follow its new name or server. */
  async #follow({ kind, key, view }: FleetFinding, problems: Set<string>): Promise<void> {
    const { session, seen: { renamedTo, movedTo, launch } } = view;
    const to = kind === "renamed" ? renamedTo : kind === "moved" ? movedTo : undefined;
    if (!to || launch === undefined || !this.#marks.isTold(key)) return;
    try {
      if (kind === "renamed") {
        // Loaded only here: its packages take 20 MB, which a watch that runs for weeks need not hold.
        const file = new URL("../sessions/rename_session.ts", import.meta.url).href;
        const { followRename }: typeof import("../sessions/rename_session.ts") = await import(file);
        await followRename(this.world, session, to);
      } else {
        const { tmux_server: _, ...kept } = launch;
        writeLaunch(this.world.paths, { ...kept, tmux_socket: to });
      }
    } catch (error) {
      problems.add(`Cannot let the record of ${session} follow to ${to}: ${messageOf(error)}`);
    }
  }

  /** Lets Claude continue after a limit, if the agent has that setting. */
  async #sentOn({ kind, key, view }: FleetFinding): Promise<boolean> {
    const { paths, now } = this.world;
    if (kind !== "limit_over") return false;
    if (this.#goesOnByQueue(view)) {
      this.#marks.finish(this.#marks.begin(key, now().getTime()));
      return true;
    }
    if (!view.seen.agent?.settings.resume_after_limit) return false;
    // Mark first: a prompt typed twice is worse than none.
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
        // Not later than now: the clock may be set back.
        const since = Math.min(this.#seenSince.get(key) ?? now, now);
        this.#seenSince.set(key, since);
        return since;
      },
    };
  }

  /** The loss no longer has to be reported. */
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
