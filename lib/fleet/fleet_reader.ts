/** Reads what the fleet's sessions do: few calls, and nothing twice that has not changed. */

import { listPending } from "../answers.ts";
import type { World } from "../cli/world.ts";
import { type Hold, holdsOn, listHolds } from "../doors/holds.ts";
import { readStop } from "../doors/spending_stops.ts";
import { messageOf } from "../json.ts";
import { lastEscape } from "../own_escape.ts";
import { managedMark, originalName, pendingDir } from "../paths.ts";
import { type Agent, readRegistry, type Registry } from "../registry.ts";
import { memoryFile, readMemory, type SessionMemory } from "../session_memory.ts";
import { type Launch, memorySince } from "../sessions/launch.ts";
import { allLaunches } from "../sessions/launch_files.ts";
import { journalFile } from "../journal.ts";
import { lastUsage, USAGE_ENDINGS } from "../usage.ts";
import { type ClaudeEntry, parseEntryFile } from "./claude_entries.ts";
import { ClaudeFinder } from "./claude_finder.ts";
import { FileCache } from "./file_cache.ts";
import type { FleetServer } from "./fleet_panes.ts";
import { FleetScreens } from "./fleet_screens.ts";
import { FleetServers } from "./fleet_servers.ts";
import type { FleetObservation, SessionObservation } from "./observation.ts";
import { ScreenTimes } from "./screen_times.ts";
import { tmuxName } from "./session_commands.ts";
import {
  agentOfSession,
  definedOnly,
  isOnUnseen,
  isServerThere,
  namedIn,
  queuesIn,
  recordsAtEnd,
  transcriptOf,
} from "./session_files.ts";
import { findMoved, movedTo, whereIs } from "./whereabouts.ts";
import { readTranscriptEnd } from "./transcript_end.ts";
import { WakeCounter } from "./wake_counts.ts";

/** What is known of the sessions, and where that was read. */
export interface FleetReading extends FleetObservation {
  /** Their conversations go on in another of the sessions. */
  elsewhere: SessionObservation[];
  /** The server in reach, then those of the launches that run. */
  servers: FleetServer[];
}

export type FleetWorld = Pick<World, "env" | "environment" | "paths" | "now">;

export class FleetReader {
  readonly #files = new FileCache();
  readonly #finder = new ClaudeFinder();
  readonly #wakes = new WakeCounter();
  readonly #servers: FleetServers;
  readonly #screens: FleetScreens;
  #registry: Registry | undefined;

  constructor(
    private readonly world: FleetWorld,
    times = new ScreenTimes(world.paths),
    /** Undefined: as its file is at each reading. */
    private readonly given?: Registry,
  ) {
    this.#servers = new FleetServers(world);
    this.#screens = new FleetScreens(times);
  }

  /** The registry as it was last readable. */
  get registry(): Registry | undefined {
    return this.#registry;
  }

  async read(): Promise<FleetReading> {
    const { paths } = this.world;
    const now = this.world.now().getTime();
    const problems: string[] = [];
    const registry = this.given ?? this.#readRegistry(problems);
    const launches = this.#files.of(`${paths.data}/launches`, () => allLaunches(paths)) ?? [];
    const moved = new Set(launches.filter((one) => one.moved_to).map(({ session }) => session));
    const kept = launches.filter((one) => one.moved_to === undefined);
    const servers = await this.#servers.look(kept, problems);
    const entries = this.#entries(kept);
    const memories = this.#memories(problems);
    const { unsent, dead } = this.#wakes.count(paths, problems);
    const queues = queuesIn(paths, problems);

    const launchOf = (session: string) => kept.find((one) => one.session === session);
    const agentOf = (session: string) => agentOfSession(registry, session, launchOf(session));
    const onTmux = servers.flatMap(({ panes }) => panes.map(({ session }) => session));
    const names = new Set([
      ...onTmux.filter((name) => agentOf(name) !== undefined),
      ...kept.map(({ session }) => session),
      ...Array.from(memories.keys()).filter((name) =>
        !moved.has(name) && memories.get(name)!.agent_id !== ""
      ),
      ...unsent.keys(),
      ...dead.keys(),
    ]);
    const holds = listHolds(paths);
    const sessions: SessionObservation[] = [];
    for (const session of names) {
      const launch = launchOf(session);
      const agent = agentOf(session) ?? namedIn(registry, launch?.agent_id);
      const memory = memorySince(memories.get(session), launch);
      const of = { session, agent, launch, registry, entries };
      const [server, held] = await whereIs(of, servers, this.#finder, this.world);
      if (server !== undefined && held.unseen !== undefined) {
        server.isStale = true;
        problems.push(held.unseen);
      }
      const isUnseen = held.kind === "gone" &&
        (held.unseen !== undefined || server === undefined && isOnUnseen(servers, launch));
      sessions.push({
        ...(isUnseen ? { isUnseen } : {}),
        ...{ session, holds: held.kind, pending: [], journal: [] },
        ...{ unsent: unsent.get(session) ?? 0, dead: dead.get(session) ?? 0 },
        ...queues.get(session),
        isServerThere: isServerThere(servers, launch),
        ...definedOnly({ agent, launch, memory, pane: held.pane, entry: held.entry }),
        ...definedOnly({ socket: server?.socket ?? launch?.tmux_socket }),
        ...definedOnly({ movedTo: movedTo(launch, held.kind, server?.socket) }),
        ...definedOnly({ hold: holdOf(holds, session, agent) }),
      });
    }
    const { followed, elsewhere, strays } = await findMoved(
      sessions,
      servers,
      entries,
      agentOf,
      this.#finder,
    );
    this.#servers.add(strays); // the next look sees their panes
    await this.#screens.look(followed, servers, now);
    for (const one of followed) {
      this.#readFiles(one, problems);
      this.#readUsage(one, servers);
    }
    this.#finder.keepOn(servers);
    this.#files.keepAsked();
    return { now, sessions: followed, elsewhere, servers, problems };
  }

  #readRegistry(problems: string[]): Registry | undefined {
    const path = this.world.paths.registry;
    try {
      const reading = this.#files.text(path, (text) => readRegistry(text));
      if (reading?.kind === "registry") this.#registry = reading.registry;
      else if (reading !== undefined) {
        problems.push(`Cannot use the registry ${path}: ${reading.reason}`);
      }
    } catch (error) {
      problems.push(messageOf(error));
    }
    return this.#registry;
  }

