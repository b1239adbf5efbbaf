/** Brings one agent's session back, or finds that it never went away. */

import { launchCommand, prepareLaunch, whyNoLaunch } from "./agent_launch.ts";
import { namesIn } from "../files.ts";
import { readJournal } from "../journal.ts";
import {
  chooseSession,
  type Conversation,
  conversationFor,
  defaultSessionName,
  type Launch,
} from "./launch.ts";
import { launchesOf } from "./launch_files.ts";
import type { Dialog } from "../pane.ts";
import { type Agent, findAgent, type Registry } from "../registry.ts";
import { readMemory } from "../session_memory.ts";
import { awaitReady, launchInto, type Place, stateOfSession } from "./start_claude.ts";
import type { Tmux } from "../tmux.ts";
import { sessionNames } from "./tmux_sessions.ts";
import type { World } from "./world.ts";

export interface RecoveryPlan {
  session: string;
  place: Place;
  dir: string;
  command: string;
  prompt: string;
  path: string | undefined;
  conversation: Conversation;
  /** The id it will have, as far as that is known before it starts. */
  claudeSessionId: string;
  found: string;
}

export type Finding =
  | { kind: "alive"; session: string }
  | { kind: "lost"; plan: RecoveryPlan }
  | { kind: "failed"; session: string; reason: string };

/** Looks, and changes nothing. */
export async function examine(
  world: World,
  tmux: Tmux,
  registry: Registry,
  agent: Agent,
): Promise<Finding> {
  const running = await sessionNames(tmux);
  const launches = launchesOf(world.paths, agent.agent_id);
  const [launch] = launches.toSorted((a, b) => lastSign(world, a) < lastSign(world, b) ? 1 : -1);
  const command = agent.claude_launch_command || launch?.command || launchCommand(world, agent);
  const own = [...running].filter((name) => {
    const match = findAgent(registry, name);
    return match.kind === "agent" && match.agent.agent_id === agent.agent_id;
  });
  const states = new Map(
    await Promise.all(
      own.map(async (name) => [name, await stateOfSession(tmux, name, command)] as const),
    ),
  );
  for (const [name, state] of states) {
    if (state.kind === "alive") return { kind: "alive", session: name };
  }

  const base = agent.tmux_session_name || defaultSessionName(agent.agent_id);
  const session = launch?.session ?? base;
  const dir = launch?.working_directory || agent.working_directory;
  const path = launch?.env.PATH;
  const env = (name: string) => name === "PATH" ? path ?? world.env(name) : world.env(name);
  const refused = dir === ""
    ? "it has no working_directory in the registry"
    : whyNoLaunch(env, dir, command);
  if (refused !== undefined) return { kind: "failed", session, reason: refused };

  const state = states.get(session) ?? { kind: running.has(session) ? "occupied" : "gone" };
  const others = registry.agents.filter((other) => other.agent_id !== agent.agent_id);
  const taken = new Set(others.map((other) => other.tmux_session_name));
  const choice = chooseSession(
    base,
    new Set([...running, ...launches.map((l) => l.session)]),
    taken,
  );
  if (state.kind === "occupied" && choice.kind === "refused") {
    return { kind: "failed", session, reason: choice.reason };
  }
  const id = claudeIdOf(world, session, launch);
  const conversation = conversationFor(agent.claude_post_launch_mode, {
    id,
    hasTranscript: hasTranscript(world, session, id),
    resumeTarget: agent.claude_resume_target,
    hasOthers: namesIn(`${world.paths.claudeConfig}/projects/${projectName(dir)}`)
      .some((name) => name.endsWith(".jsonl")),
  }, crypto.randomUUID());
  return {
    kind: "lost",
    plan: {
      session: state.kind === "occupied" && choice.kind === "name" ? choice.name : session,
      place: state.kind === "shell" ? { kind: "pane", pane: state.pane } : { kind: "new_session" },
      dir,
      command,
      prompt: launch?.system_prompt ?? agent.system_prompt,
      path,
      conversation,
      claudeSessionId: conversation.kind === "new" ? conversation.id : id,
      found: FOUND[state.kind === "alive" ? "gone" : state.kind],
    },
  };
}

const FOUND = {
  gone: "its tmux session was gone",
  shell: "its tmux session held only a shell",
  occupied: "another program ran in its tmux session, which was left alone",
};

export type Recovery =
  | { kind: "recovered"; plan: RecoveryPlan; dialog?: Dialog }
  | { kind: "failed"; session: string; reason: string };

/** Starts what `examine` has found missing. `alone` lets one launch at a time reach tmux. */
export async function restart(
  world: World,
  tmux: Tmux,
  agent: Agent,
  plan: RecoveryPlan,
  alone: <T>(work: () => Promise<T>) => Promise<T>,
  timeoutMs: number,
): Promise<Recovery> {
  const { session } = plan;
  const launch = prepareLaunch(world, {
    agent,
    session,
    dir: plan.dir,
    command: plan.command,
    prompt: plan.prompt,
    claudeSessionId: plan.claudeSessionId,
    ...(plan.path === undefined ? {} : { path: plan.path }),
  });
  const started = await alone(() =>
    launchInto(tmux, world.paths, launch, plan.conversation, plan.place)
  );
  if (started.kind === "failed") return { kind: "failed", session, reason: started.reason };
  const arrival = await awaitReady(tmux, started.stdout, session, {
    timeoutMs,
    progress: world.warn,
  });
  switch (arrival.kind) {
    case "ready":
      return { kind: "recovered", plan };
    case "dialog":
      return { kind: "recovered", plan, dialog: arrival.dialog };
    case "failed": {
      const last = arrival.screen.split("\n").map((line) => line.trim())
        .filter((line) => line !== "").at(-2);
      const shown = last === undefined ? "" : `; its screen says: ${last}`;
      return { kind: "failed", session, reason: arrival.reason + shown };
    }
  }
}

/** Of several sessions the one that was heard of last is the one to bring back. */
function lastSign(world: World, launch: Launch): string {
  const { updated_at } = readMemory(world.paths, launch.session);
  return updated_at > launch.started_at ? updated_at : launch.started_at;
}

/** What SessionStart reported last; before the first report, what the launch asked for. */
function claudeIdOf(world: World, session: string, launch: Launch | undefined): string {
  const remembered = readMemory(world.paths, session).claude_session_id;
  if (remembered !== "") return remembered;
  let id = launch?.claude_session_id ?? "";
  for (const entry of readJournal(world.paths, session)) {
    const told = entry.event === "SessionStart" ? entry.claude_session_id : undefined;
    if (typeof told === "string" && told !== "") id = told;
  }
  return id;
}

function hasTranscript(world: World, session: string, id: string): boolean {
  if (id === "") return false;
  const { claude_session_id, transcript_path } = readMemory(world.paths, session);
  if (claude_session_id === id && isFile(transcript_path)) return true;
  const projects = `${world.paths.claudeConfig}/projects`;
  return namesIn(projects).some((name) => isFile(`${projects}/${name}/${id}.jsonl`));
}

/** Claude Code keeps a folder's conversations under its path with everything odd made a dash. */
function projectName(dir: string): string {
  let real = dir;
  try {
    real = Deno.realPathSync(dir);
  } catch {
    // Its absence is told by whoever starts something in it.
  }
  return real.replace(/[^A-Za-z0-9]/g, "-");
}

function isFile(path: string): boolean {
  try {
    return path !== "" && Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
