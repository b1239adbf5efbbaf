import { assertEquals } from "@std/assert";
import { isOurs, typeText } from "../lib/driver/typing.ts";
import { FakePrompt, type PromptOptions } from "./support/fake_prompt.ts";
import { fixturePane } from "./support/fixtures.ts";

/** How long is waited: for the pasted text, for Enter's effect, for offers, for a refusal. */
const [SHOWN, SENT, OFFERED, REFUSED] = [10_000, 8000, 1500, 1500];
/** Between two looks. */
const LOOK = 40;
const COMMANDS = [
  "  ❯ /clear                      Start a new session with empty context",
  "    /compact                    Free up context",
];

async function typed(text: string, options: PromptOptions = {}) {
  const prompt = new FakePrompt(options);
  const result = await typeText(prompt, text);
  return {
    kind: result.kind,
    reason: result.kind === "sent" ? "" : result.reason,
    keys: prompt.keys.join(" "),
    texts: prompt.texts,
    draft: prompt.draft,
    ms: prompt.clock.now(),
  };
}

const FINE = { kind: "sent", reason: "", keys: "Enter", draft: "", ms: 0 };

for (
  const [name, text] of [
    ["one line", "Run the tests"],
    ["three lines", "first\n\nthird"],
    ["a long text that is only named", "word ".repeat(300).trim()],
    ["many lines that are only named", "a\nb\nc\nd\ne"],
    ["a path that begins like a command", "/tmp/a is where it is"],
    ["a text that ends with what only looks like a name", "mail a@b"],
  ] as const
) {
  Deno.test(`typeText() sends ${name} as it is, with one Enter`, async () => {
    const { ms: _, ...sent } = await typed(text);
    assertEquals(sent, { ...withoutTime(FINE), texts: [text] });
  });
}

function withoutTime<T extends { ms: number }>({ ms: _, ...rest }: T): Omit<T, "ms"> {
  return rest;
}

Deno.test("typeText() presses Enter only once the text shows", async () => {
  const late = { delay: (input: string) => input === "paste" ? 3000 : 0 };
  assertEquals(await typed("Go on", late), { ...FINE, texts: ["Go on"], ms: 3000 });
});

Deno.test("typeText() presses no Enter while the box stays empty", async () => {
  assertEquals(await typed("Go on", { delay: () => "never" }), {
    kind: "unsure",
    reason: "the pasted text did not show, and may still appear: look with snapshot",
    keys: "",
    texts: [],
    draft: "",
    ms: SHOWN,
  });
});

Deno.test("typeText() empties a box that shows another text, and sends nothing", async () => {
  const other = new FakePrompt();
  await other.paste("somebody writes this at the very same moment, and then goes on and on");
  const result = await typeText(other, "Go on");
  assertEquals(result, {
    kind: "refused",
    reason:
      'the box showed something else: "somebody writes this at the very same moment, and then goes …"',
  });
  assertEquals([other.draft, other.keys, other.texts], ["", ["C-u"], []]);
});

Deno.test("typeText() empties a box of several lines line by line", async () => {
  const other = new FakePrompt();
  await other.paste("one\ntwo");
  const result = await typeText(other, "\nthree");
  assertEquals(
    result.kind === "sent" || result.reason,
    'the box showed something else: "one\ntwo\nthree"',
  );
  assertEquals([other.draft, other.keys], ["", ["C-u", "C-u", "C-u", "C-u", "C-u"]]);
});

Deno.test("typeText() stops emptying a box that takes no key", async () => {
  const stubborn = new FakePrompt({ delay: (input) => input === "C-u" ? "never" : 0 });
  await stubborn.paste("other ");
  assertEquals((await typeText(stubborn, "text")).kind, "refused");
  assertEquals(stubborn.keys.filter((key) => key === "C-u").length, 3);
  assertEquals(stubborn.texts, []);
});

Deno.test("typeText() presses Enter again when the first was lost, and not a third time", async () => {
  const first = {
    delay: (input: string, nth: number) => input === "Enter" && nth === 1 ? "never" : 0,
  } as const;
  assertEquals(await typed("Go on", first), {
    ...FINE,
    keys: "Enter Enter",
    texts: ["Go on"],
    ms: SENT,
  });
  const all = { delay: (input: string) => input === "Enter" ? "never" : 0 } as const;
  assertEquals(await typed("Go on", all), {
    kind: "unsure",
    reason: "Enter did not send it; it is still in the box",
    keys: "Enter Enter",
    texts: [],
    draft: "Go on",
    ms: 2 * SENT,
  });
});

