import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main } from "../commands/recover.ts";
import { holdLock } from "../lib/doors/held_lock.ts";
import { isOwnDraft } from "../lib/doors/own_drafts.ts";
import {
  changeAgent,
  IDLE,
  idOf,
  killServer,
  readLaunch,
  recover,
  remember,
  spawned,
  threeAgents,
  tmuxThat,
} from "./support/recovering.ts";
import { inSessionWorld } from "./support/session_world.ts";

Deno.test("recover starts a killed Claude Code again in its pane, leaves others alone, wakes once", () =>
  inSessionWorld(async (world) => {
    await threeAgents(world);
    const panes = () => world.tmux("list-panes", "-a", "-F", "#S #{pane_id} #{pane_pid}");
    const before = await panes();
    const { claude_session_id } = readLaunch(world.paths, "anvil-main");
    assertEquals((await recover(world)).outcomes, {
      anvil: "alive",
      bolt: "alive",
      crane: "alive",
    });
    await world.killClaude("anvil-main");
    assertEquals((await recover(world, "--dry-run")).outcomes.anvil, "would recover");
    assertEquals(world.wakes("anvil"), []);

    const { code, outcomes } = await recover(world);
    assertEquals([code, outcomes], [0, { anvil: "recovered", bolt: "alive", crane: "alive" }]);
    assertEquals(await panes(), before);
    const args = Deno.readTextFileSync(`${world.dir}/anvil.args`);
    assertStringIncludes(args, `--resume=${claude_session_id}\n`);
    const [wake, ...more] = world.wakes("anvil");
    assertEquals([wake!.trigger, more, world.carried], ["session_recovered", [], ["anvil"]]);
    assertStringIncludes(wake!.message, "its tmux session held only a shell");
    assertMatch(wake!.message, /menu-driver.* anvil-main type <text>/);

    world.carried.length = 0;
    assertEquals((await recover(world)).outcomes.anvil, "alive");
    assertEquals(world.wakes("anvil").length, 1);
    assertEquals(world.carried, ["anvil"], "what waits in the outbox gets a deliverer");
  }));

Deno.test("recover brings all back when the tmux server is gone; one failure stays alone", () =>
  inSessionWorld(async (world) => {
    const ids = await threeAgents(world);
    await Deno.remove(`${world.dir}/crane-project`, { recursive: true });
    await killServer(world);
    for (const outcome of ["recovered", "alive"]) {
      const { code, outcomes, agents } = await recover(world);
      assertEquals([code, outcomes], [1, { anvil: outcome, bolt: outcome, crane: "failed" }]);
      assertMatch(agents[2]!.detail, /its folder .*crane-project does not exist/);
      assertMatch(world.warned.join("\n"), /crane in crane-main: failed: /, "also with --json");
      assertEquals(ids.map((id) => world.wakes(id).length), [1, 1, 0]);
      assertEquals(world.wakes("global_status").map((wake) => wake.trigger), ["recovery_failed"]);
    }
  }));

Deno.test("recover fails where tmux does, and brings the session back in the next run", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const before = readLaunch(world.paths, session);
    await killServer(world);
    const tmux = world.variables.GSD_TMUX!;
    const failures: [does: string, detail: RegExp][] = [
      ['*new-session*) echo "fork failed" >&2; exit 1;;', /fork failed/],
      ['*list-panes*) echo "no more files" >&2; exit 1;;', /no more files/],
      ['*new-session*) echo "odd words"; exit;;', /new-session named no pane .*: odd words/],
    ];
    for (const [does, detail] of failures) {
      world.variables.GSD_TMUX = tmuxThat(world, tmux, does);
      const { outcomes, agents } = await recover(world);
      assertEquals(outcomes, { anvil: "failed" });
      assertMatch(agents[0]!.detail, detail);
      const { tmux_socket, tmux_server, recovery } = readLaunch(world.paths, session);
      assertEquals([tmux_socket, tmux_server], [before.tmux_socket, before.tmux_server]);
      assertEquals(recovery?.conversation, { kind: "resume", target: before.claude_session_id });
    }
    world.variables.GSD_TMUX = tmux;
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
  }));

