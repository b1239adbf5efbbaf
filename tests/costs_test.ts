import { assertEquals } from "@std/assert";
import { writeAtomic } from "../lib/files.ts";
import { record } from "../lib/journal.ts";
import { presentTotals, type Total, withCosts } from "../lib/story/costs.ts";
import type { StoryLine } from "../lib/story/story_line.ts";
import { storyOf } from "../lib/story/read_story.ts";
import { changeMemory } from "../lib/session_memory.ts";
import { USAGE_ENDINGS } from "../lib/usage.ts";
import { TestHome } from "./support/home.ts";

const line = (kind: string, fields: StoryLine): StoryLine => ({ kind, session: "docs", ...fields });
const begins = line("session", { event: "SessionStart", source: "startup" });
const prompt = (prompt_id: string, total_usd?: number) => line("prompt", { prompt_id, total_usd });
const end = (prompt_id: string, fields: StoryLine = {}) =>
  line("queued", { trigger: "response_complete", prompt_id, ...fields });
const NOBODY = new Map<string, Total>();

const costs = (lines: StoryLine[], present = NOBODY) =>
  withCosts(lines, present).filter(({ kind }) => kind === "queued").map((one) => one.cost_usd);

Deno.test("withCosts() takes what the total has grown by from a prompt to the next", () => {
  const lines = [begins, prompt("a", 0), end("a"), prompt("b", 0.25), end("b"), prompt("c", 0.6)];
  assertEquals(costs(lines), [0.25, 0.35]);
});

Deno.test("withCosts() calls no turn free whose cost was reported too late", () => {
  const lines = [begins, prompt("a", 0), end("a"), prompt("b", 0), end("b"), prompt("c", 0.6)];
  assertEquals(costs(lines), [undefined, 0.6]);
});

Deno.test("withCosts() takes the end of Claude Code, a /clear and now for the last turn", () => {
  const turns = [begins, prompt("a"), end("a")];
  assertEquals(costs([...turns, line("queued", { trigger: "session_end", total_usd: 0.5 })]), [
    0.5,
    undefined,
  ]);
  const cleared = line("session", { event: "SessionEnd", reason: "clear", total_usd: 0.5 });
  const anew = line("session", { event: "SessionStart", source: "clear" });
  const next = [cleared, anew, prompt("b"), end("b"), prompt("c", 0.1)];
  assertEquals(costs([...turns, ...next]), [0.5, 0.1]);
  assertEquals(costs(turns, new Map([["docs", { usd: 0.7, prompt_id: "a", at: 0 }]])), [0.7]);
});

Deno.test("withCosts() knows what a turn cost before Claude Code was killed, if it then counts anew", () => {
  const back = line("session", { event: "SessionStart", source: "resume", total_usd: 0.5 });
  const turns = [begins, prompt("a"), end("a"), back, prompt("b", 0), end("b"), prompt("c", 0.2)];
  assertEquals(costs(turns), [0.5, 0.2]);
});

Deno.test("withCosts() invents nothing", () => {
  const cases: [string, StoryLine[], Map<string, Total>][] = [
    ["no reading", [begins, prompt("a"), end("a"), prompt("b")], NOBODY],
    ["nothing before it", [end("a"), prompt("b", 3)], NOBODY],
    ["a resumed conversation that counts anew", [prompt("a", 3), end("a"), prompt("b", 1)], NOBODY],
    [
      "a word on another turn",
      [prompt("a", 0), end("a")],
      new Map([["docs", {
        usd: 5,
        prompt_id: "x",
        at: 9e12,
      }]]),
    ],
  ];
  for (const [name, lines, present] of cases) {
    assertEquals(costs(lines, present).filter((one) => one !== undefined), [], name);
  }
});

Deno.test("withCosts() takes a word on no turn by its time", () => {
  const at = "2026-11-17T02:00:00.000Z";
  const lines = [prompt("a", 0), end("a", { at })];
  const told = (ms: number) =>
    new Map([["docs", { usd: 5, prompt_id: "", at: Date.parse(at) + ms }]]);
  assertEquals([costs(lines, told(300)), costs(lines, told(-300))], [[5], [undefined]]);
});

Deno.test("withCosts() keeps what the mod has reported, and does not mix sessions", () => {
  const lines = [prompt("a", 0), end("a", { cost_usd: 0.1 }), prompt("b", 0.25)];
  assertEquals(costs(lines), [0.1]);
  const other = (one: StoryLine) => ({ ...one, session: "shop" });
  const mixed = [prompt("a", 0), other(prompt("x", 5)), end("a"), other(end("x")), prompt("b", 1)];
  assertEquals(costs(mixed), [1, undefined]);
});

Deno.test("storyOf() has the cost of a turn that has just ended, from the status line's file", async () => {
  await using home = new TestHome();
  const { paths } = home;
  const at = new Date();
  const about = { session: "docs", agent_id: "forge" };
  record(paths, { ...begins, ...about, kind: "session" }, at);
  record(paths, { kind: "prompt", ...about, prompt_id: "a", by: "forge", by_kind: "agent" }, at);
  record(paths, { ...end("a"), ...about, kind: "queued", wake_id: "w" }, at);
  changeMemory(paths, "docs", (memory) => ({
    memory: { ...memory, claude_session_id: "c1" },
    value: undefined,
  }));
  const place = `${paths.state}/managed/tmp/tmux-0/default,12,0/%3`;
  const status = {
    ...{ session_id: "c1", prompt_id: "a", cost: { total_cost_usd: 0.42 }, context_window: {} },
  };
  const costs = () => storyOf(paths, { since: 0 }).map((one) => one.cost_usd);
  assertEquals(costs(), [undefined, undefined, undefined]);
  writeAtomic(place + USAGE_ENDINGS.statusLine, "no JSON");
  assertEquals(presentTotals(paths, ["docs"]).size, 0);
  writeAtomic(place + USAGE_ENDINGS.statusLine, JSON.stringify(status));
  assertEquals(costs(), [undefined, undefined, 0.42]);
});
