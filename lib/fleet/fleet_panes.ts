/** All panes of a tmux server, in one call. */

import { runsNoServer } from "../doors/tmux_sessions.ts";
import type { TmuxServer } from "../sessions/tmux_servers.ts";
import type { Tmux } from "../tmux.ts";

export interface FleetPane {
  session: string;
  pane: string;
  pid: number;
  active: boolean;
  dead: boolean;
  /** When its window last changed, in seconds. */
  activity: number;
  /** The program in the foreground. */
  program: string;
  /** `$TMUX` of the programs in it. */
  variable: string;
}

export interface ServerPanes {
  socket: string | undefined;
  /** Differs between two runs of a server on the same socket; undefined when none runs. */
  run: string | undefined;
  panes: FleetPane[];
}

export interface FleetServer extends ServerPanes, TmuxServer {
  /** tmux does not answer: the panes are those of an earlier look. */
  isStale: boolean;
  /** tmux has not answered yet: its sessions are not known. */
  isUnseen?: boolean;
}

/** No name of a session holds a tab. */
const FORMAT = [
  ...["pid", "start_time", "socket_path", "pane_id", "pane_pid", "window_active", "pane_active"],
  ...["pane_dead", "window_activity", "pane_current_command", "session_id", "session_name"],
].map((name) => `#{${name}}`).join("\t");

/** The panes, or why they cannot be read. */
export async function panesOn(tmux: Tmux, expected?: string): Promise<ServerPanes | string> {
  const listed = await tmux.call("list-panes", "-a", "-F", FORMAT);
  if (listed.kind === "failed" && !runsNoServer(listed.reason)) return listed.reason;
  const lines = listed.kind === "ok" ? listed.stdout.split("\n").filter((line) => line) : [];
  let run: string | undefined;
  let socket = expected;
  const panes = lines.map((line) => {
    const fields = line.split("\t");
    const [pid, started, path, pane = "", panePid, window, active, dead, activity] = fields;
    const [program = "", id = "", ...name] = fields.slice(9);
    run = `${pid}-${started}`;
    socket = path;
    return {
      session: name.join("\t"),
      pane,
      pid: Number(panePid),
      active: window === "1" && active === "1",
      dead: dead === "1",
      activity: Number(activity),
      program,
      variable: `${path},${pid},${id.slice(1)}`,
    };
  });
  return { socket, run, panes };
}
