import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readLaunch } from "../lib/sessions/launch_files.ts";
import { IDLE, recover, remember, threeAgents } from "./support/recovering.ts";
import { inSessionWorld } from "./support/session_world.ts";
import { until } from "./support/until.ts";

Deno.test("recover leaves running sessions alone", () =>
  inSessionWorld(async (world) => {
    await threeAgents(world);
    const before = await world.tmux("list-panes", "-a", "-F", "#S #{pane_pid}");
    const { code, outcomes } = await recover(world);
    assertEquals([code, outcomes], [0, { anvil: "alive", bolt: "alive", crane: "alive" }]);
    assertEquals(await world.tmux("list-panes", "-a", "-F", "#S #{pane_pid}"), before);
    assertEquals(world.wakes("anvil"), []);
  }));

Deno.test("recover starts a killed Claude Code again in its pane, with its id, and wakes once", () =>
  inSessionWorld(async (world) => {
    await threeAgents(world);
    const pane = await world.tmux("list-panes", "-t", "=anvil-main:", "-F", "#{pane_id}");
    const { claude_session_id } = readLaunch(world.paths, "anvil-main")!;
    await world.killClaude("anvil-main");
    assertEquals((await recover(world, "--dry-run")).outcomes.anvil, "would recover");
    assertEquals(world.wakes("anvil"), []);

    const { code, outcomes } = await recover(world);
    assertEquals([code, outcomes], [0, { anvil: "recovered", bolt: "alive", crane: "alive" }]);
    assertEquals(await world.tmux("list-panes", "-t", "=anvil-main:", "-F", "#{pane_id}"), pane);
    const args = Deno.readTextFileSync(`${world.dir}/anvil.args`);
    assertStringIncludes(args, `--resume\n${claude_session_id}\n`);
    assertEquals(world.wakes("anvil").map((wake) => wake.trigger), ["session_recovered"]);
    assertStringIncludes(world.wakes("anvil")[0]!.message, "its tmux session held only a shell");
    assertMatch(world.wakes("anvil")[0]!.message, /menu-driver.* anvil-main type <text>/);

    world.carried.length = 0;
    assertEquals((await recover(world)).outcomes.anvil, "alive");
    assertEquals(world.wakes("anvil").length, 1);
    assertEquals(world.carried, ["anvil"], "what waits in the outbox is sent on its way");
  }));

Deno.test("recover resumes the conversation that SessionStart reported last", () =>
  inSessionWorld(async (world) => {
    await threeAgents(world);
    const after = crypto.randomUUID();
    const transcript = `${world.dir}/after-clear.jsonl`;
    Deno.writeTextFileSync(transcript, "{}\n");
    remember(world, "bolt-main", { claude_session_id: after, transcript_path: transcript });
    await world.killClaude("bolt-main");
    assertEquals((await recover(world)).outcomes.bolt, "recovered");
    assertStringIncludes(Deno.readTextFileSync(`${world.dir}/bolt.args`), `--resume\n${after}\n`);
  }));

Deno.test("recover() forgets what an earlier launch of the same name was about", () =>
  inSessionWorld(async (world) => {
    const other = crypto.randomUUID();
    const told = { event: "SessionStart", claude_session_id: other, at: "2020-01-01T00:00:00Z" };
    Deno.mkdirSync(`${world.paths.state}/journal`);
    Deno.writeTextFileSync(`${world.paths.state}/journal/anvil-main.jsonl`, JSON.stringify(told));
    remember(world, "anvil-main", { claude_session_id: other, updated_at: told.at });
    await threeAgents(world);
    const { claude_session_id } = readLaunch(world.paths, "anvil-main")!;
    await world.killClaude("anvil-main");
    assertEquals((await recover(world)).agents[0]!.conversation, `resume ${claude_session_id}`);
  }));

Deno.test("recover brings all back when the tmux server is gone; one failure stays alone", () =>
  inSessionWorld(async (world) => {
    const ids = await threeAgents(world);
    await Deno.remove(`${world.dir}/crane-project`, { recursive: true });
    const server = Number(await world.tmux("display-message", "-p", "#{pid}"));
    Deno.kill(server, "SIGKILL");
    await until(
      "the server to be gone",
      () => world.tmux("list-sessions").then(() => false, () => true),
    );

    const { code, outcomes, agents } = await recover(world);
    assertEquals([code, outcomes], [1, { anvil: "recovered", bolt: "recovered", crane: "failed" }]);
    assertMatch(agents[2]!.detail, /its folder .*crane-project does not exist/);
    assertEquals(ids.map((id) => world.wakes(id).length), [1, 1, 0]);
    assertEquals(world.wakes("global_status").map((wake) => wake.trigger), ["recovery_failed"]);
    assertStringIncludes(
      world.wakes("global_status")[0]!.message,
      "- crane (crane-main): its folder",
    );

    const again = await recover(world);
    assertEquals(again.outcomes, { anvil: "alive", bolt: "alive", crane: "failed" });
    assertEquals(ids.map((id) => world.wakes(id).length), [1, 1, 0]);
    assertEquals(world.wakes("global_status").length, 1, "the same failure is told once");
  }));

Deno.test("recover leaves a session alone in which another program runs, and takes a new one", () =>
  inSessionWorld(async (world) => {
    await threeAgents(world);
    await world.tmux("kill-session", "-t", "=anvil-main");
    await world.tmux("new-session", "-d", "-s", "anvil-main", "sleep 1000");
    const { agents } = await recover(world, "--agent", "anvil");
    assertEquals([agents[0]!.outcome, agents[0]!.session], ["recovered", "anvil-main-2"]);
    const sessions = (await world.tmux("list-sessions", "-F", "#S")).split("\n");
    assertEquals(sessions, ["anvil-main", "anvil-main-2", "bolt-main", "crane-main"]);
    assertEquals((await recover(world, "--agent", "anvil")).outcomes, { anvil: "alive" });
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
