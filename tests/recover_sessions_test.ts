import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main as spawn } from "../commands/spawn.ts";
import { taskCommand } from "../lib/cli/task_command.ts";
import { isThere, writeAtomic } from "../lib/files.ts";
import { writeLaunch } from "../lib/sessions/launch_files.ts";
import { queueFile } from "../lib/steps_file.ts";
import {
  another,
  brief,
  changeAgent,
  claudeIn,
  IDLE,
  idOf,
  killServer,
  listAs,
  promptIn,
  readLaunch,
  recover,
  remember,
  sessions,
  spawned,
  writeTranscript,
} from "./support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";
import { until } from "./support/until.ts";

/** As the SessionEnd hook remembers it. */
function ends(world: SessionWorld, session: string, ended: string): void {
  remember(world, session, { claude_session_id: idOf(world, session), ended });
}

const resumes = (world: SessionWorld, session: string) => `resume ${idOf(world, session)}`;

Deno.test("recover brings back what was cut off, not what was left at the same moment", () =>
  inSessionWorld(async (world) => {
    const [cut, left, signalled] = [
      await spawned(world, "anvil"),
      await another(world, "anvil"),
      await another(world, "anvil"),
    ] as const;
    ends(world, left, "prompt_input_exit");
    ends(world, signalled, "other");
    await killServer(world);
    assertEquals(brief((await recover(world)).agents), [
      [cut, "recovered", resumes(world, cut)],
      [left, "left out", ""],
      [signalled, "recovered", resumes(world, signalled)],
    ]);
    assertEquals(world.wakes("anvil").length, 2);

    // Ended by a signal while the others run: Claude Code has reported its end, and was not left.
    await world.killClaude(signalled);
    ends(world, signalled, "other");
    assertEquals((await recover(world)).agents.map(({ outcome }) => outcome), [
      ...["alive", "recovered", "left out"],
    ]);
  }));

Deno.test("recover leaves alone what was left or closed, until it is named", () =>
  inSessionWorld(async (world) => {
    const first = await spawned(world, "anvil");
    const second = await another(world, "anvil");
    await world.killClaude(second);
    ends(world, second, "prompt_input_exit");
    const back = [[first, "alive", ""], [second, "recovered", resumes(world, second)]];
    const stays = async (...args: string[]) => {
      const { code, agents } = await recover(world, ...args);
      assertEquals([code, agents[0]!.outcome, agents[1]!.outcome], [0, "alive", "left out"]);
      return agents[1]!.detail;
    };
    const named = ["--agent", "anvil"];
    assertMatch(await stays("--dry-run"), /^it was left with \/exit/);
    assertMatch(await stays(), /^it was left with \/exit/);
    assertEquals(brief((await recover(world, ...named)).agents), back);

    await world.tmux("kill-session", "-t", `=${second}`);
    ends(world, second, "other");
    assertMatch(await stays(...named), /was closed; .*recover.* brings it back, .*remove/);
    // As wide as the recorded screen, which does not wrap by itself.
    await world.tmux("new-session", "-d", "-s", second, "-x", "200", "-y", "50");
    await promptIn(world, second);
    assertEquals(brief((await recover(world, ...named)).agents), back);
  }));

Deno.test("spawn leaves the name of a session to it that recover will bring back", () =>
  inSessionWorld(async (world) => {
    const lost = await spawned(world, "anvil");
    await killServer(world);
    const next = await another(world, "anvil");
    assertEquals([lost, next], ["anvil-main", "anvil-main-2"]);
    assertEquals(brief((await recover(world)).agents), [
      [lost, "recovered", resumes(world, lost)],
      [next, "alive", ""],
    ]);
    // Closed while its server runs on, it will not come back.
    await world.tmux("kill-session", "-t", `=${lost}`);
    assertEquals(await another(world, "anvil"), lost);
  }));

