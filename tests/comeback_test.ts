import { assertEquals } from "@std/assert";
import {
  type ComebackFacts,
  type Verdict,
  verdictsOn,
  whyStaysOut,
} from "../lib/sessions/comeback.ts";
import { launchOf } from "./support/recovering.ts";
import { memoryOf } from "./support/fleet_sessions.ts";

const NOW = Date.parse("2026-01-02T12:00:00Z");
const hoursAgo = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString();

interface Change extends Partial<Omit<ComebackFacts, "launch" | "memory">> {
  ended?: string;
  endedAt?: string;
  /** Later than the end where a wake was sent since. */
  updatedAt?: string;
  launch?: Parameters<typeof launchOf>[0];
}

const seen = (
  { ended = "", endedAt = hoursAgo(1), updatedAt = endedAt, launch = {}, ...change }: Change = {},
) => ({
  ...{ session: "w-main", holds: "gone" as const, isServerThere: false, launch: launchOf(launch) },
  memory: memoryOf({ ended, ended_at: endedAt, updated_at: updatedAt }),
  ...change,
});
const ALIVE = seen({ session: "other", holds: "alive", isServerThere: true });
const EXITED = { ended: "prompt_input_exit" };
const SHELL = { holds: "shell", isServerThere: true } as const;
const OLD_SHELL = { ...SHELL, ...EXITED, endedAt: hoursAgo(99) };
const STOPPED = { ended: "other", endedAt: hoursAgo(2), launch: { stopped_at: hoursAgo(2) } };
const RESTARTED = { ...STOPPED, endedAt: hoursAgo(1) };
const conversation = { kind: "continue" } as const;
const UNFINISHED = {
  isServerThere: true,
  launch: { recovery: { wake_id: "1", found: "", conversation } },
};

// Each beside a session that runs.
const ONE: [what: string, change: Change, verdict: Verdict, whenNamed?: Verdict][] = [
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
  ["killed, with another program in its pane", { ...SHELL, holds: "occupied" }, "comes_back"],
  ["killed, in a dead pane", { ...SHELL, holds: "dead" }, "comes_back"],
  ["left, with its shell still there", { ...SHELL, ...EXITED }, "stays_out", "comes_back"],
  ["left long ago, its shell still there", OLD_SHELL, "stays_out", "comes_back"],
  ["left 23 hours ago and gone", { ...EXITED, endedAt: hoursAgo(23) }, "stays_out"],
  ["left 25 hours ago and gone", { ...EXITED, endedAt: hoursAgo(25) }, "unlisted"],
  ["stopped, with its shell still there", { ...SHELL, ...STOPPED }, "stays_out"],
  ["stopped, and lost with its server", STOPPED, "stays_out"],
  ["stopped 25 hours ago", { ...STOPPED, endedAt: hoursAgo(25) }, "unlisted"],
  ["stopped, with a wake sent since", { ...STOPPED, updatedAt: hoursAgo(1) }, "stays_out"],
  [
    "stopped, started by hand since, and killed",
    { ...RESTARTED, ...SHELL, ended: "" },
    "comes_back",
  ],
  ["stopped, started by hand since, and lost with its server", RESTARTED, "comes_back"],
  ["started by a recovery that was interrupted", UNFINISHED, "comes_back"],
  ["left after such a recovery", { ...UNFINISHED, ...EXITED }, "stays_out"],
  ["closed after such a recovery", { ...UNFINISHED, ended: "other" }, "stays_out"],
  ["killed after such a recovery", { ...UNFINISHED, ...SHELL, ended: "other" }, "comes_back"],
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
  const verdicts = (...sessions: ComebackFacts[]) =>
    verdictsOn(sessions, { isNamed: false, now: NOW });
  assertEquals(verdicts(left, { ...left }), ["comes_back", "stays_out"]);
  assertEquals(verdicts(left, seen()), ["stays_out", "comes_back"]);
  assertEquals(verdicts(), []);
  assertEquals(verdicts(seen(STOPPED), left), ["stays_out", "stays_out"]);
});

const ABOUT = { recover: "gsd-code recover w-main", remove: "gsd-code remove w-main" };
const BACK = "gsd-code recover w-main brings it back";
const CLOSED = `its tmux session was closed; ${BACK}, gsd-code remove w-main gives it up`;
const LEFT = "it was left with /exit, Ctrl-C or Ctrl-D";

const REASONS: [Change, reason: string][] = [
  [{ ...SHELL, ...EXITED }, `${LEFT}; ${BACK}`],
  [EXITED, `${LEFT}; ${BACK}`],
  [{ ended: "logout" }, `it was left with /logout; ${BACK}`],
  [{ ended: "unknown" }, `it has ended, and the reason was not recorded; ${BACK}`],
  [{ ended: "tired" }, `it has ended (tired); ${BACK}`],
  [{}, CLOSED],
  [{ ended: "other" }, CLOSED],
  [STOPPED, `it was stopped; ${BACK}`],
];
for (const [change, reason] of REASONS) {
  Deno.test(`whyStaysOut() says of ${JSON.stringify(change)}: ${reason}`, () =>
    assertEquals(whyStaysOut(seen(change), ABOUT), reason));
}
