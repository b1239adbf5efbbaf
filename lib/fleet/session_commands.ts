/** Command lines for a session of the fleet: of the menu driver, and of tmux. */

import type { Paths } from "../paths.ts";
import { driverWords } from "../sessions/tmux_servers.ts";
import { shellQuote } from "../text.ts";
import { actionsFor, type Situation } from "../wake.ts";
import type { SessionObservation } from "./observation.ts";

type SessionPlace = Pick<SessionObservation, "session" | "renamedTo" | "socket">;

/** The name under which tmux has it now. */
export function tmuxName({ session, renamedTo }: SessionPlace): string {
  return renamedTo || session;
}

/** The actions of the menu driver that a wake offers. */
export function driverActions(seen: SessionPlace, paths: Paths, situation: Situation): string[] {
  const driver = driverWords(paths, seen.socket).map(shellQuote).join(" ");
  return actionsFor(driver, tmuxName(seen), situation);
}

/** `tmux -S <socket>`, then these words. */
export function tmuxLine({ socket }: SessionPlace, words: string[]): string {
  const server = socket === undefined ? [] : ["-S", socket];
  return ["tmux", ...server, ...words].map(shellQuote).join(" ");
}

export function attachLine(seen: SessionPlace): string {
  return tmuxLine(seen, ["attach", "-t", `=${tmuxName(seen)}`]);
}
