import { assert, assertEquals } from "@std/assert";
import { giveAnswer, type Given, listPending, openPending, type Pending } from "../lib/answers.ts";
import { heldRequests, type HoldAnswer } from "../lib/companion/held_requests.ts";
import { kindOfTool } from "../lib/decision_reply.ts";
import { contextFrom } from "../lib/hook_context.ts";
import { readRegistry } from "../lib/registry.ts";
import { pause } from "../lib/time.ts";
import { SECRET, SECRET_SHA256 } from "./support/driver_context.ts";
import { fixtureEvent } from "./support/fixtures.ts";
import { TestHome } from "./support/home.ts";
import { WARDEN } from "./support/hook_world.ts";
import { until } from "./support/until.ts";

const HOOK = 100;
const OURS = 200;

/** A companion's part, in a session without a tmux: its screen is never seen. */
function holding(home: TestHome, { waitMs = 20_000 } = {}) {
  const reading = readRegistry(JSON.stringify({ agents: [WARDEN] }));
  if (reading.kind !== "registry") throw new Error(reading.reason);
  const agent = reading.registry.agents[0]!;
  const place = { session: "warden-main", pane: "%0", agent };
  const env = (name: string) => home.env[name];
  const held = heldRequests({
    context: (event) =>
      Promise.resolve(
        contextFrom(place, { event, paths: home.paths, env, leaveToShell() {} }),
      ),
    now: Date.now,
    sleep: () => pause(5),
    pid: OURS,
    waitMs,
  });
  const pending = () => listPending(home.paths, "warden-main");
  const isHeld = () => until("it to be held", () => pending().some(({ pid }) => pid === OURS));
  return { held, pending, isHeld };
}

/** Opens what the event asks for, as a hook does that has left since. */
function open(home: TestHome, id: string, event: Record<string, unknown>): Pending {
  const tool = String(event.tool_name);
  const pending: Pending = {
    id,
    kind: kindOfTool(tool),
    session: "warden-main",
    claude_session_id: String(event.session_id),
    prompt_id: String(event.prompt_id),
    agent_id: "warden",
    tool,
    tool_input: event.tool_input as Record<string, unknown>,
    asked_at: `2026-11-17T14:00:0${id.slice(-1)}.000Z`,
    until: "2026-11-17T14:10:00.000Z",
    pid: HOOK,
    secret_sha256: SECRET_SHA256,
  };
  openPending(home.paths, pending);
  return pending;
}

function given(decision: Given["decision"], secret = SECRET): Given {
  return { by: "warden", via: "hook", at: new Date().toISOString(), decision, secret };
}

const QUESTION = fixtureEvent("permission_request-ask-single");
const BASH = fixtureEvent("permission_request-bash");
const ANSWERS = { kind: "answers", answers: { "Which?": "A" }, annotations: {} } as const;

function decisionOf(answer: HoldAnswer): unknown {
  return answer.kind === "decided" ? answer.decision : answer.kind;
}

Deno.test("heldRequests() hands on an answer after the hook has left", async () => {
  await using home = new TestHome();
  const { held, isHeld } = holding(home);
  const pending = open(home, "q-1", QUESTION);
  const asking = held.ask("h1", QUESTION);
  await isHeld();
  giveAnswer(home.paths, pending, given(ANSWERS));
  const { answers, annotations } = ANSWERS;
  const updatedInput = { ...pending.tool_input, answers, annotations };
  assertEquals(decisionOf(await asking), { behavior: "allow", updatedInput });
  // Asked again, because our answer got lost on its way.
  assertEquals(decisionOf(await held.ask("h1", QUESTION)), { behavior: "allow", updatedInput });
});

