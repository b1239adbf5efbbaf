/** The screens of the sessions: captured again only where they may have changed. */

import { captureScreens } from "../doors/tmux_screens.ts";
import type { FleetServer } from "./fleet_panes.ts";
import type { SessionObservation } from "./observation.ts";
import type { ScreenTimes } from "./screen_times.ts";

/** A screen that changes all the time is looked at no more often. */
const LOOK_EVERY_MS = 4000;

export class FleetScreens {
  readonly #captures = new Map<string, { at: number; text: string }>();

  constructor(private readonly times: ScreenTimes) {}

  /** Adds the screens to what is known of the sessions; forgets those of panes that are gone. */
  async look(sessions: SessionObservation[], servers: FleetServer[], now: number): Promise<void> {
    const living = sessions.filter((one) => one.holds === "alive" && one.pane !== undefined);
    for (const server of servers) {
      const own = living.filter(({ pane }) => server.panes.some((one) => one.pane === pane))
        .filter(({ socket }) => socket === undefined || socket === server.socket);
      const stale = own.filter(({ pane = "" }) => {
        const known = this.#captures.get(keyOf(server, pane));
        const { activity = 0 } = server.panes.find((one) => one.pane === pane) ?? {};
        // The clock was set back: the times cannot be compared.
        if (known === undefined || now < known.at) return true;
        return (activity + 1) * 1000 > known.at && now - known.at >= LOOK_EVERY_MS;
      });
      const shown = await captureScreens(server.tmux, stale.map(({ pane }) => pane!));
      for (const { pane, text } of shown) {
        this.#captures.set(keyOf(server, pane), { at: now, text });
      }
      for (const one of own) {
        const text = this.#captures.get(keyOf(server, one.pane!))?.text;
        if (text === undefined) continue;
        one.capture = text;
        const since = this.times.sameSince(one.session, text);
        if (since !== undefined) one.sameSince = since;
      }
    }
    const there = new Set(
      servers.flatMap((server) => server.panes.map(({ pane }) => keyOf(server, pane))),
    );
    for (const key of this.#captures.keys()) if (!there.has(key)) this.#captures.delete(key);
  }
}

function keyOf({ socket, run }: FleetServer, pane: string): string {
  return `${socket} ${run} ${pane}`;
}
