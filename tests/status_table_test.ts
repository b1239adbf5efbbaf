import { assert, assertEquals } from "@std/assert";
import "../lib/cli/load_guards.ts";
import { viewsOf } from "../lib/fleet/session_view.ts";
import { statusTable, totalsLine, totalsLines, whatToDo } from "../lib/fleet/status_table.ts";
import { fixturePane, fixtureRequest } from "./support/fixtures.ts";
import { agentOf, endOf, entryOf, minutesAgo, NOW, seen } from "./support/fleet_sessions.ts";

const VIEWS = viewsOf({
  now: NOW,
  problems: [],
  sessions: [
    seen({
      session: "api-main",
      unsent: 1,
      entry: entryOf("idle", { statusSince: minutesAgo(9) }),
    }),
    seen({
      session: "docs",
      agent: agentOf({ agent_id: "forge" }),
      transcript: endOf({
        ...{ kind: "failed", at: minutesAgo(31), error: "rate_limit" },
        message: `5-hour limit reached|${(NOW + 9_600_000) / 1000}`,
      }),
    }),
    seen({
      entry: entryOf("waiting", { waitingFor: "input needed" }),
      capture: fixturePane("10-ask-single"),
      transcript: endOf({
        ...{ kind: "tool", tool: "AskUserQuestion" },
        toolInput: fixtureRequest("pre_tool_use-ask-single").tool_input,
      }),
    }),
  ],
});

Deno.test("statusTable() is as wide as the terminal, and shows first what waits", () => {
  const lines = statusTable(VIEWS, NOW, 80).split("\n");
  assertEquals(lines.slice(0, 2), [
    "SESSION    AGENT   STATE    SINCE   CTX  UNSENT  NOW",
    "shop-main  warden  asks     4 min     -       0  Which database should we use?…",
  ]);
  assertEquals(lines.map((line) => line.split(" ")[0]), [
    "SESSION",
    "shop-main",
    "docs",
    "api-main",
  ]);
  for (const width of [60, 80, 120]) {
    for (const line of statusTable(VIEWS, NOW, width).split("\n")) assert(line.length <= width);
  }
});

Deno.test("statusTable() cuts words at the width, not names before them", () => {
  const [view] = VIEWS;
  const long = { ...view!, session: "a".repeat(60), now: `日本語 ${"word ".repeat(60)}` };
  const [, row = ""] = statusTable([long], NOW, 80).split("\n");
  assert(/^a{7,}… /.test(row) && row.endsWith("…"), row);
});

Deno.test("statusTable() knows which letters and signs take two columns", () => {
  const [view] = VIEWS;
  for (const now of ["✅⭐⚡❌", "日本語", "😀🚀", "𠀀𠀁"]) {
    const row = statusTable([{ ...view!, now: now.repeat(60) }], NOW, 80).split("\n")[1]!;
    const columns = Array.from(row).reduce((sum, sign) => sum + (now.includes(sign) ? 2 : 1), 0);
    assert(columns === 79 || columns === 80, `${columns} of ${row}`);
  }
});

Deno.test("statusTable() leaves out columns where the terminal is too narrow for them", () => {
  const heads: [width: number, head: string][] = [
    [60, "SESSION AGENT STATE SINCE CTX UNSENT NOW"],
    [55, "SESSION AGENT STATE SINCE UNSENT NOW"],
    [50, "SESSION AGENT STATE SINCE NOW"],
    [40, "SESSION STATE SINCE NOW"],
    [30, "SESSION STATE NOW"],
  ];
  for (const [width, head] of heads) {
    const lines = statusTable(VIEWS, NOW, width, (cell) => cell).split("\n");
    assertEquals(lines[0]?.replace(/ +/g, " "), head, String(width));
    assertEquals(lines.filter((line) => line.length > width), [], String(width));
    assert(lines[1]!.startsWith("shop-main  "), lines[1]);
  }
});

Deno.test("totalsLines() breaks between what it says", () => {
  const around = ["$0.04 today", "1 unsent to the global status session", "gateway up", "watch up"];
  const lines = totalsLines(VIEWS.slice(0, 1), around, 40).split("\n");
  assertEquals(lines, [
    "1 session: 1 waits for an answer",
    "$0.04 today",
    "1 unsent to the global status session",
    "gateway up · watch up",
  ]);
});

Deno.test("statusTable() masks secrets and shows what has no shape", () => {
  const key = `sk-ant-${"a1B2".repeat(10)}`;
  const [, row = ""] = statusTable([{ ...VIEWS[0]!, now: `The key is ${key}\u202e` }], NOW).split(
    "\n",
  );
  assertEquals([row.includes(key), row.includes("\u202e")], [false, false], row);
});

Deno.test("statusTable() names the limit, and paints the word of a state only", () => {
  const rows = statusTable(VIEWS, NOW, 200, (cell, state) => `<${state}:${cell}>`).split("\n");
  assert(!rows[0]!.includes("<") && rows[1]!.includes("<asks:asks   >"), rows[1]);
  const ends = new Date(NOW + 9_600_000).toTimeString().slice(0, 5);
  assert(rows[2]!.includes(`5-hour limit, until ${ends}`), rows[2]);
  const [, row = ""] = statusTable([{ ...VIEWS[1]!, now: "no credits" }], NOW, 200).split("\n");
  assert(row.endsWith(`limited until ${ends}: no credits`), row);
});

Deno.test("whatToDo() says how to answer, else how to bring back what was lost", () => {
  const lost = { ...VIEWS[2]!, session: "shop main", state: "lost" as const };
  assertEquals(whatToDo(VIEWS), "To answer: gsd-code top, then a; or gsd-code wall");
  assertEquals(whatToDo([lost]), "To bring it back: gsd-code recover 'shop main'");
  assertEquals(whatToDo([VIEWS[2]!]), "");
});

Deno.test("totalsLines() breaks where the terminal is narrow, not in a word", () => {
  const more = ["gateway up", "watch off"];
  assertEquals(totalsLines(VIEWS, more, 80).split("\n").length, 1);
  assertEquals(totalsLines(VIEWS, more, 60).split("\n"), [
    totalsLine(VIEWS, []),
    "gateway up · watch off",
  ]);
});

Deno.test("totalsLine() counts what waits and what fails", () => {
  assertEquals(
    totalsLine(VIEWS, ["gateway up", "watch off"]),
    "3 sessions: 1 waits for an answer, 1 for a limit · gateway up · watch off",
  );
  assertEquals(totalsLine([], []), "0 sessions");
});