Deno.test("recover makes up for what an interrupted recovery did not finish", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await world.killClaude(session);
    const slow = world.standIn("claude", IDLE);
    const waits = `until [ -e '${world.dir}/go' ]; do sleep 0.1; done; cat`;
    Deno.writeTextFileSync(slow, Deno.readTextFileSync(slow).replace("cat", waits));
    const first = await recover(world, "--timeout", "1");
    assertEquals([first.code, first.outcomes], [1, { anvil: "failed" }]);
    assertMatch(first.agents[0]!.detail, /showed no prompt within 1 s/);
    assertEquals(world.wakes("anvil"), []);

    Deno.writeTextFileSync(`${world.dir}/go`, "");
    const found = "its tmux session held only a shell";
    for (const [args, outcome] of [[["--dry-run"], "would recover"], [[], "recovered"]] as const) {
      const [one] = (await recover(world, ...args)).agents;
      const resume = `resume ${idOf(world, session)}`;
      assertEquals([one!.outcome, one!.detail, one!.conversation], [outcome, found, resume]);
    }
    assertStringIncludes(world.wakes("anvil")[0]!.message, idOf(world, session));
    assertEquals((await recover(world)).outcomes, { anvil: "alive" });
    assertEquals(world.wakes("anvil").length, 1);
  }));

Deno.test("recover counts a session as returned in which a person has begun to type", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await world.killClaude(session);
    world.standIn("claude", "08-bash-mode.txt");
    assertEquals((await recover(world, "--timeout", "2")).outcomes, { anvil: "failed" });
    assertEquals((await recover(world, "--timeout", "60")).outcomes, { anvil: "recovered" });
    assertEquals(world.wakes("anvil").length, 1);
  }));

Deno.test("recover fails where the launch command hands on no words, and reports it once", () =>
  inSessionWorld(async (world) => {
    await threeAgents(world);
    await world.killClaude("anvil-main");
    changeAgent(world, { claude_launch_command: `${world.dir}/anvil # note` });
    for (let round = 0; round < 2; round++) {
      const { outcomes, agents } = await recover(world);
      assertEquals(outcomes, { anvil: "failed", bolt: "alive", crane: "alive" });
      assertMatch(agents[0]!.detail, /^its launch command does not pass on the arguments after it/);
      assertEquals([world.wakes("anvil").length, world.wakes("global_status").length], [0, 1]);
    }
  }));

const FIRST = "Fix the failing tests";
Deno.test("recover gives the first command again while Claude Code has not come to it", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const launch = readLaunch(world.paths, session);
    const id = launch.claude_session_id;
    Deno.removeSync(`${world.paths.claudeConfig}/projects`, { recursive: true });
    const file = `${world.paths.data}/launches/${session}.json`;
    Deno.writeTextFileSync(file, JSON.stringify({ ...launch, first_command: FIRST }));
    const wordsOf = () => Deno.readTextFileSync(`${world.dir}/claude.args`).trimEnd().split("\n");
    for (const pane of ["v325-80-trust.txt", IDLE]) {
      await world.killClaude(session);
      world.standIn("claude", pane);
      assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
      assertEquals(wordsOf().slice(-3), ["--session-id", id, FIRST]);
      assertEquals(isOwnDraft(world.paths, session, FIRST), true, "Esc may put it into the box");
    }
    // A hook has run, so Claude Code has had it, also where no transcript is left.
    remember(world, session, { claude_session_id: id });
    await world.killClaude(session);
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
    assertEquals(wordsOf().slice(-2), ["--session-id", id]);
  }));

Deno.test("recover says that Claude Code waits before a dialog, with and without --json", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    for (const args of [["--json"], []]) {
      await world.killClaude(session);
      world.standIn("claude", "v325-80-trust.txt");
      world.said.length = 0;
      assertEquals(await main(["--skip-sync", ...args], world), 0);
      const said = args.length === 0 ? world.said[0]! : JSON.parse(world.said[0]!).agents[0].detail;
      const waits = /held only a shell; it waits: Claude Code asks whether to trust this folder/;
      assertMatch(said, waits);
      assertMatch(said, /; tmux attach -t '=anvil-main'$/);
    }
  }));

