import { assertEquals, assertStringIncludes } from "@std/assert";
import { pressKey } from "../lib/driver/menu_key.ts";
import { clearThen, typeAtPrompt } from "../lib/driver/menu_prompt.ts";
import { isAnswerTaken, listPending, openPending } from "../lib/answers.ts";
import { type Closed, closePending } from "../lib/close_pending.ts";
import { driverContext, pendingFor } from "./support/driver_context.ts";
import { FakePane } from "./support/fake_pane.ts";
import { FakePrompt, type PromptOptions } from "./support/fake_prompt.ts";
import { fixturePane, fixtureRequest } from "./support/fixtures.ts";
import { TestHome } from "./support/home.ts";

/** Made up: no recording shows this dialog. */
const ASKS = `${"─".repeat(60)}
 Background work is running
 ❯ 1. Exit anyway
   2. Stay

 Esc to cancel`;
const ENDS = { sends: () => ({ ends: true as const }) };

function atPrompt(options: PromptOptions = {}) {
  const prompt = new FakePrompt(options);
  return { prompt, context: driverContext(prompt) };
}

for (const word of ["/exit", "exit", ":q", " exit", "  /quit "]) {
  Deno.test(`typeAtPrompt() says of ${word} that Claude Code has ended`, async () => {
    const { context, prompt } = atPrompt(ENDS);
    const said = `Typed "${word}": Claude Code has ended`;
    assertEquals(await typeAtPrompt(context, word, false), { kind: "done", said, via: "keys" });
    assertEquals(prompt.keys, ["Enter"], "no key goes to the shell behind it");
  });
}

Deno.test("typeAtPrompt() says when Claude Code asks before it leaves", async () => {
  const { context } = atPrompt({ sends: () => ({ screen: ASKS }) });
  const outcome = await typeAtPrompt(context, "exit", false);
  assertEquals(outcome.kind, "refused");
  assertStringIncludes(JSON.stringify(outcome), "has not ended; the present state is menu");
});

Deno.test("typeAtPrompt() does not take the end of Claude Code for an answer", async () => {
  const { context, prompt } = atPrompt(ENDS);
  const reason = "Claude Code has ended; gsd-code recover brings it back";
  assertEquals(await typeAtPrompt(context, "Go on", false), { kind: "refused", reason });
  assertEquals(prompt.keys, ["Enter"]);
});

Deno.test("typeAtPrompt() says Queued of what Claude reads later, Typed of the rest", async () => {
  const text = "Then the docs";
  const said = async (frame: string, queue: boolean, hint = "") => {
    const { context } = atPrompt({ frame, sends: () => ({ hint }) });
    const result = await typeAtPrompt(context, text, queue);
    return result.kind === "done" ? result.said : result.reason;
  };
  const idle = "04-idle-default-mode";
  // The turn does not show yet, but the empty box says so.
  const queued = "Press up to edit queued messages";
  assertEquals(await said("02-working", true), `Queued: "${text}" (with keys)`);
  assertEquals(await said(idle, true, queued), `Queued: "${text}" (with keys)`);
  assertEquals(await said(idle, true), `Typed "${text}" (with keys)`);
  assertEquals(await said(idle, false), `Typed "${text}" (with keys)`);
});

Deno.test("typeAtPrompt() waits for the end of a turn, and then types", async () => {
  const { prompt } = atPrompt();
  const idle = prompt.look.bind(prompt);
  const working = new FakePane(() => fixturePane("02-working"));
  prompt.look = () => prompt.clock.now() < 5000 ? working.look() : idle();
  const result = await typeAtPrompt(driverContext(prompt, { waitMs: 10_000 }), "Go on", false);
  assertEquals(result, { kind: "done", said: 'Typed "Go on" (with keys)', via: "keys" });
  assertEquals(prompt.clock.now(), 5000);
});

