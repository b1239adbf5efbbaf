/** What hooks do for a session that has a queue: real hooks, by the registered command. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { isFolder, namesIn, readTextIfThere } from "../lib/files.ts";
import { readEvent } from "../lib/events.ts";
import { contextFrom } from "../lib/hook_context.ts";
import { promptArrived } from "../lib/queue_turns.ts";
import { added, type NewStep } from "../lib/queue/step_list.ts";
import { newWakeId } from "../lib/new_wake.ts";
import { failed, leftUnsure, pausedFor, stopped } from "../lib/step_endings.ts";
import { toGive } from "../lib/step_giving.ts";
import { type Queue } from "../lib/steps.ts";
import { changeQueue, readQueue, updateQueue } from "../lib/steps_file.ts";
import { noteTyped } from "../lib/typed.ts";
import { writeExecutable } from "./support/executable.ts";
import { agentOf } from "./support/fleet_sessions.ts";
import { TestHome } from "./support/home.ts";
import { fixtureEvent } from "./support/fixtures.ts";
import { HookWorld, section, WARDEN } from "./support/hook_world.ts";
import { until } from "./support/until.ts";

const SESSION = "warden-main";
const NOW = new Date("2026-11-17T12:00:00Z");
const STOP = fixtureEvent("stop-plain");

class QueueWorld {
  private constructor(readonly hooks: HookWorld) {}

  static async create(settings: Record<string, unknown> = {}): Promise<QueueWorld> {
    const registry = { hook_settings: settings, agents: [WARDEN] };
    const world = new QueueWorld(await HookWorld.create({ registry }));
    // In place of the runner: which session was left to it?
    const claim = `${world.hooks.dir}/state/locks/queue-of-$2`;
    const log = `${world.hooks.dir}/started`;
    const script = `#!/bin/sh\necho "$1 $(cat ${claim})" >>${log}\nrm ${claim}\n`;
    writeExecutable(`${world.hooks.dir}/data/bin/queue-run`, script);
    return world;
  }

  get paths() {
    return this.hooks.paths;
  }

  add(...steps: (NewStep | string)[]): void {
    const by = { by: "warden", by_kind: "agent" } as const;
    const at = { session: SESSION, agent_id: "warden" };
    const all = steps.map((step) => typeof step === "string" ? { text: step } : step);
    changeQueue(this.paths, SESSION, (before) => {
      return { queue: added(before, at, all, by, NOW).queue, value: undefined };
    });
  }

  /** As the runner and the driver do before they give a step. */
  give(n: number): void {
    updateQueue(this.paths, SESSION, (queue) => {
      const { text } = queue.steps.find((step) => step.n === n)!;
      const instruction_id = newWakeId(Date.now());
      const giver = { by: "warden", by_kind: "agent", instruction_id } as const;
      noteTyped(this.paths, SESSION, text, giver, Date.now());
      return toGive(queue, n, {
        ...{ instruction_id, at: NOW.toISOString(), text },
        ...{ claude_session_id: "", transcript_path: "", position: 0 },
      });
    });
  }

  async prompt(text: string, promptId: string): Promise<void> {
    const event = fixtureEvent("user_prompt_submit");
    await this.hooks.hook("user_prompt_submit.ts", { ...event, prompt: text, prompt_id: promptId });
  }

  async stop(promptId: string, text: string): Promise<void> {
    const event = { ...STOP, prompt_id: promptId, last_assistant_message: text };
    await this.hooks.hook("stop.ts", event);
  }

  change(work: (queue: Queue) => Queue): void {
    updateQueue(this.paths, SESSION, work);
  }

  states(): string[] {
    return readQueue(this.paths, SESSION)?.steps.map(({ state }) => state) ?? [];
  }

  /** The session that each call of the runner was for. */
  async started(count: number): Promise<string[]> {
    const calls = () =>
      (readTextIfThere(`${this.hooks.dir}/started`) ?? "").split("\n").filter((one) => one !== "");
    return await until(`${count} starts`, () => calls().length >= count ? calls() : undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.hooks[Symbol.asyncDispose]();
  }
}

Deno.test("a step begins with its prompt and ends with its Stop: no wake, and the runner is started", async () => {
  await using world = await QueueWorld.create();
  world.add("first", "second");
  world.give(1);
  await world.prompt("first", "p-1");
  assertEquals(world.states(), ["begun", "waiting"]);
  await world.stop("p-1", "All is well.\nReally.");
  assertEquals(world.states(), ["done", "waiting"]);
  assertEquals(world.hooks.wakes(), []);
  assertEquals(await world.started(1), [`--claimed ${SESSION}`]);
  const [step] = readQueue(world.paths, SESSION)!.steps;
  assertEquals(step?.result, "All is well.\nReally.");
  const told = world.hooks.journal().filter(({ kind }) => kind === "step" || kind === "suppressed");
  assertEquals(told.map(({ kind, status, step }) => [kind, status, step]), [
    ["step", "begun", 1],
    ["step", "done", 1],
    ["suppressed", "step", undefined],
  ]);
  // The same event again, as of a hook that was run twice, changes nothing.
  await world.stop("p-1", "All is well.\nReally.");
  assertEquals(world.states(), ["done", "waiting"]);
});

