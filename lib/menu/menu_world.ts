/** Where the menu driver works: the tmux server, the session's agent, what it may do. */

import { type Speaker, terminal } from "../cli/speaker.ts";
import { loadRegistry } from "../gate.ts";
import type { PaneWorld } from "./claude_pane.ts";
import type { MenuOptions } from "./menu_args.ts";
import type { Scene } from "./menu_verbs.ts";
import { type Env, type Paths, pathsFrom, ROOT } from "../paths.ts";
import { findAgent } from "../registry.ts";
import { tmuxFrom } from "../tmux.ts";

export interface World extends Speaker {
  env: Env;
  paths: Paths;
  readStdin(): string;
}

export function sceneFor(
  world: World,
  session: string,
  options: MenuOptions,
  pane: Scene["pane"],
): Scene {
  const registry = loadRegistry(world.paths.registry);
  const match = registry.kind === "registry" ? findAgent(registry.registry, session) : undefined;
  const agent = match?.kind === "agent" ? match.agent : undefined;
  const whyNoDecision = agent?.settings.answer_permissions
    ? undefined
    : agent === undefined
    ? `no enabled agent of the registry ${world.paths.registry} owns this session, so nobody may decide`
    : `agent "${agent.agent_id}" may not decide: answer_permissions is not true in its hook_settings`;
  return {
    paths: world.paths,
    session,
    pane,
    agentId: agent?.agent_id ?? "",
    by: options.by ?? agent?.agent_id ?? "menu-driver",
    whyNoDecision,
    waitMs: options.waitMs,
    dryRun: options.dryRun,
    isAlive,
  };
}

/** Not allowed to ask (a launcher's scope) means perhaps: the hand-over itself will tell. */
function isAlive(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGCONT");
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}

export function paneWorld(world: World, options: MenuOptions): PaneWorld {
  const socket = options.socket ?? world.env("GSD_TMUX_SOCKET");
  const path = socket?.includes("/") ? socket : undefined;
  // tmux takes the path of a server's socket from $TMUX as well.
  const env: Env = (name) => name === "TMUX" && path ? `${path},0,0` : world.env(name);
  const folder = world.env("TMUX_TMPDIR");
  const common = {
    ...(socket && !path ? { socket } : {}),
    ...(folder ? { env: { TMUX_TMPDIR: folder } } : {}),
    timeoutMs: 10_000,
  };
  return {
    tmux: tmuxFrom(env, common),
    feed: (text, ...args) => tmuxFrom(env, { ...common, stdin: text }).call(...args),
  };
}

/** A variable outside of a launcher's scope is not there. */
function envOf(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    return undefined;
  }
}

function readStdin(): string {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  for (let count; (count = Deno.stdin.readSync(buffer)) !== null;) {
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
  }
  return text + decoder.decode();
}

export function realWorld(): World {
  return {
    env: envOf,
    paths: pathsFrom(envOf, ROOT),
    ...terminal,
    readStdin,
  };
}
