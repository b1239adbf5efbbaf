import { assertEquals, assertMatch } from "@std/assert";
import { main as spawn } from "../commands/spawn.ts";
import { launchFiles } from "../lib/sessions/launch_files.ts";
import {
  another,
  brief,
  claudeIn,
  IDLE,
  idOf,
  killServer,
  listAs,
  recover,
  remember,
  spawned,
  writeTranscript,
} from "./support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";

/** One of its own for each test: all processes of the machine are looked at. */
const newId = () => crypto.randomUUID();

/** Two agents in one folder that have never been started. */
function twoAgents(world: SessionWorld, more: Record<string, unknown>): void {
  Deno.mkdirSync(`${world.dir}/p`, { recursive: true });
  const claude_launch_command = world.standIn("claude", IDLE);
  const working_directory = `${world.dir}/p`;
  const agents = ["anvil", "bolt"].map((agent_id) => ({
    ...{ agent_id, tmux_session_name: `${agent_id}-main`, working_directory },
    ...{ claude_launch_command, openclaw_session_key: `agent:${agent_id}:main`, ...more },
  }));
  world.registry({ agents });
}

/** A conversation of the folder, as Claude Code keeps it. */
function folderHas(world: SessionWorld, id: string): void {
  const name = `${world.dir}/p`.replace(/[^A-Za-z0-9]/g, "-");
  const project = `${world.paths.claudeConfig}/projects/${name}`;
  Deno.mkdirSync(project, { recursive: true });
  Deno.writeTextFileSync(`${project}/${id}.jsonl`, "{}\n");
}

const SHARED: [name: string, more: (id: string) => Record<string, unknown>][] = [
  ["the same claude_resume_target by name", (id) => ({ claude_resume_target: `work ${id}` })],
  ["the same claude_resume_target by id", (id) => ({ claude_resume_target: id })],
  [
    "claude_post_launch_mode continue in one folder",
    () => ({ claude_post_launch_mode: "continue" }),
  ],
];
for (const [name, more] of SHARED) {
  for (const dry of [[], ["--dry-run"]]) {
    Deno.test(`recover(${dry}) opens one conversation once for two agents with ${name}`, () =>
      inSessionWorld(async (world) => {
        const id = newId();
        twoAgents(world, more(id));
        folderHas(world, id);
        const { agents } = await recover(world, ...dry);
        const done = dry.length === 0 ? "recovered" : "would recover";
        assertEquals(agents.map(({ outcome }) => outcome).sort(), ["failed", done].sort());
        const failed = agents.find(({ outcome }) => outcome === "failed")!;
        assertMatch(failed.detail, /^its conversation .* is (opened|open already) /);
      }));
  }
}

Deno.test("recover() does not continue a conversation that a living Claude Code has open", () =>
  inSessionWorld(async (world) => {
    const claude = await claudeIn(world, await spawned(world, "crane"));
    twoAgents(world, { claude_post_launch_mode: "continue" });
    const id = newId();
    folderHas(world, id);
    listAs(world, claude, id);
    const { agents } = await recover(world, "--agent", "anvil");
    assertEquals(agents[0]!.outcome, "failed");
    assertMatch(
      agents[0]!.detail,
      new RegExp(`${id} is open already in process ${claude}: .*"crane-main"`),
    );
  }));

