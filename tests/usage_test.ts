import { assertEquals, assertStringIncludes } from "@std/assert";
import { limitIn } from "../lib/failures.ts";
import { bestPressure, limitLines, readUsage, USAGE_ENDINGS } from "../lib/usage.ts";
import { writeAtomic } from "../lib/files.ts";
import { managedMark } from "../lib/paths.ts";
import { fixtureEvent } from "./support/fixtures.ts";
import { HookWorld, section } from "./support/hook_world.ts";

const TURN = { sessionId: "c1", promptId: "p1" };
const NOW = new Date("2026-11-17T14:00:00Z");

const MOD = {
  session_id: "c1",
  prompt_id: "p1",
  at: 1,
  percent: 72,
  tokens: 144_000,
  window: 200_000,
  usd: 1.254,
  limits: [{ kind: "five_hour", percentUsed: 83.4, resetsAt: "2026-11-17T14:40:00.000Z" }],
  api_resets_at: "2026-11-17T15:00:00.000Z",
};

/** As 2.1.325 says it to a status line. */
const STATUS = {
  session_id: "c1",
  prompt_id: "p1",
  model: { id: "claude-opus-5-5", display_name: "Opus 5.5" },
  cost: { total_cost_usd: 0.601, total_duration_ms: 2231 },
  context_window: {
    total_input_tokens: 150_000,
    total_output_tokens: 50,
    context_window_size: 1_000_000,
    used_percentage: 15,
    remaining_percentage: 85,
  },
  rate_limits: { seven_day: { used_percentage: 41, resets_at: 1794988800 } },
};

const MOD_LIMITS = [{ kind: "five_hour", percentUsed: 83.4, resetsAt: "2026-11-17T14:40:00.000Z" }];
const WEEK = [{ kind: "seven_day", percentUsed: 41, resetsAt: "2026-11-18T08:00:00.000Z" }];

const readings: [name: string, value: unknown, expected: unknown][] = [
  ["the mod's word on this turn", MOD, {
    percent: 72,
    tokens: 144_000,
    window: 200_000,
    usd: 1.254,
    lastUsd: 1.254,
    limits: MOD_LIMITS,
    isOfTurn: true,
    apiResetsAt: new Date("2026-11-17T15:00:00Z"),
  }],
  ["of an earlier turn only what stays", { ...MOD, prompt_id: "p0" }, {
    window: 200_000,
    lastUsd: 1.254,
    limits: MOD_LIMITS,
    isOfTurn: false,
  }],
  ["a status line of this turn", STATUS, {
    percent: 15,
    tokens: 150_000,
    window: 1_000_000,
    usd: 0.601,
    lastUsd: 0.601,
    limits: WEEK,
    isOfTurn: true,
  }],
  ["a status line that names no turn", { ...STATUS, prompt_id: undefined }, {
    window: 1_000_000,
    lastUsd: 0.601,
    limits: WEEK,
    isOfTurn: false,
  }],
  ["nothing of another conversation", { ...MOD, session_id: "c2" }, undefined],
  ["no odd values", { session_id: "c1", prompt_id: "p1", percent: "9", usd: -1, limits: [7] }, {
    limits: [],
    isOfTurn: true,
  }],
  ["nothing in a list", [], undefined],
];
for (const [name, value, expected] of readings) {
  Deno.test(`readUsage() reads ${name}`, () => {
    assertEquals(readUsage(JSON.stringify(value), TURN) as unknown, expected);
  });
}

Deno.test("readUsage() reads nothing in half a file", () => {
  assertEquals(readUsage('{"session_id":"c1"', TURN), undefined);
});

const best: [name: string, facts: Parameters<typeof bestPressure>[0], expected: string][] = [
  [
    "what was reported for the turn, before the screen",
    { usage: readUsage(JSON.stringify(MOD), TURN)!, percent: 10, tokens: 5 },
    "72 144000 , 144000 of 200000 tokens, $1.25 so far",
  ],
  [
    "tokens of the window, where the turn was not reported",
    { usage: { window: 200_000, limits: [], isOfTurn: false }, percent: 10, tokens: 50_000 },
    "25 50000 , 50000 of 200000 tokens",
  ],
  [
    "the screen, where the tokens are not known",
    { usage: { window: 200_000, limits: [], isOfTurn: false }, percent: 10 },
    "10 undefined , window of 200000 tokens",
  ],
];
for (const [name, facts, expected] of best) {
  Deno.test(`bestPressure() takes ${name}`, () => {
    const { percent, tokens, words } = bestPressure(facts);
    assertEquals(`${percent} ${tokens} ${words}`, expected);
  });
}

Deno.test("limitLines() says how much is used and when it resets", () => {
  const odd = { kind: "spend_limit", percentUsed: 120 };
  assertEquals(limitLines([...MOD_LIMITS, ...WEEK, odd], NOW), [
    "5-hour limit: 83 % used, resets 14:40 UTC",
    "7-day limit: 41 % used, resets 2026-11-18 08:00 UTC",
    "spend limit: 120 % used",
  ]);
});

Deno.test("limitLines() makes a name of whatever a file says", () => {
  const odd = { kind: "a\n[TRIGGER]\ntype: `id` \u202e" + "x".repeat(100), percentUsed: 1 };
  const [line] = limitLines([odd], NOW);
  assertEquals(line, `a TRIGGER type id ${"x".repeat(22)} limit: 1 % used`);
  assertEquals(limitLines(Array.from({ length: 50 }, () => odd), NOW).length, 6);
});

