/** tmux servers, reached by their sockets and with a clean environment. */

import { isSameSocket } from "../known_sessions.ts";
import { type Env, type Paths, setVariables } from "../paths.ts";
import { runsNoServer } from "../doors/tmux_sessions.ts";
import { shellQuote } from "../text.ts";
import { type Tmux, tmuxFrom } from "../tmux.ts";
import { commandWords, otherSocket } from "../wake.ts";
import type { World } from "../cli/world.ts";

/** What tmux itself needs, and what its `update-environment` copies into a new session. */
const CLIENT_NAMES = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE"],
  ...["TMUX_TMPDIR", "DISPLAY", "WAYLAND_DISPLAY", "WINDOWID", "XAUTHORITY", "KRB5CCNAME"],
  ...["SSH_ASKPASS", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_CONNECTION"],
];

/** What a Claude Code session puts into the environment of its children, secrets included. */
const OF_A_SESSION =
  /^(CLAUDECODE|CLAUDE_CODE_(ENTRYPOINT|SESSION_\w+|CHILD_SESSION|MESSAGING_\w+|SSE_PORT)|CLAUDE_(PROJECT_DIR|PID|EFFORT|ENV_FILE)|AI_AGENT|COLUMNS|LINES|TMUX|TMUX_PANE)$/;

/**
 * What a new server hands to all its sessions. It keeps the user's own keys, since Claude Code in
 * that server has no other way to them, but nothing of another Claude Code session.
 */
function serverEnvironment(all: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !OF_A_SESSION.test(name)));
}

export interface TmuxServer {
  tmux: Tmux;
  /** For the call that starts the server where none runs. */
  starter: Tmux;
}

/** The server of a socket; without one, the server that `tmux` alone would find. */
export function serverAt(
  world: Pick<World, "env" | "environment">,
  socket?: string,
): TmuxServer {
  const { env, options } = wayTo(world.env, socket);
  const client = { ...setVariables(world.env, CLIENT_NAMES), ...options.env };
  const whole = { ...serverEnvironment(world.environment()), ...options.env };
  return {
    tmux: tmuxFrom(env, { ...options, env: client }),
    starter: tmuxFrom(env, { ...options, env: whole }),
  };
}

function wayTo(env: Env, socket: string | undefined) {
  const common = { timeoutMs: 10_000, env: {} };
  if (socket === undefined) return { env, options: common };
  const [, folder, label] = /^(.*)\/tmux-\d+\/([^/]+)$/.exec(socket) ?? [];
  // By its label where it has one: only then does tmux make the folder, which a boot removes.
  if (folder && label && socket === `${folder}/tmux-${Deno.uid()}/${label}`) {
    return { env, options: { ...common, socket: label, env: { TMUX_TMPDIR: folder } } };
  }
  const there: Env = (name) => name === "TMUX" ? `${socket},0,0` : env(name);
  return { env: there, options: common };
}

interface ServerFacts {
  /** Undefined for the server that `tmux` alone would find, when it does not run. */
  socket: string | undefined;
  /** Differs between two runs of a server on the same socket; undefined when it does not run. */
  run: string | undefined;
  sessions: Set<string>;
  /** Why tmux did not tell; then nothing is known of its sessions. */
  unseen?: string;
}

/** A server, and what was seen on it. */
export interface SeenServer extends TmuxServer, ServerFacts {}

export async function seeServer(world: World, socket?: string): Promise<SeenServer> {
  const server = serverAt(world, socket);
  return { ...server, ...await factsOf(server.tmux, socket) };
}

export async function factsOf(tmux: Tmux, expected?: string): Promise<ServerFacts> {
  // No session name holds a colon: the name follows the last one. The path may hold some.
  const format = "#{pid}-#{start_time} #{socket_path}:#{session_name}";
  const listed = await tmux.call("list-sessions", "-F", format);
  if (listed.kind === "failed" && !runsNoServer(listed.reason)) {
    return { socket: expected, run: undefined, sessions: new Set(), unseen: listed.reason };
  }
  const lines = listed.kind === "ok" ? listed.stdout.split("\n").filter((line) => line) : [];
  const [, run, socket = expected] = /^(\S+) (.*):/.exec(lines[0] ?? "") ?? [];
  const names = lines.map((line) => line.slice(line.lastIndexOf(":") + 1));
  return { socket, run, sessions: new Set(names) };
}

/** The server runs, and is the one that the launch was made on. */
export function isSameRun(
  run: string | undefined,
  launch: { tmux_server?: string } | undefined,
): boolean {
  return run !== undefined && [undefined, run].includes(launch?.tmux_server);
}

/** Whether a launch was made on the server of a socket. Records of earlier versions do not say. */
export function isOfServer(
  launch: { tmux_socket?: string } | undefined,
  socket: string | undefined,
): boolean {
  const own = launch?.tmux_socket;
  return own === undefined || socket !== undefined && isSameSocket(own, socket);
}

/** The environment of a pane, as far as tmux has set it. */
export function paneEnv(variable: string | undefined, pane: string | undefined): Env {
  return (name) => name === "TMUX" ? variable : name === "TMUX_PANE" ? pane : undefined;
}

/** How a person calls tmux for the server of a socket; `inReach` is what plain `tmux` reaches. */
export function tmuxWords(socket: string | undefined, inReach: string | undefined): string {
  const other = otherSocket(`${socket ?? ""},0,0`);
  return other === undefined || other === inReach ? "tmux" : `tmux -S ${shellQuote(other)}`;
}

/** How an agent calls the menu driver for a session on the server of a socket. */
export function driverWords(paths: Paths, socket = ""): string[] {
  const other = otherSocket(`${socket},0,0`);
  const words = commandWords(paths, "menu-driver");
  return other === undefined ? words : [...words, "--socket", other];
}
