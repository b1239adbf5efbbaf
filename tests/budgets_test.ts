import { assertEquals, assertMatch } from "@std/assert";
import { readSpending, writeSpending } from "../lib/fleet/budget_files.ts";
import { BudgetKeeper } from "../lib/fleet/budget_keeper.ts";
import { budgetsOf, isToStop, type Spending } from "../lib/fleet/budgets.ts";
import { draftOf } from "../lib/fleet/finding_drafts.ts";
import { findingsOf, type WatchKnowledge } from "../lib/fleet/findings.ts";
import type { SessionObservation } from "../lib/fleet/observation.ts";
import { type SessionView, viewOf } from "../lib/fleet/session_view.ts";
import { pathsFrom, ROOT } from "../lib/paths.ts";
import {
  agentOf,
  endOf,
  entryOf,
  memoryOf,
  minutesAgo,
  NOW,
  seen,
} from "./support/fleet_sessions.ts";
import { TestHome } from "./support/home.ts";

const DATE = "2026-11-17";

function spent(session: number, day: number, more: Partial<Spending["more"]> = {}): Spending {
  return {
    session: { usd: session, since: minutesAgo(90) },
    day: { usd: day, date: DATE, sessions: 1 },
    more: { session: 0, day: 0, ...more },
  };
}

const LIMITS = { max_usd_per_session: 10, max_usd_per_day: 50, max_context_pct: 90 };

function limited(more: Partial<SessionObservation> = {}, settings: object = LIMITS): SessionView {
  const agent = agentOf({ hook_settings: settings });
  const told = {
    ...{ identity: "", wake_id: "W", trigger: "response_complete", prompt_id: "p-1" },
    at: minutesAgo(4),
  };
  return viewOf(seen({ agent, memory: memoryOf({ said: [told] }), ...more }), NOW);
}

const usage = (percent: number) => ({ percent, usd: 1, limits: [], from: "mod" as const, at: NOW });

type Case = [name: string, view: SessionView, found: string[]];

const CASES: Case[] = [
  ["no limits", limited({ spending: spent(900, 900), usage: usage(99) }, {}), []],
  ["far away", limited({ spending: spent(7.99, 39), usage: usage(71) }), []],
  ["80 % of a conversation", limited({ spending: spent(8, 8) }), ["session near 8/10"]],
  ["a conversation", limited({ spending: spent(10, 10) }), ["session reached 10/10"]],
  ["80 % of a day", limited({ spending: spent(1, 40) }), ["day near 40/50"]],
  ["a day", limited({ spending: spent(1, 50.5) }), ["day reached 50.5/50"]],
  ["the context", limited({ spending: spent(1, 1), usage: usage(72) }), ["context near 72/90"]],
  ["a full context", limited({ usage: usage(90) }), ["context reached 90/90"]],
  ["all at once", limited({ spending: spent(12, 45), usage: usage(95) }), [
    ...["session reached 12/10", "day near 45/50", "context reached 95/90"],
  ]],
  ["a raised limit", limited({ spending: spent(12, 12, { session: 5 }) }), ["session near 12/15"]],
  ["raised enough", limited({ spending: spent(12, 12, { session: 10 }) }), []],
  ["raised, where there is none", limited({ spending: spent(12, 12, { day: 5 }) }, {}), []],
  ["nothing known", limited(), []],
];

for (const [name, view, found] of CASES) {
  Deno.test(`budgetsOf() ${name}`, () => {
    const words = budgetsOf(view).map(({ measure, level, spent, limit }) =>
      `${measure} ${level} ${spent}/${limit}`
    );
    assertEquals(words, found);
  });
}

const REACHED = minutesAgo(10);
const busy = (minutes: number) => entryOf("busy", { statusSince: minutesAgo(minutes) });
const by = (by_kind: string, prompt_id = "p-1") => ({
  memory: memoryOf({ prompted: { prompt_id, by_kind, last: "" } }),
});
const asked = { transcript: endOf({ kind: "asked" }) };

const turnOfPerson = { entry: busy(5), ...asked, ...by("keyboard") };

const STOPS: [name: string, seen: Partial<SessionObservation>, stops: boolean][] = [
  ["the turn that ran then", { entry: busy(20), ...asked }, true],
  ["the turn that ran then, of a person", { entry: busy(20), ...asked, ...by("keyboard") }, true],
  ["a later turn of a person", { entry: busy(5), ...asked, ...by("keyboard") }, false],
  ["a later turn of a person by a command", { entry: busy(5), ...asked, ...by("person") }, false],
  ["a later turn of an agent", { entry: busy(5), ...asked, ...by("agent") }, true],
  ["Claude goes on by itself", { entry: busy(5), ...asked, ...by("claude") }, true],
  ["a later turn of who knows whom", { entry: busy(5), ...asked }, false],
  ["a later turn, and an earlier one was the agent's", {
    ...{ entry: busy(5), ...asked, ...by("agent", "p-0") },
  }, false],
  ["no turn", { entry: entryOf("idle", { statusSince: minutesAgo(20) }) }, false],
  ["it waits at a dialog", { entry: entryOf("waiting", { statusSince: minutesAgo(20) }) }, false],
  ["its wakes are held", {
    ...{ entry: busy(20), ...asked, hold: { kind: "held", since: 0 } },
  }, true],
  ["a person has taken it", {
    ...{ entry: busy(20), ...asked, hold: { kind: "taken", since: 0 } },
  }, false],
];

for (const [name, more, stops] of STOPS) {
  Deno.test(`isToStop() ${name}`, () => assertEquals(isToStop(limited(more), REACHED), stops));
}

