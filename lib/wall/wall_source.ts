/** What the wall shows, read from the fleet. */

import { captureScreens } from "../doors/tmux_screens.ts";
import type { FleetReader } from "../fleet/fleet_reader.ts";
import { attachLine } from "../fleet/session_commands.ts";
import { type SessionView, viewsOf } from "../fleet/session_view.ts";
import { nowLine } from "../fleet/status_table.ts";
import { serverAt } from "../sessions/tmux_servers.ts";
import { limitLines } from "../usage.ts";
import type { FeedSource, SessionScreen } from "./feed.ts";
import { hintFor, requestOf, type Tile } from "./tile.ts";

export class WallSource implements FeedSource {
  /** Where the screen of each session is. */
  #panes = new Map<string, { pane: string; socket: string | undefined }>();

  constructor(
    private readonly world: Parameters<typeof serverAt>[0],
    private readonly reader: FleetReader,
    readonly usdToday: () => number | undefined = () => undefined,
  ) {}

  async tiles(): Promise<Tile[]> {
    const views = viewsOf(await this.reader.read()).filter(({ state }) => state !== "ended");
    this.#panes = new Map(
      views.flatMap(({ session, seen: { pane, socket, holds } }) =>
        pane === undefined || holds !== "alive" ? [] : [[session, { pane, socket }]]
      ),
    );
    return views.map(tileOf);
  }

  async screens(): Promise<SessionScreen[]> {
    const sockets = new Set([...this.#panes.values()].map(({ socket }) => socket));
    const all = await Promise.all([...sockets].map(async (socket) => {
      const own = [...this.#panes].filter(([, place]) => place.socket === socket);
      const { tmux } = serverAt(this.world, socket);
      const captured = await captureScreens(tmux, own.map(([, { pane }]) => pane), {
        colours: true,
      });
      return captured.flatMap(({ pane, ...screen }) =>
        own.filter(([, place]) => place.pane === pane)
          .map(([session]) => ({ session, ...screen }))
      );
    }));
    return all.flat();
  }

  /** The tmux server of a session, for the menu driver. */
  socketOf(session: string): string | undefined {
    return this.#panes.get(session)?.socket;
  }
}

function tileOf(view: SessionView): Tile {
  const { session, agent_id, state, since, context_pct, usd, unsent, seen } = view;
  const limits = limitLines(seen.usage?.limits ?? [], new Date());
  const mayDecide = seen.agent?.settings.answer_permissions === true;
  const attach = attachLine(seen);
  const open = isOpen(view) ? seen.pending.map((one) => requestOf(one, mayDecide)) : [];
  const isAnswerable = open.length > 0 && open[0]!.why_not === undefined;
  const hint = hintFor({ session, state, attach }, isAnswerable);
  return {
    session,
    agent: agent_id,
    state,
    ...(since > 0 ? { since: new Date(since).toISOString() } : {}),
    now: nowLine(view),
    ...(context_pct === undefined ? {} : { context: context_pct }),
    ...(usd === undefined ? {} : { usd }),
    ...(limits.length === 0 ? {} : { limits }),
    ...(view.until === undefined ? {} : { until: new Date(view.until).toISOString() }),
    ...{ unsent, attach, open },
    ...(hint === undefined ? {} : { hint }),
  };
}

/** A file of a request may be left over; the state shows whether something waits. */
function isOpen({ state }: SessionView): boolean {
  return state === "asks" || state === "permission";
}
