/** What a companion makes of the mod's events: findings to report, and what it keeps for hooks. */

import { assertEquals } from "@std/assert";
import { companionFor, type CompanionWorld } from "../lib/companion/companion.ts";
import { spentIn } from "../lib/companion/kept_usage.ts";
import type { KeptUsage } from "../lib/usage.ts";

const TOKEN = "the mod's token";

function companion(more: Partial<CompanionWorld> = {}) {
  const found: string[] = [];
  const kept: KeptUsage[] = [];
  const released: string[] = [];
  let n = 0;
  const { server, orphaned, measure } = companionFor({
    token: TOKEN,
    pane: "%0",
    now: () => Date.parse("2026-11-17T14:00:00Z"),
    say() {},
    report: (finding) => Promise.resolve(void found.push(finding.kind)),
    keep: (usage) => kept.push(usage),
    spentBefore: () => 0,
    ownEscape: () => undefined,
    held: {
      ask: () => Promise.resolve({ kind: "none" }),
      release: (id) => released.push(id),
    },
    after: () => ({ cancel() {} }),
    ...more,
  });
  const tell = async (kind: string, data: Record<string, unknown> = {}) => {
    const body = JSON.stringify({ n: ++n, kind, data });
    const headers = { "x-gsd-token": TOKEN };
    const request = new Request("http://companion/event", { method: "POST", body, headers });
    assertEquals((await server.handle(request)).status, 200);
  };
  return { found, kept, released, tell, orphaned, measure };
}

const ABORTED = { turnId: "t1", promptId: "p1", reason: "aborted", answer: "So far" };

Deno.test("companionFor() reports a turn that a person has stopped", async () => {
  const { found, tell, orphaned } = companion();
  await tell("turn.start", { turnId: "t1" });
  await tell("turn.complete", ABORTED);
  await tell("session.end", { reason: "other" });
  await orphaned();
  assertEquals(found, ["interrupted"]);
});

Deno.test("companionFor() reports no turn that the menu driver has ended with a key", async () => {
  let pressed = 1000;
  const { found, tell } = companion({ ownEscape: () => pressed });
  await tell("turn.start", { turnId: "t1" });
  await tell("turn.complete", ABORTED);
  assertEquals(found, []);
  // One key ends one turn.
  await tell("turn.start", { turnId: "t2" });
  await tell("turn.complete", { ...ABORTED, turnId: "t2" });
  assertEquals(found, ["interrupted"]);
  pressed = 2000;
  await tell("turn.start", { turnId: "t3" });
  await tell("turn.complete", { ...ABORTED, turnId: "t3" });
  assertEquals(found, ["interrupted"]);
});

Deno.test("companionFor() reports a Claude Code that is gone without a word", async () => {
  const { found, tell, orphaned } = companion();
  await tell("session.end", { reason: "clear" });
  await orphaned();
  assertEquals(found, ["lost"]);
});

Deno.test("companionFor() keeps the usage of a turn, with the reset of an API that failed", async () => {
  const { kept, tell } = companion();
  await tell("turn.start", { turnId: "t1" });
  await tell("api.begin", { id: "1" });
  await tell("api.end", { id: "1", status: 429, headers: { "retry-after": "60" } });
  const context = { tokens: 5, window: 10, percent: 50 };
  await tell("usage", { sessionId: "c1", promptId: "p1", context, cost: { usd: 2 } });
  assertEquals(kept, [{
    session_id: "c1",
    prompt_id: "p1",
    at: Date.parse("2026-11-17T14:00:00Z"),
    tokens: 5,
    window: 10,
    percent: 50,
    usd: 2,
    turn_usd: 2,
    limits: [],
    api_resets_at: "2026-11-17T14:01:00.000Z",
  }]);
});

Deno.test("companionFor() hears that a dialog is closed", async () => {
  const { released, tell } = companion();
  await tell("released", { id: "h1" });
  assertEquals(released, ["h1"]);
});

Deno.test("companionFor() keeps what each turn has cost", async () => {
  const { kept, tell } = companion({ spentBefore: () => 0.5 });
  for (const usd of [0.75, 0.75, 2, 0.25]) {
    await tell("usage", { sessionId: "c1", promptId: "p1", cost: { usd } });
  }
  assertEquals(kept.map(({ turn_usd }) => turn_usd), [0.25, 0, 1.25, 0.25]);
});

Deno.test("companionFor() keeps what the first turn of another conversation has cost", async () => {
  let last = JSON.stringify({ session_id: "c1", prompt_id: "p1", usd: 0.4, limits: [] });
  const costs: number[] = [];
  const { tell } = companion({
    spentBefore: (sessionId) => spentIn(last, sessionId),
    keep(usage) {
      last = JSON.stringify(usage);
      costs.push(Number(usage.turn_usd?.toFixed(2)));
    },
  });
  for (const [sessionId, usd] of [["c1", 0.5], ["c2", 0.5], ["c2", 0.75], ["c1", 0.75]]) {
    await tell("usage", { sessionId, promptId: "p1", cost: { usd } });
  }
  assertEquals(costs, [0.1, 0.5, 0.25, 0.25], "c1 goes on from 0.5 when it is resumed");
});

Deno.test("companionFor() asks what a turn has cost while it runs, and once after its end", async () => {
  const said: { id: string; op: string }[] = [];
  const places: string[] = [];
  const { tell, measure, kept } = companion({
    say: (line) => void said.push(JSON.parse(line)),
    keep: (usage, at) => void places.push(`${at} ${usage.session_id} ${usage.usd}`),
  });
  const measured = async (usd: number) => {
    const count = said.length;
    const asking = measure();
    if (said.length > count) {
      const value = { cost: { usd }, context: { percent: 12 }, sessionId: "c-1" };
      await tell("result", { id: said.at(-1)!.id, value });
    }
    await asking;
  };
  await measured(1);
  assertEquals(said, []);
  await tell("turn.start", { turnId: "t1" });
  await measured(2);
  await tell("turn.complete", ABORTED);
  await measured(3);
  await measured(4);
  assertEquals(places, ["work c-1 2", "work c-1 3"]);
  assertEquals(kept, []);
});

Deno.test("companionFor() goes on where what it keeps cannot be written, as on a full disk", async () => {
  const said: { id: string; op: string }[] = [];
  const full = () => {
    throw new Error("No space left on device");
  };
  const { tell, measure, found } = companion({
    say: (line) => void said.push(JSON.parse(line)),
    keep: full,
    keepCommands: full,
  });
  await tell("hello", { turnId: "" });
  await tell("result", { id: said.at(-1)!.id, value: [{ name: "deploy", source: "project" }] });
  await tell("turn.start", { turnId: "t1" });
  const measured = measure();
  await tell("result", { id: said.at(-1)!.id, value: { cost: { usd: 1 } } });
  await measured;
  await tell("turn.complete", ABORTED);
  assertEquals(said.map(({ op }) => op), ["commands", "usage"]);
  assertEquals(found, ["interrupted"]);
});
