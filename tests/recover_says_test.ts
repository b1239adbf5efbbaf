import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main } from "../commands/recover.ts";
import { removeIfThere } from "../lib/files.ts";
import { readJournal } from "../lib/journal.ts";
import { launchFiles, readLaunch, writeLaunch } from "../lib/sessions/launch_files.ts";
import { changeAgent, IDLE, idOf, killServer, recover, spawned } from "./support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";
import { until } from "./support/until.ts";

function problems(world: SessionWorld, session: string): unknown[] {
  return [...readJournal(world.paths, session)].filter(({ kind }) => kind === "problem")
    .map(({ agent_id, reason }) => `${agent_id}: ${reason}`);
}

for (const key of ["", "agent:main:main"]) {
  const status = key === "" ? "no global status session" : "a global status session";
  Deno.test(`recover() notes a failure once in the journal with ${status}`, () =>
    inSessionWorld(async (world) => {
      const working_directory = `${world.dir}/none`;
      const anvil = { agent_id: "anvil", tmux_session_name: "anvil-main", working_directory };
      const typo = { agent_id: "typo", enabled: "yes" };
      const all = { global_status_openclaw_session_key: key };
      world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
      world.registry({ ...all, agents: [anvil, typo] });
      await recover(world, "--dry-run");
      assertEquals(problems(world, "anvil-main"), []);
      for (let round = 0; round < 3; round++) {
        const { agents } = await recover(world);
        assertEquals(problems(world, "anvil-main"), [`anvil: ${agents[0]!.detail}`]);
        assertEquals(problems(world, "recovery"), [`typo: ${agents[1]!.detail}`]);
      }
      assertEquals(world.wakes("global_status").length, key === "" ? 0 : 1);

      // Mended, and broken anew: that is another failure. The other one lasts.
      Deno.mkdirSync(`${world.dir}/none`);
      assertEquals((await recover(world)).outcomes.anvil, "recovered");
      await killServer(world);
      Deno.removeSync(`${world.dir}/none`);
      await recover(world);
      assertEquals([problems(world, "anvil-main").length, problems(world, "recovery").length], [
        ...[2, 1],
      ]);
      // Whoever minds them all comes later: what was only noted is still told.
      world.registry({ ...all, global_status_openclaw_session_key: "k", agents: [anvil, typo] });
      await recover(world);
      assertEquals(world.wakes("global_status").length, key === "" ? 1 : 2);
      assertEquals(problems(world, "recovery").length, 1);
    }));
}

Deno.test("recover() notes a start that fails once while it lasts", () =>
  inSessionWorld(async (world) => {
    await spawned(world, "anvil");
    await killServer(world);
    const tmux = world.variables.GSD_TMUX!;
    world.variables.GSD_TMUX = `${world.dir}/tmux-failing`;
    const fails = `case "$*" in *new-session*) echo "fork failed" >&2; exit 1;; esac`;
    const text = `#!/bin/sh\n${fails}\nexec ${tmux} "$@"\n`;
    Deno.writeTextFileSync(world.variables.GSD_TMUX, text, { mode: 0o755 });
    for (let round = 0; round < 2; round++) {
      assertEquals((await recover(world)).outcomes, { anvil: "failed" });
      assertEquals(problems(world, "anvil-main").length, 1);
    }
    world.variables.GSD_TMUX = tmux;
  }));

const DIALOGS: [screen: string, words: RegExp][] = [
  ["v325-80-trust.txt", /Claude Code asks whether to trust this folder/],
  ["55-resume-picker.txt", /Claude Code shows its conversations and waits/],
];
for (const [screen, words] of DIALOGS) {
  Deno.test(`recover() says that Claude Code waits before ${screen}`, () =>
    inSessionWorld(async (world) => {
      const session = await spawned(world, "anvil");
      for (const args of [["--json"], []]) {
        await world.killClaude(session);
        world.standIn("claude", screen);
        world.said.length = 0;
        assertEquals(await main(["--skip-sync", ...args], world), 0);
        const said = args.length === 0
          ? world.said[0]!
          : JSON.parse(world.said[0]!).agents[0].detail;
        assertMatch(said, /its tmux session held only a shell; it waits: /);
        assertMatch(said, words);
        assertMatch(said, /; tmux attach -t =anvil-main$/);
      }
    }));
}

