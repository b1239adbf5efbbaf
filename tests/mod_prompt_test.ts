import { assertEquals, assertStringIncludes } from "@std/assert";
import type { ModOrder } from "../lib/companion/mod_messages.ts";
import { pressKey } from "../lib/driver/menu_key.ts";
import { clearThen, typeAtPrompt } from "../lib/driver/menu_prompt.ts";
import type { ModRoad, ModState, RoadAnswer } from "../lib/driver/mod_road.ts";
import { noteEscape } from "../lib/own_escape.ts";
import { TestHome } from "./support/home.ts";
import { driverContext } from "./support/driver_context.ts";
import { FakePrompt } from "./support/fake_prompt.ts";

const IDLE = "04-idle-default-mode";
const WORKING = "02-working";
const DONE: RoadAnswer = { kind: "done", value: {} };
const ROAD = { session: "warden-main", pane: "%1", server: 1, pid: 2, claude_pid: 3 };

interface FakeMod {
  state?: ModState;
  /** What it answers; it is done otherwise. */
  answers?: Partial<Record<ModOrder["op"], RoadAnswer>>;
}

/** A mod, what it was ordered, and the prompt of the same session. */
function withMod({ state = { isBusy: false }, answers = {} }: FakeMod = {}, frame = IDLE) {
  const orders: ModOrder[] = [];
  let now = state;
  const mod: ModRoad = {
    road: { ...ROAD, socket: "", since: "" },
    order(order) {
      orders.push(order);
      if (order.op === "abort") now = { isBusy: false };
      const byDefault: RoadAnswer = order.op === "commands"
        ? {
          kind: "done",
          value: [{ name: "clear", source: "builtin" }, { name: "cost", source: "builtin" }, {
            name: "gsd:go",
            source: "user",
          }],
        }
        : { ...DONE, state: now } as RoadAnswer;
      return Promise.resolve(answers[order.op] ?? byDefault);
    },
    state: () => Promise.resolve(now),
  };
  const prompt = new FakePrompt({ frame });
  const context = driverContext(prompt, { mod });
  const ops = () => orders.map(({ op }) => op).filter((op) => op !== "draft");
  return { context, prompt, orders, ops };
}

async function said(acting: ReturnType<typeof typeAtPrompt>): Promise<string> {
  const result = await acting;
  return result.kind === "done" ? result.said : result.reason;
}

Deno.test("typeAtPrompt() gives the text to the mod, as the user's words, without a key", async () => {
  const { context, prompt, orders } = withMod();
  assertEquals(
    await said(typeAtPrompt(context, "Go on\u001b[201~", false)),
    'Typed "Go on\u001b[201~" (through the mod)',
  );
  assertEquals(orders.at(-1), {
    op: "submit",
    text: "Go on\u001b[201~",
    asUser: true,
    queue: false,
  });
  assertEquals(prompt.keys, []);
});

Deno.test("typeAtPrompt() gives it as the agent's words where the registry says so", async () => {
  const { context, orders } = withMod();
  await typeAtPrompt({ ...context, voice: "agent" }, "Go on", false);
  assertEquals(orders.at(-1), { op: "submit", text: "Go on", asUser: false, queue: false });
});

Deno.test("typeAtPrompt() queues while a turn runs, also where the screen does not show it", async () => {
  const { context, orders } = withMod({ state: { isBusy: true } });
  assertStringIncludes(await said(typeAtPrompt(context, "Go on", false)), "still working");
  assertEquals(
    await said(typeAtPrompt(context, "Go on", true)),
    'Queued: "Go on" (through the mod)',
  );
  assertEquals(orders.at(-1), { op: "submit", text: "Go on", asUser: true, queue: true });
});

Deno.test("typeAtPrompt() with --now ends the running turn first, and nothing where none runs", async () => {
  const busy = withMod({ state: { isBusy: true } }, WORKING);
  assertEquals(
    await said(typeAtPrompt(busy.context, "Stop", false, true)),
    'Typed "Stop" (through the mod)',
  );
  assertEquals(busy.ops(), ["abort", "submit"]);
  const idle = withMod();
  await typeAtPrompt(idle.context, "Go", false, true);
  assertEquals(idle.ops(), ["submit"]);
});

Deno.test("typeAtPrompt() uses keys where the mod does not answer, and does not do it twice", async () => {
  for (const kind of ["closed", "unsure"] as const) {
    const silent = withMod({ answers: { draft: { kind, reason: "gone" } } });
    assertEquals(
      await said(typeAtPrompt(silent.context, "Go on", false)),
      'Typed "Go on" (with keys)',
    );
    assertEquals(silent.ops(), []);
  }
  const unsure = withMod({
    answers: { submit: { kind: "unsure", reason: "the mod did not answer" } },
  });
  assertStringIncludes(
    await said(typeAtPrompt(unsure.context, "Go on", false)),
    "may have been done",
  );
  assertEquals(unsure.prompt.keys, []);
  const forced = withMod({ answers: { draft: { kind: "closed", reason: "gone" } } });
  const result = await said(typeAtPrompt({ ...forced.context, road: "mod" }, "Go on", false));
  assertEquals(result, "the mod does not answer: gone");
  assertEquals(forced.prompt.keys, []);
});

