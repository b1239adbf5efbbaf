import { assertEquals, assertMatch } from "@std/assert";
import { main as spawn } from "../commands/spawn.ts";
import { isThere } from "../lib/files.ts";
import { IDLE, killServer, recover, sessions, spawned } from "./support/recovering.ts";
import { agents, inSessionWorld, type SessionWorld } from "./support/session_world.ts";
import { until } from "./support/until.ts";
import { writeExecutable } from "./support/executable.ts";

/** A folder with a conversation, which a recovery without a record would offer to pick. */
function folder(world: SessionWorld): string {
  const dir = `${world.dir}/p`;
  const project = `${world.paths.claudeConfig}/projects/${dir.replace(/[^A-Za-z0-9]/g, "-")}`;
  Deno.mkdirSync(dir, { recursive: true });
  Deno.mkdirSync(project, { recursive: true });
  Deno.writeTextFileSync(`${project}/${crypto.randomUUID()}.jsonl`, "{}\n");
  return dir;
}

function openclaw(world: SessionWorld, script: string): void {
  const list = { sessions: [{ key: "agent:w:main", sessionId: "id-1", agentId: "w" }] };
  const text = `#!/bin/sh\n${script}\necho '${JSON.stringify(list)}'\n`;
  writeExecutable(world.variables.GSD_OPENCLAW!, text);
}

/** A program waits there until `goOn` is called. */
function waiting(world: SessionWorld): string {
  return `: > '${world.dir}/waits'; until [ -e '${world.dir}/go' ]; do sleep 0.05; done`;
}

function untilItWaits(world: SessionWorld): Promise<true> {
  return until("the program to wait", () => isThere(`${world.dir}/waits`));
}

function goOn(world: SessionWorld): void {
  Deno.writeTextFileSync(`${world.dir}/go`, "");
}

/** Puts a line in front of every call of tmux. */
function beforeTmux(world: SessionWorld, line: string): void {
  const file = world.variables.GSD_TMUX!;
  Deno.writeTextFileSync(file, Deno.readTextFileSync(file).replace("exec", `${line}\nexec`));
}

Deno.test("spawn of a new agent leaves nothing to a recovery while OpenClaw is asked", () =>
  inSessionWorld(async (world) => {
    const dir = folder(world);
    world.registry({ agents: [] });
    world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
    openclaw(world, waiting(world));
    const spawning = spawn(["w", dir, ""], world);
    await untilItWaits(world);
    assertEquals((await recover(world)).outcomes, {});
    goOn(world);
    assertEquals(await spawning, 0, world.warned.join("\n"));
    assertEquals((await recover(world)).outcomes, { w: "alive" });
    assertEquals(await sessions(world), ["w-main"]);
    assertMatch(Deno.readTextFileSync(`${world.dir}/claude.args`), /^--session-id$/m);
    assertEquals(agents(world)[0]!.openclaw_session_key, "agent:w:main");
  }));

Deno.test("recover() that knows a new agent before its session is made leaves it to spawn", () =>
  inSessionWorld(async (world) => {
    const dir = folder(world);
    world.registry({ agents: [] });
    world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
    openclaw(world, "");
    beforeTmux(world, `case " $* " in *" new-session "*) ${waiting(world)};; esac`);
    const spawning = spawn(["w", dir, ""], world);
    await untilItWaits(world);
    assertEquals(agents(world).length, 1);
    const recovering = recover(world); // has read the registry when it gives way
    goOn(world);
    assertEquals((await recovering).outcomes, { w: "alive" });
    assertEquals(await spawning, 0, world.warned.join("\n"));
    assertEquals(await sessions(world), ["w-main"]);
  }));

Deno.test("spawn chooses its session's name once, while no other one is started", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
    beforeTmux(world, `echo "$*" >> '${world.dir}/calls'`);
    assertEquals(await spawn(["w", folder(world), ""], world), 0, world.warned.join("\n"));
    const calls = Deno.readTextFileSync(`${world.dir}/calls`).split("\n");
    const made = calls.findIndex((call) => call.startsWith("-u new-session"));
    const listed = calls.slice(0, made).filter((call) => call.startsWith("-u list-sessions -F"));
    assertEquals(listed.length, 1);
  }));

Deno.test("spawn leaves its name to a lost session of an agent that was unregistered", () =>
  inSessionWorld(async (world) => {
    await spawned(world, "w");
    await killServer(world);
    world.registry({ agents: [] });
    world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
    assertEquals(await spawn(["w", "p", ""], world), 0, world.warned.join("\n"));
    assertEquals(await sessions(world), ["w-main-2"]);
  }));

Deno.test("spawn says that the agent was added when its session could not be made", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
    beforeTmux(world, `case " $* " in *" new-session "*) echo no room >&2; exit 1;; esac`);
    assertEquals(await spawn(["w", folder(world), ""], world), 1);
    assertMatch(world.warned.at(-1)!, /^Cannot start w: .*no room; the agent was added to \//);
    assertEquals(agents(world).length, 1);
  }));