for (const words of ["--resume <id>", "--resume=<id>", "--continue"]) {
  Deno.test(`spawn and recover() open a conversation once that the command names by ${words}`, () =>
    inSessionWorld(async (world) => {
      const id = newId();
      const claude_launch_command = `${world.standIn("claude", IDLE)} ${words.replace("<id>", id)}`;
      const session = await spawned(world, "anvil", { claude_launch_command });
      folderHas(world, id);
      listAs(world, await claudeIn(world, session), id);
      assertEquals(await spawn(["anvil", "p", ""], world), 1);
      assertMatch(
        world.warned.at(-1)!,
        new RegExp(`conversation ${id} is open already in process`),
      );

      // Two records of it, from before that was refused.
      const dir = `${world.paths.data}/launches`;
      const record = JSON.parse(Deno.readTextFileSync(`${dir}/anvil-main.json`));
      const twin = { ...record, session: "anvil-main-2" };
      Deno.writeTextFileSync(`${dir}/anvil-main-2.json`, JSON.stringify(twin));
      await killServer(world);
      const { agents } = await recover(world);
      const [one, two] = agents;
      assertEquals([one!.outcome, two!.outcome], ["recovered", "left out"]);
      const { record: file } = launchFiles(world.paths, two!.session);
      assertEquals(
        two!.detail,
        `its conversation ${id} goes on in ${one!.session}; to give this one up, remove ${file}`,
      );
    }));
}

Deno.test("recover() waits for a Claude Code that is ending with its terminal", () =>
  inSessionWorld(async (world) => {
    const program = world.standIn("slow", IDLE);
    const text = Deno.readTextFileSync(program);
    Deno.writeTextFileSync(program, text.replace("\n", "\ntrap 'sleep 2' EXIT; trap '' HUP\n"));
    const session = await spawned(world, "anvil", { claude_launch_command: program });
    const id = idOf(world, session);
    const ending = await claudeIn(world, session);
    await world.tmux("kill-server");
    const { agents } = await recover(world);
    assertEquals(agents.map(({ outcome, detail }) => [outcome, detail]), [
      ["recovered", "its tmux session was gone"],
    ]);
    assertEquals(agents[0]!.conversation, `resume ${id}`);
    assertMatch(world.warned[0]!, new RegExp(`process ${ending}: it has lost its terminal`));
  }));

Deno.test("recover() does not wait for a Claude Code that never had a terminal", () =>
  inSessionWorld(async (world) => {
    const id = idOf(world, await spawned(world, "anvil"));
    await killServer(world);
    const args = ["-c", "sleep 1000; :", "claude", "--resume", id];
    const headless = new Deno.Command("/bin/sh", {
      args,
      detached: true,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    try {
      const { agents } = await recover(world);
      assertMatch(
        agents[0]!.detail,
        new RegExp(`${id} is open already in process ${headless.pid}`),
      );
      assertEquals(world.warned.filter((line) => line.includes("Waiting")), []);
    } finally {
      Deno.kill(-headless.pid, "SIGKILL");
      await headless.status;
    }
  }));

Deno.test("recover() does not take a tmux server for what was once started in it", () =>
  inSessionWorld(async (world) => {
    const id = idOf(world, await spawned(world, "anvil"));
    await killServer(world);
    // The server goes on with the words of this session.
    const words = ["sh", "-c", "sleep 1000", "--resume", id];
    await world.tmux("new-session", "-d", "-s", "was-here", ...words);
    await world.tmux("new-session", "-d", "-s", "stays", "sleep", "1000");
    await world.tmux("kill-session", "-t", "=was-here");
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
  }));

Deno.test("recover() takes no entry for a living Claude Code's whose process has another start", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const id = idOf(world, session);
    await killServer(world);
    const args = ["-c", "sleep 100; : ~/.claude/x"];
    const other = new Deno.Command("/bin/sh", { args }).spawn();
    try {
      listAs(world, other.pid, id, "1");
      assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
    } finally {
      other.kill("SIGKILL");
      await other.status;
    }
  }));

Deno.test("recover() goes by Claude Code's list where that and a process's words differ", () =>
  inSessionWorld(async (world) => {
    const first = await spawned(world, "anvil");
    const left = idOf(world, first);
    const second = await another(world, "anvil");
    const id = newId();
    writeTranscript(world, id);
    remember(world, first, { claude_session_id: id });
    remember(world, second, { claude_session_id: left });
    listAs(world, await claudeIn(world, first), id);
    await world.killClaude(second);
    assertEquals(brief((await recover(world)).agents), [
      [first, "alive", ""],
      [second, "recovered", `resume ${left}`],
    ]);
  }));
