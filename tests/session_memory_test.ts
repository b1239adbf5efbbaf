import { assertEquals } from "@std/assert";
import { readJournal } from "../lib/journal_read.ts";
import type { HookContext } from "../lib/hook_context.ts";
import { memoryFile, readMemory, type SessionMemory, withEvent } from "../lib/session_memory.ts";
import { fixtureEvent } from "./support/fixtures.ts";
import { HookWorld, WARDEN } from "./support/hook_world.ts";

Deno.test("the SessionStart hook remembers /clear also for an agent that cannot be woken", async () => {
  await using world = await HookWorld.create({
    registry: { agents: [{ ...WARDEN, openclaw_session_key: "" }] },
  });
  const event = fixtureEvent("session_start-clear");
  assertEquals((await world.hook("session_start.ts", event)).code, 0);
  const { claude_session_id } = readMemory(world.paths, "warden-main");
  assertEquals(claude_session_id, (event as { session_id: string }).session_id);

  // No agent is woken, and the journal says so.
  assertEquals((await world.hook("stop.ts", fixtureEvent("stop-plain"))).code, 0);
  assertEquals(world.wakes(), []);
  const kinds = [...readJournal(world.paths, "warden-main")].map(({ kind }) => kind);
  assertEquals(kinds, ["problem", "problem"]);

  const end = { ...fixtureEvent("session_end-prompt_input_exit"), session_id: claude_session_id };
  await world.hook("session_end.ts", end);
  assertEquals(readMemory(world.paths, "warden-main").ended, "prompt_input_exit");
});

Deno.test("readMemory() reads the reason of an end, and an end of earlier versions without one", async () => {
  await using world = await HookWorld.create();
  const file = memoryFile(world.paths, "warden-main");
  Deno.mkdirSync(file.slice(0, file.lastIndexOf("/")), { recursive: true });
  const table: [unknown, string][] = [
    ["logout", "logout"],
    [true, "unknown"],
    [false, ""],
    [undefined, ""],
  ];
  for (const [ended, expected] of table) {
    Deno.writeTextFileSync(file, JSON.stringify({ said: [], ended }));
    assertEquals(readMemory(world.paths, "warden-main").ended, expected);
  }
});

/** The memory after an event at the time 0. */
function after(world: HookWorld, before: SessionMemory, name: string): SessionMemory {
  const event = { name, sessionId: "", transcriptPath: "", cwd: "", promptId: "", fields: {} };
  const context = {
    ...{ event, paths: world.paths, session: "warden-main", agent: { agent_id: "warden" } },
    ...{ now: new Date(0), env: () => undefined },
  };
  return withEvent(before, context as unknown as HookContext);
}

Deno.test("withEvent() lets no event of our own bring a session back that was left", async () => {
  await using world = await HookWorld.create();
  const left = "prompt_input_exit";
  const ended_at = "1969-07-20T20:17:40.000Z";
  const before = { ...readMemory(world.paths, "warden-main"), ended: left, ended_at };
  const ended = (name: string) => after(world, before, name).ended;
  assertEquals(["queue", "interrupted", "SessionStart", "Stop"].map(ended), [left, left, "", ""]);
  const endedAt = (name: string) => after(world, before, name).ended_at;
  assertEquals(["queue", "SessionEnd"].map(endedAt), [ended_at, new Date(0).toISOString()]);
});

Deno.test("withEvent() takes no event of our own for a sign of Claude Code", async () => {
  await using world = await HookWorld.create();
  const empty = readMemory(world.paths, "warden-main");
  const [then, now] = ["1969-07-20T20:17:40.000Z", new Date(0).toISOString()];
  const updated = (name: string) => after(world, { ...empty, updated_at: then }, name).updated_at;
  assertEquals(["queue", "lost", "SessionEnd", "Stop"].map(updated), [then, then, now, now]);
  assertEquals(after(world, empty, "queue").updated_at, now, "what is new has a time");
});

Deno.test("withEvent() keeps an end that came while an earlier event was handled", async () => {
  await using world = await HookWorld.create();
  const ended = "prompt_input_exit";
  const left = { ...readMemory(world.paths, "warden-main"), ended };
  const [earlier, later] = ["1969-07-20T20:17:40.000Z", "1970-01-01T00:00:00.001Z"];
  const memory = (name: string, updated_at: string) => {
    const { ended, updated_at: at } = after(world, { ...left, updated_at }, name);
    return [ended, at];
  };
  assertEquals(memory("Stop", later), [ended, later]);
  assertEquals(memory("Stop", earlier), ["", new Date(0).toISOString()]);
  assertEquals(memory("SessionStart", later), ["", new Date(0).toISOString()]);
});

Deno.test("withEvent() takes an event for a sign of Claude Code, also when the clock was set back", async () => {
  await using world = await HookWorld.create();
  const updated_at = new Date(Date.now() + 3_600_000).toISOString();
  const before = { ...readMemory(world.paths, "warden-main"), updated_at };
  const updated = (name: string) => after(world, before, name).updated_at;
  const now = new Date(0).toISOString();
  assertEquals(["SessionEnd", "Stop", "lost"].map(updated), [now, now, updated_at]);
});
