import { assertEquals, assertStringIncludes } from "@std/assert";
import { type LogWorld, main } from "../commands/log.ts";
import { keepText } from "../lib/doors/kept_texts.ts";
import { journalFile, type JournalRecord, record } from "../lib/journal.ts";
import { enqueue } from "../lib/outbox.ts";
import { moveFiles } from "../lib/sessions/kept_files.ts";
import { columnsFor } from "../lib/story/log_lines.ts";
import type { Happening } from "../lib/story/story_line.ts";
import { put } from "./support/delivery_home.ts";
import { TestHome } from "./support/home.ts";
import { until } from "./support/until.ts";

const NOW = new Date(2026, 10, 17, 7, 0, 0);
const at = (clock: string) => {
  const [hours, minutes, seconds] = clock.split(":").map(Number) as [number, number, number];
  return new Date(2026, 10, hours > 7 ? 16 : 17, hours, minutes, seconds);
};

const SHOP = { session: "shop-main", agent_id: "warden" };
const DOCS = { session: "docs", agent_id: "forge" };
const API = { session: "api-main", agent_id: "scout" };
const AGENT = { by: "warden", by_kind: "agent", via: "keys" };

/** A night: what was written when, and its line. */
const NIGHT: [clock: string, record: JournalRecord, line?: string][] = [
  [
    "22:04:10",
    {
      ...{ kind: "instruction", ...SHOP, ...AGENT, instruction_id: "I1", action: "type" },
      ...{ text: "Fix the failing tests", outcome: "done" },
    },
    "shop-main  warden    typed       Fix the failing tests",
  ],
  ["22:04:10", { kind: "prompt", ...SHOP, ...AGENT, prompt_id: "t1", instruction_id: "I1" }],
  [
    "22:09:51",
    {
      ...{ kind: "queued", ...SHOP, wake_id: "W1", trigger: "response_complete", prompt_id: "t1" },
      ...{ text: "All 42 tests pass.\nThe cause was a missing index", cost_usd: 0.38 },
    },
    "shop-main  Claude    turn ended  All 42 tests pass. The cause was a missing index  (5 min 41 s, $0.38)",
  ],
  [
    "22:09:52",
    {
      ...{ kind: "delivered", ...SHOP, wake_id: "W1", trigger: "response_complete" },
      ...{ duration_ms: 84, tries: 1, transport: "gateway" },
    },
    "shop-main  →warden   told        in 84 ms",
  ],
  [
    "22:10:12",
    {
      ...{ kind: "queued", ...SHOP, wake_id: "W2", trigger: "ask_user_question" },
      question_id: "q-1",
      text: "Question [Database]: Which database?\n(choose one, or answer in your own words)\n" +
        "  1. PostgreSQL: Relational\n  2. SQLite: Embedded\n       | a preview",
    },
    "shop-main  Claude    asks        Which database?  1 PostgreSQL  2 SQLite",
  ],
  [
    "22:10:40",
    {
      ...{ kind: "answered", ...SHOP, ...AGENT, question_id: "q-1", outcome: "given" },
      ...{ after_ms: 28_000, decision: { kind: "answers", answers: { "Which?": "SQLite" } } },
    },
    "shop-main  warden    answered    SQLite  (after 28 s)",
  ],
  ["22:10:41", { kind: "queued", ...SHOP, wake_id: "W3", trigger: "ask_user_question_answered" }],
  ["22:11:00", { kind: "suppressed", ...SHOP, trigger: "idle_prompt", reason: "sent before" }],
  [
    "23:31:02",
    {
      ...{ kind: "queued", ...DOCS, wake_id: "W4", trigger: "response_failed" },
      ...{ failure: "rate limit (rate_limit)", text: "API Error: 429" },
      limit: { kind: "5-hour limit", resets_at: new Date(2026, 10, 17, 2, 40).toISOString() },
    },
    "docs       Claude    limited     5-hour limit, resets 02:40",
  ],
  [
    "02:40:20",
    { kind: "queued", ...DOCS, wake_id: "W6", trigger: "limited", text: "It has ended" },
    "docs       watch     limit over  It has ended",
  ],
  [
    "02:41:10",
    {
      kind: "prompt",
      ...DOCS,
      by: "keyboard",
      by_kind: "keyboard",
      prompt_id: "t2",
      text: "go on",
    },
    "docs       keyboard  typed       go on",
  ],
  [
    "03:02:44",
    { kind: "queued", ...API, wake_id: "W5", trigger: "session_lost", text: "Killed (signal 9)" },
    "api-main   –         lost        Killed (signal 9)",
  ],
  [
    "03:02:51",
    { kind: "session", ...API, reason: "recovered: Claude Code was killed" },
    "api-main   recover   recovered   Claude Code was killed",
  ],
  [
    "03:10:00",
    {
      ...{ kind: "instruction", ...API, by: "ana", by_kind: "person", via: "keys" },
      ...{ instruction_id: "I2", action: "esc", outcome: "done" },
    },
    "api-main   ana       pressed     Esc",
  ],
  [
    "03:11:00",
    {
      ...{ kind: "answered", ...API, by: "keyboard", by_kind: "keyboard", question_id: "q-2" },
      ...{ outcome: "left", after_ms: 4000 },
    },
    "api-main   keyboard  left        without an answer  (after 4 s)",
  ],
  [
    "03:12:00",
    {
      ...{ kind: "decided", ...API, by: "scout", by_kind: "agent", tool: "Bash", after_ms: 900 },
      ...{ outcome: "given", decision: { kind: "deny", message: "not now" } },
    },
    "api-main   scout     denied      not now  (after 900 ms)",
  ],
  [
    "03:13:00",
    {
      ...{ kind: "instruction", ...API, by: "scout", by_kind: "agent", via: "keys", text: "go" },
      ...{ instruction_id: "I3", action: "type", outcome: "refused", reason: "Claude is working" },
    },
    "api-main   scout     refused     type go: Claude is working",
  ],
  [
    "03:14:00",
    { kind: "failed", ...API, wake_id: "W5", reason: "no gateway", tries: 1 },
    "api-main   →scout    not told    no gateway",
  ],
  ["03:14:05", { kind: "failed", ...API, wake_id: "W5", reason: "no gateway", tries: 2 }],
  [
    "03:14:15",
    { kind: "failed", ...API, wake_id: "W5", reason: "it hung up", tries: 3 },
    "api-main   →scout    not told    it hung up",
  ],
];