for (
  const [frame, reason] of [
    [
      "02-working",
      "Claude is still working (--queue types it now, and Claude reads it between two tool calls)",
    ],
    ["08-bash-mode", "a person is typing there: wait, or tell your human"],
    ["10-ask-single", "a dialog is open (choose or answer it, or esc)"],
    ["15-ask-multi-review", "a dialog is open (submit it, or esc)"],
    ["30-permission-bash", "a dialog is open (allow, deny or choose, or esc)"],
    ["07-rewind-menu", "a dialog is open (esc closes it)"],
  ] as const
) {
  Deno.test(`typeAtPrompt() types nothing into ${frame}, and says what helps`, async () => {
    const pane = new FakePane(() => fixturePane(frame));
    const result = await typeAtPrompt(driverContext(pane), "Go on", false);
    assertEquals(result.kind, "refused");
    assertStringIncludes(JSON.stringify(result), `${reason}; the present state is`);
    assertEquals(pane.sent, []);
  });
}

Deno.test("typeAtPrompt() names no way out of a dialog that the agent may not take", async () => {
  const pane = new FakePane(() => fixturePane("v197-80-trust"));
  const context = { ...driverContext(pane), whyNoDecision: "it may not decide" };
  const result = await typeAtPrompt(context, "Go on", false);
  assertStringIncludes(JSON.stringify(result), "a dialog is open (a person answers it, or esc)");
});

Deno.test("typeAtPrompt() types nothing into an empty shell line, or where no prompt is", async () => {
  const shell = fixturePane("08-bash-mode").replace(/^(!\s)echo.*$/m, "$1");
  for (
    const [screen, reason] of [
      [shell, "the box is in shell mode (esc leaves it)"],
      ["$ ls", "the prompt is not ready"],
    ] as const
  ) {
    const pane = new FakePane(() => screen);
    assertStringIncludes(
      JSON.stringify(await typeAtPrompt(driverContext(pane), "Go on", false)),
      `${reason}; the present state is`,
    );
    assertEquals(pane.sent, []);
  }
});

Deno.test("typeAtPrompt() says what became of a text that it could not send", async () => {
  const said = async (options: PromptOptions, text = "Go on") => {
    const { context } = atPrompt(options);
    const result = await typeAtPrompt(context, text, false);
    return result.kind === "refused" ? result.reason : "";
  };
  assertEquals(
    await said(
      { offers: (draft) => draft === "" ? [] : [`  No commands match "${draft}"`] },
      "/no",
    ),
    'Claude Code has no command "/no"; nothing was sent',
  );
  assertEquals(
    await said({ delay: (input) => input === "Enter" ? "never" : 0 }),
    "Enter did not send it; it is still in the box; the present state is idle, with the draft " +
      '"Go on" in the box',
  );
});

Deno.test("typeAtPrompt() --dry-run counts a long text, and types nothing", async () => {
  const { prompt } = atPrompt();
  const context = driverContext(prompt, { dryRun: true });
  const said = async (text: string) => {
    const result = await typeAtPrompt(context, text, false);
    return result.kind === "done" ? result.said : result.reason;
  };
  assertEquals(await said("Go on"), 'Would type "Go on"');
  assertEquals(await said("a\nb"), "Would type 3 characters in 2 lines");
  assertEquals(await said("x".repeat(61)), "Would type 61 characters in 1 line");
  assertEquals(await clearThen(context, "x"), {
    kind: "done",
    said: 'Would clear, then type "x"',
  });
  assertEquals([prompt.keys, prompt.draft], [[], ""]);
});

Deno.test("typeAtPrompt() says that a queued /exit is queued, when Claude Code has not ended", async () => {
  const { context } = atPrompt({ frame: "02-working" });
  const result = await typeAtPrompt(context, "exit", true);
  assertEquals(result, { kind: "done", said: 'Queued: "exit" (with keys)', via: "keys" });
});

