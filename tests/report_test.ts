import { assertEquals, assertStringIncludes } from "@std/assert";
import { HELP, main } from "../commands/report.ts";
import type { World } from "../lib/cli/world.ts";
import { type JournalRecord, record } from "../lib/journal.ts";
import { commitsIn } from "../lib/story/commits.ts";
import { figuresOf, type SessionFigures } from "../lib/story/figures.ts";
import { reportPage, safe } from "../lib/story/report_page.ts";
import { reportText } from "../lib/story/report_text.ts";
import { moveFiles } from "../lib/sessions/kept_files.ts";
import { TestHome } from "./support/home.ts";
import { writeExecutable } from "./support/executable.ts";

const NIGHT = new Date(2026, 10, 16, 22, 0, 0).getTime();
const MORNING = new Date(2026, 10, 17, 7, 0, 0).getTime();
const MINUTE = 60_000;

type Fields = Partial<JournalRecord>;

/** A session that follows a script: each step takes its minutes, then something happens. */
class Script {
  readonly records: JournalRecord[] = [];
  #at: number;
  #count = 0;

  constructor(readonly session: string, readonly agent_id: string, startsAt = NIGHT) {
    this.#at = startsAt;
  }

  after(minutes: number): this {
    this.#at += minutes * MINUTE;
    return this;
  }

