import { assertEquals, assertStringIncludes } from "@std/assert";
import { clearThen, typeAtPrompt } from "../lib/driver/menu_prompt.ts";
import { readScreen } from "../lib/pane.ts";
import { pathsFrom } from "../lib/paths.ts";
import { FakeClock } from "./support/fake_clock.ts";
import { fixturePane } from "./support/fixtures.ts";

const RULE = "─".repeat(60);
const IDLE = "  ? for shortcuts";
const WORKING = "  ⏵⏵ auto mode on (shift+tab to cycle) · esc to interrupt";
const ASKS = [
  RULE,
  " Background work is running",
  " ❯ 1. Exit anyway",
  "   2. Stay",
  "",
  " Esc to cancel",
];

/** Claude Code with a box that takes what is pasted, and does `entered` with what is sent. */
function claude(
  entered: (text: string) => "goes on" | "ends" | "asks",
  footer = IDLE,
  isLate = false,
) {
  let draft = "", left: string[] | undefined;
  const sent: string[] = [];
  const pressed: string[] = [];
  const pane = {
    id: "%0",
    look: () => {
      const ghost = sent.length > 0 && isLate ? "Press up to edit queued messages" : "";
      const text = (left ?? [RULE, `❯ ${draft || ghost}`, RULE, footer]).join("\n");
      return Promise.resolve({ ...readScreen(text), text });
    },
    paste: (text: string) => Promise.resolve(void (draft += text)),
    press: (...keys: string[]) => {
      pressed.push(...keys);
      if (keys[0] !== "Enter") return Promise.resolve();
      const what = entered(draft);
      sent.push(draft);
      draft = "";
      if (what === "ends") left = ["$ "];
      if (what === "asks") left = ASKS;
      return Promise.resolve();
    },
    hasEnded: () => Promise.resolve(left?.[0] === "$ "),
    clock: new FakeClock(),
  };
  return { scene: { ...SCENE, pane }, sent, pressed };
}

const SCENE = {
  paths: pathsFrom((name) => name === "GSD_STATE_DIR" ? "/nowhere" : undefined, "/"),
  session: "warden-main",
  agentId: "warden",
  by: "warden",
  whyNoDecision: undefined,
  waitMs: 0,
  dryRun: false,
  now: () => new Date(),
  isWaiting: () => false,
};

for (const word of ["/exit", "exit", ":q"]) {
  Deno.test(`typeAtPrompt() says of ${word} that Claude Code has ended`, async () => {
    const { scene, pressed } = claude(() => "ends");
    const said = `Typed "${word}": Claude Code has ended`;
    assertEquals(await typeAtPrompt(scene, word, false), { kind: "done", said, via: "keys" });
    assertEquals(pressed, ["Enter"], "no key goes to the shell behind it");
  });
}

Deno.test("typeAtPrompt() says when Claude Code asks before it leaves", async () => {
  const { scene } = claude(() => "asks");
  const outcome = await typeAtPrompt(scene, "exit", false);
  assertEquals(outcome.kind, "refused");
  assertStringIncludes(JSON.stringify(outcome), "has not ended; the present state is menu");
});

Deno.test("typeAtPrompt() does not take the end of Claude Code for an answer", async () => {
  const { scene, pressed } = claude(() => "ends");
  const reason = "Claude Code has ended; deno task recover brings it back";
  assertEquals(await typeAtPrompt(scene, "Go on", false), { kind: "refused", reason });
  assertEquals(pressed, ["Enter"]);
});

Deno.test("typeAtPrompt() says Queued of what is read after this turn, Typed of the rest", async () => {
  const text = "Then the Docs";
  const said = async (footer: string, queue: boolean, isLate = false) => {
    const outcome = await typeAtPrompt(claude(() => "goes on", footer, isLate).scene, text, queue);
    return outcome.kind === "done" ? outcome.said : outcome.reason;
  };
  assertEquals(await said(WORKING, true), `Queued: "${text}"`);
  assertEquals(await said(IDLE, true, true), `Queued: "${text}"`, "the turn did not show yet");
  assertEquals(await said(IDLE, true), `Typed "${text}"`);
  assertEquals(await said(IDLE, false), `Typed "${text}"`);
});

Deno.test("typeAtPrompt() takes a command by another of its names", async () => {
  const { scene, sent } = claude(() => "goes on");
  const offers = fixturePane("v197-94-slash-alias");
  const offered = { ...readScreen(offers), text: offers };
  const { look } = scene.pane;
  const isTyped = async () => (await look()).draft === "/quit";
  const pane = { ...scene.pane, look: async () => await isTyped() ? offered : await look() };
  const ending = { ...pane, hasEnded: () => Promise.resolve(sent.length > 0) };
  const outcome = await typeAtPrompt({ ...scene, pane: ending }, "/quit", false);
  assertEquals(outcome.kind, "done", JSON.stringify(outcome));
  assertEquals(sent, ["/quit"]);
});

Deno.test("clearThen() repeats the text as it was given", async () => {
  const { scene, sent } = claude(() => "goes on");
  const text = "Fix THIS in README.md";
  const said = `Cleared the conversation, then typed "${text}"`;
  assertEquals(await clearThen(scene, text), { kind: "done", said, via: "keys" });
  assertEquals(sent, ["/clear", text]);
});