Deno.test("typeText() does not press Enter again while the first may only be late", async () => {
  const late = { delay: (input: string) => input === "Enter" ? SENT - LOOK : 0 };
  assertEquals(await typed("Go on", late), { ...FINE, texts: ["Go on"], ms: SENT - LOOK });
});

Deno.test("typeText() presses no Enter on a screen that it cannot read", async () => {
  const garbled = { sends: () => ({ screen: "? ? ?" }) };
  assertEquals(await typed("Go on", garbled), {
    kind: "unsure",
    reason: "Enter was pressed, but the screen cannot be read: look with snapshot",
    // C-l has Claude Code draw its screen anew.
    keys: "Enter C-l C-l C-l C-l C-l",
    texts: ["Go on"],
    draft: "",
    ms: SENT,
  });
});

Deno.test("typeText() has a screen in disorder drawn anew, and sees that the text was sent", async () => {
  const prompt = new FakePrompt();
  const look = prompt.look.bind(prompt);
  const isInOrder = () => prompt.texts.length === 0 || prompt.keys.includes("C-l");
  prompt.look = async () => {
    const screen = await look();
    return isInOrder() ? screen : { state: "unknown", ready: false, draft: "", text: "? ? ?" };
  };
  assertEquals((await typeText(prompt, "Go on")).kind, "sent");
  assertEquals(prompt.keys, ["Enter", "C-l"]);
});

Deno.test("typeText() presses no second Enter where Claude Code has ended behind its last screen", async () => {
  const prompt = new FakePrompt({ delay: (input) => input === "Enter" ? "never" : 0 });
  prompt.hasEnded = () => Promise.resolve(prompt.keys.includes("Enter"));
  assertEquals((await typeText(prompt, "exit")).kind, "ended");
  assertEquals(prompt.keys, ["Enter"]);
});

Deno.test("typeText() says when Claude Code has ended", async () => {
  const ended = await typed("/exit", { sends: () => ({ ends: true }) });
  assertEquals([ended.kind, ended.reason, ended.keys], ["ended", "Claude Code has ended", "Enter"]);
});

Deno.test("typeText() moves the cursor off a trailing backslash before Enter", async () => {
  assertEquals(await typed("C:\\"), { ...FINE, keys: "C-a Enter", texts: ["C:\\"] });
});

Deno.test("typeText() closes a list of names before Enter, which would take one", async () => {
  const offers = (draft: string) => draft === "ask @" ? ["  ❯ * Plan (agent) – plans"] : [];
  assertEquals(await typed("ask @", { offers }), {
    ...FINE,
    keys: "Escape Enter",
    texts: ["ask @"],
  });
  // None is offered.
  assertEquals(await typed("ask @"), { ...FINE, texts: ["ask @"], ms: OFFERED + 20 });
});

Deno.test("typeText() waits longer for a list of names where the text was slow to show", async () => {
  const prompt: FakePrompt = new FakePrompt({
    delay: (input) => input === "paste" ? 400 : 0,
    offers: (draft) => draft === "ask @" && prompt.clock.now() > 3000 ? ["  ❯ * Plan (agent)"] : [],
  });
  assertEquals((await typeText(prompt, "ask @")).kind, "sent");
  assertEquals([prompt.keys, prompt.texts], [["Escape", "Enter"], ["ask @"]]);
  assertEquals(prompt.clock.now() < 4000 + 2 * LOOK, true);
});

Deno.test("typeText() sends a command only when it is the one that Enter would take", async () => {
  const offers = (draft: string) => draft === "" ? [] : COMMANDS;
  const fine = await typed("/clear", { offers });
  assertEquals(fine, { ...FINE, texts: ["/clear"] });
  assertEquals(await typed("/cle", { offers }), {
    kind: "refused",
    reason: 'Claude Code has no command "/cle" (it would take /clear)',
    keys: "C-u",
    texts: [],
    draft: "",
    ms: 0,
  });
});

Deno.test("typeText() refuses a command that none of those offered matches", async () => {
  const offers = (draft: string) => draft === "" ? [] : [`  No commands match "${draft}"`];
  const none = await typed("/nosuch", { offers });
  assertEquals([none.kind, none.reason], ["refused", 'Claude Code has no command "/nosuch"']);
  assertEquals([none.draft, none.texts], ["", []]);
});