Deno.test("typeAtPrompt() takes a command by another of its names", async () => {
  const names = "  ❯ /exit (quit)                Exit the CLI";
  const { context, prompt } = atPrompt({
    ...ENDS,
    offers: (draft) => draft === "" ? [] : [names],
  });
  const result = await typeAtPrompt(context, "/quit", false);
  assertEquals(result.kind, "done", JSON.stringify(result));
  assertEquals(prompt.texts, ["/quit"]);
});

Deno.test("clearThen() repeats the text as it was given", async () => {
  const { context, prompt } = atPrompt();
  const text = "Fix THIS in README.md";
  const said = `Cleared the conversation, then typed "${text}" (with keys)`;
  assertEquals(await clearThen(context, text), { kind: "done", said, via: "keys" });
  assertEquals(prompt.texts, ["/clear", text]);
});

Deno.test("clearThen() says how far it came", async () => {
  const said = async (options: PromptOptions) => {
    const { context } = atPrompt(options);
    const result = await clearThen(context, "Go on");
    return result.kind === "refused" ? result.reason : "";
  };
  assertStringIncludes(
    await said({ frame: "02-working" }),
    "Claude is still working (wait for its wake); the present state is working",
  );
  assertEquals(await said(ENDS), "/clear failed: Claude Code has ended");
  assertStringIncludes(
    await said({ delay: (input, nth) => input === "paste" && nth === 2 ? "never" : 0 }),
    "the conversation is cleared, but the pasted text did not show",
  );
});

/** Before a key; until a key in a dialog has failed; until one at the prompt may have worked. */
const [OPENING, PATIENCE, AT_PROMPT] = [300, 10_000, 2000];

Deno.test("pressKey() presses once, and says when nothing came of it", async () => {
  const pressesAt = async (name: string, key: "Enter" | "Escape") => {
    const pane = new FakePane(() => fixturePane(name));
    const { kind } = await pressKey(driverContext(pane), key);
    return [kind, pane.sent, pane.clock.now()];
  };
  const patience = OPENING + PATIENCE;
  assertEquals(await pressesAt("30-permission-bash", "Enter"), ["refused", ["Enter"], patience]);
  assertEquals(await pressesAt("55-resume-picker", "Enter"), ["refused", ["Enter"], patience]);
  assertEquals(await pressesAt("10-ask-single", "Escape"), ["refused", ["Escape"], patience]);
  // At the prompt a key may do what does not show.
  assertEquals(await pressesAt("02-working", "Escape"), ["done", ["Escape"], OPENING + AT_PROMPT]);
});

Deno.test("pressKey() waits for the key's effect while the screen above moves on", async () => {
  await using home = new TestHome();
  openPending(home.paths, pendingFor("permission", fixtureRequest("permission_request-bash")));
  const said = async (before: string, moved: (frame: string) => string) => {
    const pane = new FakePane((sent, ms) =>
      sent === ""
        ? fixturePane(before)
        : ms < OPENING + 500
        ? moved(fixturePane(before))
        : fixturePane("03-interrupted")
    );
    const result = await pressKey(driverContext(pane, { paths: home.paths }), "Escape");
    return result.kind === "done" ? result.said : result.reason;
  };
  const idle = "Pressed Escape: the present state is idle";
  // The mark of a tool call blinks, and a text grows.
  const blink = (frame: string) => frame.replace("● Creating", "  Creating");
  assertEquals(await said("30-permission-bash", blink), idle);
  assertEquals(listPending(home.paths, "warden-main"), []);
  assertEquals(await said("02-working", (frame) => `● More\n${frame}`), idle);
});