  add(kind: JournalRecord["kind"], fields: Fields): this {
    const at = new Date(this.#at).toISOString();
    const { session, agent_id } = this;
    this.records.push({ at, kind, session, agent_id, ...fields });
    return this;
  }

  prompt(by_kind: string, by = this.agent_id): this {
    return this.add("prompt", { by, by_kind, prompt_id: `t${++this.#count}` });
  }

  wake(trigger: string, fields: Fields = {}): this {
    const wake_id = `${this.session}-${++this.#count}`;
    this.add("queued", { wake_id, trigger, text: trigger, ...fields });
    return this.add("delivered", { wake_id, trigger, duration_ms: 80, tries: 1 });
  }

  end(cost_usd: number, fields: Fields = {}): this {
    return this.wake("response_complete", { cost_usd, ...fields });
  }

  limit(minutes: number): this {
    const resets_at = new Date(this.#at + minutes * MINUTE).toISOString();
    const failure = "rate limit (rate_limit)";
    return this.wake("response_failed", { failure, limit: { kind: "5-hour limit", resets_at } });
  }

  ask(id: string): this {
    return this.wake("ask_user_question", { question_id: id, text: "Which database?" });
  }

  answer(question_id: string, by: string, by_kind: string, minutes: number): this {
    const decision = { kind: "answers", answers: { q: "SQLite" } };
    const after_ms = minutes * MINUTE;
    return this.after(minutes)
      .add("answered", { question_id, by, by_kind, after_ms, decision, outcome: "given" });
  }
}

/** Nine hours. Each figure below is counted by hand from this script. */
function night(): JournalRecord[] {
  const shop = new Script("shop-main", "warden").prompt("agent") // 22:00
    .after(10).ask("q-1").answer("q-1", "warden", "agent", 1) // 22:11
    .after(9).end(0.5) // 22:20
    .after(2).prompt("agent").after(18).ask("q-2") // 22:40
    .answer("q-2", "warden", "agent", 3) // 22:43
    .after(17).ask("q-3").answer("q-3", "keyboard", "keyboard", 6) // 23:06
    .after(54).end(1.25) // 00:00
    .after(30).prompt("keyboard", "keyboard") // 00:30
    .after(30).end(0.1, { prompted_by: "human" }); // 01:00, then idle
  const docs = new Script("docs", "forge").prompt("agent") // 22:00
    .after(60).limit(180) // 23:00
    .after(180).wake("limited").after(10).prompt("agent") // 02:10
    .after(50).end(2) // 03:00
    .after(4).prompt("agent").after(6) // 03:10
    .wake("response_failed", { failure: "server error (server_error)" })
    .after(10).prompt("agent").after(10).end(0.3); // 03:30, then idle
  const api = new Script("api-main", "scout", NIGHT - 60 * MINUTE).prompt("agent") // 21:00
    .after(120).wake("session_lost") // 23:00
    .after(0.1).add("session", { reason: "recovered: killed" }) // 23:00:06
    .after(1.9).prompt("agent") // 23:02
    .after(28).end(0.05) // 23:30
    .after(30).wake("session_end") // 00:00
    .add("problem", { reason: "Cannot start the deliverer" })
    .add("queued", { wake_id: "late", trigger: "session_end" });
  return [...shop.records, ...docs.records, ...api.records];
}

const minutes = (times: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(times).map(([state, ms]) => [state, ms / MINUTE]).filter(([, ms]) => ms !== 0),
  );

Deno.test("figuresOf() counts a scripted night as the script says", () => {
  const commit = (at: number) => ({ hash: "a".repeat(40), at, subject: "fix" });
  const commits = new Map([
    ["shop-main", [commit(NIGHT - 1), commit(NIGHT + MINUTE)]],
    ["docs", [commit(NIGHT + MINUTE)]],
  ]);
  const { sessions, totals } = figuresOf(night(), NIGHT, MORNING, commits);
  const [docs, shop, api] = sessions as [
    typeof sessions[0],
    typeof sessions[0],
    typeof sessions[0],
  ];
  assertEquals([docs.session, shop.session, api.session], ["docs", "shop-main", "api-main"]);

  assertEquals([shop.turns, shop.failed_turns, shop.human_turns, shop.cost_usd], [3, 0, 1, 1.85]);
  assertEquals(minutes(shop.time_ms), {
    working: 10 + 9 + 18 + 17 + 54 + 30,
    agent: 1 + 2 + 3,
    human: 6 + 30,
    idle: 6 * 60,
  });
  assertEquals(shop.asked.map(({ by, after_ms, answer }) => [by, after_ms! / MINUTE, answer]), [
    ["warden", 1, "SQLite"],
    ["warden", 3, "SQLite"],
    ["keyboard", 6, "SQLite"],
  ]);
  assertEquals([shop.failures, shop.unsent, shop.commits.length], [[], 0, 1]);

  assertEquals([docs.turns, docs.failed_turns, docs.cost_usd], [4, 2, 2.3]);
  assertEquals(minutes(docs.time_ms), {
    working: 60 + 50 + 6 + 10,
    limited: 180,
    api: 10,
    agent: 10 + 4,
    idle: 210,
  });
  assertEquals(docs.failures.map(({ what }) => what), ["limited", "turn failed"]);

  assertEquals([api.turns, api.cost_usd, api.unsent], [1, 0.05, 1]);
  assertEquals(minutes(api.time_ms), { working: 60 + 28, lost: 0.1, agent: 1.9, idle: 30 });
  assertEquals(api.recoveries.map(({ after_ms }) => after_ms), [6000]);
  assertEquals(api.failures.map(({ what }) => what), ["lost", "problem"]);

  assertEquals(totals, {
    turns: 8,
    commits: 1,
    cost_usd: 4.2,
    unsent: 1,
    unanswered: 0,
    // 1, 3 and 2 in shop-main, 10 and 4 in docs, 1.9 in api-main.
    agent_wait: { count: 6, median_ms: 2.5 * MINUTE, longest_ms: 10 * MINUTE },
    human_wait: { count: 2, median_ms: 18 * MINUTE, longest_ms: 30 * MINUTE },
  });
});

Deno.test("figuresOf() puts first what waits for somebody, then failures, work and rest", () => {
  const ask = new Script("asks", "a").prompt("agent").after(5).ask("q-1");
  const failed = new Script("fails", "a").prompt("agent").after(5)
    .wake("response_failed", { failure: "login" });
  const working = new Script("at work", "a").prompt("agent");
  const idle = new Script("at rest", "a").prompt("agent").after(5).end(1);
  const records = [idle, working, failed, ask].flatMap((script) => script.records);
  const { sessions, totals } = figuresOf(records, NIGHT, MORNING);
  assertEquals(sessions.map(({ session }) => session), ["asks", "fails", "at work", "at rest"]);
  assertEquals(totals.unanswered, 1);
});

Deno.test("figuresOf() counts no return of a lost session that only the watch or remove has seen", () => {
  const lost = new Script("s", "a").prompt("agent").after(5).wake("session_lost")
    .after(1).add("session", { source: "watch", reason: "it was lost and is started again" });
  const back = (script: Script) =>
    figuresOf(script.records, NIGHT, MORNING).sessions[0]?.recoveries.map(({ after_ms }) =>
      after_ms / MINUTE
    );
  assertEquals(back(lost), []);
  assertEquals(back(lost.after(2).add("session", { reason: "removed" })), []);
  const again = new Script("s", "a").prompt("agent").after(5).wake("session_lost")
    .after(1).add("session", { source: "watch", reason: "it was lost and is started again" })
    .after(2).add("session", { event: "SessionStart", source: "resume" });
  assertEquals(back(again), [3]);
});

Deno.test("figuresOf() tells a wake that was dropped from a dead letter", () => {
  const script = new Script("s", "a").prompt("agent")
    .add("dead", { reason: "dropped by hand" }).add("dead", { reason: "no such agent" });
  const [one] = figuresOf(script.records, NIGHT, MORNING).sessions;
  assertEquals(one?.failures.map(({ what }) => what), ["wake dropped", "dead letter"]);
});

Deno.test("figuresOf() counts the turn of a step, which has no wake", () => {
  const at = new Date(NIGHT + 1000).toISOString();
  const step = { at, kind: "suppressed", session: "docs", trigger: "response_complete" };
  const records = [{ ...step, status: "step", cost_usd: 0.5 }, step];
  const [one] = figuresOf(records, NIGHT, MORNING).sessions;
  assertEquals([one?.turns, one?.cost_usd], [1, 0.5]);
});

Deno.test("figuresOf() of nothing is empty, and of hostile records whole", () => {
  assertEquals(figuresOf([], NIGHT, MORNING).sessions, []);
  const odd = [null, 5, "x", {}, [], "2026-11-16T23:00:00Z"];
  const records = odd.flatMap((at) =>
    odd.map((value) => ({ at, kind: "queued", trigger: value, session: value, text: value }))
  );
  figuresOf(records, NIGHT, MORNING);
});

class Report {
  readonly home = new TestHome();
  out = "";
  err = "";

  constructor(records = night()) {
    for (const { at, ...entry } of records) record(this.home.paths, entry, new Date(String(at)));
  }

  async run(args: string[]): Promise<number> {
    this.out = this.err = "";
    const world: World = {
      env: this.home.variable,
      environment: () => this.home.env,
      cwd: () => this.home.dir,
      deno: Deno.execPath(),
      now: () => new Date(MORNING),
      startDeliverer: () => {},
      paths: this.home.paths,
      say: (line) => void (this.out += `${line}\n`),
      warn: (line) => void (this.err += `${line}\n`),
    };
    return await main(args, world);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.home[Symbol.asyncDispose]();
  }
}

Deno.test("report has a row for each session: one that was renamed has one, a paused agent none", async () => {
  const handy = new Script("handy", "warden").prompt("agent").after(5).end(1);
  const agent = new Script("warden", "warden").add("session", { reason: "paused" })
    .after(5).add("session", { reason: "to be resumed" }).add("session", { reason: "resumed" })
    .add("session", { reason: "quiet hours: until 2026-11-17T06:00:00Z" });
  await using report = new Report([...handy.records, ...agent.records]);
  const { paths } = report.home;
  moveFiles(paths, "handy", "tools");
  const renamed = { session: "tools", agent_id: "warden", reason: "renamed from handy" };
  record(paths, { kind: "session", ...renamed }, new Date(NIGHT + 10 * MINUTE));
  assertEquals(await report.run(["--since", "22:00", "--json"]), 0);
  const { sessions } = JSON.parse(report.out);
  assertEquals(sessions.map((one: SessionFigures) => [one.session, one.turns, one.cost_usd]), [
    ["tools", 1, 1],
  ]);
  assertEquals(await report.run(["--since", "22:00", "handy"]), 1);
  assertStringIncludes(report.err, '"handy" in that time; it is tools now');
});

Deno.test("report sums up the scripted night in a few lines", async () => {
  await using report = new Report();
  assertEquals(await report.run(["--since", "22:00"]), 0);
  const [head, docs, shop, api, legend, waits] = report.out.split("\n");
  assertEquals(head, "22:00 – 07:00   9 h, 3 sessions, 8 turns, $4.20, 0 commits");
  assertEquals(
    api?.split(/ {2,}/).at(-1),
    "1 turn · 1 h 28 min at work · waited 1 min 54 s for its agent · lost · problem · back after 6 s · 1 unsent · $0.05",
  );
  assertEquals(
    docs?.split(/ {2,}/).at(-1),
    "4 turns · 2 h 6 min at work · waited 14 min for its agent · waited 10 min for the API · 3 h limited · turn failed · $2.30",
  );
  assertEquals(
    shop?.split(/ {2,}/).at(-1),
    "3 turns (1 yours) · 3 questions (2 by warden, 1 by you, longest wait 6 min) · " +
      "2 h 18 min at work · waited 6 min for its agent · waited 36 min for you · $1.85",
  );
  assertStringIncludes(api ?? "", "x");
  assertStringIncludes(legend ?? "", "▆ works   ░ waits for its agent   ? waits for you");
  assertEquals(
    waits,
    "Median wait: 2 min 30 s for agents, 18 min for you · 1 unsent · nothing unanswered",
  );
});

Deno.test("the example of report --help has what a report has, on lines of 100 characters", () => {
  assertEquals(HELP.split("\n").filter((line) => line.length > 100), []);
  for (const words of [" at work", "waited ", "Median wait: ", "Now: "]) {
    assertStringIncludes(HELP, words);
  }
});

Deno.test("reportText() ends with what waits or stands still now", () => {
  const shop = new Script("shop-main", "warden").prompt("agent").after(60).ask("q-1");
  const api = new Script("api-main", "scout").prompt("agent").after(120).wake("session_lost");
  const docs = new Script("docs", "forge").prompt("agent").after(10).end(1);
  const figures = figuresOf(
    [...shop.records, ...api.records, ...docs.records],
    NIGHT,
    MORNING + 12_000,
  );
  assertEquals(reportText(figures, 120).split("\n").slice(-2), [
    "Now: shop-main: waits for its agent for 8 h · Which database?",
    "Now: api-main: gone for 7 h",
  ]);
  assertStringIncludes(reportPage(figures), "Now: api-main: gone for 7 h");
});

Deno.test("reportText() names the open question only where somebody is waited for", () => {
  const gone = new Script("gone", "a").prompt("agent").after(5).ask("q-1")
    .after(5).wake("session_lost");
  const silent = new Script("silent", "a").prompt("agent").after(5)
    .wake("ask_user_question", { question_id: "q-2", text: "" });
  const figures = figuresOf([...gone.records, ...silent.records], NIGHT, NIGHT + 20 * MINUTE);
  const lines = reportText(figures).split("\n");
  assertEquals(lines.slice(-2).sort(), [
    "Now: gone: gone for 10 min",
    "Now: silent: waits for its agent for 15 min",
  ]);
  const quiet = new Script("s2", "a").prompt("agent").after(5).ask("q-1");
  const open = reportText(figuresOf(quiet.records, NIGHT, NIGHT + 20 * MINUTE));
  assertStringIncludes(open, "No wait has ended · nothing unsent · 1 unanswered");
});

Deno.test("figuresOf() counts no failure and no question for a name that every object has", () => {
  const odd = new Script("odd", "a").prompt("agent").after(5).wake("constructor");
  const [one] = figuresOf(odd.records, NIGHT, MORNING).sessions;
  assertEquals([one?.failures, one?.asked], [[], []]);
});

Deno.test("reportText() fits a terminal: no line is wider, and no word is broken", () => {
  const figures = figuresOf(night(), NIGHT, MORNING);
  for (const width of [60, 80, 100, 120, 200]) {
    const lines = reportText(figures, width).split("\n");
    assertEquals(lines.filter((line) => line.length > width), [], String(width));
    assertEquals(lines.filter((line) => line.includes("back after 6 s")).length, 1);
  }
});

Deno.test("report --json has the figures, and one agent alone where one is named", async () => {
  await using report = new Report();
  assertEquals(await report.run(["--since", "22:00", "--json", "forge"]), 0);
  const { sessions, since, until } = JSON.parse(report.out);
  assertEquals([since, until, sessions.length], [NIGHT, MORNING, 1]);
  assertEquals(sessions[0].turns, 4);
});

Deno.test("report --html writes a page without scripts, and hostile text stays text", async () => {
  const evil = `</title></svg><script>alert(1)</script><img src=x onerror="a">'"&\u202e\u0000`;
  const script = new Script(`s${evil.slice(0, 40)}`, evil).prompt("agent").after(5)
    .wake("ask_user_question", { question_id: "q", text: evil + "x".repeat(1_000_000) })
    .answer("q", evil, "agent", 1).add("problem", { reason: evil }).end(1);
  await using report = new Report(script.records);
  assertEquals(await report.run(["--since", "22:00", "--html", "night.html"]), 0);
  const page = Deno.readTextFileSync(`${report.home.dir}/night.html`);
  assertEquals(page.length < 100_000, true);
  const tags = new Set(Array.from(page.matchAll(/<([a-z]+)/gi), ([, tag]) => tag));
  assertEquals([...tags].filter((tag) => /script|img|iframe|link|object|a$/i.test(tag!)), ["meta"]);
  const inTags = Array.from(page.matchAll(/<[^>]*>/g), ([tag]) => tag).join("");
  assertEquals(/\son\w+=|src=|href=/.test(inTags), false);
  assertEquals(["http:", "https:", "\u202e", "\u0000"].filter((one) => page.includes(one)), []);
  assertStringIncludes(page, "default-src 'none'");
  assertStringIncludes(page, '<rect class="working"');
});

Deno.test("safe() names every character that means something in a page", () => {
  assertEquals(
    safe(`<a href='x' title="&">\u0007`),
    "&lt;a href=&#39;x&#39; title=&quot;&amp;&quot;&gt;",
  );
});

Deno.test("reportPage() says it where nothing happened", () => {
  assertStringIncludes(reportPage(figuresOf([], NIGHT, MORNING)), "No session did anything");
});

Deno.test("report says in one sentence what is wrong", async () => {
  await using report = new Report();
  const cases: [args: string[], code: number, said: string][] = [
    [["--since", "tomorrow"], 2, "--since takes a time (22:00), a date"],
    [["--since", "2030-01-01"], 2, "--since takes a time"],
    [["shop-mian"], 1, 'session or agent "shop-mian" in that time; did you mean shop-main?'],
    [["--html", "no/such/page.html"], 1, "there is no folder"],
    [["--send"], 1, "there is no registry"],
  ];
  for (const [args, code, said] of cases) {
    assertEquals(await report.run(args), code, args.join(" "));
    assertEquals(report.err.trim().split("\n").length, 1);
    assertStringIncludes(report.err, said);
  }
  report.home.writeRegistry({ agents: [] });
  assertEquals(await report.run(["--send"]), 1);
  assertStringIncludes(report.err, "names no global status session");
});

Deno.test("report --send gives the text to the global status session", async () => {
  await using report = new Report();
  const key = "agent:main:main";
  report.home.writeRegistry({ global_status_openclaw_session_key: key, agents: [] });
  assertEquals(await report.run(["--since", "22:00", "--send"]), 0);
  const [wake, ...more] = report.home.wakes("global_status");
  assertEquals([wake?.trigger, more.length], ["report", 0]);
  assertStringIncludes(wake?.message ?? "", "3 questions (2 by warden, 1 by you");
});

async function git(dir: string, ...args: string[]): Promise<void> {
  const { code, stderr } = await new Deno.Command("git", {
    args: ["-c", "user.name=a", "-c", "user.email=a@example.org", "-C", dir, ...args],
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH")!,
      HOME: dir,
      GIT_COMMITTER_DATE: `@${NIGHT / 1000 + 60} +0000`,
    },
  }).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
}

Deno.test("commitsIn() lists the commits of a time, and runs nothing that the repository names", async () => {
  await using home = new TestHome();
  const dir = `${home.dir}/repo`;
  Deno.mkdirSync(dir);
  await git(dir, "init", "-q");
  const span = [NIGHT, MORNING] as const;
  assertEquals(await commitsIn(home.variable, dir, ...span), [], "no commit yet");
  await git(dir, "commit", "-q", "--allow-empty", "-m", "fix: one\tthing");
  const trap = `${home.dir}/trap`;
  writeExecutable(trap, `#!/bin/sh\ntouch ${home.dir}/ran\n`);
  for (
    const [name, value] of [
      ["core.fsmonitor", trap],
      ["core.pager", trap],
      ["pager.log", trap],
      ["core.sshCommand", trap],
      ["gpg.program", trap],
      ["log.showSignature", "true"],
      ["diff.external", trap],
      ["core.hooksPath", home.dir],
    ]
  ) await git(dir, "config", name!, value!);
  const [commit, ...more] = await commitsIn(home.variable, dir, ...span);
  assertEquals([commit?.subject, commit?.at, more.length], ["fix: one\tthing", NIGHT + MINUTE, 0]);
  assertEquals(await commitsIn(home.variable, dir, NIGHT + 2 * MINUTE, MORNING), []);
  assertEquals(await commitsIn(home.variable, `${home.dir}/none`, ...span), []);
  assertEquals(await commitsIn(home.variable, "relative", ...span), []);
  assertEquals(await commitsIn(() => undefined, dir, ...span), [], "no git");
  assertEquals([...Deno.readDirSync(home.dir)].some(({ name }) => name === "ran"), false);
});

Deno.test("figuresOf() says who closed a permission: an agent's esc is not a person's answer", () => {
  const esc = { action: "esc", via: "keys", outcome: "done", by: "warden", by_kind: "agent" };
  const asked = (between: Fields[]) => {
    const script = new Script("shop-main", "warden").prompt("agent").after(1)
      .wake("permission_prompt", { text: "Bash" });
    for (const fields of between) script.after(1).add("instruction", fields);
    script.after(1).prompt("agent").after(1).end(0.1);
    const [session] = figuresOf(script.records, NIGHT, MORNING, new Map()).sessions;
    return session!.asked.map(({ by, by_kind, outcome }) => [by, by_kind, outcome]);
  };
  assertEquals(asked([]), [["keyboard", "keyboard", "unknown"]]);
  assertEquals(asked([esc]), [["warden", "agent", "left"]]);
  for (const other of [{ outcome: "refused" }, { via: "mod" }]) {
    assertEquals(asked([{ ...esc, ...other }]), [["keyboard", "keyboard", "unknown"]]);
  }
});
