import { assertEquals, assertMatch } from "@std/assert";
import { main as rename } from "../commands/rename.ts";
import { main as stop } from "../commands/stop.ts";
import { allProcesses } from "../lib/doors/process_tree.ts";
import { holdLock } from "../lib/doors/held_lock.ts";
import { onPath } from "../lib/doors/programs.ts";
import { readJournal } from "../lib/journal_read.ts";
import { currentName } from "../lib/known_sessions.ts";
import { readScreen } from "../lib/pane.ts";
import { ROOT } from "../lib/paths.ts";
import { launchFiles } from "../lib/sessions/launch_files.ts";
import { whyBusy } from "../lib/sessions/stop_session.ts";
import { writeExecutable } from "./support/executable.ts";
import { fixturePane } from "./support/fixtures.ts";
import {
  another,
  brief,
  changeAgent,
  claudeIn,
  idOf,
  killServer,
  listAs,
  readLaunch,
  recover,
  remember,
  spawned,
} from "./support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";
import { pause, until } from "./support/until.ts";

Deno.test("stop ends Claude Code, and recover brings it back only by its name", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const id = idOf(world, session);
    assertEquals(await stop([session, "--dry-run"], world), 0, world.warned.join("\n"));
    assertEquals(readLaunch(world.paths, session).stopped_at, undefined);
    assertEquals(await stop([session, "--json"], world), 0, world.warned.join("\n"));
    const stopped = { session, agent_id: "anvil", state: "stopped" };
    assertEquals(JSON.parse(world.said.at(-1)!), stopped);
    assertEquals(Array.from(readJournal(world.paths, session), ({ reason }) => reason), [
      ...["spawned", "stopped"],
    ]);
    for (const args of [[], ["--agent", "anvil"]]) {
      const [one] = (await recover(world, ...args)).agents;
      assertEquals(one!.outcome, "left out");
      assertMatch(one!.detail, /^it was stopped; .*recover anvil-main brings it back$/);
    }
    // Its name is kept for it.
    assertEquals(await another(world, "anvil"), "anvil-main-2");
    await killServer(world);
    const back = await recover(world, session);
    assertEquals(brief(back.agents), [[session, "recovered", `resume ${id}`]]);
    assertEquals(readLaunch(world.paths, session).stopped_at, undefined);
    assertEquals((await recover(world)).agents.map(({ outcome }) => outcome).sort(), [
      ...["alive", "recovered"],
    ]);
  }));

async function shows(world: SessionWorld, pane: string, state: "idle" | "working"): Promise<void> {
  await until(`a screen that is ${state}`, async () => {
    return readScreen(await world.tmux("capture-pane", "-p", "-t", pane)).state === state;
  });
}

/** A person's Claude Code in a pane of its own, before the others: its pane and process. */
async function second(
  world: SessionWorld,
  session: string,
  sessionId: string,
): Promise<[pane: string, pid: number]> {
  const { command } = readLaunch(world.paths, session);
  const split = ["split-window", "-b", "-P", "-F", "#{pane_id} #{pane_pid}"];
  const made = await world.tmux(...split, "-t", `=${session}:`, "/bin/sh", command);
  const [pane = "", pid] = made.split(" ");
  await shows(world, pane, "idle");
  listAs(world, Number(pid), sessionId);
  return [pane, Number(pid)];
}

Deno.test("stop ends the session's own Claude Code, not a person's in another pane", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const own = await claudeIn(world, session);
    const theirs = crypto.randomUUID();
    listAs(world, own, idOf(world, session));
    const [, person] = await second(world, session, theirs);
    // The last one that has spoken.
    remember(world, session, { claude_session_id: theirs });
    for (const option of ["--dry-run", "--json"]) {
      assertEquals(await stop([session, option], world), 0, world.warned.join("\n"));
    }
    assertEquals(JSON.parse(world.said.at(-1)!).state, "stopped");
    const left = (await allProcesses()).map(({ pid }) => pid);
    assertEquals([own, person].map((pid) => left.includes(pid)), [false, true]);
  }));

Deno.test("stop ends the session's own Claude Code also where only a person's is in Claude's list", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const own = await claudeIn(world, session);
    const [, person] = await second(world, session, crypto.randomUUID());
    assertEquals(await stop([session, "--now"], world), 0, world.warned.join("\n"));
    const left = (await allProcesses()).map(({ pid }) => pid);
    assertEquals([own, person].map((pid) => left.includes(pid)), [false, true]);
  }));

Deno.test("stop ends nothing where only one of two is in Claude's list, and neither is known", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const program = `${world.dir}/bin/claude`;
    Deno.mkdirSync(`${world.dir}/bin`);
    Deno.symlinkSync(onPath((name) => Deno.env.get(name), "sleep")!, program);
    await world.tmux("respawn-pane", "-k", "-t", `=${session}:`, program, "1000");
    const pid = await world.tmux("list-panes", "-t", `=${session}:`, "-F", "#{pane_pid}");
    const [, person] = await second(world, session, crypto.randomUUID());
    assertEquals(await stop([session, "--now"], world), 1);
    assertMatch(world.warned.at(-1)!, /: several panes of it run Claude Code/);
    const running = (await allProcesses()).map((one) => one.pid);
    assertEquals([Number(pid), person].map((one) => running.includes(one)), [true, true]);
  }));