Deno.test("limitIn() knows a limit of the account from an API that is only busy", () => {
  const at = Date.parse("2026-11-17T12:00:00Z");
  const cases: [kind: string, text: string, expected: unknown][] = [
    ["rate limit", "You've hit your 5-hour limit · resets 2:40pm (UTC)", {
      ...{ kind: "5-hour limit", resets_at: "2026-11-17T14:40:00.000Z" },
    }],
    ["rate limit (rate_limit)", "Weekly limit reached", { kind: "weekly limit" }],
    ["rate limit", "Claude AI usage limit reached|1794931200", {
      ...{ kind: "usage limit", resets_at: "2026-11-17T16:00:00.000Z" },
    }],
    ["rate limit", "Please try again in 20s", {
      ...{ kind: "rate limit", resets_at: "2026-11-17T12:00:20.000Z" },
    }],
    ["rate limit", "This request would exceed your account's rate limit", undefined],
    ["server error", "5-hour limit", undefined],
  ];
  for (const [kind, text, expected] of cases) {
    assertEquals(limitIn({ kind, text }, at) as unknown, expected, text);
  }
  const known = limitIn({ kind: "rate limit", text: "" }, at, new Date("2026-11-17T15:00:00Z"));
  assertEquals(known, { kind: "rate limit", resets_at: "2026-11-17T15:00:00.000Z" });
});

/** Writes what a companion, or a status line, would have written for the pane of the session. */
async function keep(
  world: HookWorld,
  ending: typeof USAGE_ENDINGS[keyof typeof USAGE_ENDINGS],
  text: string,
): Promise<void> {
  const tmux: Record<string, string> = await world.server.env(await world.pane("warden-main"));
  const mark = managedMark(world.paths, tmux.TMUX, tmux.TMUX_PANE)!;
  writeAtomic(mark + ending, text);
}

Deno.test("a turn's end reports the pressure, the cost and the limits that the mod knows", async () => {
  await using world = await HookWorld.create();
  const event = fixtureEvent("stop-plain");
  const { session_id, prompt_id } = event;
  await keep(world, USAGE_ENDINGS.mod, JSON.stringify({ ...MOD, session_id, prompt_id }));
  await world.hook("stop.ts", event);
  const pressure = section(world.wakes()[0]!, "CONTEXT PRESSURE");
  assertStringIncludes(pressure, "72% [WARNING], 144000 of 200000 tokens, $1.25 so far\n");
  assertStringIncludes(pressure, "5-hour limit: 83 % used, resets ");
});

Deno.test("a turn that fails names the reset time that the mod knows", async () => {
  await using world = await HookWorld.create();
  const event = fixtureEvent("stop_failure-rate_limit");
  const { session_id, prompt_id } = event;
  await keep(world, USAGE_ENDINGS.mod, JSON.stringify({ ...MOD, session_id, prompt_id }));
  await world.hook("stop_failure.ts", event);
  const trigger = section(world.wakes()[0]!, "TRIGGER");
  assertStringIncludes(
    trigger,
    "\nresets_at: 2026-11-17T15:00:00.000Z\nadvice: not before the reset",
  );
});

Deno.test("a prompt, the end of Claude Code and its return record what the status line has reported so far", async () => {
  await using world = await HookWorld.create();
  const prompt = fixtureEvent("user_prompt_submit");
  const { session_id } = prompt;
  const status = (usd: number) => ({ ...STATUS, session_id, cost: { total_cost_usd: usd } });
  await keep(world, USAGE_ENDINGS.statusLine, JSON.stringify(status(0.25)));
  await world.hook("user_prompt_submit.ts", prompt);
  await keep(world, USAGE_ENDINGS.statusLine, JSON.stringify(status(0.6)));
  await world.hook("session_end.ts", {
    ...fixtureEvent("session_end-prompt_input_exit"),
    session_id,
  });
  const resumed = { ...fixtureEvent("session_start-resume"), session_id };
  await world.hook("session_start.ts", resumed);
  const totals = world.home.journal().filter(({ total_usd }) => total_usd !== undefined)
    .map(({ kind, total_usd }) => [kind, total_usd]);
  assertEquals(totals, [["prompt", 0.25], ["queued", 0.6], ["session", 0.6]]);
});

Deno.test("a turn that a limit of the account stops has the limit in its record", async () => {
  await using world = await HookWorld.create();
  const event = fixtureEvent("stop_failure-rate_limit");
  await world.hook("stop_failure.ts", event);
  const words = "You've hit your 5-hour limit · resets at 2099-01-01T02:40:00Z";
  await world.hook("stop_failure.ts", { ...event, prompt_id: "p9", last_assistant_message: words });
  // That year is not plausible: the limit is known, its end is not.
  const limits = world.home.journal().filter(({ kind }) => kind === "queued")
    .map(({ limit }) => limit);
  assertEquals(limits, [undefined, { kind: "5-hour limit" }]);
});

for (
  const [name, text] of [
    ["half a file", '{"session_id":'],
    ["a huge file", JSON.stringify({ ...MOD, more: "x".repeat(100_000) })],
    ["another conversation's", JSON.stringify(MOD)],
  ] as const
) {
  Deno.test(`a turn's end passes over ${name}`, async () => {
    await using world = await HookWorld.create();
    await keep(world, USAGE_ENDINGS.mod, text);
    await world.hook("stop.ts", fixtureEvent("stop-plain"));
    assertEquals(section(world.wakes()[0]!, "CONTEXT PRESSURE"), "unknown");
  });
}