Deno.test("heldRequests() allows with the input that was asked for, not the masked one", async () => {
  await using home = new TestHome();
  const { held, isHeld, pending: all } = holding(home);
  const command = "curl -H 'Authorization: Bearer abcdefghijklmnop1234567890' https://example.com";
  const event = { ...BASH, tool_input: { command } };
  const pending = open(home, "p-1", event);
  assert(!JSON.stringify(all()).includes("abcdefghijklmnop"));
  const asking = held.ask("h1", event);
  await isHeld();
  giveAnswer(home.paths, pending, given({ kind: "allow" }));
  assertEquals(decisionOf(await asking), { behavior: "allow", updatedInput: { command } });
  assertEquals(all(), []);
});

Deno.test("heldRequests() takes no answer without the secret of its wake", async () => {
  await using home = new TestHome();
  const { held, isHeld } = holding(home);
  const pending = open(home, "p-1", BASH);
  const asking = held.ask("h1", BASH);
  await isHeld();
  giveAnswer(home.paths, pending, given({ kind: "allow" }, "guessed"));
  await until(
    "the refusal",
    () =>
      home.journal("warden-main").some(({ reason }) => String(reason).startsWith("refused answer")),
  );
  giveAnswer(home.paths, pending, given({ kind: "deny", message: "No" }));
  assertEquals(decisionOf(await asking), { behavior: "deny", message: "No" });
});

Deno.test("heldRequests() has the mod ask again after a while", async () => {
  await using home = new TestHome();
  const { held } = holding(home, { waitMs: 1 });
  open(home, "q-1", QUESTION);
  assertEquals(await held.ask("h1", QUESTION), { kind: "wait" });
  held.release("h1");
});

const none: [name: string, event: Record<string, unknown>][] = [
  ["nothing is open", BASH],
  ["another conversation asked", { ...QUESTION, session_id: "another" }],
  ["it was asked in another turn", { ...QUESTION, prompt_id: "another" }],
  ["the input is another", { ...QUESTION, tool_input: { questions: [] } }],
  ["there is no input", { ...QUESTION, tool_input: 7 }],
];
for (const [name, event] of none) {
  Deno.test(`heldRequests() leaves it to Claude Code when ${name}`, async () => {
    await using home = new TestHome();
    const { held, pending } = holding(home);
    open(home, "q-1", QUESTION);
    assertEquals(await held.ask("h1", event), { kind: "none" });
    assertEquals(pending().map(({ pid }) => pid), [HOOK]);
  });
}

Deno.test("heldRequests() holds two equal requests one each", async () => {
  await using home = new TestHome();
  const { held, pending } = holding(home);
  const [first, second] = [open(home, "p-1", BASH), open(home, "p-2", BASH)];
  const asking = [held.ask("h1", BASH), held.ask("h2", BASH)];
  await until("both to be held", () => pending().every(({ pid }) => pid === OURS));
  giveAnswer(home.paths, second, given({ kind: "deny", message: "Not this" }));
  assertEquals(decisionOf(await asking[1]!), { behavior: "deny", message: "Not this" });
  assertEquals(pending().map(({ id }) => id), [first.id]);
  giveAnswer(home.paths, first, given({ kind: "deny", message: "Nor that" }));
  assertEquals(decisionOf(await asking[0]!), { behavior: "deny", message: "Nor that" });
});

Deno.test("heldRequests() stops when Claude Code has closed the dialog", async () => {
  await using home = new TestHome();
  const { held, isHeld, pending } = holding(home);
  open(home, "q-1", QUESTION);
  const asking = held.ask("h1", QUESTION);
  await isHeld();
  held.release("h1");
  assertEquals(await asking, { kind: "none" });
  // PostToolUse will say who has answered; until then no hook waits for it.
  assertEquals(pending().map(({ pid }) => pid), [HOOK]);
});

Deno.test("heldRequests() closes a permission whose dialog is closed", async () => {
  await using home = new TestHome();
  const { held, isHeld, pending } = holding(home);
  open(home, "p-1", BASH);
  const asking = held.ask("h1", BASH);
  await isHeld();
  held.release("h1");
  assertEquals(await asking, { kind: "none" });
  assertEquals(pending(), []);
});