Deno.test("pressKey() presses nothing where the key has nothing to do, or must not", async () => {
  const refusal = async (frame: string, key: "Enter" | "Escape", more = {}) => {
    const pane = new FakePane(() => fixturePane(frame));
    const result = await pressKey(driverContext(pane, more), key);
    assertEquals(pane.sent, []);
    return result.kind === "refused" ? result.reason : result.said;
  };
  const idle = "the present state is idle";
  assertEquals(
    await refusal("01-idle-fresh", "Escape"),
    `there is nothing to escape from; ${idle}`,
  );
  assertEquals(await refusal("01-idle-fresh", "Enter"), `there is nothing to enter; ${idle}`);
  assertStringIncludes(
    await refusal("30-permission-bash", "Enter", { whyNoDecision: "it may not decide" }),
    "it may not decide; at this dialog (it allows a tool call) only snapshot and esc work",
  );
  assertEquals(
    await refusal("30-permission-bash", "Enter", { dryRun: true }),
    "Would press Enter",
  );
});

Deno.test("pressKey() journals a decision by Enter", async () => {
  await using home = new TestHome();
  const pane = new FakePane((sent) =>
    fixturePane(sent === "" ? "30-permission-bash" : "02-working")
  );
  const result = await pressKey(driverContext(pane, { paths: home.paths }), "Enter");
  assertEquals(result, {
    kind: "done",
    said: "Pressed Enter: the present state is working",
    via: "keys",
  });
  const [{ kind, by, via, decision }] = home.journal() as [Record<string, unknown>];
  assertEquals([kind, by, via], ["decided", "warden", "keys"]);
  const answers = { permission: "1. Yes" };
  assertEquals(decision, { kind: "answers", answers, annotations: {} });
});

Deno.test("pressKey() Escape closes what was asked on the screen, and nothing else", async () => {
  await using home = new TestHome();
  const asked = fixtureRequest("permission_request-ask-single");
  const bash = fixtureRequest("permission_request-bash");
  openPending(home.paths, pendingFor("question", asked));
  openPending(home.paths, pendingFor("permission", bash));
  const open = () => listPending(home.paths, "warden-main").map(({ id }) => id);
  const escape = async (before: string, after: string) => {
    const pane = new FakePane((sent) => fixturePane(sent === "" ? before : after));
    await pressKey(driverContext(pane, { paths: home.paths }), "Escape");
  };
  await escape("10-ask-single", "07-rewind-menu");
  assertEquals(open(), ["p-1", "q-1"], "another dialog came: nothing is known of the first");
  await escape("02-working", "03-interrupted");
  assertEquals(open(), ["p-1", "q-1"]);
  await escape("10-ask-single", "03-interrupted");
  assertEquals(open(), ["p-1"]);
  await escape("30-permission-bash", "03-interrupted");
  assertEquals(open(), []);
  const told = () =>
    home.journal().map(({ kind, question_id, by, outcome }) => [kind, question_id, by, outcome]);
  assertEquals(
    told(),
    [["answered", "q-1", "warden", "left"], ["decided", "p-1", "warden", "left"]],
  );
});

Deno.test("pressKey() Escape says beforehand whose key it is: the hook may be gone at once", async () => {
  await using home = new TestHome();
  const pending = pendingFor("question", fixtureRequest("permission_request-ask-single"));
  openPending(home.paths, pending);
  let closed: Closed | undefined;
  const pane = new FakePane((sent) => {
    // As the hook does that Claude Code ends.
    if (sent !== "") closed ??= closePending(home.paths, "warden-main", { id: "q-1" })[0];
    return fixturePane(sent === "" ? "10-ask-single" : "03-interrupted");
  });
  await pressKey(driverContext(pane, { paths: home.paths }), "Escape");
  assertEquals([closed?.by, closed?.who], ["keys", "warden"]);
  assertEquals(home.journal().map(({ by, outcome }) => [by, outcome]), [["warden", "left"]]);
});

Deno.test("pressKey() Escape that changes nothing claims nothing", async () => {
  await using home = new TestHome();
  const pending = pendingFor("question", fixtureRequest("permission_request-ask-single"));
  openPending(home.paths, pending);
  const pane = new FakePane(() => fixturePane("10-ask-single"));
  await pressKey(driverContext(pane, { paths: home.paths }), "Escape");
  assertEquals(isAnswerTaken(home.paths, pending), false);
  assertEquals(home.journal(), []);
});
