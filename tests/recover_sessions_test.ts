import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main as spawn } from "../commands/spawn.ts";
import { readLaunch } from "../lib/sessions/launch_files.ts";
import {
  changeAgent,
  claudeIn,
  IDLE,
  idOf,
  killServer,
  listAs,
  recover,
  remember,
  sessions,
  spawned,
  writeTranscript,
} from "./support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";
import { until } from "./support/until.ts";

/** What is typed before the shell listens is lost. */
async function promptIn(world: SessionWorld, session: string): Promise<void> {
  await until("the shell's prompt", async () => {
    const shown = await world.tmux("capture-pane", "-p", "-t", `=${session}:`);
    return /[$#] ?$/.test(shown.trimEnd());
  });
}

Deno.test("recover() starts an agent without tmux_session_name once, and gives it its name", () =>
  inSessionWorld(async (world) => {
    Deno.mkdirSync(`${world.dir}/p`);
    const claude_launch_command = world.standIn("claude", IDLE);
    const working_directory = `${world.dir}/p`;
    world.registry({ agents: [{ agent_id: "a.b", working_directory, claude_launch_command }] });
    const first = await recover(world);
    assertEquals([first.agents[0]!.session, first.outcomes], ["a_b-main", { "a.b": "recovered" }]);
    assertStringIncludes(Deno.readTextFileSync(world.paths.registry), `"a_b-main"`);
    assertEquals((await recover(world)).outcomes, { "a.b": "alive" });
    assertEquals(await sessions(world), ["a_b-main"]);
  }));

Deno.test("recover() resumes the conversation behind a wrapper whose shell has a -c", () =>
  inSessionWorld(async (world) => {
    const program = world.standIn("claude", IDLE);
    const claude_launch_command = `bash -c 'ulimit -n 4096; exec ${program} "$@"' claude`;
    const session = await spawned(world, "anvil", { claude_launch_command });
    const id = idOf(world, session);
    assertStringIncludes(Deno.readTextFileSync(`${world.dir}/claude.args`), `--session-id\n${id}`);
    await world.killClaude(session);
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
    assertStringIncludes(Deno.readTextFileSync(`${world.dir}/claude.args`), `--resume\n${id}\n`);
  }));

Deno.test("recover() opens no conversation that a living Claude Code has open", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil", { tmux_session_name: "old-main" });
    changeAgent(world, { tmux_session_name: "new-main" });
    const { code, agents } = await recover(world);
    assertEquals([code, agents[0]!.outcome], [1, "failed"]);
    assertMatch(
      agents[0]!.detail,
      /is open already in process \d+: .*"old-main"; give that the name "new-main": tmux rename/,
    );
    assertEquals(await sessions(world), ["old-main"]);

    // After /clear only Claude Code's own list knows which conversation that is.
    const cleared = crypto.randomUUID();
    remember(world, session, { claude_session_id: cleared });
    const claude = await claudeIn(world, "old-main");
    listAs(world, claude, cleared);
    const again = await recover(world);
    assertMatch(again.agents[0]!.detail, new RegExp(`${cleared} is open already in .* ${claude}:`));

    // A killed one leaves its entry behind.
    await world.killClaude(session);
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
  }));

Deno.test("recover() gives a renamed session its new name and its old conversation", () =>
  inSessionWorld(async (world) => {
    const id = idOf(world, await spawned(world, "anvil", { tmux_session_name: "old-main" }));
    await world.tmux("kill-session", "-t", "=old-main");
    changeAgent(world, { tmux_session_name: "new-main" });
    const { agents } = await recover(world);
    assertEquals([agents[0]!.session, agents[0]!.conversation], ["new-main", `resume ${id}`]);
    assertEquals((await recover(world)).agents.map(({ outcome }) => outcome), ["alive"]);
    assertEquals(readLaunch(world.paths, "old-main")!.moved_to, "new-main");
  }));

Deno.test("recover() looks for a session on the tmux server it was started on", () =>
  inSessionWorld(async (world) => {
    const real = /exec (\S+)/.exec(Deno.readTextFileSync(world.variables.GSD_TMUX!))![1]!;
    Deno.writeTextFileSync(
      world.variables.GSD_TMUX!,
      `#!/bin/sh\nexec ${real} -f /dev/null "$@"\n`,
    );
    world.variables.TMUX_TMPDIR = world.dir;
    const work = (...args: string[]) => world.tmux("-L", "work", ...args);
    try {
      await work("new-session", "-d", "-s", "desk", "sleep 1000");
      const socket = await work("display-message", "-p", "#{socket_path}");
      world.variables.TMUX = `${socket},0,0`;
      await spawned(world, "anvil");
      delete world.variables.TMUX;
      delete world.variables.TMUX_TMPDIR;
      assertEquals((await recover(world)).outcomes, { anvil: "alive" });

      world.variables.TMUX_TMPDIR = world.dir;
      Deno.kill(Number(await work("display-message", "-p", "#{pid}")), "SIGKILL");
      await until("the server to be gone", () => work("ls").then(() => false, () => true));
      Deno.removeSync(`${world.dir}/tmux-${Deno.uid()}`, { recursive: true }); // a boot does
      delete world.variables.TMUX_TMPDIR;
      assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
      world.variables.TMUX_TMPDIR = world.dir;
      assertEquals(await work("list-sessions", "-F", "#S"), "anvil-main");
      assertStringIncludes(world.wakes("anvil")[0]!.message, `--socket ${socket} anvil-main`);
    } finally {
      world.variables.TMUX_TMPDIR = world.dir;
      await work("kill-server").catch(() => {});
    }
  }));

