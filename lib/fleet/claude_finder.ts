/** Finds the Claude Code process of a tmux session. Once found, it is only checked for being alive. */

import { messageOf } from "../json.ts";
import { allProcesses, ancestorsOf, type ProcessInfo, treeBelow } from "../doors/process_tree.ts";
import { type SessionState, stateOfSession } from "../sessions/session_state.ts";
import { type ClaudeEntry, runs, startOf } from "./claude_entries.ts";
import type { FleetPane, FleetServer } from "./fleet_panes.ts";

export interface Held {
  kind: SessionState["kind"];
  pane?: string;
  entry?: ClaudeEntry;
  /** Why tmux did not tell; the rest is of an earlier look. */
  unseen?: string;
}

interface Verdict {
  held: Held;
  /** The launch, the panes and their programs. If any of them changes, search again. */
  shape: string;
  at: number;
}

/** How long a result is valid that Claude Code's own list does not confirm. */
const TRUSTED_MS = 5000;

/** One list of the machine's processes serves all sessions of a look. */
const SAME_LOOK_MS = 1000;

export class ClaudeFinder {
  readonly #verdicts = new Map<string, Verdict>();
  #listed: { at: number; processes: Promise<ProcessInfo[]> } | undefined;

  constructor(private readonly list: () => Promise<ProcessInfo[]> = allProcesses) {}

  async #processes(now: number): Promise<ProcessInfo[]> {
    if (this.#listed === undefined || Math.abs(now - this.#listed.at) > SAME_LOOK_MS) {
      this.#listed = { at: now, processes: this.list() };
    }
    return await this.#listed.processes;
  }

  async find(
    server: FleetServer,
    session: string,
    command: string,
    entries: Map<number, ClaudeEntry>,
    { now, stamp }: { now: number; stamp: string },
  ): Promise<Held> {
    const key = keyOf(server, session);
    const panes = server.panes.filter((pane) => pane.session === session);
    const shown = panes.map(({ pane, pid, program }) => `${pane} ${pid} ${program}`);
    const shape = [stamp, ...shown].join("|");
    const known = this.#verdicts.get(key);
    const entry = entries.get(known?.held.entry?.pid ?? 0);
    // The session may have been renamed, and another session may have its old name.
    const isItsPane = panes.some(({ pane }) => pane === known?.held.pane);
    if (known !== undefined && isItsPane && entry !== undefined && runs(entry)) {
      return { ...known.held, entry };
    }
    const isFresh = known !== undefined && known.shape === shape &&
      (server.isStale || Math.abs(now - known.at) < TRUSTED_MS);
    if (isFresh && known.held.entry === undefined) return known.held;

    const held = await this.#look(server, session, command, panes, { entries, now })
      .catch((error): Held => ({ ...known?.held ?? { kind: "gone" }, unseen: messageOf(error) }));
    if (held.unseen === undefined) this.#verdicts.set(key, { held, shape, at: now });
    return held;
  }

  async #look(
    server: FleetServer,
    session: string,
    command: string,
    panes: FleetPane[],
    { entries, now }: { entries: Map<number, ClaudeEntry>; now: number },
  ): Promise<Held> {
    const processes = await this.#processes(now);
    for (const { pane, pid } of panes) {
      const listed = treeBelow(processes, pid).map((process) => entries.get(process.pid))
        .find((entry) => entry !== undefined && runs(entry));
      if (listed !== undefined) return { kind: "alive", pane, entry: listed };
    }
    const state = await stateOfSession(server.tmux, session, command);
    return "pane" in state ? { kind: state.kind, pane: state.pane } : { kind: state.kind };
  }

  /** Call after a look: forgets sessions that are on none of the servers. */
  keepOn(servers: FleetServer[]): void {
    const there = new Set(
      servers.flatMap((server) => server.panes.map(({ session }) => keyOf(server, session))),
    );
    for (const key of this.#verdicts.keys()) if (!there.has(key)) this.#verdicts.delete(key);
  }

  /** The pane below which a process runs. */
  async paneOf(
    pid: number,
    servers: FleetServer[],
  ): Promise<FleetPane & { socket: string | undefined } | undefined> {
    if (startOf(pid) === undefined) return undefined;
    const above = new Set(ancestorsOf(await allProcesses(), pid).map((process) => process.pid));
    for (const { panes, socket } of servers) {
      const pane = panes.find((one) => above.has(one.pid));
      if (pane !== undefined) return { ...pane, socket };
    }
    return undefined;
  }
}

function keyOf({ socket, run }: FleetServer, session: string): string {
  return `${socket} ${run} ${session}`;
}