Deno.test('with queue_wakes "each" the turn of every step wakes the agent', async () => {
  await using world = await QueueWorld.create({ queue_wakes: "each", dedup_mode: "off" });
  world.add("first", "second");
  world.give(1);
  await world.prompt("first", "p-1");
  await world.stop("p-1", "All is well.");
  const [wake = ""] = world.hooks.wakes();
  assertMatch(section(wake, "TRIGGER"), /^queue: 1 step waits, 1 done$/m);
});

Deno.test("a turn of somebody else wakes the agent as always, and the runner looks", async () => {
  await using world = await QueueWorld.create();
  world.add("first");
  await world.stop("p-9", "Of another prompt.");
  assertEquals(world.states(), ["waiting"]);
  assertMatch(section(world.hooks.wakes()[0]!, "TRIGGER"), /^queue: 1 step waits, 0 done$/m);
  assertEquals((await world.started(1)).length, 1);
});

Deno.test("the Stop of a step whose own prompt hook was killed ends that step", async () => {
  await using world = await QueueWorld.create();
  world.add("first", "second");
  world.give(1);
  await world.stop("p-1", "Done.");
  assertEquals([world.states(), world.hooks.wakes()], [["done", "waiting"], []]);
});

Deno.test("a person's own prompt pauses the queue; the agent's own does not", async () => {
  await using world = await QueueWorld.create();
  world.add("first", "second");
  const giver = { by: "warden", by_kind: "agent", instruction_id: newWakeId(Date.now()) } as const;
  noteTyped(world.paths, SESSION, "of the agent", giver, Date.now());
  await world.prompt("of the agent", "p-1");
  assertEquals(readQueue(world.paths, SESSION)?.paused, undefined);
  Deno.removeSync(`${world.hooks.dir}/state/typed`, { recursive: true });
  await world.prompt("by hand", "p-2");
  const { paused } = readQueue(world.paths, SESSION)!;
  assertEquals([paused?.why, paused?.told], ["person", false]);
  assertEquals((await world.started(1)).length, 1);
});

Deno.test("a person's own prompt also pauses a queue that waits for the end of a limit", async () => {
  await using world = await QueueWorld.create();
  world.add({ text: "first", after: "reset" }, "second");
  world.give(1);
  await world.prompt("first", "p-1");
  const failure = { kind: "rate limit", isLimit: true, now: NOW, told: true };
  world.change((queue) => failed(queue, queue.steps[0]!, failure, "W"));
  Deno.removeSync(`${world.hooks.dir}/state/typed`, { recursive: true });
  await world.prompt("by hand", "p-2");
  const { paused, steps } = readQueue(world.paths, SESSION)!;
  assertEquals([paused?.why, paused?.until, steps[0]?.cut], ["person", undefined, "limit"]);
  assertEquals((await world.started(1)).length, 1);
});

Deno.test("a turn that leaves a subagent running is noted as one that goes on", async () => {
  await using world = await QueueWorld.create();
  world.add("first", "second");
  world.give(1);
  await world.prompt("first", "p-1");
  const tasks = [{ id: "a1", type: "subagent", status: "running", description: "Look" }];
  const event = { ...STOP, prompt_id: "p-1", background_tasks: tasks };
  await world.hooks.hook("stop.ts", event);
  assertEquals(readQueue(world.paths, SESSION)?.steps[0]?.goes_on, true);
  await world.prompt("<task-notification>done</task-notification>", "p-2");
  const [step] = readQueue(world.paths, SESSION)!.steps;
  assertEquals([step?.state, step?.goes_on, step?.prompt_id], ["begun", undefined, "p-2"]);
  await world.stop("p-2", "Now it is done.");
  assertEquals(world.states(), ["done", "waiting"]);
});

for (const state of ["failed", "unsure"] as const) {
  Deno.test(`the Stop of a step that was taken for ${state} wakes the agent`, async () => {
    await using world = await QueueWorld.create();
    world.add("first", "second");
    world.give(1);
    await world.prompt("first", "p-1");
    const at = NOW.toISOString();
    world.change((queue) => {
      const step = queue.steps[0]!;
      return state === "failed"
        ? stopped(queue, step, at, "W", true)
        : leftUnsure(queue, step, "not known", at, "W");
    });
    await world.stop("p-1", "All is well.");
    assertEquals([world.states(), world.hooks.wakes().length], [[state, "waiting"], 1]);
    const done = world.hooks.journal().filter(({ status }) => status === "done");
    assertEquals(done, []);
  });
}

Deno.test("the end of a step after a pause is reported, unless the end of the queue reports it", async () => {
  for (const [texts, wakes] of [[["first", "second"], 1], [["first"], 0]] as const) {
    await using world = await QueueWorld.create();
    world.add(...texts);
    world.give(1);
    await world.prompt("first", "p-1");
    world.change((queue) => pausedFor(queue, "asked", "x", "", "W", { told: true }));
    await world.stop("p-1", "All is well.");
    assertEquals([world.states()[0], world.hooks.wakes().length], ["done", wakes]);
  }
});

