import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main } from "../commands/recover.ts";
import type { AgentResult } from "../lib/sessions/recovery.ts";
import { main as spawn } from "../commands/spawn.ts";
import { readLaunch } from "../lib/sessions/launch_files.ts";
import { memoryFile } from "../lib/session_memory.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";
import { until } from "./support/until.ts";

const IDLE = "01-idle-fresh.txt";

async function recover(world: SessionWorld, ...args: string[]) {
  world.said.length = world.warned.length = 0;
  const code = await main(["--skip-sync", "--json", ...args], world);
  const agents: AgentResult[] = JSON.parse(world.said[0] ?? `{"agents":[]}`).agents;
  return { code, outcomes: Object.fromEntries(agents.map((a) => [a.agent_id, a.outcome])), agents };
}

/** Three agents with a running session each, whose conversations have a transcript. */
async function threeAgents(world: SessionWorld): Promise<string[]> {
  const ids = ["ada", "bob", "cleo"];
  for (const id of ids) {
    Deno.mkdirSync(`${world.dir}/${id}-project`);
    world.variables.GSD_CLAUDE = world.standIn(id, IDLE);
    assertEquals(await spawn([id, `${id}-project`, ""], world), 0, world.warned.join("\n"));
    const { claude_session_id } = readLaunch(world.paths, `${id}-main`)!;
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

Deno.test("recover leaves running sessions alone", () =>
  inSessionWorld(async (world) => {
    await threeAgents(world);
    const before = await world.tmux("list-panes", "-a", "-F", "#S #{pane_pid}");
    const { code, outcomes } = await recover(world);
    assertEquals([code, outcomes], [0, { ada: "alive", bob: "alive", cleo: "alive" }]);
    assertEquals(await world.tmux("list-panes", "-a", "-F", "#S #{pane_pid}"), before);
    assertEquals(world.wakes("ada"), []);
  }));

Deno.test("recover starts a killed Claude Code again in its pane, with its id, and wakes once", () =>
  inSessionWorld(async (world) => {
    await threeAgents(world);
    const pane = await world.tmux("list-panes", "-t", "=ada-main:", "-F", "#{pane_id}");
    const { claude_session_id } = readLaunch(world.paths, "ada-main")!;
    await world.killClaude("ada-main");
    assertEquals((await recover(world, "--dry-run")).outcomes.ada, "would recover");
    assertEquals(world.wakes("ada"), []);

    const { code, outcomes } = await recover(world);
    assertEquals([code, outcomes], [0, { ada: "recovered", bob: "alive", cleo: "alive" }]);
    assertEquals(await world.tmux("list-panes", "-t", "=ada-main:", "-F", "#{pane_id}"), pane);
    const args = Deno.readTextFileSync(`${world.dir}/ada.args`);
    assertStringIncludes(args, `--resume\n${claude_session_id}\n`);
    assertEquals(world.wakes("ada").map((wake) => wake.trigger), ["session_recovered"]);
    assertStringIncludes(world.wakes("ada")[0]!.message, "its tmux session held only a shell");
    assertMatch(world.wakes("ada")[0]!.message, /menu-driver.* ada-main type <text>/);

    world.carried.length = 0;
    assertEquals((await recover(world)).outcomes.ada, "alive");
    assertEquals(world.wakes("ada").length, 1);
    assertEquals(world.carried, ["ada"], "what waits in the outbox is sent on its way");
  }));

Deno.test("recover resumes the conversation that SessionStart reported last", () =>
  inSessionWorld(async (world) => {
    await threeAgents(world);
    const after = "aaaaaaaa-0000-4000-8000-000000000000";
    const transcript = `${world.dir}/after-clear.jsonl`;
    Deno.writeTextFileSync(transcript, "{}\n");
    const memory = { claude_session_id: after, transcript_path: transcript, said: [] };
    Deno.mkdirSync(`${world.paths.state}/sessions`, { recursive: true });
    Deno.writeTextFileSync(memoryFile(world.paths, "bob-main"), JSON.stringify(memory));
    await world.killClaude("bob-main");
    assertEquals((await recover(world)).outcomes.bob, "recovered");
    assertStringIncludes(Deno.readTextFileSync(`${world.dir}/bob.args`), `--resume\n${after}\n`);
  }));

Deno.test("recover brings all back when the tmux server is gone; one failure stays alone", () =>
  inSessionWorld(async (world) => {
    const ids = await threeAgents(world);
    await Deno.remove(`${world.dir}/cleo-project`, { recursive: true });
    const server = Number(await world.tmux("display-message", "-p", "#{pid}"));
    Deno.kill(server, "SIGKILL");
    await until(
      "the server to be gone",
      () => world.tmux("list-sessions").then(() => false, () => true),
    );

    const { code, outcomes, agents } = await recover(world);
    assertEquals([code, outcomes], [1, { ada: "recovered", bob: "recovered", cleo: "failed" }]);
    assertMatch(agents[2]!.detail, /its folder .*cleo-project does not exist/);
    assertEquals(ids.map((id) => world.wakes(id).length), [1, 1, 0]);
    assertEquals(world.wakes("global_status").map((wake) => wake.trigger), ["recovery_failed"]);
    assertStringIncludes(
      world.wakes("global_status")[0]!.message,
      "- cleo (cleo-main): its folder",
    );

    const again = await recover(world);
    assertEquals(again.outcomes, { ada: "alive", bob: "alive", cleo: "failed" });
    assertEquals(ids.map((id) => world.wakes(id).length), [1, 1, 0]);
    assertEquals(world.wakes("global_status").length, 1, "the same failure is told once");
  }));

Deno.test("recover leaves a session alone in which another program runs, and takes a new one", () =>
  inSessionWorld(async (world) => {
    await threeAgents(world);
    await world.tmux("kill-session", "-t", "=ada-main");
    await world.tmux("new-session", "-d", "-s", "ada-main", "sleep 1000");
    const { agents } = await recover(world, "--agent", "ada");
    assertEquals([agents[0]!.outcome, agents[0]!.session], ["recovered", "ada-main-2"]);
    const sessions = (await world.tmux("list-sessions", "-F", "#S")).split("\n");
    assertEquals(sessions, ["ada-main", "ada-main-2", "bob-main", "cleo-main"]);
    assertEquals((await recover(world, "--agent", "ada")).outcomes, { ada: "alive" });
  }));

Deno.test("recover passes over agents that are disabled or without auto_wake", () =>
  inSessionWorld(async (world) => {
    world.registry({
      agents: [
        { agent_id: "off", enabled: false, working_directory: world.dir },
        { agent_id: "calm", auto_wake: false, working_directory: world.dir },
        { agent_id: "nowhere" },
      ],
    });
    world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
    const { outcomes, agents } = await recover(world);
    assertEquals(outcomes, { off: "left out", calm: "left out", nowhere: "failed" });
    // Who is named is meant, unless switched off.
    assertEquals((await recover(world, "--dry-run", "--agent", "calm")).outcomes, {
      calm: "would recover",
    });
    assertEquals((await recover(world, "--dry-run", "--agent", "off")).outcomes, {
      off: "left out",
    });
    assertMatch(agents[2]!.detail, /no working_directory/);
    assertEquals(await world.tmux("list-sessions").catch(() => "none"), "none");
  }));

Deno.test("recover starts an agent that was never spawned, from its registry entry", () =>
  inSessionWorld(async (world) => {
    Deno.mkdirSync(`${world.dir}/p`);
    const claude_launch_command = world.standIn("claude", "55-resume-picker.txt");
    Deno.mkdirSync(`${world.paths.claudeConfig}/projects`, { recursive: true });
    const folder = `${world.dir}/p`.replace(/[^A-Za-z0-9]/g, "-");
    Deno.mkdirSync(`${world.paths.claudeConfig}/projects/${folder}`);
    Deno.writeTextFileSync(`${world.paths.claudeConfig}/projects/${folder}/x.jsonl`, "{}\n");
    world.registry({
      agents: [{
        agent_id: "w",
        working_directory: `${world.dir}/p`,
        claude_launch_command,
        claude_post_launch_mode: "resume_then_agent_pick",
        openclaw_session_key: "agent:w:main",
      }],
    });
    const { agents } = await recover(world);
    assertEquals([agents[0]!.outcome, agents[0]!.conversation], ["recovered", "picker"]);
    assertMatch(Deno.readTextFileSync(`${world.dir}/claude.args`), /--resume\n$/);
    assertStringIncludes(world.wakes("w")[0]!.message, "Pick the conversation to go on with");
    assertStringIncludes(world.wakes("w")[0]!.message, "state: menu");
  }));

Deno.test("recover tells of a broken registry with its line, and of an unknown agent", () =>
  inSessionWorld(async (world) => {
    world.registry({ agents: [] });
    assertEquals((await recover(world, "--agent", "x")).code, 1);
    assertMatch(world.warned[0]!, /has no agent "x"/);
    Deno.writeTextFileSync(world.paths.registry, `{\n  "agents": [\n`);
    assertEquals((await recover(world)).code, 1);
    assertMatch(world.warned[0]!, /registry.json is broken at line \d: not JSON/);
    assertEquals((await recover(world, "--what")).code, 2);
  }));
