/** Sessions for tests of recover. */

import { assertEquals } from "@std/assert";
import { main } from "../../commands/recover.ts";
import { main as spawn } from "../../commands/spawn.ts";
import type { Launch } from "../../lib/sessions/launch.ts";
import { launchFiles } from "../../lib/sessions/launch_files.ts";
import type { Paths } from "../../lib/paths.ts";
import { allProcesses, treeBelow } from "../../lib/doors/process_tree.ts";
import type { AgentResult } from "../../lib/recovery/recovery_result.ts";
import type { SessionWorld } from "./session_world.ts";
import { until } from "./until.ts";
import { writeExecutable } from "./executable.ts";

/** A launch record; what a test does not give means nothing. */
export function launchOf(change: Partial<Launch>): Launch {
  return {
    ...{ session: "anvil-main", agent_id: "anvil", working_directory: "/", command: "claude" },
    ...{ settings_file: "", prompt_file: "", system_prompt: "", env: {}, claude_session_id: "" },
    ...{ started_at: "2026-01-01T00:00:00.000Z", ...change },
  };
}

/** The record of a session's launch. */
export function readLaunch(paths: Paths, session: string): Launch {
  return JSON.parse(Deno.readTextFileSync(launchFiles(paths, session).record));
}

export const IDLE = "01-idle-fresh.txt";

export async function recover(world: SessionWorld, ...args: string[]) {
  world.said.length = world.warned.length = 0;
  // Another command may speak in this world at the same time.
  const said: string[] = [];
  const say = (line: string) => void (said.push(line), world.said.push(line));
  const code = await main(["--skip-sync", "--json", ...args], { ...world, say });
  const agents: AgentResult[] = JSON.parse(said[0] ?? `{"agents":[]}`).agents;
  return { code, outcomes: Object.fromEntries(agents.map((a) => [a.agent_id, a.outcome])), agents };
}

/** Three agents with a running session each, whose conversations have a transcript. */
export async function threeAgents(world: SessionWorld): Promise<string[]> {
  const ids = ["anvil", "bolt", "crane"];
  for (const id of ids) {
    Deno.mkdirSync(`${world.dir}/${id}-project`);
    world.variables.GSD_CLAUDE = world.standIn(id, IDLE);
    assertEquals(await spawn([id, `${id}-project`, ""], world), 0, world.warned.join("\n"));
    const { claude_session_id } = readLaunch(world.paths, `${id}-main`);
    const projects = `${world.paths.claudeConfig}/projects/${id}`;
    Deno.mkdirSync(projects, { recursive: true });
    Deno.writeTextFileSync(`${projects}/${claude_session_id}.jsonl`, "{}\n");
  }
  const text = Deno.readTextFileSync(world.paths.registry);
  const registry = JSON.parse(text.replace(/^\s*\/\/.*$/gm, ""));
  for (const agent of registry.agents) agent.openclaw_session_key = `agent:${agent.agent_id}:main`;
  world.registry({ ...registry, global_status_openclaw_session_key: "agent:main:main" });
  return ids;
}

/** What the hooks would have written of a session. */
export function remember(
  world: SessionWorld,
  session: string,
  what: Record<string, unknown>,
): void {
  const memory = { updated_at: new Date().toISOString(), said: [], ...what };
  const file = `${world.paths.state}/sessions/${session}.json`;
  Deno.mkdirSync(`${world.paths.state}/sessions`, { recursive: true });
  Deno.writeTextFileSync(file, JSON.stringify(memory));
}

/** Starts a session for an agent that can be woken, and writes its transcript. */
export async function spawned(
  world: SessionWorld,
  id: string,
  more: Record<string, unknown> = {},
  ...args: string[]
): Promise<string> {
  Deno.mkdirSync(`${world.dir}/p`, { recursive: true });
  const claude_launch_command = world.standIn("claude", IDLE);
  const key = { openclaw_session_key: `agent:${id}:main` };
  world.registry({ agents: [{ agent_id: id, claude_launch_command, ...key, ...more }] });
  world.said.length = world.warned.length = 0;
  const code = await spawn([id, "p", "", "--json", ...args], world);
  assertEquals(code, 0, world.warned.join("\n"));
  const { session, claude_session_id } = JSON.parse(world.said[0]!);
  writeTranscript(world, claude_session_id);
  return session;
}