Deno.test("typeText() says when Claude Code refuses a command with words behind it", async () => {
  const sends = () => ({ line: "● Unknown command: /nosuch" });
  const refused = await typed("/nosuch now", { sends });
  assertEquals(refused.kind, "unsure");
  assertEquals(refused.reason, 'Claude Code refused it: it has no command "/nosuch"');
});

Deno.test("typeText() says when Claude Code refuses a command for which it has offered none", async () => {
  const sends = () => ({ line: "● Unknown command: /exitt. Did you mean /exit?" });
  const refused = await typed("/exitt", { sends });
  assertEquals(refused.kind, "unsure");
  assertEquals(refused.reason, 'Claude Code refused it: it has no command "/exitt"');
});

Deno.test("typeText() waits for no refusal of a command that has opened a dialog", async () => {
  const fine = await typed("/model", { sends: () => ({ screen: fixturePane("07-rewind-menu") }) });
  assertEquals([fine.kind, fine.ms], ["sent", OFFERED + 20]);
});

Deno.test("typeText() takes no earlier refusal for one of this command", async () => {
  const prompt = new FakePrompt({
    sends: (text) => text === "/new now" ? { line: "● Unknown command: /new" } : {},
  });
  assertEquals((await typeText(prompt, "/new now")).kind, "unsure");
  const from = prompt.clock.now();
  assertEquals((await typeText(prompt, "/new then")).kind, "sent");
  assertEquals(prompt.clock.now() - from, REFUSED + 20);
});

for (const text of ["!", "!important: do not run this", "!first\nsecond"]) {
  Deno.test(`typeText() sends ${JSON.stringify(text)} as a prompt, not to a shell`, async () => {
    const { kind, keys, texts } = await typed(text);
    assertEquals([kind, keys, texts], ["sent", "C-a C-d C-e Enter", [text]]);
  });
}

Deno.test("typeText() begins again when a text with ! came out wrong", async () => {
  const lost = {
    delay: (input: string, nth: number) => input === "C-d" && nth === 1 ? "never" : 0,
  } as const;
  const { kind, keys, texts } = await typed("!x", lost);
  assertEquals([kind, keys, texts], ["sent", "C-a C-d C-e C-u C-a C-d C-e Enter", ["!x"]]);
});

Deno.test("typeText() gives a text with ! up after three attempts, and sends nothing", async () => {
  const lost = { delay: (input: string) => input === "C-a" ? "never" : 0 } as const;
  const { kind, keys, texts, draft } = await typed("!x", lost);
  assertEquals([kind, texts, draft], ["unsure", [], ""]);
  assertEquals(keys, Array(3).fill("C-a C-d C-e C-u").join(" "));
});

for (
  const [name, typed, drawn] of [
    ["a skin tone", "ok 👍🏽", "ok 👍"],
    ["an accent of its own", "cafe\u0301", "café"],
    ["Hindi", "नमस्ते दुनिया", "नमसत दनय"],
    ["Hangul in parts", "\u1112\u1161\u11ab", "한"],
    ["a soft hyphen", "so\u00adft", "soft"],
    ["a blank without width", "zero\u200bwidth", "zerowidth"],
    ["an emoji of several", "👨‍👩‍👧 here", "👨👩👧 here"],
    ["a sign that is drawn as an emoji", "⚠️ careful", "⚠ careful"],
  ] as const
) {
  Deno.test(`isOurs() knows a text with ${name} as a terminal draws it`, () => {
    const screen = { state: "idle" as const, ready: true, draft: drawn, text: "" };
    assertEquals(isOurs(screen, typed), true);
    assertEquals(isOurs(screen, `${typed}!`), false);
  });
}

Deno.test("isOurs() knows a text by all of it, by a long part, or by its name", () => {
  const screen = (draft: string) => ({ state: "idle" as const, ready: true, draft, text: "" });
  const long = "word ".repeat(60);
  assertEquals(isOurs(screen("Go  on"), "Go on"), true);
  assertEquals(isOurs(screen("Go"), "Go on"), false);
  assertEquals(isOurs(screen(""), "Go on"), false);
  assertEquals(isOurs(screen(long.slice(100, 250)), long), true);
  assertEquals(isOurs(screen(long.slice(0, 100)), long), false);
  assertEquals(isOurs(screen("[Pasted text #3 +20 lines]"), long), true);
});