Deno.test("recover starts an agent that was never spawned, from its registry entry", () =>
  inSessionWorld(async (world) => {
    const working_directory = `${world.dir}/p`;
    const folder = working_directory.replace(/[^A-Za-z0-9]/g, "-");
    Deno.mkdirSync(working_directory);
    Deno.mkdirSync(`${world.paths.claudeConfig}/projects/${folder}`, { recursive: true });
    Deno.writeTextFileSync(`${world.paths.claudeConfig}/projects/${folder}/x.jsonl`, "{}\n");
    const claude_launch_command = world.standIn("claude", "55-resume-picker.txt");
    const agent = { agent_id: "a.b", working_directory, claude_launch_command };
    world.registry({ agents: [{ ...agent, openclaw_session_key: "agent:w:main" }] });
    const [one] = (await recover(world)).agents;
    assertEquals([one!.session, one!.outcome, one!.conversation], [
      ...["a_b-main", "recovered", "picker"],
    ]);
    assertMatch(Deno.readTextFileSync(`${world.dir}/claude.args`), /--resume\n$/);
    for (const name of ["a_b-main", " "]) {
      changeAgent(world, { tmux_session_name: name }); // a name of blanks is none
      assertEquals((await recover(world)).outcomes, { "a.b": "alive" });
      assertStringIncludes(Deno.readTextFileSync(world.paths.registry), `"a_b-main"`);
    }
  }));

Deno.test("recover asks OpenClaw only where an agent needs its session", () =>
  inSessionWorld(async (world) => {
    const agent = { agent_id: "calm", enabled: false };
    world.registry({ agents: [agent] });
    await main([], world);
    assertMatch(world.warned.join("\n"), /The OpenClaw sessions were not refreshed: /);
    world.warned.length = 0;
    world.registry({ delivery: { transport: "inbox" }, agents: [agent] });
    await main([], world);
    assertEquals(world.warned, []);
  }));

Deno.test("recover passes over agents that are disabled, without auto_wake, or wrong", () =>
  inSessionWorld(async (world) => {
    const dir = { working_directory: world.dir };
    world.registry({
      agents: [
        { agent_id: "off", enabled: false, ...dir },
        { agent_id: "calm", auto_wake: false, ...dir },
        { agent_id: "typo", enabled: "true", ...dir },
        { agent_id: "twin", tmux_session_name: "a", ...dir },
        { agent_id: "twin", tmux_session_name: "b", ...dir },
      ],
    });
    world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
    const { code, agents } = await recover(world);
    assertEquals(code, 1);
    const expected: [outcome: string, detail: RegExp][] = [
      ["left out", /^it is disabled$/],
      ["left out", /^its auto_wake is off$/],
      ["failed", /enabled is not true or false/],
      ["failed", /several entries with its agent_id/],
      ["failed", /several entries with its agent_id/],
    ];
    for (const [at, [outcome, detail]] of expected.entries()) {
      assertEquals(agents[at]!.outcome, outcome);
      assertMatch(agents[at]!.detail, detail);
    }
    const named = async (id: string) => (await recover(world, "--dry-run", "--agent", id)).outcomes;
    assertEquals(await named("calm"), { calm: "would recover" });
    assertEquals(await named("off"), { off: "left out" });
    assertEquals(await world.tmux("list-sessions").catch(() => "none"), "none");
  }));

Deno.test("recover refuses without a usable registry, for an unknown agent, beside another one", () =>
  inSessionWorld(async (world) => {
    const refused = async (reason: RegExp, ...args: string[]) => {
      assertEquals((await recover(world, ...args)).code, 1);
      assertMatch(world.warned[0]!, reason);
    };
    await refused(/no registry at .*; .* spawn makes one, or copy \S+ there$/);
    const example = /copy (\S+) there$/.exec(world.warned[0]!)![1]!;
    assertStringIncludes(Deno.readTextFileSync(example), "agents");
    Deno.writeTextFileSync(world.paths.registry, `{\n  "agents": [\n`);
    await refused(/registry.json is broken at line \d: not JSON/);
    world.registry({ agents: [{ agent_id: "anvil" }, { agent_id: "bolt" }] });
    await refused(/has no agent "x"; its agents: anvil, bolt$/, "--agent", "x");
    const lock = holdLock(`${world.paths.state}/locks/recover`, "bolt")!;
    await refused(/another recovery is running, for bolt; .* ended/, "--agent", "anvil");
    lock.release();
    assertEquals((await recover(world, "--what")).code, 2);
  }));
