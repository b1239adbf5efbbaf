/** Gives a session that was started by hand to an agent: writes its launch record. */

import { noteCommands } from "../doors/command_files.ts";
import { noRegistry } from "../cli/no_registry.ts";
import { nearest } from "../cli/nearest.ts";
import type { World } from "../cli/world.ts";
import { environmentOf } from "../doors/process_tree.ts";
import { recordCall } from "../driver/record_call.ts";
import { holdsOurs, knownSettings } from "../install/registered.ts";
import { ownerOf } from "../known_sessions.ts";
import { placesFor } from "../paths.ts";
import { type Agent, findAgent, whyUnreachable } from "../registry.ts";
import { launchCommand, prepareLaunch } from "./agent_launch.ts";
import { claudeIn, findSession, type FoundSession, type RunningClaude } from "./find_session.ts";
import type { Launch } from "./launch.ts";
import { writeLaunch } from "./launch_files.ts";
import { launchingAlone } from "./launch_lock.ts";
import { whyNoName } from "./session_names.ts";
import { agentIn } from "./spawn_agent.ts";
import { isOfServer } from "./tmux_servers.ts";

export interface AdoptWish {
  session: string;
  agentId: string;
  dryRun: boolean;
}

export interface AdoptResult {
  session: string;
  agent_id: string;
  state: "planned" | "adopted" | "already";
  working_directory: string;
  claude_session_id: string;
  /** Whether Claude Code in it runs our hooks: those of the user's settings work at once. */
  hooks: "registered" | "missing";
  /** Why its agent cannot be woken; "" when it can. */
  problem: string;
}

/** Throws the reason where nothing can be done. */
export async function adoptSession(wish: AdoptWish, world: World): Promise<AdoptResult> {
  const { session, agentId } = wish;
  const { agent, registry } = agentIn(world, agentId);
  if (registry === undefined) throw new Error(noRegistry(world.paths));
  if (agent === undefined) {
    const near = nearest(agentId, registry.agents.map(({ agent_id }) => agent_id));
    const meant = near === undefined ? "add it there, or let spawn do so" : `did you mean ${near}?`;
    throw new Error(`the registry ${world.paths.registry} has no agent "${agentId}"; ${meant}`);
  }
  const unfit = whyNoName(session);
  if (unfit !== undefined) throw new Error(unfit);
  const adopt = async (): Promise<AdoptResult> => {
    const found = await findSession(world, session, { takesNamesake: true });
    const match = findAgent(registry, session, ownerOf(world.paths, session));
    if (match.kind === "agent" && match.agent.agent_id !== agentId) {
      throw new Error(`it belongs to ${match.agent.agent_id}: gsd-code remove ends that`);
    }
    if (found.state.kind !== "alive") throw new Error(whyNotRunning(found));
    const claude = await claudeIn(found, world.paths);
    const working_directory = await folderOf(found, claude);
    const hooks = hasHooks(world, claude, working_directory) ? "registered" : "missing";
    const about = { session, agent_id: agentId, hooks, problem: whyMute(agent) } as const;
    // A record of another tmux server is not of its namesake on this one.
    if (found.launch !== undefined && isOfServer(found.launch, found.server.socket)) {
      const { working_directory, claude_session_id } = found.launch;
      return { ...about, state: "already", working_directory, claude_session_id };
    }
    const claude_session_id = claude?.claudeSessionId ?? "";
    const result = { ...about, working_directory, claude_session_id };
    if (wish.dryRun) return { ...result, state: "planned" };
    makeRecord(world, found, agent, { dir: working_directory, claude });
    await recordCall(world, { session, agent_id: agentId, reason: "adopted" });
    return { ...result, state: "adopted" };
  };
  return wish.dryRun ? await adopt() : await launchingAlone(world, adopt);
}

/** The record of a session that has none, so that it can be renamed, stopped and started again. */
export async function ensureRecord(
  world: World,
  found: FoundSession,
  agent: Agent,
): Promise<Launch> {
  if (found.launch !== undefined) return found.launch;
  const claude = await claudeIn(found, world.paths);
  return makeRecord(world, found, agent, { dir: await folderOf(found, claude), claude });
}

function makeRecord(
  world: World,
  { session, server }: FoundSession,
  agent: Agent,
  { dir, claude }: { dir: string; claude: RunningClaude | undefined },
): Launch {
  const { socket, run } = server;
  const launch = prepareLaunch(asStarted(world, claude), {
    agent,
    session,
    dir,
    command: launchCommand(world, agent),
    prompt: agent.system_prompt,
    conversation: { kind: "chosen" }, // it runs already: none is opened
    claudeSessionId: claude?.claudeSessionId ?? "",
    at: {
      ...(socket === undefined ? {} : { tmux_socket: socket }),
      ...(run === undefined ? {} : { tmux_server: run }),
    },
  });
  const adopted = { ...launch, adopted_at: world.now().toISOString() };
  writeLaunch(world.paths, adopted);
  noteCommands(world.paths, adopted.session, adopted.working_directory);
  return adopted;
}

function whyNotRunning({ state }: FoundSession): string {
  return state.kind === "gone"
    ? "there is no tmux session of that name in reach"
    : "Claude Code does not run in it: start it there, or let gsd-code spawn start a session";
}

function whyMute(agent: Agent): string {
  if (!agent.enabled) return "the agent is disabled in the registry";
  return whyUnreachable(agent) ?? "";
}

async function folderOf(
  { server: { tmux }, session }: FoundSession,
  claude: RunningClaude | undefined,
): Promise<string> {
  try {
    return Deno.readLinkSync(`/proc/${claude?.process.pid}/cwd`);
  } catch {
    const target = claude?.pane ?? `=${session}:`;
    const shown = await tmux.call("display-message", "-p", "-t", target, "#{pane_current_path}");
    return shown.kind === "ok" ? shown.stdout.replace(/\n$/, "") : "";
  }
}

/** Uses the PATH and the Claude Code folder of the running process: ours may differ. */
function asStarted(world: World, claude: RunningClaude | undefined): World {
  const theirs = environmentOf(claude?.process.pid);
  if (theirs === undefined) return world;
  const env = (name: string) =>
    name === "PATH" || name === "CLAUDE_CONFIG_DIR" ? theirs[name] : world.env(name);
  return { ...world, env };
}

/** Claude Code follows its settings while it runs. */
function hasHooks(world: World, claude: RunningClaude | undefined, dir: string): boolean {
  const { paths } = world;
  const ours = `${paths.data}/launches/`;
  if (claude?.process.args.some((arg) => arg.startsWith(ours) && arg.endsWith(".settings.json"))) {
    return true;
  }
  const theirs = environmentOf(claude?.process.pid);
  const places = theirs === undefined ? paths : {
    ...paths,
    claudeConfig: placesFor((name) => theirs[name], paths.root).claudeConfig,
  };
  const folders = [places.claudeConfig, `${dir}/.claude`];
  return knownSettings(places)
    .filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)))
    .some((file) => holdsOurs(file, paths.root));
}