Deno.test("a failure pauses the queue, and its wake has the lines that go on", async () => {
  await using world = await QueueWorld.create();
  world.add("first", "second");
  world.give(1);
  await world.prompt("first", "p-1");
  const event = { ...fixtureEvent("stop_failure-server_error"), prompt_id: "p-1" };
  await world.hooks.hook("stop_failure.ts", event);
  assertEquals(world.states(), ["failed", "waiting"]);
  const [wake = ""] = world.hooks.wakes();
  assertMatch(section(wake, "TRIGGER"), /^queue: paused, 1 step waits: step 1 failed: /m);
  const actions = section(wake, "AVAILABLE ACTIONS");
  for (const words of ["resume", "resume --again", "list", "clear"]) {
    assertMatch(actions, new RegExp(`queue.* warden-main ${words}$`, "m"));
  }
  assertEquals(readQueue(world.paths, SESSION)?.paused?.told, true);
});

Deno.test("a question says how many steps wait", async () => {
  await using world = await QueueWorld.create();
  world.add("first", "second", "third");
  world.give(1);
  await world.prompt("first", "p-1");
  await world.hooks.hook("pre_tool_use.ts", fixtureEvent("pre_tool_use-ask-single"));
  const [wake = ""] = world.hooks.wakes();
  assertMatch(section(wake, "TRIGGER"), /^queue: step 1 runs, 2 steps wait, 0 done$/m);
});

Deno.test("/clear is done with the SessionStart that follows it", async () => {
  await using world = await QueueWorld.create();
  world.add("/clear", "second");
  world.give(1);
  await world.hooks.hook("session_start.ts", fixtureEvent("session_start-clear"));
  assertEquals(world.states(), ["done", "waiting"]);
  assertEquals((await world.started(1)).length, 1);
});

Deno.test("a turn during which Claude Code was killed is cut off when it is resumed", async () => {
  await using world = await QueueWorld.create();
  world.add("first");
  world.give(1);
  await world.prompt("first", "p-1");
  await world.hooks.hook("session_start.ts", fixtureEvent("session_start-resume"));
  assertEquals(readQueue(world.paths, SESSION)?.steps[0]?.cut, "ended");
});

Deno.test("a session without a queue starts no runner and keeps nothing of one", async () => {
  await using world = await QueueWorld.create();
  await world.prompt("by hand", "p-1");
  await world.stop("p-1", "Done.");
  assertEquals(world.hooks.wakes().length, 1);
  assertEquals(world.hooks.wakes()[0]!.includes("queue:"), false);
  assertEquals(namesIn(`${world.paths.state}/queue`), []);
  assert(isFolder(`${world.paths.state}/queue`), "so that the next look costs less");
  assertEquals(readTextIfThere(`${world.hooks.dir}/started`), undefined);
});

Deno.test("a hook that cannot read the queue sends its wake and records the problem", async () => {
  await using world = await QueueWorld.create();
  world.add("first");
  Deno.writeTextFileSync(`${world.paths.state}/queue/${SESSION}/queue.json`, "{");
  await world.stop("p-1", "Done.");
  assertEquals(world.hooks.wakes().length, 1);
  const problems = world.hooks.journal().filter(({ kind }) => kind === "problem");
  assertMatch(String(problems[0]?.reason), /^Cannot change the queue: .*cannot be read/);
});

/** The socket that a queue has after a prompt in a session whose tmux is at `$TMUX`. */
async function socketAfter(before: string | undefined, tmux: string | undefined) {
  await using home = new TestHome();
  const { paths } = home;
  const place = { session: SESSION, agent_id: "warden", ...before && { socket: before } };
  const by = { by: "warden", by_kind: "agent" } as const;
  changeQueue(paths, SESSION, () => {
    return { queue: added(undefined, place, [{ text: "first" }], by, NOW).queue, value: undefined };
  });
  const reading = readEvent(JSON.stringify(fixtureEvent("user_prompt_submit")));
  if (reading.kind !== "event") throw new Error("not an event");
  const gate = { session: SESSION, pane: "%0", agent: agentOf() };
  const env = (name: string) => name === "TMUX" ? tmux : undefined;
  const context = contextFrom(gate, { event: reading.event, paths, env, leaveToShell() {} });
  await promptArrived(context, { by: "claude", by_kind: "claude" });
  return readQueue(paths, SESSION)?.socket;
}

Deno.test("a queue follows its session to another tmux server, and back to the default one", async () => {
  const [own, other] = ["/tmp/tmux-1000/own", "/tmp/tmux-1000/other"];
  assertEquals(await socketAfter(undefined, `${own},77,0`), own);
  assertEquals(await socketAfter(own, `${other},77,0`), other);
  assertEquals(await socketAfter(own, "/tmp/tmux-1000/default,77,0"), undefined);
  assertEquals(await socketAfter(own, undefined), own, "it is not known");
});
