/** Whose a pane is, in tmux's own words. */

export type PaneOwner =
  /** `shownIn`: every session that shows the pane's window, as a person's who looks on. */
  | { kind: "session"; name: string; shownIn: ShowingSession[] }
  | { kind: "none"; reason: string };

export interface ShowingSession {
  /** tmux's own number of it, such as `$3`. */
  id: string;
  name: string;
}

/**
 * The session, the height of the pane, its window; then each session with its windows:
 *   warden-main <TAB> 40 <TAB> @1 <TAB> $0 <TAB> warden-main <TAB> @0 @1 <TAB> $3 <TAB> …
 * A tab is no part of a name; a comma, which tmux's own list of sessions has, may be.
 */
export const OWNER_FORMAT = "#{session_name}\t#{pane_height}\t#{window_id}\t" +
  "#{S:#{session_id}\t#{session_name}\t#{W:#{window_id} }\t}";

/** tmux answers with an empty name, not an error, for a pane that has gone. */
export function paneOwner(line: string): PaneOwner {
  const [name = "", _height, window = "", ...sessions] = line.split("\t");
  if (name === "") return { kind: "none", reason: "The pane is gone" };
  const shownIn: ShowingSession[] = [];
  for (let at = 0; at + 2 < sessions.length; at += 3) {
    const [id = "", other = "", windows = ""] = sessions.slice(at, at + 3);
    if (windows.split(" ").includes(window)) shownIn.push({ id, name: other });
  }
  if (!shownIn.some((session) => session.name === name)) shownIn.unshift({ id: "", name });
  return { kind: "session", name, shownIn };
}

/** How many lines of a capture are the screen; what stands above them is history. */
export function paneHeight(line: string): number | undefined {
  const height = Number(line.split("\t")[1]);
  return height > 0 ? height : undefined;
}
