/** Whose a pane is, in tmux's own words. */

export type PaneOwner =
  /** `also`: other sessions that show the same window, as a person's who looks on. */
  | { kind: "session"; name: string; also: string[] }
  | { kind: "none"; reason: string };

/** The name, and every session that shows the window. A tab is no part of a name. */
export const OWNER_FORMAT = "#{session_name}\t#{window_linked_sessions_list}";

/** tmux answers with an empty name, not an error, for a pane that has gone. */
export function paneOwner(line: string): PaneOwner {
  const [name = "", list = ""] = line.split("\t");
  if (name === "") return { kind: "none", reason: "The pane is gone" };
  const also = list.split(",").filter((other) => other !== "" && other !== name);
  return { kind: "session", name, also };
}