Deno.test("recover() keeps the environment of the launch, and finds the conversation by it", () =>
  inSessionWorld(async (world) => {
    world.variables.CLAUDE_CONFIG_DIR = `${world.dir}/other-claude`;
    const session = await spawned(world, "anvil");
    const id = idOf(world, session);
    Deno.removeSync(world.paths.claudeConfig, { recursive: true });
    writeTranscript(world, id, world.variables.CLAUDE_CONFIG_DIR);
    delete world.variables.CLAUDE_CONFIG_DIR;
    for (let round = 0; round < 2; round++) {
      await world.killClaude(session);
      assertEquals((await recover(world)).agents[0]!.conversation, `resume ${id}`);
      const { env } = readLaunch(world.paths, session)!;
      assertEquals(env.CLAUDE_CONFIG_DIR, `${world.dir}/other-claude`);
    }
  }));

Deno.test("recover() sees that Claude Code is gone where its command begins with the login shell", () =>
  inSessionWorld(async (world) => {
    world.variables.SHELL = "/bin/bash";
    const claude_launch_command = `/bin/bash ${world.standIn("claude", IDLE)}`;
    const session = await spawned(world, "anvil", { claude_launch_command });
    await world.killClaude(session);
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
  }));

Deno.test("recover() starts again in a pane that remain-on-exit has kept", () =>
  inSessionWorld(async (world) => {
    await world.tmux("new-session", "-d", "-s", "other", "sleep 1000");
    await world.tmux("set-option", "-g", "remain-on-exit", "on");
    const session = await spawned(world, "anvil");
    await world.killClaude(session);
    await promptIn(world, session);
    await world.tmux("send-keys", "-t", "=anvil-main:", "exit", "Enter");
    await until(
      "a dead pane",
      async () =>
        await world.tmux("list-panes", "-t", "=anvil-main:", "-F", "#{pane_dead}") === "1",
    );
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
    assertEquals((await recover(world)).outcomes, { anvil: "alive" });
    assertEquals(await sessions(world), ["anvil-main", "other"]);
  }));

Deno.test("recover() leaves an open line of the shell before it types", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await world.killClaude(session);
    const shown = () => world.tmux("capture-pane", "-p", "-t", "=anvil-main:");
    await promptIn(world, session);
    await world.tmux("send-keys", "-t", "=anvil-main:", "cat > /dev/null <<END", "Enter");
    await until("the continuation prompt", async () => (await shown()).includes("\n>"));
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
  }));

Deno.test("recover() brings back every session that was cut off, and none that was ended before", () =>
  inSessionWorld(async (world) => {
    await spawned(world, "anvil");
    for (const number of [2, 3]) {
      Deno.mkdirSync(`${world.dir}/p${number}`);
      assertEquals(await spawn(["anvil", `p${number}`, ""], world), 0, world.warned.join());
      writeTranscript(world, idOf(world, `anvil-main-${number}`));
    }
    const early = new Date(Date.now() - 3_600_000).toISOString();
    const launch = readLaunch(world.paths, "anvil-main-2")!;
    const file = `${world.paths.data}/launches/anvil-main-2.json`;
    Deno.writeTextFileSync(file, JSON.stringify({ ...launch, started_at: early }));
    const updated_at = new Date(Date.parse(early) + 1000).toISOString();
    remember(world, "anvil-main-2", { ended: true, updated_at });
    await killServer(world);
    const { agents } = await recover(world);
    assertEquals(
      agents.map(({ session, outcome, conversation }) => [session, outcome, conversation]).sort(),
      [
        ["anvil-main", "recovered", `resume ${idOf(world, "anvil-main")}`],
        ["anvil-main-2", "left out", ""],
        ["anvil-main-3", "recovered", `resume ${idOf(world, "anvil-main-3")}`],
      ],
    );
    assertEquals(readLaunch(world.paths, "anvil-main-3")!.working_directory, `${world.dir}/p3`);
    assertEquals(world.wakes("anvil").length, 2);
    assertEquals((await recover(world)).agents.map(({ outcome }) => outcome), [
      ...["alive", "alive", "left out"],
    ]);

    // Closed by hand while its server runs on: nobody wants it back.
    await world.tmux("kill-session", "-t", "=anvil-main-3");
    const left = (await recover(world, "--agent", "anvil")).agents;
    assertEquals(left.map(({ session, outcome }) => [session, outcome]).sort(), [
      ["anvil-main", "alive"],
      ["anvil-main-2", "left out"],
      ["anvil-main-3", "left out"],
    ]);
  }));
