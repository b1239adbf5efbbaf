import { assertEquals } from "@std/assert";
import {
  FINDING_AFTER_MS,
  type FindingKind,
  findingsOf,
  type WatchKnowledge,
} from "../lib/fleet/findings.ts";
import type { SessionObservation } from "../lib/fleet/observation.ts";
import { viewOf } from "../lib/fleet/session_view.ts";
import type { HookContext } from "../lib/hook_context.ts";
import { withEvent } from "../lib/session_memory.ts";
import { fixturePane } from "./support/fixtures.ts";
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
import { launchOf } from "./support/recovering.ts";

/** A watch that has seen all of it for an hour, and has told nothing. */
const KNOWN: WatchKnowledge = {
  isTold: () => false,
  seenSince: () => minutesAgo(60),
  firstLook: () => minutesAgo(60),
  hasGlobal: true,
};

function kindsOf(change: Partial<SessionObservation>, known: Partial<WatchKnowledge> = {}) {
  const { ripe } = findingsOf([viewOf(seen(change), NOW)], { ...KNOWN, ...known }, NOW);
  return ripe.map(({ kind }) => kind);
}

const said = (trigger: string, minutes: number, prompt_id = "p-1") => ({
  ...{ identity: "", wake_id: "W", trigger, prompt_id, at: minutesAgo(minutes) },
});
const remembers = (...wakes: ReturnType<typeof said>[]) => ({ memory: memoryOf({ said: wakes }) });
const wrote = (trigger: string, minutes: number, more = {}) => ({
  journal: [{ kind: "queued", trigger, at: new Date(minutesAgo(minutes)).toISOString(), ...more }],
});
const endedBy = (minutes: number) => {
  const at = new Date(minutesAgo(minutes)).toISOString();
  return { memory: memoryOf({ ended: "other", ended_at: at, updated_at: at }) };
};
const STOPPED = launchOf({ stopped_at: new Date(minutesAgo(5)).toISOString() });
const GONE = { holds: "shell", entry: undefined } as const;
const asks = entryOf("waiting", { waitingFor: "input needed" });
const permits = entryOf("waiting", { waitingFor: "permission prompt" });
const dialog = entryOf("waiting", { waitingFor: "dialog open" });
const failed = endOf({ kind: "failed", error: "server_error", message: "API Error: 500" });
const stopped = endOf({ kind: "asked", at: minutesAgo(5) });
const longAgo = entryOf("waiting", { waitingFor: "input needed", statusSince: minutesAgo(31) });

type Case = [name: string, seen: Partial<SessionObservation>, found: FindingKind[]];

const CASES: Case[] = [
  ["a turn that nobody was told of", {}, ["turn"]],
  ["a turn that its hook told", remembers(said("response_complete", 4)), []],
  ["a turn of which the journal has the wake", wrote("response_complete", 4), []],
  ["a turn after one that was told", remembers(said("response_complete", 9, "p-0")), ["turn"]],
  ["a turn right after one that was told", {
    ...remembers(said("response_complete", 4, "p-0")),
    ...wrote("response_complete", 4, { wake_id: "W" }),
  }, ["turn"]],
  ["a turn of which the idle reminder told", remembers(said("idle_prompt", 3)), []],
  ["a turn of another life of the conversation", {
    transcript: endOf({ at: minutesAgo(700) }),
  }, []],
  ["Claude Code is still busy with its hooks", { entry: entryOf("busy") }, []],
  ["a failure that nobody was told of", { transcript: failed }, ["failure"]],
  ["a failure that was told", { transcript: failed, ...wrote("response_failed", 4) }, []],
  ["Esc", { transcript: stopped }, ["interrupted"]],
  ["Esc that was told", { transcript: stopped, ...wrote("interrupted", 4) }, []],
  ["the agent's own Esc", { transcript: stopped, escapedAt: minutesAgo(4) }, []],
  ["a question that nobody was told of", { entry: asks }, ["question"]],
  ["a question that was told", { entry: asks, ...remembers(said("ask_user_question", 4)) }, []],
  ["a question, and only the one before was told", {
    ...{ entry: asks, ...remembers(said("ask_user_question", 9)) },
  }, ["question"]],
  ["a permission that nobody was told of", {
    ...{ entry: permits, capture: fixturePane("30-permission-bash") },
  }, ["permission"]],
  ["a permission that was told", { entry: permits, ...wrote("permission_prompt", 3.9) }, []],
  ["a dialog no hook speaks of", { entry: dialog }, ["dialog"]],
  ["a dialog of which a notification told", {
    ...{ entry: dialog, ...wrote("elicitation_dialog", 3.9) },
  }, []],
  ["a person has taken it", { hold: { kind: "taken", since: 0 } }, []],
  ["a dialog that the wake of a recovery has shown", {
    ...{ entry: dialog, ...wrote("session_recovered", 4.5) },
  }, []],
  ["nobody answers", { entry: longAgo, ...remembers(said("ask_user_question", 31)) }, [
    "unanswered",
  ]],
  ["nobody answers, and the global status session knows", {
    ...{ entry: longAgo, ...wrote("unanswered", 1), ...remembers(said("ask_user_question", 31)) },
  }, []],
  ["no sign of life", { entry: entryOf("busy", { statusSince: minutesAgo(20) }) }, []],
  ["no sign of life for longer than stall_after_s", {
    entry: entryOf("busy", { statusSince: minutesAgo(20) }),
    transcript: endOf({ kind: "asked", at: minutesAgo(20), writtenAt: minutesAgo(16) }),
  }, ["stalled"]],
  ["no sign of life, and its agent has just heard that the API fails", {
    entry: entryOf("busy", { statusSince: minutesAgo(20) }),
    transcript: endOf({ kind: "asked", at: minutesAgo(20), writtenAt: minutesAgo(16) }),
    ...wrote("retrying", 3),
  }, []],
  ["no sign of life for long since its agent has heard that the API fails", {
    entry: entryOf("busy", { statusSince: minutesAgo(40) }),
    transcript: endOf({ kind: "asked", at: minutesAgo(40), writtenAt: minutesAgo(36) }),
    ...wrote("retrying", 30),
  }, ["stalled"]],
  ["retries", { entry: entryOf("busy"), capture: fixturePane("40-retrying-529") }, ["retrying"]],
  ["retries that were told", {
    ...{ entry: entryOf("busy"), capture: fixturePane("40-retrying-529") },
    ...wrote("retrying", 3),
  }, []],
  ["Claude Code is gone", GONE, ["lost"]],
  ["Claude Code is gone, and that was told", { ...GONE, ...wrote("session_lost", 3) }, []],
  ["Claude Code is gone, and its end was told", { ...GONE, ...wrote("session_end", 4) }, []],
  ["the hook of its end was killed before it made the wake", {
    ...{ ...GONE, memory: memoryOf({ ended: "other" }) },
  }, ["lost"]],
  ["its end was told", {
    ...{ ...GONE, memory: memoryOf({ ended: "other" }), ...wrote("session_end", 4) },
  }, []],
  ["it was stopped", { ...GONE, ...endedBy(5), launch: STOPPED }, []],
  ["it was stopped, started again by hand, and its hook was killed", {
    ...{ ...GONE, ...endedBy(2), launch: STOPPED },
  }, ["lost"]],
  ["it was left", { ...GONE, memory: memoryOf({ ended: "prompt_input_exit" }) }, []],
  ["it was renamed", { renamedTo: "mine", ...remembers(said("response_complete", 4)) }, [
    "renamed",
  ]],
  ["it was renamed, and its turn was told to nobody", { renamedTo: "mine" }, ["turn", "renamed"]],
  ["it runs in no tmux server that is known", {
    ...{ renamedTo: "", ...remembers(said("response_complete", 4)) },
  }, ["moved"]],
  ["the agent itself said no to a request", {
    transcript: stopped,
    journal: [{ kind: "decided", at: new Date(minutesAgo(4)).toISOString() }],
  }, []],
  ["no agent owns it", { agent: undefined }, []],
  ["its agent cannot be woken", { agent: agentOf({ openclaw_session_key: "" }) }, []],
];

