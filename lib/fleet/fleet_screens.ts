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

  /** Adds the screens to what is known of the sessions. */
  async look(sessions: SessionObservation[], servers: FleetServer[], now: number): Promise<void> {
    const living = sessions.filter((one) => one.holds === "alive" && one.pane !== undefined);
    for (const server of servers) {
      const keyOf = (pane: string) => `${server.socket} ${server.run} ${pane}`;
      const own = living.filter(({ pane }) => server.panes.some((one) => one.pane === pane))
        .filter(({ socket }) => socket === undefined || socket === server.socket);
      const stale = own.filter(({ pane = "" }) => {
        const known = this.#captures.get(keyOf(pane));
        const { activity = 0 } = server.panes.find((one) => one.pane === pane) ?? {};
        // The clock was set back: the times cannot be compared.
        if (known === undefined || now < known.at) return true;
        return (activity + 1) * 1000 > known.at && now - known.at >= LOOK_EVERY_MS;
      });
      const shown = await captureScreens(server.tmux, stale.map(({ pane }) => pane!));
      for (const { pane, text } of shown) this.#captures.set(keyOf(pane), { at: now, text });
      for (const one of own) {
        const text = this.#captures.get(keyOf(one.pane!))?.text;
        if (text === undefined) continue;
        one.capture = text;
        const since = this.times.sameSince(one.session, text);
        if (since !== undefined) one.sameSince = since;
      }
    }
  }
}