class Log {
  readonly home = new TestHome();
  out: string[] = [];
  err: string[] = [];
  readonly ending = new AbortController();

  constructor(night = NIGHT) {
    for (const [clock, entry] of night) record(this.home.paths, entry, at(clock));
  }

  async run(args: string[], more: Partial<LogWorld> = {}): Promise<number> {
    this.out = [];
    this.err = [];
    return await main(args, {
      paths: this.home.paths,
      now: () => NOW,
      width: () => undefined,
      end: this.ending.signal,
      say: (line) => void this.out.push(line),
      warn: (line) => void this.err.push(line),
      ...more,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.home[Symbol.asyncDispose]();
  }
}

Deno.test("log lists a night in plain words, a line for each happening", async () => {
  await using log = new Log();
  assertEquals(await log.run(["--since", "22:00"]), 0);
  const told = (from: number, to: number) =>
    NIGHT.slice(from, to).flatMap(([clock, , line]) =>
      line === undefined ? [] : [`${clock}  ${line}`]
    );
  assertEquals(log.out, [
    "-- 2026-11-16",
    ...told(0, 9),
    "-- 2026-11-17",
    ...told(9, NIGHT.length),
  ]);
});

Deno.test("log shows one session or agent, some kinds, some words, or a time", async () => {
  await using log = new Log();
  const counts: [args: string[], count: number][] = [
    [["shop-main"], 5],
    [["forge"], 3],
    [["--kind", "limited"], 1],
    [["--kind", "asks,answered"], 3],
    [["--kind", "instruction"], 3],
    [["--kind", "suppressed"], 1],
    [["--grep", "SQLITE"], 2],
    [["api-main", "--since", "03:12"], 4],
    [["shop-main", "--since", "1h"], 0],
  ];
  for (const [args, count] of counts) {
    assertEquals(await log.run(args), 0, args.join(" "));
    const lines = log.out.filter((line) => /^\d\d:/.test(line));
    assertEquals(lines.length, count, args.join(" "));
  }
  assertEquals(log.out, ["Nothing happened since 2026-11-17 06:00"]);
});

Deno.test("log --session and --agent tell names apart that are both", async () => {
  await using log = new Log([]);
  const { paths } = log.home;
  const twin = { session: "warden", agent_id: "forge" };
  record(paths, { kind: "problem", ...SHOP, reason: "of the agent" }, NOW);
  record(paths, { kind: "problem", ...twin, reason: "of the session" }, NOW);
  const told = async (...args: string[]) => {
    log.out.length = 0;
    assertEquals(await log.run(args), 0);
    return log.out.filter((line) => line.includes(" of the ")).map((line) =>
      line.split(" ").at(-1)
    );
  };
  assertEquals(await told("warden"), ["agent", "session"]);
  assertEquals(await told("--agent", "warden"), ["agent"]);
  assertEquals(await told("--session", "warden"), ["session"]);
  assertEquals(await log.run(["--agent", "wardn"]), 1);
});

Deno.test("log follows a rename: the whole journal is of the present name", async () => {
  await using log = new Log([]);
  const { paths } = log.home;
  const handy = { session: "handy", agent_id: "warden" };
  record(paths, { kind: "problem", ...handy, reason: "before the rename" }, NOW);
  moveFiles(paths, "handy", "tools");
  const tools = { ...handy, session: "tools" };
  record(paths, { kind: "session", ...tools, reason: "renamed from handy" }, NOW);
  assertEquals(await log.run(["tools"]), 0);
  const lines = log.out.slice(1).map((line) => line.split(/ {2,}/));
  assertEquals(lines.map(([, session]) => session), ["tools", "tools"]);
  assertEquals(lines[0]?.at(-1), "before the rename");
  assertEquals(await log.run(["--session", "tools", "--json"]), 0);
  assertEquals(log.out.length, 2);
  assertEquals(await log.run(["handy"]), 1);
  assertStringIncludes(log.err.join(), '"handy"; it is tools now');
});

Deno.test("log --json gives the records, also those that tell nothing new", async () => {
  await using log = new Log();
  assertEquals(await log.run(["shop-main", "--json"]), 0);
  const kinds = log.out.map((line) => JSON.parse(line).kind);
  assertEquals(kinds, NIGHT.slice(0, 8).map(([, { kind }]) => kind));
});

Deno.test("log says in one sentence what is wrong with its words", async () => {
  await using log = new Log();
  const cases: [args: string[], code: number, said: string][] = [
    [["--since", "yesterday"], 2, "--since takes a time (22:00), a date"],
    [["--kind", "aks"], 2, '--kind has no "aks"; it takes'],
    [["shop-mian"], 1, 'no record of a session or agent "shop-mian"; did you mean shop-main?'],
    [["--wake", "W9"], 1, 'No wake or instruction "W9" is known'],
    [["--all"], 2, 'log does not take "--all"'],
    [["a", "b"], 2, 'log does not take "b"'],
  ];
  for (const [args, code, said] of cases) {
    assertEquals(await log.run(args), code, args.join(" "));
    assertEquals([log.out, log.err.length], [[], 1]);
    assertStringIncludes(log.err[0]!, said);
  }
});

Deno.test("log fits its lines to the terminal, and a text cannot steer it", async () => {
  const text = `\u001b[2J\u202eevil ${"x".repeat(1_000_000)}\n22:00:00  fake line`;
  const night: typeof NIGHT = [
    ["22:04:10", { kind: "queued", ...SHOP, wake_id: "W1", trigger: "response_complete", text }],
    ["22:04:11", { kind: "problem", ...SHOP, reason: "漢字かな交じり文 ".repeat(30) }],
  ];
  await using log = new Log(night);
  for (const width of [60, 80, 200]) {
    await log.run([], { width: () => width });
    const [, first = "", second = ""] = log.out;
    assertEquals(log.out.length, 3);
    assertEquals([first.length <= width, first.includes("\u001b"), first.includes("\u202e")], [
      true,
      false,
      false,
    ]);
    const places = Array.from(second).reduce((sum, char) => sum + (char > "\u2e80" ? 2 : 1), 0);
    assertEquals(places <= width, true);
  }
});

Deno.test("log fits lines with long names and a duration to a narrow terminal", async () => {
  const session = "a-session-with-a-long-name";
  const agent_id = "an-agent-of-a-long-name";
  const ended = {
    kind: "queued",
    trigger: "response_complete",
    text: "All 42 tests pass",
  } as const;
  const night: typeof NIGHT = [
    ["22:04:10", { ...ended, ...SHOP, wake_id: "W1", turn_ms: 341_000, cost_usd: 0.38 }],
    ["22:04:11", { kind: "delivered", session, agent_id, wake_id: "W2", duration_ms: 84 }],
    ["22:04:12", { ...ended, session, agent_id, wake_id: "W3", turn_ms: 341_000, cost_usd: 0.38 }],
  ];
  await using log = new Log(night);
  for (const width of [60, 80, 100]) {
    await log.run([], { width: () => width });
    assertEquals(log.out.filter((line) => line.length > width), []);
    assertStringIncludes(log.out.at(-1)!, width === 60 ? "  All 42" : "  All 42 tests");
    assertEquals(log.out.at(-1)!.includes("(5 min 41 s, $0.38)"), width === 100);
  }
});

Deno.test("log keeps its columns where names have wide letters", async () => {
  const at = "22:04:10";
  const said = { kind: "problem", reason: "漢字 ✅ ".repeat(30) } as const;
  const night: typeof NIGHT = [
    [at, { ...said, ...SHOP }],
    [at, { ...said, ...SHOP, session: "店鋪メイン店鋪メイン" }],
    [at, { ...said, ...SHOP, session: "店鋪メイン" }],
  ];
  await using log = new Log(night);
  const columns = (text: string) =>
    Array.from(text).reduce((sum, sign) => sum + (/[\u2e80-\u9fff✅]/.test(sign) ? 2 : 1), 0);
  for (const width of [60, 80, 200, undefined]) {
    await log.run([], { width: () => width });
    const lines = log.out.slice(1);
    const places = lines.map((line) => columns(line.slice(0, line.indexOf("problem"))));
    assertEquals(new Set(places).size, 1, lines.join("\n"));
    assertEquals(lines.filter((line) => columns(line) > (width ?? Infinity)), []);
  }
});

Deno.test("log fits its columns to as many lines as a week has", () => {
  const one: Happening = {
    ...{ at: NOW, session: "shop-main", who: "warden", what: "typed", text: "", note: "" },
    ...{ tone: "plain", record: {} },
  };
  const columns = columnsFor(Array.from({ length: 300_000 }, () => one), 80);
  assertEquals(columns, { session: 9, who: 6, what: 6, line: 80 });
});

Deno.test("log --wake gives the whole text, where it is delivered, waits, or has only a record", async () => {
  await using log = new Log();
  const { paths } = log.home;
  keepText(paths, "shop-main", "W1", "[CONTENT]\nthe whole text");
  assertEquals(await log.run(["--wake", "W1"]), 0);
  assertStringIncludes(log.out.join("\n"), "turn ended  All 42 tests pass.");
  assertEquals(log.out.at(-1), "\n[CONTENT]\nthe whole text");
  const secret = "q-0123456789ABCDEF.0123456789ABCDEFGHJK";
  const wake = { ...put(paths), message: `choose <n> --question ${secret}` };
  enqueue(paths, wake);
  record(paths, { kind: "queued", ...SHOP, wake_id: wake.wake_id, trigger: "x" }, NOW);
  assertEquals(await log.run(["--wake", wake.wake_id]), 0);
  assertEquals(log.out.at(-1), "\nchoose <n> --question q-0123456789ABCDEF");
  assertEquals(await log.run(["--wake", "W4"]), 0);
  assertEquals(log.out.at(-1), "\nAPI Error: 429");
  assertEquals(await log.run(["--wake", "I1"]), 0);
  assertEquals(log.out.at(-1), "\nFix the failing tests");
});

Deno.test("log -f goes on with what is added, also in a new journal and past a full one", async () => {
  await using log = new Log([]);
  record(log.home.paths, { kind: "problem", ...SHOP, reason: "before" }, NOW);
  const running = log.run(["-f", "--grep", "news"]);
  const seen = (count: number) =>
    until(`${count} lines`, () => log.out.filter((line) => line.includes("news")).length >= count);
  await until("it follows", () => {
    record(log.home.paths, { kind: "problem", ...SHOP, reason: "news 1" }, NOW);
    return log.out.length > 0;
  });
  const count = log.out.filter((line) => line.includes("news 1")).length;
  record(log.home.paths, { kind: "problem", ...DOCS, reason: "news of a new session" }, NOW);
  await seen(count + 1);
  const path = journalFile(log.home.paths, "shop-main");
  record(log.home.paths, { kind: "problem", ...SHOP, reason: "news before it is full" }, NOW);
  Deno.renameSync(path, `${path}.1`);
  record(log.home.paths, { kind: "problem", ...SHOP, reason: "news after it was full" }, NOW);
  await seen(count + 3);
  log.ending.abort();
  assertEquals(await running, 130);
  assertEquals(log.out.filter((line) => line.includes("is full")).length, 1);
  assertEquals(log.out.filter((line) => line.includes("was full")).length, 1);
});

Deno.test("log tells a wake that was dropped from a dead letter", async () => {
  await using log = new Log([]);
  for (const reason of ["dropped by hand", "dropped with its session", "no such agent"]) {
    record(log.home.paths, { kind: "dead", ...SHOP, wake_id: "W9", reason }, NOW);
  }
  assertEquals(await log.run([]), 0);
  const told = log.out.slice(1).map((line) => line.split(/ {2,}/).slice(2));
  assertEquals(told, [
    ["→warden", "dropped", "by hand"],
    ["→warden", "dropped", "with its session"],
    ["→warden", "dead letter", "no such agent"],
  ]);
  assertEquals(await log.run(["--kind", "dead letter"]), 0);
  assertEquals(log.out.length, 2);
});

/** Who, what, and the words of each line. */
const said = (log: Log) => log.out.slice(1).map((line) => line.split(/ {2,}/).slice(2));

const RULE = "╌".repeat(200);

Deno.test("log names a request that keys have decided as its wake does, and shows no raw screen", async () => {
  await using log = new Log([]);
  const { paths } = log.home;
  const request = { ...SHOP, trigger: "permission_prompt", question_id: "p-1" };
  const text = "Claude asks for permission to use Bash\n\ncommand: touch made\n" +
    "description (Claude's words): Create a marker file";
  const tip = "Tip: auto mode handles these prompts for you";
  const screen = ["Bash command", tip, "Create a marker file", RULE, "touch made", RULE];
  record(paths, { kind: "queued", ...request, wake_id: "W1", text }, NOW);
  const decided = { ...SHOP, ...AGENT, tool: "Bash", outcome: "given" };
  const allowed = {
    ...decided,
    decision: { kind: "allow" },
    asked: screen.join(" ").slice(0, 300),
  };
  record(paths, { kind: "decided", ...allowed, question_id: "p-1" }, NOW);
  record(paths, { kind: "decided", ...allowed, asked: `touch made ${RULE}` }, NOW);
  const wake = { wake_id: "W2", trigger: "unanswered", text: screen.join("\n") };
  record(paths, { kind: "queued", ...SHOP, ...wake }, NOW);
  const question = "Question [Database]: Which?\n  1. A: first";
  record(paths, { kind: "queued", ...SHOP, ...wake, text: question }, NOW);
  assertEquals(await log.run([]), 0);
  assertEquals(said(log), [
    ["Claude", "permission", "Bash: touch made"],
    ["warden", "allowed", "Bash: touch made"],
    ["warden", "allowed", "touch made"],
    ["watch", "unanswered", "Bash command Create a marker file touch made"],
    ["watch", "unanswered", "Which?", "1 A"],
  ]);
});

Deno.test("log has one line for a give, a resume and a recovery, and says who did it", async () => {
  await using log = new Log([]);
  const { paths } = log.home;
  const ana = { by: "ana", by_kind: "person" };
  const session = (reason: string, more: Partial<JournalRecord> = {}) =>
    record(paths, { kind: "session", ...SHOP, reason, ...more }, NOW);
  const wake = (trigger: string) =>
    record(paths, { kind: "queued", ...SHOP, wake_id: "W1", trigger, text: "Meanwhile …" }, NOW);
  session("taken", ana);
  session("to be given back", ana);
  wake("given_back");
  session("given back", { text: "I mended it by hand" });
  session("paused", { by: "warden", by_kind: "agent" });
  wake("resumed");
  session("resumed"); // by its time
  session("it was lost and is started again", { source: "watch" });
  wake("session_recovered");
  session("recovered: its tmux session was gone");
  assertEquals(await log.run([]), 0);
  assertEquals(said(log), [
    ["ana", "taken"],
    ["ana", "given back", "I mended it by hand"],
    ["warden", "paused"],
    ["–", "resumed"],
    ["watch", "recovering", "it was lost and is started again"],
    ["recover", "recovered", "its tmux session was gone"],
  ]);
});

/** The records of holds in the journal of a log, minutes after NOW. */
function holdsOf({ home: { paths } }: Log) {
  const at = (minute: number) => new Date(NOW.getTime() + minute * 60_000);
  return {
    session(minute: number, name: string, reason: string, more: Partial<JournalRecord> = {}) {
      const about = { session: name, agent_id: "warden", reason, ...more };
      record(paths, { kind: "session", ...about }, at(minute));
    },
    wake(minute: number, name: string) {
      const about = { session: name, agent_id: "warden", wake_id: "W1", trigger: "resumed" };
      record(paths, { kind: "queued", ...about, text: "Meanwhile …" }, at(minute));
    },
  };
}
const ANA = { by: "ana", by_kind: "person" };

Deno.test("log has one line for the end of a pause whose beginning it does not show", async () => {
  await using log = new Log([]);
  const { session, wake } = holdsOf(log);
  wake(0, "shop");
  session(0, "shop", "resumed"); // by its time
  session(5, "warden", "to be resumed", ANA);
  wake(5, "zoo"); // in the same millisecond, and in another journal
  wake(5, "docs");
  session(5, "warden", "resumed");
  wake(10, "shop");
  session(10, "warden", "quiet hours have ended");
  const later = { now: () => new Date(NOW.getTime() + 3_600_000) };
  assertEquals(await log.run([], later), 0);
  assertEquals(said(log), [
    ["–", "resumed"],
    ["ana", "resumed"],
    ["–", "quiet hours", "have ended"],
  ]);
  session(30, "docs", "resumed");
  assertEquals(await log.run(["docs"], later), 0);
  const wakes = [["–", "resumed", "Meanwhile …"], ["–", "resumed"]];
  assertEquals(said(log), wakes, "the agent's records are not shown");
});

const HOLDS = { paused: "resumed", "quiet hours: until 06:00": "quiet hours have ended" };
for (const [begun, ended] of Object.entries(HOLDS)) {
  Deno.test(`log -f has one line for "${ended}", also before its record is written`, () =>
    followHold(begun, ended));
}

async function followHold(begun: string, ended: string): Promise<void> {
  await using log = new Log([]);
  const { session, wake } = holdsOf(log);
  session(0, "warden", begun, ANA);
  const running = log.run(["-f"]);
  const shown = (words: string) => log.out.some((line) => line.includes(words));
  await until("it follows", () => shown("ana"));
  wake(1, "shop");
  session(1, "warden", "limit raised: by $1.00");
  await until("the wake is read", () => shown("limit raised"));
  session(1, "warden", ended);
  session(1, "warden", "limit raised: by $2.00");
  await until("the end is read", () => shown("$2.00"));
  log.ending.abort();
  await running;
  assertEquals(log.out.length, 5, log.out.join("\n"));
}

Deno.test("log cuts no word of what happened, and no name where the output is no terminal", async () => {
  await using log = new Log([]);
  const { paths } = log.home;
  const reasons: [reason: string, ...said: string[]][] = [
    ["renamed from handy", "renamed", "from handy"],
    ["stopped", "stopped"],
    ["stopped by a limit: $5 of $5", "stopped", "by a limit: $5 of $5"],
    ["quiet hours: until 2026-11-17T06:00:00Z", "quiet hours", "until 2026-11-17T06:00:00Z"],
    ["quiet hours have ended", "quiet hours", "have ended"],
    ["limit raised: by $2.00", "limit raised", "by $2.00"],
    ["it was sent on after its limit", "sent on", "it was sent on after its limit"],
    ["recover ended with 1", "not recovered", "recover ended with 1"],
    ["a reason of a later version", "session", "a reason of a later version"],
  ];
  for (const [reason] of reasons) record(paths, { kind: "session", ...SHOP, reason }, NOW);
  for (const width of [undefined, 100]) {
    assertEquals(await log.run([], { width: () => width }), 0);
    assertEquals(said(log).map(([, ...words]) => words), reasons.map(([, ...words]) => words));
  }
  assertEquals(await log.run(["--kind", "renamed,quiet hours"]), 0);
  assertEquals(log.out.length, 4);
  const session = "a-session-with-a-long-name";
  const agent_id = "an-agent-of-a-long-name";
  record(paths, { kind: "delivered", session, agent_id, wake_id: "W1", duration_ms: 5 }, NOW);
  assertEquals(await log.run([]), 0);
  assertStringIncludes(log.out.join("\n"), `${session}  →${agent_id}  told`);
});

const RENAMES = {
  "a new name": {},
  "the name of a journal that is there": { isTaken: true },
  "a new name, with a hook that is late": { isLate: true },
};
for (const [name, how] of Object.entries(RENAMES)) {
  Deno.test(`log -f goes on after a rename to ${name}, and repeats nothing`, () =>
    followRename(how));
}

async function followRename(
  { isTaken = false, isLate = false }: { isTaken?: boolean; isLate?: boolean },
): Promise<void> {
  await using log = new Log([]);
  const { paths } = log.home;
  const note = (session: string, reason: string) =>
    record(paths, { kind: "problem", ...SHOP, session, reason }, NOW);
  if (isTaken) note("tools", "news before it follows, of a session that was removed");
  note("handy", "news before it follows");
  const running = log.run(["-f", "--since", "1s", "--grep", "news"]);
  await until("it follows", () => {
    note("handy", "news 1");
    return log.out.some((line) => line.includes("news 1"));
  });
  note("handy", "news before the rename");
  moveFiles(paths, "handy", "tools");
  if (isLate) {
    note("handy", "news of a late hook"); // before the follower has looked
    moveFiles(paths, "handy", "tools");
  }
  note("tools", "news after the rename");
  note("handy", "news of another session"); // the old name is in use again
  for (const last of ["after the rename", "of another session"]) {
    await until("it goes on", () => log.out.some((line) => line.includes(last)));
  }
  log.ending.abort();
  assertEquals(await running, 130);
  const count = (words: string) => log.out.filter((line) => line.includes(words)).length;
  assertEquals(
    ["before it follows", "before the rename", "after the rename", "of another session"].map(count),
    [isTaken ? 2 : 1, 1, 1, 1],
  );
  assertEquals(count("of a late hook"), isLate ? 1 : 0);
}

Deno.test("log -f follows a session that is named to its new name", async () => {
  await using log = new Log([]);
  const { paths } = log.home;
  let second = 0;
  const note = (session: string, reason: string) => {
    const at = new Date(NOW.getTime() + 1000 * second++);
    record(paths, { kind: "session", ...SHOP, session, reason }, at);
  };
  note("handy", "stopped: before it follows");
  const ways = [["handy"], ["--session", "handy"]];
  const outs = ways.map(() => [] as string[]);
  const running = ways.map((args, at) =>
    log.run(["-f", ...args], { say: (line) => void outs[at]!.push(line) })
  );
  const shown = (words: string) => outs.every((out) => out.some((line) => line.includes(words)));
  await until("they follow", () => shown("before it follows"));
  moveFiles(paths, "handy", "tools");
  note("tools", "renamed from handy");
  note("tools", "stopped: after the rename");
  note("handy", "stopped: another session of that name");
  note("tools", "stopped: the end");
  await until("they go on", () => shown("the end"));
  log.ending.abort();
  await Promise.all(running);
  assertEquals(outs.map((out) => out.length), [5, 5]);
  assertEquals(outs.flat().filter((line) => line.includes("another session")), []);
});

Deno.test("log -f of an agent follows it also where a session of its name is renamed", async () => {
  await using log = new Log([]);
  const { paths } = log.home;
  const note = (session: string, reason: string) =>
    record(paths, { kind: "session", session, agent_id: "docs", reason }, NOW);
  note("docs", "stopped: before it follows");
  const running = log.run(["-f", "docs"]);
  const shown = (words: string) => log.out.some((line) => line.includes(words));
  await until("it follows", () => shown("before it follows"));
  moveFiles(paths, "docs", "tools");
  note("tools", "renamed from docs");
  await until("the rename is read", () => shown("renamed"));
  note("docs-2", "stopped: in its other session");
  note("tools", "stopped: the end");
  await until("it goes on", () => shown("the end"));
  log.ending.abort();
  await running;
  assertEquals(shown("in its other session"), true, log.out.join("\n"));
});

Deno.test("log shows all of a question that asks what a permission would ask", async () => {
  await using log = new Log([]);
  const asked = "There are two designs.\nDo you want to go with A?";
  const about = { ...SHOP, by: "ana", by_kind: "person", outcome: "left", asked } as const;
  record(log.home.paths, { kind: "answered", ...about }, NOW);
  assertEquals(await log.run([]), 0);
  assertStringIncludes(log.out.join("\n"), "two designs. Do you want to go with A?");
});

Deno.test("log says that a question stays open when its hook no longer waits", async () => {
  await using log = new Log([]);
  const about = { ...SHOP, wake_id: "W9", after_ms: 600_000, outcome: "timeout" };
  const { paths } = log.home;
  record(paths, { kind: "answered", ...about, question_id: "q-1", tool: "AskUserQuestion" }, NOW);
  for (const tool of ["Bash", "ExitPlanMode", "form of github", undefined]) {
    record(paths, { kind: "decided", ...about, question_id: "p-1", tool }, NOW);
  }
  assertEquals(await log.run([]), 0);
  const told = log.out.slice(1).map((line) => line.split(/ {2,}/).slice(3).join("  "));
  assertEquals(told, [
    "unanswered  the question stays open  (after 10 min)",
    "unanswered  the dialog of Bash stays open  (after 10 min)",
    "unanswered  the plan stays open  (after 10 min)",
    "unanswered  the form of github stays open  (after 10 min)",
    "unanswered  (after 10 min)",
  ]);
});

Deno.test("log shows records whose words are names that every object has", async () => {
  await using log = new Log([]);
  const { paths } = log.home;
  for (const word of ["toString", "constructor", "__proto__"]) {
    record(paths, { kind: "queued", ...SHOP, wake_id: "W9", trigger: word }, NOW);
    record(paths, { kind: "step", ...SHOP, status: word }, NOW);
    record(paths, { kind: "session", ...SHOP, event: "SessionStart", source: word }, NOW);
    const by = { instruction_id: "I1", by: "warden", by_kind: "agent", via: "keys" };
    record(paths, { kind: "instruction", ...SHOP, ...by, action: word, outcome: "done" }, NOW);
  }
  assertEquals(await log.run([]), 0, log.err.join("\n"));
  const told = log.out.slice(1, 5).map((line) => line.split(/ {2,}/)[3]);
  assertEquals(told, ["toString", "step toString", "started", "toString"]);
});