Deno.test("recover leaves a program alone that runs in the session, and takes a new one", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const id = idOf(world, session);
    await world.killClaude(session);
    await promptIn(world, session);
    await world.tmux("send-keys", "-t", `=${session}:`, "sleep 1000", "Enter");
    const running = () =>
      world.tmux("list-panes", "-t", `=${session}:`, "-F", "#{pane_current_command}");
    await until("another program", async () => await running() === "sleep");
    const steps = [{ n: 1, text: "Go on", state: "waiting" }];
    const queue = { next: 2, steps, paused: { why: "asked", told: true } };
    writeAtomic(queueFile(world.paths, session), JSON.stringify(queue));
    assertEquals(brief((await recover(world)).agents), [
      ["anvil-main-2", "recovered", `resume ${id}`],
    ]);
    assertEquals(await running(), "sleep");
    assertEquals([session, "anvil-main-2"].map((name) => isThere(queueFile(world.paths, name))), [
      false,
      true,
    ]);
    assertEquals((await recover(world)).outcomes, { anvil: "alive" });
  }));

Deno.test("recover keeps the names of sessions whose agent has another name in the registry", () =>
  inSessionWorld(async (world) => {
    const old = [await spawned(world, "anvil", { tmux_session_name: "old" })];
    old.push(await another(world, "anvil"), await another(world, "anvil"));
    const ids = old.map((session) => resumes(world, session));
    changeAgent(world, { tmux_session_name: "new" });
    // They belong to it by their records.
    const running = (await recover(world)).agents;
    assertEquals(running.map(({ outcome }) => outcome), ["alive", "alive", "alive"]);

    await killServer(world);
    const { agents } = await recover(world);
    assertEquals(agents.map(({ session }) => session).sort(), ["old", "old-2", "old-3"]);
    assertEquals(agents.map(({ conversation }) => conversation).sort(), ids.sort());
    assertEquals(await another(world, "anvil"), "new");
  }));

Deno.test("recover opens one conversation once for two agents, in a dry run too", () =>
  inSessionWorld(async (world) => {
    const working_directory = `${world.dir}/p`;
    Deno.mkdirSync(working_directory);
    const claude_launch_command = world.standIn("claude", IDLE);
    const agents = ["anvil", "bolt"].map((agent_id) => ({
      ...{ agent_id, working_directory, claude_launch_command },
      claude_resume_target: "our work",
    }));
    world.registry({ agents });
    for (const [args, done] of [[["--dry-run"], "would recover"], [[], "recovered"]] as const) {
      const { agents } = await recover(world, ...args);
      assertEquals(agents.map(({ outcome }) => outcome).sort(), ["failed", done].sort());
      const failed = agents.find(({ outcome }) => outcome === "failed")!;
      assertMatch(failed.detail, /^its conversation "our work" of .* two agents cannot have the/);
    }
  }));

Deno.test("spawn and recover open a conversation once that the launch command names", () =>
  inSessionWorld(async (world) => {
    const id = crypto.randomUUID();
    const claude_launch_command = `${world.standIn("claude", IDLE)} --resume=${id}`;
    const session = await spawned(world, "anvil", { claude_launch_command });
    listAs(world, await claudeIn(world, session), id);
    assertEquals(await spawn(["anvil", "p", ""], world), 1);
    assertMatch(world.warned.at(-1)!, new RegExp(`conversation ${id} is open already in process`));

    // Two records of it, as an earlier version could write them.
    writeLaunch(world.paths, { ...readLaunch(world.paths, session), session: "anvil-main-2" });
    await killServer(world);
    const [one, two] = (await recover(world)).agents;
    assertEquals([one!.outcome, two!.outcome], ["recovered", "left out"]);
    const remove = taskCommand(world, "remove", two!.session);
    assertEquals(
      two!.detail,
      `its conversation ${id} goes on in ${one!.session}; ${remove} gives this one up`,
    );
  }));

Deno.test("recover says where the conversation of a killed session goes on", () =>
  inSessionWorld(async (world) => {
    const first = await spawned(world, "anvil");
    const second = await another(world, "anvil");
    const id = idOf(world, second);
    await world.killClaude(second);
    listAs(world, await claudeIn(world, first), id); // by /resume
    const { code, agents } = await recover(world);
    const remove = taskCommand(world, "remove", second);
    assertEquals([code, agents[1]!.outcome, agents[1]!.detail], [
      ...[0, "left out", `its conversation ${id} goes on in ${first}; ${remove} gives this one up`],
    ]);
  }));