Deno.test("typeAtPrompt() says that a person has stopped the session, and since when", async () => {
  const stopped: RoadAnswer = {
    kind: "refused",
    reason: "the session was stopped and nobody has sent input since",
  };
  const stoppedAt = Date.parse("2026-11-17T14:02:30Z");
  const known = withMod({ state: { isBusy: false, stoppedAt }, answers: { submit: stopped } });
  const sentence = "a person stopped this session at 14:02 UTC and has typed nothing since; " +
    "wait for that person, or use --road keys";
  assertEquals(await said(typeAtPrompt(known.context, "Go on", false)), sentence);
  assertEquals(known.prompt.keys, []);
  const unknown = withMod({ answers: { submit: stopped } });
  assertEquals(
    await said(typeAtPrompt(unknown.context, "Go on", false)),
    sentence.replace(" at 14:02 UTC", ""),
  );
});

Deno.test("typeAtPrompt() takes the keys after the agent's own esc at a dialog", async () => {
  await using home = new TestHome();
  const reason = "the session was stopped and nobody has sent input since";
  const { context, ops } = withMod({ answers: { submit: { kind: "refused", reason } } });
  noteEscape(home.paths, context.session, Date.now());
  const own = { ...context, paths: home.paths };
  assertEquals(await said(typeAtPrompt(own, "Go on", false)), 'Typed "Go on" (with keys)');
  assertEquals(ops(), ["submit"]);
});

Deno.test("typeAtPrompt() runs a command that opens no dialog by the mod, others with keys", async () => {
  const quiet = withMod();
  assertEquals(
    await said(typeAtPrompt(quiet.context, "/clear", false)),
    'Typed "/clear" (through the mod)',
  );
  assertEquals(quiet.orders.at(-1), { op: "command", command: "clear", args: "" });
  await typeAtPrompt(quiet.context, "/gsd:go on\nnow", false);
  assertEquals(quiet.orders.at(-1), { op: "command", command: "gsd:go", args: "on\nnow" });
  const loud = withMod();
  await typeAtPrompt({ ...loud.context, road: "mod" }, "/cost", false);
  assertEquals(loud.ops(), ["commands"]);
  const path = withMod();
  await typeAtPrompt(path.context, "/tmp/x is full", false);
  assertEquals(path.ops(), ["submit"]);
});

Deno.test("typeAtPrompt() uses keys for a path that the mod cannot give", async () => {
  const reason = "a text that begins with a slash cannot go this way";
  const { context } = withMod({ answers: { submit: { kind: "refused", reason } } });
  const text = "/tmp/x is full";
  assertEquals(await said(typeAtPrompt(context, text, false)), `Typed "${text}" (with keys)`);
});

Deno.test("clearThen() clears by the mod, and then gives the text", async () => {
  const { context, orders, ops } = withMod();
  assertEquals(
    await said(clearThen(context, "Go on")),
    'Cleared the conversation, then typed "Go on" (through the mod)',
  );
  assertEquals(ops(), ["command", "submit"]);
  assertEquals(orders.find(({ op }) => op === "command"), {
    op: "command",
    command: "clear",
    args: "",
  });
});

Deno.test("pressKey() interrupts by the mod while a turn runs, and says what is then shown", async () => {
  const { context, prompt, ops } = withMod({ state: { isBusy: true } }, WORKING);
  const idle = new FakePrompt({ frame: IDLE });
  const working = prompt.look.bind(prompt);
  // Claude Code draws the end a little later.
  const drawnAt = prompt.clock.now() + 900;
  prompt.look = () => prompt.clock.now() < drawnAt ? working() : idle.look();
  assertEquals(
    await said(pressKey(context, "Escape")),
    "Interrupted the turn (through the mod): the present state is idle",
  );
  assertEquals([ops(), prompt.keys], [["abort"], []]);
});

Deno.test("typeAtPrompt() does not call a turn idle that a draft hides", async () => {
  const { context, prompt, ops } = withMod({ state: { isBusy: true } });
  prompt.draft = "half a thought";
  assertStringIncludes(
    await said(typeAtPrompt(context, "hello", false)),
    'the present state is working, with the draft "half a thought"',
  );
  assertEquals([ops(), prompt.keys], [[], []]);
});
