import { assertEquals, assertNotEquals } from "@std/assert";
import { listPending, noteKeys, openPending } from "../lib/answers.ts";
import { answeredId } from "../lib/answered_id.ts";
import { askedIn, type Asking, claimAsking, noteAsking } from "../lib/questions.ts";
import { closePending } from "../lib/close_pending.ts";
import { type HookEvent, readEvent } from "../lib/events.ts";
import { namesIn } from "../lib/files.ts";
import type { Paths } from "../lib/paths.ts";
import { pendingFor } from "./support/driver_context.ts";
import { fixtureEvent, fixtureRequest } from "./support/fixtures.ts";
import { TestHome } from "./support/home.ts";
import { HookWorld, WARDEN } from "./support/hook_world.ts";
import { until } from "./support/until.ts";

const SESSION = "warden-main";

function eventOf(name: string, change: Record<string, unknown> = {}): HookEvent {
  const reading = readEvent(JSON.stringify({ ...fixtureEvent(name), ...change }));
  if (reading.kind !== "event") throw new Error(name);
  return reading.event;
}

function note(paths: Paths, id: string, now: number, change: Record<string, unknown> = {}): Asking {
  const asked = askedIn(eventOf("pre_tool_use-ask-single", { tool_use_id: `use ${id}` }));
  const asking = { ...asked, id, secret_sha256: "", wake_id: `wake ${id}`, ...change };
  noteAsking(paths, SESSION, asking, now);
  return asking;
}

const REQUEST = eventOf("permission_request-ask-single");

Deno.test("askedIn() reads the same before, beside and after the dialog", () => {
  for (const kind of ["single", "multi", "three"]) {
    const [before, beside, after] = ["pre_tool_use", "permission_request", "post_tool_use"].map(
      (name) => ({ ...askedIn(eventOf(`${name}-ask-${kind}`)), tool_use_id: "" }),
    );
    assertEquals([beside, after], [before, before], kind);
  }
});

Deno.test("claimAsking() gives each asking to one hook, the oldest first, and no other's", async () => {
  await using home = new TestHome();
  const { paths } = home;
  const [late, early] = [note(paths, "q-1", 2000), note(paths, "q-2", 1000)];
  note(paths, "q-3", 500, { prompt_id: "another turn" });
  note(paths, "q-4", 500, { claude_session_id: "another Claude" });
  note(paths, "q-5", 500, { questions: [{ ...late.questions[0]!, question: "Another?" }] });
  const claims = [1, 2, 3].map(() => claimAsking(paths, SESSION, REQUEST));
  assertEquals(claims, [early, late, undefined]);
});

Deno.test("answeredId() prefers the question that was given this answer, then that of the tool use", async () => {
  await using home = new TestHome();
  const { paths } = home;
  const answered = eventOf("post_tool_use-ask-single", { tool_use_id: "use q-1" });
  const find = () => answeredId(paths, SESSION, answered, { "Which?": "A" });
  assertEquals(find(), undefined);
  note(paths, "q-2", 1000);
  assertEquals(find(), "q-2", "the only one");
  note(paths, "q-1", 2000);
  assertEquals(find(), "q-1", "of this tool use");
  const { sessionId: claude_session_id, promptId: prompt_id } = REQUEST;
  const tool_input = REQUEST.fields.tool_input as Record<string, unknown>;
  const asked = { ...fixtureRequest("permission_request-ask-single"), tool_input };
  for (const id of ["q-1", "q-2"]) {
    claimAsking(paths, SESSION, REQUEST);
    openPending(paths, pendingFor("question", asked, { id, claude_session_id, prompt_id }));
  }
  assertEquals(find(), "q-1");
  const decision = { kind: "answers", answers: { "Which?": "A" }, annotations: {} } as const;
  noteKeys(paths, { session: SESSION, id: "q-2" }, { by: "", via: "keys", at: "", decision });
  assertEquals(find(), "q-2", "it was given this answer");
});

Deno.test("closePending() removes the askings of those that it closes", async () => {
  await using home = new TestHome();
  const { paths } = home;
  const left = () => namesIn(`${paths.state}/pending/${SESSION}`).map((name) => name.split(".")[4]);
  const own = note(paths, "q-1", 1);
  note(paths, "q-2", 2);
  note(paths, "q-3", 3, { prompt_id: "earlier" });
  note(paths, "q-4", 4, { claude_session_id: "other" });
  closePending(paths, SESSION, { id: "q-2" });
  assertEquals(left().sort(), ["q-1", "q-3", "q-4"]);
  const claude = own.claude_session_id;
  closePending(paths, SESSION, { kind: "question", but: own, claude });
  assertEquals(left().sort(), ["q-1", "q-4"]);
  closePending(paths, SESSION, { claude });
  assertEquals(left(), ["q-4"]);
  closePending(paths, SESSION, { claude: "other" });
  assertEquals(namesIn(`${paths.state}/pending`), []);
});

/** What is left by a PreToolUse hook that is killed at one place, and the hook beside the dialog. */
async function afterKilled(kill: (world: HookWorld) => void) {
  await using world = await HookWorld.create();
  await world.hook("pre_tool_use.ts", fixtureEvent("pre_tool_use-ask-single"));
  const told = /question_id: (\S+)/.exec(world.wakes()[0]!)![1]!;
  kill(world);
  const waiting = world.hook(
    ...["permission_request.ts", fixtureEvent("permission_request-ask-single")] as const,
  );
  const open = await until("the hook", () => listPending(world.paths, SESSION)[0]);
  const names = await until("a wake", () => {
    const all = world.wakes().map((wake) => /--question (\S+)\./.exec(wake)![1]!);
    return all.length > 0 ? all : undefined;
  });
  const session_id = open.claude_session_id;
  await world.hook("stop.ts", { ...fixtureEvent("stop-plain"), session_id });
  assertEquals((await waiting).code, 0);
  return { told, open: open.id, names };
}

const remove = (world: HookWorld, ...names: string[]) =>
  names.forEach((name) => Deno.removeSync(`${world.paths.state}/${name}`, { recursive: true }));

Deno.test("a question is reported once, wherever the hook before it was killed", async () => {
  const whole = await afterKilled(() => {});
  assertEquals(whole.names, [whole.told]);
  assertEquals(whole.open, whole.told);
  // After the wake was queued, before the session's memory and the journal.
  const queued = await afterKilled((world) => remove(world, "sessions", "journal"));
  assertEquals([queued.names, queued.open], [[queued.told], queued.told]);
  // After it was noted, before its wake was queued.
  const noted = await afterKilled((world) => remove(world, "sessions", "journal", "outbox"));
  assertEquals([noted.names, noted.open], [[noted.told], noted.told]);
  // Before anything.
  const none = await afterKilled((world) =>
    remove(world, "sessions", "journal", "outbox", "pending")
  );
  assertEquals(none.names, [none.open]);
  assertNotEquals(none.open, none.told);
});

Deno.test("a hook that runs twice for one question notes it once", async () => {
  await using world = await HookWorld.create({
    registry: { hook_settings: { dedup_mode: "lightweight" }, agents: [WARDEN] },
  });
  for (const _ of [1, 2]) {
    await world.hook("pre_tool_use.ts", fixtureEvent("pre_tool_use-ask-single"));
  }
  const [first, second] = world.wakes().map((wake) => /--question (\S+)/.exec(wake)![1]!);
  assertEquals(second, first!.split(".")[0], "the second does not know the secret");
  assertEquals(namesIn(`${world.paths.state}/pending/${SESSION}`).length, 1);
});
