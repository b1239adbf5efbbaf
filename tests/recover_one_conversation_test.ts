import { assertEquals, assertMatch } from "@std/assert";
import { main as spawn } from "../commands/spawn.ts";
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

const ID = "aaaaaaaa-0000-4000-8000-000000000000";

/** Two agents in one folder that have never been started. */
function twoAgents(world: SessionWorld, more: Record<string, unknown>): void {
  Deno.mkdirSync(`${world.dir}/p`, { recursive: true });
  const claude_launch_command = world.standIn("claude", IDLE);
  const working_directory = `${world.dir}/p`;
  const agents = ["ada", "bob"].map((agent_id) => ({
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

const SHARED: [name: string, more: Record<string, unknown>][] = [
  ["the same claude_resume_target by name", { claude_resume_target: "our work" }],
  ["the same claude_resume_target by id", { claude_resume_target: ID }],
  ["claude_post_launch_mode continue in one folder", { claude_post_launch_mode: "continue" }],
];
for (const [name, more] of SHARED) {
  for (const dry of [[], ["--dry-run"]]) {
    Deno.test(`recover(${dry}) opens one conversation once for two agents with ${name}`, () =>
      inSessionWorld(async (world) => {
        twoAgents(world, more);
        folderHas(world, ID);
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
    const claude = await claudeIn(world, await spawned(world, "cleo"));
    twoAgents(world, { claude_post_launch_mode: "continue" });
    folderHas(world, ID);
    listAs(world, claude, ID);
    const { agents } = await recover(world, "--agent", "ada");
    assertEquals(agents[0]!.outcome, "failed");
    assertMatch(agents[0]!.detail, new RegExp(`${ID} is open already in process ${claude}:`));
  }));

for (const words of [`--resume ${ID}`, `--resume=${ID}`, "--continue"]) {
  Deno.test(`spawn and recover() open a conversation once that the command names by ${words}`, () =>
    inSessionWorld(async (world) => {
      const claude_launch_command = `${world.standIn("claude", IDLE)} ${words}`;
      const session = await spawned(world, "ada", { claude_launch_command });
      folderHas(world, ID);
      listAs(world, await claudeIn(world, session), ID);
      assertEquals(await spawn(["ada", "p", ""], world), 1);
      assertMatch(
        world.warned.at(-1)!,
        new RegExp(`conversation ${ID} is open already in process`),
      );

      // Two records of it, from before that was refused.
      const dir = `${world.paths.data}/launches`;
      const record = JSON.parse(Deno.readTextFileSync(`${dir}/ada-main.json`));
      const twin = { ...record, session: "ada-main-2" };
      Deno.writeTextFileSync(`${dir}/ada-main-2.json`, JSON.stringify(twin));
      await killServer(world);
      const { agents } = await recover(world);
      assertEquals(agents.map(({ outcome }) => outcome), ["recovered"]);
    }));
}

Deno.test("recover() takes no entry for a living Claude Code's whose process has another start", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "ada");
    const id = idOf(world, session);
    await killServer(world);
    const args = ["-c", "sleep 20; : ~/.claude/x"];
    const other = new Deno.Command("/bin/sh", { args }).spawn();
    try {
      listAs(world, other.pid, id, "1");
      assertEquals((await recover(world)).outcomes, { ada: "recovered" });
    } finally {
      other.kill("SIGKILL");
      await other.status;
    }
  }));

Deno.test("recover() goes by Claude Code's list where that and a process's words differ", () =>
  inSessionWorld(async (world) => {
    const first = await spawned(world, "ada");
    const left = idOf(world, first);
    const second = await another(world, "ada");
    writeTranscript(world, ID);
    remember(world, first, { claude_session_id: ID });
    remember(world, second, { claude_session_id: left });
    listAs(world, await claudeIn(world, first), ID);
    await world.killClaude(second);
    assertEquals(brief((await recover(world)).agents), [
      [first, "alive", ""],
      [second, "recovered", `resume ${left}`],
    ]);
  }));
