/** tmux servers as our commands meet them: by their sockets, in a clean environment. */

import { type Env, setVariables } from "../paths.ts";
import { type Tmux, tmuxFrom } from "../tmux.ts";
import type { World } from "../cli/world.ts";

/** What tmux itself needs, and what its `update-environment` takes over into a new session. */
const CLIENT_NAMES = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE"],
  ...["TMUX_TMPDIR", "DISPLAY", "WAYLAND_DISPLAY", "WINDOWID", "XAUTHORITY", "KRB5CCNAME"],
  ...["SSH_ASKPASS", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_CONNECTION"],
];

/** What a Claude Code session puts into the environment of all it runs, its secrets among it. */
const OF_A_SESSION =
  /^(CLAUDECODE|CLAUDE_CODE_(ENTRYPOINT|SESSION_\w+|CHILD_SESSION|MESSAGING_\w+|SSE_PORT)|CLAUDE_(PROJECT_DIR|PID|EFFORT|ENV_FILE)|AI_AGENT|COLUMNS|LINES|TMUX|TMUX_PANE)$/;

/**
 * What a new server hands to all its sessions. The user's own keys stay in it: the Claude Code that
 * is started there has no other way to them. Another session's are none of its business.
 */
function serverEnvironment(all: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !OF_A_SESSION.test(name)));
}

export interface TmuxServer {
  tmux: Tmux;
  /** The same with text on the standard input. */
  feed(stdin: string, ...args: string[]): ReturnType<Tmux["call"]>;
  /** For the call that starts the server where none runs. */
  starter: Tmux;
}

/** The server behind a socket; without one, the server that `tmux` alone would find. */
export function serverAt(world: World, socket?: string): TmuxServer {
  const { env, options } = wayTo(world.env, socket);
  const client = { ...options, env: { ...setVariables(world.env, CLIENT_NAMES), ...options.env } };
  const whole = { ...serverEnvironment(world.environment()), ...options.env };
  return {
    tmux: tmuxFrom(env, client),
    feed: (stdin, ...args) => tmuxFrom(env, { ...client, stdin }).call(...args),
    starter: tmuxFrom(env, { ...options, env: whole }),
  };
}

function wayTo(env: Env, socket: string | undefined) {
  const common = { timeoutMs: 10_000, env: {} };
  if (socket === undefined) return { env, options: common };
  const [, folder, label] = /^(.*)\/tmux-\d+\/([^/]+)$/.exec(socket) ?? [];
  // By its name where it has one: tmux makes the folder, which a boot has emptied, only then.
  if (folder && label && socket === `${folder}/tmux-${Deno.uid()}/${label}`) {
    return { env, options: { ...common, socket: label, env: { TMUX_TMPDIR: folder } } };
  }
  const there: Env = (name) => name === "TMUX" ? `${socket},0,0` : env(name);
  return { env: there, options: common };
}

export interface ServerFacts {
  socket: string;
  /** Tells one run of a server from the next. */
  server: string;
  sessions: Set<string>;
}

/** What runs on a server; undefined when none does. */
export async function factsOf(tmux: Tmux): Promise<ServerFacts | undefined> {
  // No name holds a colon: what follows the last one is the name, whatever the path is.
  const format = "#{pid}-#{start_time} #{socket_path}:#{session_name}";
  const listed = await tmux.call("list-sessions", "-F", format);
  if (listed.kind === "failed" || listed.stdout === "") return undefined;
  const lines = listed.stdout.split("\n").filter((line) => line !== "");
  const [, server = "", socket = ""] = /^(\S+) (.*):/.exec(lines[0]!) ?? [];
  const names = lines.map((line) => line.slice(line.lastIndexOf(":") + 1));
  return { socket, server, sessions: new Set(names) };
}