for (const [name, change, found] of CASES) {
  Deno.test(`findingsOf() a session: ${name}`, () => assertEquals(kindsOf(change), found));
}

Deno.test("findingsOf() leaves alone what ended before the session was ours", () => {
  const young = { firstLook: () => minutesAgo(1) };
  assertEquals(kindsOf({}, young), []);
  assertEquals(kindsOf({ transcript: failed }, young), []);
  // It was: it has been told of before, or was started by us.
  assertEquals(kindsOf(remembers(said("response_complete", 50, "p-0")), young), ["turn"]);
  const launch = launchOf({ started_at: new Date(minutesAgo(30)).toISOString() });
  assertEquals(kindsOf({ launch }, young), ["turn"]);
});

Deno.test("findingsOf() gives hooks time first, and says when to look again", () => {
  const view = viewOf(seen(), NOW);
  const just = { ...KNOWN, seenSince: () => NOW - 2000 };
  const { ripe, nextAt, lasting } = findingsOf([view], just, NOW);
  assertEquals([ripe, nextAt], [[], NOW - 2000 + FINDING_AFTER_MS.turn]);
  assertEquals(lasting.map(({ kind }) => kind), ["turn"]);
});

Deno.test("findingsOf() reports nothing twice, and the next thing of the same kind again", () => {
  const [first] = findingsOf([viewOf(seen(), NOW)], KNOWN, NOW).ripe;
  const isTold = (key: string) => key === first!.key;
  assertEquals(kindsOf({}, { isTold }), []);
  const next = endOf({ promptId: "p-2", at: minutesAgo(2) });
  assertEquals(kindsOf({ transcript: next, entry: entryOf("idle") }, { isTold }), ["turn"]);
});

Deno.test("findingsOf() a lost session once, though its queue sends a wake after the loss", async () => {
  await using home = new TestHome();
  const gone = { ...GONE, transcript: endOf({ at: minutesAgo(30), writtenAt: minutesAgo(30) }) };
  const memory = memoryOf({ said: [said("session_lost", 5)] });
  const event = { name: "queue", sessionId: "c-1", transcriptPath: "", cwd: "", promptId: "" };
  const context = {
    ...{ event, paths: home.paths, session: memory.session, agent: agentOf() },
    ...{ now: new Date(minutesAgo(1)), env: home.variable },
  };
  const later = withEvent(memory, context as unknown as HookContext);
  for (const one of [memory, later]) assertEquals(kindsOf({ ...gone, memory: one }), []);
});

Deno.test("findingsOf() has no global status session to tell", () => {
  assertEquals(kindsOf({ entry: longAgo }, { hasGlobal: false }), ["question"]);
});
