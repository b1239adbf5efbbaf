/** The next step as the answer of the Stop hook: for sessions without the mod, beside a draft. */

import { assertEquals } from "@std/assert";
import { withBlock } from "../lib/queue_block.ts";
import { added } from "../lib/queue/step_list.ts";
import { writeAtomic } from "../lib/files.ts";
import { begun, toGive, withStep } from "../lib/step_giving.ts";
import { type Queue } from "../lib/steps.ts";
import { changeQueue, readQueue } from "../lib/steps_file.ts";
import { fixtureEvent, fixturePane } from "./support/fixtures.ts";
import { HookWorld } from "./support/hook_world.ts";

const SESSION = "warden-main";
const NOW = new Date("2026-11-17T12:00:00Z");
const EVENT = fixtureEvent("stop-plain");

function running(texts: string[], transcript: string): Queue {
  const by = { by: "warden", by_kind: "agent" } as const;
  const at = { session: SESSION, agent_id: "warden" };
  const { queue } = added(undefined, at, texts.map((text) => ({ text })), by, NOW);
  const giving = {
    ...{ instruction_id: "i", at: NOW.toISOString(), text: texts[0]!, claude_session_id: "" },
    ...{ transcript_path: transcript, position: 0 },
  };
  return begun(toGive(queue, 1, giving), 1, "p-1", NOW);
}

class BlockWorld {
  private constructor(readonly hooks: HookWorld, readonly transcript: string) {}

  static async create(screen: string, ...texts: string[]): Promise<BlockWorld> {
    const hooks = await HookWorld.create();
    const transcript = `${hooks.dir}/home/.claude/projects/p/t.jsonl`;
    Deno.writeTextFileSync(transcript, "");
    await hooks.server.show(await hooks.pane(SESSION), screen);
    const queue = running(texts, transcript);
    changeQueue(hooks.paths, SESSION, () => ({ queue, value: 0 }));
    return new BlockWorld(hooks, transcript);
  }

  async stop(words: string, more: Record<string, unknown> = {}): Promise<string> {
    const { stdout } = await this.hooks.hook("stop.ts", {
      ...EVENT,
      ...{ prompt_id: "p-1", transcript_path: this.transcript, last_assistant_message: words },
      ...more,
    });
    return stdout.trim();
  }

  /** As Claude Code does with a block. */
  feedback(text: string): void {
    const content = `Stop hook feedback:\n${text}`;
    const line = { type: "user", isMeta: true, promptId: "p-1", message: { content } };
    Deno.writeTextFileSync(this.transcript, `${JSON.stringify(line)}\n`, { append: true });
  }

  states(): string[] {
    return readQueue(this.hooks.paths, SESSION)!.steps.map(({ state }) => state);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.hooks[Symbol.asyncDispose]();
  }
}

const EMPTY = fixturePane("04-idle-default-mode");
const DRAFT = EMPTY.replace(/^❯.*$/m, "❯ half a thought");

Deno.test("Stop gives the next step beside a draft, and its own Stop ends it", async () => {
  await using world = await BlockWorld.create(DRAFT, "first", "second", "third");
  assertEquals(JSON.parse(await world.stop("one")), { decision: "block", reason: "second" });
  assertEquals(world.states(), ["done", "giving", "waiting"]);
  world.feedback("second");
  const next = await world.stop("two", { stop_hook_active: true });
  assertEquals(JSON.parse(next), { decision: "block", reason: "third" });
  assertEquals(world.states(), ["done", "done", "giving"]);
  const second = readQueue(world.hooks.paths, SESSION)?.steps[1];
  assertEquals(second?.result, "two");
  assertEquals(second?.began_at, second?.giving?.at);
  assertEquals(world.hooks.wakes(), []);
});

Deno.test("a step that the Stop hook could not give any more waits again", async () => {
  await using world = await BlockWorld.create(DRAFT, "first", "second");
  assertEquals(JSON.parse(await world.stop("one")).reason, "second");
  // The hook was killed before it answered; another hook sent the turn on.
  await world.hooks.server.show(await world.hooks.pane(SESSION), EMPTY);
  assertEquals(await world.stop("more", { stop_hook_active: true }), "");
  assertEquals(world.states(), ["done", "waiting"]);
});

const OTHERS: [name: string, screen: string, next: string, file?: string][] = [
  ["an empty box", EMPTY, "second"],
  ["a command", DRAFT, "/clear"],
  ["a mod", DRAFT, "second", `roads/${SESSION}.json`],
  ["a session that is paused", DRAFT, "second", `paused/${SESSION}.json`],
  ["a session that is taken", DRAFT, "second", `taken/${SESSION}.json`],
  ["a limit of spending that is reached", DRAFT, "second", `stopped/${SESSION}.json`],
  ["an agent that is paused", DRAFT, "second", "paused-agents/warden.json"],
];

for (const [name, screen, next, file] of OTHERS) {
  Deno.test(`Stop leaves the next step to the runner: ${name}`, async () => {
    await using world = await BlockWorld.create(screen, "first", next);
    if (file !== undefined) writeAtomic(`${world.hooks.paths.state}/${file}`, "{}");
    assertEquals([await world.stop("one"), world.states()], ["", ["done", "waiting"]]);
  });
}

Deno.test("withBlock() gives six steps in a row: Claude Code overrides the ninth block", () => {
  const texts = Array.from({ length: 9 }, (_, at) => `step ${at + 1}`);
  let queue = withStep(running(texts, ""), 1, { state: "done" });
  const event = { promptId: "p-1", sessionId: "", transcriptPath: "" };
  const context = { event, now: NOW } as unknown as Parameters<typeof withBlock>[1];
  let count = 0;
  for (let given; (given = withBlock(queue, context)) !== undefined; count++) {
    const { n } = given.step;
    queue = withStep(begun(given.queue, n, "p-1", NOW), n, { state: "done" });
  }
  assertEquals(count, 6);
});