  /** By the number of their process. */
  #entries(launches: Launch[]): Map<number, ClaudeEntry> {
    const configs = launches.map(({ env }) => env.CLAUDE_CONFIG_DIR ?? "")
      .filter((dir) => dir.startsWith("/"));
    const found = new Map<number, ClaudeEntry>();
    for (const dir of new Set([this.world.paths.claudeConfig, ...configs])) {
      for (const name of this.#namesIn(`${dir}/sessions`)) {
        if (!/^\d+\.json$/.test(name)) continue;
        const entry = this.#ifReadable(() =>
          this.#files.text(`${dir}/sessions/${name}`, parseEntryFile)
        );
        if (entry !== undefined) found.set(entry.pid, entry);
      }
    }
    return found;
  }

  #memories(problems: string[]): Map<string, SessionMemory> {
    const { paths } = this.world;
    const names = this.#namesIn(`${paths.state}/sessions`, problems);
    const sessions = names.filter((name) => name.endsWith(".json"))
      .map((name) => originalName(name.slice(0, -".json".length)));
    const read = (session: string) =>
      this.#ifReadable(
        () => this.#files.of(memoryFile(paths, session), () => readMemory(paths, session)),
        problems,
      );
    return new Map(sessions.flatMap((session) => {
      const memory = read(session);
      return memory === undefined ? [] : [[session, memory] as const];
    }));
  }

  #readFiles(seen: SessionObservation, problems: string[]): void {
    const { paths } = this.world;
    const { session } = seen;
    const pending = () =>
      this.#files.of(pendingDir(paths, session), () => listPending(paths, session));
    seen.pending = this.#ifReadable(pending, problems) ?? [];
    const escapedAt = lastEscape(paths, session);
    if (escapedAt !== undefined) seen.escapedAt = escapedAt;
    const stop = readStop(paths, tmuxName(seen));
    if (stop !== undefined) seen.stopped = stop.why;
    const journal = journalFile(paths, session);
    seen.journal = this.#ifReadable(() => this.#files.of(journal, recordsAtEnd), problems) ?? [];
    const path = transcriptOf(seen, paths.claudeConfig);
    const end = path === undefined
      ? undefined
      : this.#ifReadable(() => this.#files.of(path, readTranscriptEnd));
    if (end !== undefined) seen.transcript = end;
  }

  /** The newer file of the mod, else that of the status line. */
  #readUsage(seen: SessionObservation, servers: FleetServer[]): void {
    const pane = servers.find(({ socket }) => socket === seen.socket)?.panes
      .find((one) => one.pane === seen.pane);
    const mark = managedMark(this.world.paths, pane?.variable, pane?.pane);
    const id = seen.entry?.sessionId || seen.memory?.claude_session_id || "";
    if (mark === undefined || id === "") return;
    // Of another conversation after /clear: the file then stays as it is until the next turn.
    const read = (ending: string) => {
      const last = this.#ifReadable(() => this.#files.text(mark + ending, lastUsage));
      return last?.session_id === id ? last : undefined;
    };
    const [ended, running] = [read(USAGE_ENDINGS.mod), read(USAGE_ENDINGS.turn)];
    const isRunning = running !== undefined && running.at > (ended?.at ?? 0);
    const usage = (isRunning ? running : ended) ?? read(USAGE_ENDINGS.statusLine);
    if (usage !== undefined) seen.usage = usage;
  }

  #namesIn(dir: string, problems: string[] = []): string[] {
    return this.#ifReadable(() => this.#files.names(dir), problems) ?? [];
  }

  #ifReadable<T>(read: () => T, problems: string[] = []): T | undefined {
    try {
      return read();
    } catch (error) {
      problems.push(messageOf(error));
      return undefined;
    }
  }
}

/**
 * A session that a person has taken is more than one whose wakes are held. Quiet hours are no state
 * of a session: what is found meanwhile waits in the outbox.
 */
function holdOf(
  holds: Hold[],
  session: string,
  agent: Agent | undefined,
): SessionObservation["hold"] {
  const on = holdsOn(holds, { session, agent_id: agent?.agent_id ?? "", trigger: "" })
    .filter(({ kind }) => kind !== "quiet");
  const hold = on.find(({ kind }) => kind === "taken") ?? on[0];
  return hold && {
    kind: hold.kind === "taken" ? "taken" : "held",
    since: Date.parse(hold.since) || 0,
  };
}