Deno.test("recover leaves a session alone that runs on another server or under another name", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const launch = readLaunch(world.paths, session);
    writeLaunch(world.paths, { ...launch, tmux_socket: `${world.dir}/gone`, tmux_server: "1-1" });
    assertEquals((await recover(world)).outcomes, { anvil: "alive" });
    writeLaunch(world.paths, launch);
    listAs(world, await claudeIn(world, session), idOf(world, session));
    await world.tmux("rename-session", "-t", `=${session}`, "mine");
    const { code, agents: [one, ...more] } = await recover(world);
    assertEquals([code, one!.outcome, one!.detail, more], [0, "alive", 'it runs as "mine"', []]);
    assertEquals(await sessions(world), ["mine"]);
  }));

Deno.test("recover looks for a session on the tmux server of its launch", () =>
  inSessionWorld(async (world) => {
    const real = /exec (\S+)/.exec(Deno.readTextFileSync(world.variables.GSD_TMUX!))![1]!;
    const text = `#!/bin/sh\nexec ${real} -f /dev/null "$@"\n`;
    Deno.writeTextFileSync(world.variables.GSD_TMUX!, text);
    const work = (...args: string[]) => {
      world.variables.TMUX_TMPDIR = world.dir;
      return world.tmux("-L", "work", ...args).finally(() => delete world.variables.TMUX_TMPDIR);
    };
    try {
      await work("new-session", "-d", "-s", "desk", "sleep 1000");
      const socket = await work("display-message", "-p", "#{socket_path}");
      world.variables.TMUX = `${socket},0,0`;
      await spawned(world, "anvil");
      delete world.variables.TMUX;
      assertEquals((await recover(world)).outcomes, { anvil: "alive" });

      Deno.kill(Number(await work("display-message", "-p", "#{pid}")), "SIGKILL");
      await until("the server to be gone", () => work("ls").then(() => false, () => true));
      Deno.removeSync(`${world.dir}/tmux-${Deno.uid()}`, { recursive: true }); // a boot does
      assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
      assertEquals(await work("list-sessions", "-F", "#S"), "anvil-main");
      assertStringIncludes(world.wakes("anvil")[0]!.message, `--socket ${socket} anvil-main`);
    } finally {
      await work("kill-server").catch(() => {});
    }
  }));

Deno.test("recover keeps the environment of the launch, and finds the conversation by it", () =>
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
      const { env } = readLaunch(world.paths, session);
      assertEquals(env.CLAUDE_CONFIG_DIR, `${world.dir}/other-claude`);
    }
  }));

const COMMANDS: [what: string, command: (program: string) => string][] = [
  ["a wrapper", (program) => `bash -c 'ulimit -n 4096; exec ${program} "$@"' claude`],
  ["the login shell", (program) => `/bin/bash ${program}`],
];
for (const [what, command] of COMMANDS) {
  Deno.test(`recover resumes the conversation where the launch command begins with ${what}`, () =>
    inSessionWorld(async (world) => {
      world.variables.SHELL = "/bin/bash";
      const claude_launch_command = command(world.standIn("claude", IDLE));
      const session = await spawned(world, "anvil", { claude_launch_command });
      const id = idOf(world, session);
      await world.killClaude(session);
      assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
      assertStringIncludes(Deno.readTextFileSync(`${world.dir}/claude.args`), `--resume=${id}\n`);
    }));
}

Deno.test("recover starts again in a pane that remain-on-exit has kept", () =>
  inSessionWorld(async (world) => {
    await world.tmux("new-session", "-d", "-s", "other", "sleep 1000");
    await world.tmux("set-option", "-g", "remain-on-exit", "on");
    const session = await spawned(world, "anvil");
    await world.killClaude(session);
    await promptIn(world, session);
    await world.tmux("send-keys", "-t", "=anvil-main:", "exit", "Enter");
    const isDead = ["list-panes", "-t", "=anvil-main:", "-F", "#{pane_dead}"];
    await until("a dead pane", async () => await world.tmux(...isDead) === "1");
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
    assertEquals((await recover(world)).outcomes, { anvil: "alive" });
    assertEquals(await sessions(world), ["anvil-main", "other"]);
  }));

Deno.test("recover leaves an open line of the shell before it types", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await world.killClaude(session);
    const shown = () => world.tmux("capture-pane", "-p", "-t", "=anvil-main:");
    await promptIn(world, session);
    await world.tmux("send-keys", "-t", "=anvil-main:", "cat > /dev/null <<END", "Enter");
    await until("the continuation prompt", async () => (await shown()).includes("\n>"));
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
  }));