export function writeTranscript(world: SessionWorld, id: string, config?: string): void {
  const project = `${config ?? world.paths.claudeConfig}/projects/p`;
  Deno.mkdirSync(project, { recursive: true });
  Deno.writeTextFileSync(`${project}/${id}.jsonl`, "{}\n");
}

export function changeAgent(world: SessionWorld, change: Record<string, unknown>): void {
  const registry = JSON.parse(Deno.readTextFileSync(world.paths.registry));
  Object.assign(registry.agents[0], change);
  world.registry(registry);
}

export async function sessions(world: SessionWorld): Promise<string[]> {
  return (await world.tmux("list-sessions", "-F", "#S").catch(() => "")).split("\n");
}

export function idOf(world: SessionWorld, session: string): string {
  return readLaunch(world.paths, session).claude_session_id;
}

/** Like a power cut: kills also what runs in the panes. */
export async function killServer(world: SessionWorld): Promise<void> {
  const panes = (await world.tmux("list-panes", "-a", "-F", "#{pane_pid}")).split("\n").map(Number);
  const processes = await allProcesses();
  const below = panes.flatMap((pid) => treeBelow(processes, pid)).map(({ pid }) => pid);
  Deno.kill(Number(await world.tmux("display-message", "-p", "#{pid}")), "SIGKILL");
  await until(
    "the server to be gone",
    () => world.tmux("list-sessions").then(() => false, () => true),
  );
  await until("all in its panes to be gone", async () => {
    const left = await allProcesses();
    return !left.some(({ pid }) => below.includes(pid));
  });
}

/** Starts one more session for an agent of the registry, and writes its transcript. */
export async function another(world: SessionWorld, id: string): Promise<string> {
  world.said.length = world.warned.length = 0;
  assertEquals(await spawn([id, "p", "", "--json"], world), 0, world.warned.join("\n"));
  const { session, claude_session_id } = JSON.parse(world.said[0]!);
  if (claude_session_id !== "") writeTranscript(world, claude_session_id);
  return session;
}

/** The process that stands in for Claude Code in a session. */
export async function claudeIn(world: SessionWorld, session: string): Promise<number> {
  const shell = Number(await world.tmux("list-panes", "-t", `=${session}:`, "-F", "#{pane_pid}"));
  return (await allProcesses()).find(({ parent }) => parent === shell)!.pid;
}

/** What Claude Code writes of a process of its own; `procStart` is its start in clock ticks. */
export function listAs(world: SessionWorld, pid: number, sessionId: string, procStart?: string) {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]!;
  const list = `${world.paths.claudeConfig}/sessions`;
  Deno.mkdirSync(list, { recursive: true });
  const entry = { pid, sessionId, procStart: procStart ?? start };
  Deno.writeTextFileSync(`${list}/${pid}.json`, JSON.stringify(entry));
}

/** What became of each session, in a few words. */
export function brief(agents: AgentResult[]): string[][] {
  return agents.map(({ session, outcome, conversation }) => [session, outcome, conversation])
    .sort((a, b) => a[0]! < b[0]! ? -1 : 1);
}

/** A tmux that answers some calls itself: `pattern) commands;;` of a shell's `case`. */
export function tmuxThat(world: SessionWorld, tmux: string, does: string): string {
  const file = `${world.dir}/tmux-odd`;
  const text = `#!/bin/sh\ncase "$*" in ${does} esac\nexec ${tmux} "$@"\n`;
  writeExecutable(file, text);
  return file;
}

/** What is typed before the shell listens is lost, and its pane holds no shell yet. */
export async function promptIn(world: SessionWorld, session: string): Promise<void> {
  await until("the shell's prompt", async () => {
    const shown = await world.tmux("capture-pane", "-p", "-t", `=${session}:`);
    return /[$#] ?$/.test(shown.trimEnd());
  });
}
