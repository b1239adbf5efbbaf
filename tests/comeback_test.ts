import { shellQuote } from "../lib/text.ts";
import { assertEquals, assertMatch } from "@std/assert";
import {
  clashOf,
  type ConversationUse,
  type SeenSession,
  type Verdict,
  verdictsOn,
  whyStaysOut,
} from "../lib/sessions/comeback.ts";

const NOW = Date.parse("2026-01-02T12:00:00Z");
const hoursAgo = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString();

const seen = (change: Partial<SeenSession> = {}): SeenSession => ({
  session: "w-main",
  state: "gone",
  isServerThere: false,
  ended: "",
  endedAt: hoursAgo(1),
  isUnfinished: false,
  ...change,
});
const ALIVE = seen({ session: "other", state: "alive", isServerThere: true });
const EXITED = { ended: "prompt_input_exit" };
const SHELL = { state: "shell", isServerThere: true } as const;

// Each beside a session that runs.
const ONE: [what: string, change: Partial<SeenSession>, verdict: Verdict, whenNamed?: Verdict][] = [
  ["cut off with its server", {}, "comes_back"],
  ["ended by the SIGHUP of a server that was shut down", { ended: "other" }, "comes_back"],
  ["lost with its server in the middle of a /clear", { ended: "clear" }, "comes_back"],
  ["left before its server was lost", EXITED, "stays_out"],
  ["left by /logout", { ended: "logout" }, "stays_out"],
  ["ended for a reason that is new to us", { ended: "tired" }, "stays_out"],
  ["left, as an earlier version remembers it", { ended: "unknown" }, "stays_out"],
  ["closed while its server runs on", { isServerThere: true }, "stays_out"],
  ["closed, with the end that follows", { isServerThere: true, ended: "other" }, "stays_out"],
  ["killed by SIGKILL in its pane", SHELL, "comes_back"],
  ["killed by SIGTERM in its pane", { ...SHELL, ended: "other" }, "comes_back"],
  ["killed, with another program in its pane", { ...SHELL, state: "occupied" }, "comes_back"],
  ["killed, in a dead pane", { ...SHELL, state: "dead" }, "comes_back"],
  ["left, with its shell still there", { ...SHELL, ...EXITED }, "stays_out", "comes_back"],
  [
    "left long ago, its shell still there",
    {
      ...SHELL,
      ...EXITED,
      endedAt: hoursAgo(99),
    },
    "stays_out",
    "comes_back",
  ],
  ["left 23 hours ago and gone", { ...EXITED, endedAt: hoursAgo(23) }, "stays_out"],
  ["left 25 hours ago and gone", { ...EXITED, endedAt: hoursAgo(25) }, "unlisted"],
  ["started by a recovery that was interrupted", {
    isServerThere: true,
    isUnfinished: true,
  }, "comes_back"],
  ["lost under a name that runs on another server", {
    session: "other",
    isServerThere: true,
  }, "unlisted"],
];
for (const [what, change, verdict, whenNamed = verdict] of ONE) {
  Deno.test(`verdictsOn() a session ${what}: ${verdict}`, () => {
    const sessions = [ALIVE, seen(change)];
    assertEquals(verdictsOn(sessions, { isNamed: false, now: NOW }), ["alive", verdict]);
    assertEquals(verdictsOn(sessions, { isNamed: true, now: NOW }), ["alive", whenNamed]);
  });
}

Deno.test("verdictsOn() gives an agent without any session its latest one, however it ended", () => {
  const left = seen({ ...SHELL, ...EXITED });
  const verdicts = (...sessions: SeenSession[]) =>
    verdictsOn(sessions, { isNamed: false, now: NOW });
  assertEquals(verdicts(left, { ...left }), ["comes_back", "stays_out"]);
  assertEquals(verdicts(left, seen()), ["stays_out", "comes_back"]);
  assertEquals(verdicts(), []);
});

const server = { socket: undefined };
const ABOUT = {
  agentId: "w",
  launched: "w-main",
  dir: "/p q",
  record: "/data/w-main.json",
  server,
  tmuxFor: () => "tmux -S /s",
  command: (...words: string[]) => ["gsd-code", ...words].map(shellQuote).join(" "),
};
const RECOVER = "gsd-code recover --agent w";
const NEW = `tmux -S /s new-session -d -s w-main, then ${RECOVER}, brings it back`;
const GIVE_UP = "to give it up, remove /data/w-main.json";

// deno-fmt-ignore
const REASONS: [Partial<SeenSession>, launched: string, reason: string][] = [
  [{ ...SHELL, ...EXITED }, "w-main", `it was left with /exit, Ctrl-C or Ctrl-D; ${RECOVER} brings it back`],
  [{ ended: "logout" }, "w-main", `it was left with /logout; ${NEW}`],
  [{ ended: "unknown" }, "w-main", `it was left with /exit or the like; ${NEW}`],
  [{ ended: "tired" }, "w-main", `it has ended (tired); ${NEW}`],
  [{}, "w-main", `its tmux session was closed; ${NEW}; ${GIVE_UP}`],
  [{ ended: "other" }, "w-main", `its tmux session was closed; ${NEW}; ${GIVE_UP}`],
  [EXITED, "old", "it was left with /exit, Ctrl-C or Ctrl-D; gsd-code spawn w '/p q' starts a new one"],
];
for (const [change, launched, reason] of REASONS) {
  Deno.test(`whyStaysOut() says of ${JSON.stringify(change)}: ${reason}`, () =>
    assertEquals(whyStaysOut(seen(change), { ...ABOUT, launched }), reason));
}

Deno.test("clashOf() names who has the conversation, and what to do", () => {
  const there = { socket: undefined } as unknown as ConversationUse["living"][number]["server"];
  const held = (session: string) => ({ pid: 7, around: { server: there, session } });
  const living = [{ session: "w-2", server: there }];
  const sibling = { agentId: "w", session: "w-3" };
  const none = { held: undefined, living, first: undefined };
  // deno-fmt-ignore
  const table: [Partial<ConversationUse>, launched: string, reason: RegExp][] = [
    [{ held: held("w-2") }, "w-main", /^left out: .* x goes on in w-2; .* remove \/data\/w-main.json$/],
    [{ first: sibling }, "w-main", /^left out: .* x goes on in w-3; /],
    [{ first: { ...sibling, agentId: "v" } }, "w-main", /^failed: .* opened for w-3 of v already: two/],
    [{ held: held("desk") }, "w-main", /^failed: .* process 7: .*"desk"; go on there: tmux -S \/s attach -t =desk$/],
    [{ held: held("old") }, "old", /"old"; give that the name "w-main": tmux .* -t =old w-main$/],
    [{ held: held("desk"), first: sibling }, "w-main", /^failed: .* open already in process 7/],
    [{ held: { pid: 7, around: undefined } }, "w-main", /in process 7: end that one first$/],
  ];
  for (const [use, launched, reason] of table) {
    const clash = clashOf(seen(), { ...ABOUT, launched }, { opens: "x", ...none, ...use })!;
    assertMatch(`${clash.outcome}: ${clash.reason}`, reason);
  }
  assertEquals(clashOf(seen(), ABOUT, { opens: "x", ...none }), undefined);
});