Deno.test("recover(--dry-run) tells of a session that a cut-off recovery has started", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const launch = readLaunch(world.paths, session)!;
    const id = launch.claude_session_id;
    const found = "its tmux session was gone";
    const untold = { wake_id: "w1", found, conversation: { kind: "resume" as const, target: id } };
    writeLaunch(world.paths, { ...launch, untold });
    for (const [args, outcome] of [[["--dry-run"], "would recover"], [[], "recovered"]] as const) {
      const { agents } = await recover(world, ...args);
      const [one] = agents;
      assertEquals([one!.outcome, one!.detail, one!.conversation], [
        outcome,
        found,
        `resume ${id}`,
      ]);
    }
    assertEquals((await recover(world, "--dry-run")).outcomes, { anvil: "alive" });
  }));

Deno.test("recover() says what to do about a folder that is gone", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await killServer(world);
    Deno.removeSync(`${world.dir}/p`, { recursive: true });
    const { record } = launchFiles(world.paths, session);
    assertEquals(
      (await recover(world)).agents[0]!.detail,
      `its folder ${world.dir}/p does not exist: make it again, or remove the launch record ` +
        `${record} to give the session up`,
    );
    Deno.removeSync(record);
    const { detail } = (await recover(world)).agents[0]!;
    assertMatch(detail, /p does not exist: make it, or correct its working_directory/);
    changeAgent(world, { working_directory: "" });
    assertMatch((await recover(world)).agents[0]!.detail, /: deno task spawn anvil <folder> gives/);
  }));

Deno.test("recover() says how a registry comes about, and which agents it has", () =>
  inSessionWorld(async (world) => {
    assertEquals((await recover(world)).code, 1);
    assertMatch(world.warned[0]!, /no registry at .*; deno task spawn makes one, or copy /);
    const example = /copy (\S+) there$/.exec(world.warned[0]!)![1]!;
    assertStringIncludes(Deno.readTextFileSync(example), "agents");
    world.registry({ agents: [{ agent_id: "anvil" }, { agent_id: "bolt" }] });
    assertEquals((await recover(world, "--agent", "nobody")).code, 1);
    assertMatch(world.warned[0]!, /has no agent "nobody"; its agents: anvil, bolt$/);
  }));

/** tmux answers before the program of its new pane runs. */
async function hasStarted(world: SessionWorld, ...server: string[]): Promise<void> {
  const ask = [...server, "display-message", "-p", "-t", "=desk:", "#{pane_current_command}"];
  await until("the program in desk", async () => !/^tmux|^$/.test(await world.tmux(...ask)));
}

Deno.test("recover() names the tmux session in which a conversation is open, or the process", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const id = idOf(world, session);
    await killServer(world);
    const words = ["/bin/sh", "-c", "sleep 100; :", "--resume", id];
    await world.tmux("new-session", "-d", "-s", "desk", ...words);
    await hasStarted(world);
    assertMatch(
      (await recover(world)).agents[0]!.detail,
      /in process \d+: it is open in tmux session "desk"; go on there: tmux attach -t =desk$/,
    );
    await world.tmux("kill-session", "-t", "=desk");

    const other = ["-L", `gsd-test-${id.slice(0, 8)}`];
    try {
      await world.tmux(...other, "new-session", "-d", "-s", "desk", ...words);
      await hasStarted(world, ...other);
      const { detail } = (await recover(world)).agents[0]!;
      assertMatch(detail, /is open already in process \d+: end that one first$/);
    } finally {
      const socket = await world.tmux(...other, "display-message", "-p", "#{socket_path}");
      await world.tmux(...other, "kill-server");
      removeIfThere(socket);
    }
  }));