Deno.test("stop ends nothing where two run and neither is known to be the session's own", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const { command, ...launch } = readLaunch(world.paths, session);
    await world.tmux("respawn-pane", "-k", "-t", `=${session}:`, "/bin/sh", command);
    const pid = await world.tmux("list-panes", "-t", `=${session}:`, "-F", "#{pane_pid}");
    listAs(world, Number(pid), crypto.randomUUID());
    const [, other] = await second(world, session, crypto.randomUUID());
    for (const args of [[], ["--now"]]) {
      assertEquals(await stop([session, ...args], world), 1);
      assertMatch(
        world.warned.at(-1)!,
        /: several panes of it run Claude Code \(%\d+, %\d+\), and none is known to be its own/,
      );
      assertEquals(readLaunch(world.paths, session), { command, ...launch });
    }
    const running = (await allProcesses()).map((one) => one.pid);
    assertEquals([Number(pid), other].map((one) => running.includes(one)), [true, true]);
    // A conversation is known by the record, else by the last event.
    const id = crypto.randomUUID();
    listAs(world, Number(pid), id);
    remember(world, session, { claude_session_id: id });
    assertEquals(await stop([session, "--now"], world), 0, world.warned.join("\n"));
    const left = (await allProcesses()).map((one) => one.pid);
    assertEquals([Number(pid), other].map((one) => left.includes(one)), [false, true]);
  }));

Deno.test("stop marks a session that was killed before, so that recover leaves it alone", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await killServer(world);
    assertEquals(await stop([session, "--json"], world), 0, world.warned.join("\n"));
    assertEquals(JSON.parse(world.said.at(-1)!).state, "not running");
    assertEquals((await recover(world)).outcomes, { anvil: "left out" });
  }));

Deno.test("stop waits for the turn's end, and says what is in the way", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_CLAUDE = "";
    const claude_launch_command = world.standIn("busy", "02-working.txt");
    const session = await spawned(world, "anvil");
    world.registry({ agents: [{ agent_id: "anvil", claude_launch_command }] });
    await world.tmux("respawn-pane", "-k", "-t", `=${session}:`, claude_launch_command);
    await shows(world, `=${session}:`, "working");
    assertEquals(await stop([session, "--wait", "0.5"], world), 1);
    assertMatch(world.warned.at(-1)!, /^Cannot stop "anvil-main": .*; --now ends it nevertheless/);
    assertEquals(readLaunch(world.paths, session).stopped_at, undefined);
    assertEquals(await stop([session, "--now"], world), 0, world.warned.join("\n"));
    assertMatch(world.said.at(-2)!, /has ended; its conversation is kept$/);
    assertEquals(await stop([], world), 2);
    assertEquals(await stop(["nothing"], world), 1);
    assertMatch(world.warned.at(-1)!, /there is no session "nothing"$/);
  }));

Deno.test("stop marks no session whose Claude Code goes on under another name", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    listAs(world, await claudeIn(world, session), idOf(world, session));
    await world.tmux("rename-session", "-t", `=${session}`, "docs");
    assertEquals(await stop([session], world), 1);
    assertMatch(world.warned.at(-1)!, /its conversation .* is open already in process \d+/);
    assertEquals(readLaunch(world.paths, session).stopped_at, undefined);
    // Left by a person, who has it open again.
    remember(world, session, { ended: "prompt_input_exit" });
    assertEquals(await stop([session], world), 0, world.warned.join("\n"));
  }));

Deno.test("stop ends also what a recovery has started while it waited", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await world.killClaude(session);
    // A recovery has it.
    const lock = holdLock(`${world.paths.state}/locks/launch`)!;
    const stopping = stop([session, "--json"], world);
    await pause(500); // it has looked, and waits for the lock
    const { script } = launchFiles(world.paths, session);
    await world.tmux("respawn-pane", "-k", "-t", `=${session}:`, "/bin/sh", script);
    await shows(world, `=${session}:`, "idle");
    lock.release();
    assertEquals(await stopping, 0, world.warned.join("\n"));
    assertEquals(JSON.parse(world.said.at(-1)!).state, "stopped");
  }));

Deno.test("stop follows a rename while it waits for the end of the turn", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const id = idOf(world, session);
    const over = `${world.dir}/over`;
    const screens = `${ROOT}/tests/fixtures/panes`;
    const program = `${world.dir}/busy`;
    writeExecutable(
      program,
      `#!/bin/sh
cat '${screens}/02-working.txt'
until [ -e '${over}' ]; do sleep 0.05; done
printf '\\033[H\\033[2J'
cat '${screens}/01-idle-fresh.txt'
while read -r line; do :; done
`,
    );
    changeAgent(world, { claude_launch_command: program });
    await world.tmux("respawn-pane", "-k", "-t", `=${session}:`, program);
    await shows(world, `=${session}:`, "working");
    const stopping = stop([session, "--json"], world);
    await until("a rename", async () => await rename([session, "docs"], world) === 0);
    Deno.writeTextFileSync(over, "");
    assertEquals(await stopping, 0, world.warned.join("\n"));
    const stopped = { session: "docs", agent_id: "anvil", state: "stopped" };
    assertEquals(JSON.parse(world.said.at(-1)!), stopped);
    assertEquals(currentName(world.paths, session), "docs");
    const { claude_session_id, stopped_at } = readLaunch(world.paths, "docs");
    assertEquals([claude_session_id, typeof stopped_at], [id, "string"]);
  }));

const BUSY: Record<string, RegExp | undefined> = {
  "01-idle-fresh": undefined,
  "08-bash-mode": /draft/,
  "02-working": /Claude is working/,
  "10-ask-single": /dialog/,
  "30-permission-bash": /dialog/,
  "41-error-e500": undefined,
};
for (const [pane, reason] of Object.entries(BUSY)) {
  Deno.test(`whyBusy() of ${pane}: ${reason ?? "it can be ended"}`, () => {
    const why = whyBusy(fixturePane(pane));
    if (reason === undefined) assertEquals(why, undefined);
    else assertMatch(why ?? "", reason);
  });
}
