/** The tmux servers on which sessions may be, each with its panes. */

import type { World } from "../cli/world.ts";
import { isThere } from "../files.ts";
import { isSameSocket } from "../known_sessions.ts";
import type { Launch } from "../sessions/launch.ts";
import { serverAt } from "../sessions/tmux_servers.ts";
import { type FleetServer, panesOn, type ServerPanes } from "./fleet_panes.ts";

export class FleetServers {
  /** Those of the last look that tmux has answered. */
  readonly #panes = new Map<string | undefined, ServerPanes>();
  /** Sockets of other tmux servers, in which a Claude Code of ours was found. */
  readonly #strays = new Set<string>();

  constructor(private readonly world: Pick<World, "env" | "environment">) {}

  add(sockets: string[]): void {
    for (const socket of sockets) this.#strays.add(socket);
  }

  /** The server in reach, then those of the launches, and those that were added. */
  async look(launches: Launch[], problems: string[]): Promise<FleetServer[]> {
    const look = async (socket?: string) => {
      const server = serverAt(this.world, socket);
      const found = await panesOn(server.tmux, socket);
      // A tmux that does not answer has not lost its sessions.
      const isStale = typeof found === "string";
      if (isStale) problems.push(found);
      else this.#panes.set(socket, found);
      const known = this.#panes.get(socket);
      const none = { socket, run: undefined, panes: [] };
      return { ...server, isStale, isUnseen: known === undefined, ...known ?? none };
    };
    const first = await look();
    const own = launches.map((one) => one.tmux_socket ?? first.socket);
    const sockets = new Set([...own, ...this.#strays]);
    const others = Array.from(sockets).filter((socket) =>
      socket !== undefined && !isSameSocket(socket, first.socket ?? "") && isThere(socket)
    );
    return [first, ...await Promise.all(others.map(look))];
  }
}