const KNOWN: WatchKnowledge = {
  isTold: () => false,
  seenSince: () => minutesAgo(60),
  firstLook: () => minutesAgo(60),
  hasGlobal: true,
};

/** As the watch has judged them, since then. */
function judged(view: SessionView, since = minutesAgo(2)): SessionView {
  return { ...view, budgets: budgetsOf(view).map((budget) => ({ ...budget, since })) };
}

const keysOf = (views: SessionView[]) =>
  findingsOf(views, KNOWN, NOW).ripe.filter(({ kind }) => kind === "budget").map(({ key }) => key);

Deno.test("findingsOf() reports a limit once while it lasts, and a raised one again", () => {
  const at = (session: number, day: number, more = {}, since = minutesAgo(2)) =>
    keysOf([judged(limited({ spending: spent(session, day, more) }), since)]);
  const [near] = at(8, 8);
  assertEquals([at(8.5, 8.5), at(9, 9, {}, NOW)], [[near!], [near!]]);
  const [reached] = at(10, 10);
  assertEquals([reached === near, at(11, 11)], [false, [reached!]]);
  const [again] = at(14, 14, { session: 5 });
  assertEquals([again === near, again === reached], [false, false]);
  // A context that was compacted and is full once more.
  const full = (since: number) => keysOf([judged(limited({ usage: usage(95) }), since)]);
  assertEquals(full(minutesAgo(9))[0] === full(minutesAgo(1))[0], false);
});

Deno.test("findingsOf() reports the limit of a day once for all sessions of the agent", () => {
  const working = { entry: busy(3), ...asked, session: "shop-main-2" };
  const views = [
    limited({ spending: spent(1, 60) }),
    limited({ spending: spent(2, 60), ...working }),
  ]
    .map((view) => judged(view));
  const found = findingsOf(views, KNOWN, NOW).ripe.filter(({ kind }) => kind === "budget");
  assertEquals(found.map(({ view }) => view.session), ["shop-main-2"]);
});

Deno.test("findingsOf() reports neither a limit nor missing hooks again after a rename", () => {
  const keys = (session: string) => {
    const view = limited({ session, spending: spent(10, 40), hooksOff: "its settings" });
    return findingsOf([judged(view)], KNOWN, NOW).ripe.map(({ kind, key }) => [kind, key]);
  };
  const before = keys("shop-main");
  assertEquals(before.map(([kind]) => kind), ["budget", "budget", "unmeasured", "hooks"]);
  assertEquals(keys("docs"), before);
});

Deno.test("judge() counts a limit from when it was reached, also after a rename", async () => {
  await using home = new TestHome();
  const keeper = new BudgetKeeper(home.paths);
  const view = (session: string) => limited({ session, ...turnOfPerson, spending: spent(12, 12) });
  keeper.judge([view("shop-main")], REACHED);
  const renamed = view("docs");
  keeper.judge([renamed], NOW);
  const [budget] = renamed.budgets!;
  assertEquals([budget!.since, isToStop(renamed, budget!.since)], [REACHED, false]);
});

Deno.test("judge() knows from earlier versions since when a limit is reached", async () => {
  await using home = new TestHome();
  const view = limited({ ...turnOfPerson, spending: spent(12, 12) });
  const key = JSON.stringify(["reached", "session", "shop-main", "c-1", 10]);
  writeSpending(home.paths, { ...readSpending(home.paths), levels: { [key]: REACHED } });
  new BudgetKeeper(home.paths).judge([view], NOW);
  const [budget] = view.budgets!;
  assertEquals([budget!.since, isToStop(view, budget!.since)], [REACHED, false]);
});

Deno.test("findingsOf() reports that a limit cannot be kept, where nothing says what is spent", () => {
  const kinds = (view: SessionView) => findingsOf([view], KNOWN, NOW).ripe.map(({ kind }) => kind);
  assertEquals(kinds(limited()), ["unmeasured"]);
  assertEquals(kinds(limited({ usage: usage(10) })), []);
  assertEquals(kinds(limited({}, {})), []);
  // Before the first turn has ended nothing can be known.
  assertEquals(kinds(limited({ transcript: endOf({ kind: "asked", at: minutesAgo(900) }) })), []);
});

const short = (line: string) =>
  line.replace(/^.* (?=type|clear_then|snapshot)/, "").replace(/^.*\/(\w+)\.ts /, "$1 ");

Deno.test("draftOf() asks the agent: what was spent, since when, and what can be done", () => {
  const paths = pathsFrom((name) => name === "HOME" ? "/home/nobody" : undefined, ROOT);
  const view = judged(limited({ spending: spent(10.314, 12), usage: usage(10) }));
  const [finding] = findingsOf([view], KNOWN, NOW).ripe;
  const stops = new Map([["shop-main", "stopped"]]);
  const draft = draftOf(finding!, { paths, now: NOW, isRecovered: false, stops });
  assertEquals([draft.trigger, draft.state, draft.details], ["budget", "idle", {
    level: "reached",
    limit: "max_usd_per_session $10.00",
    spent: "$10.31, counted since 2026-11-17T10:30:00Z",
    advice: draft.details!.advice!,
    lasts: "2 min",
    evidence: "its mod",
  }]);
  assertMatch(
    draft.body,
    /^This conversation has cost \$10\.31 of \$10\.00\.\nThe turn that ran in /,
  );
  assertEquals(
    draft.actions.map(short),
    [
      ...["budget shop-main --more <usd>", "type /compact", "clear_then <command>"],
      ...["stop shop-main", "snapshot"],
    ],
  );
});
