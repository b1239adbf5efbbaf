import "../lib/cli/load_guards.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { FLEET_STATES } from "../lib/fleet/session_view.ts";
import { draw } from "../lib/top/top_screen.ts";
import { FIRST, withViews } from "../lib/top/top_state.ts";
import { fleetView } from "./support/fleet_view.ts";

// deno-lint-ignore no-control-regex
const OUR_STYLES = /\u001b\[[\d;]*m/g;

function plain(lines: string[]): string[] {
  return lines.map((line) => line.replace(OUR_STYLES, ""));
}

const EVIL = `\u001b[2J\u001b]0;x\u0007<b>\u202e${"wide 漢字 ".repeat(40)}`;
const many = FLEET_STATES.flatMap((state, at) =>
  [1, 2].map((number) => {
    const view = fleetView(`session-${at}-${number}`, { state, now: EVIL, evidence: "as told" });
    return { ...view, seen: { ...view.seen, capture: `${EVIL}\n`.repeat(60) } };
  })
);

Deno.test("it has as many lines as the terminal, and none is wider", () => {
  for (const [columns, rows] of [[80, 24], [200, 50], [40, 10], [20, 5], [10, 2]] as const) {
    for (const views of [[], many.slice(0, 1), many]) {
      const lines = plain(draw(withViews(FIRST, views), { columns, rows }, 0));
      assertEquals(lines.length, rows, `${columns}x${rows}`);
      for (const line of lines) assert(line.length <= columns, `${columns}x${rows}: ${line}`);
    }
  }
});

Deno.test("no text steers the terminal", () => {
  const shown = draw(withViews(FIRST, many), { columns: 200, rows: 50 }, 0).join("\n");
  // deno-lint-ignore no-control-regex
  assert(!/[\u0000-\u0009\u000b-\u001f\u202e]/.test(shown.replace(OUR_STYLES, "")));
});

Deno.test("the chosen row is in sight, and its screen below it", () => {
  for (const [at, { session }] of many.entries()) {
    const state = { ...withViews(FIRST, many), chosen: session };
    const lines = draw(state, { columns: 80, rows: 24 }, 0);
    const chosen = lines.filter((line) => line.startsWith("\u001b[7m"));
    assertEquals(chosen.length, 1, String(at));
    assertStringIncludes(chosen[0]!, session);
    assert(plain(lines).some((line) => line.startsWith(`── ${session} `)));
  }
});

Deno.test("each mode says which keys it takes", () => {
  const base = withViews(FIRST, [fleetView("shop")]);
  const last = (mode: typeof base.mode) =>
    plain(draw({ ...base, mode }, { columns: 120, rows: 24 }, 0)).at(-1)!;
  assertStringIncludes(last({ kind: "list" }), "q quit");
  assertStringIncludes(last({ kind: "help" }), "Any key");
  assertStringIncludes(last({ kind: "type", text: "" }), "Enter sends it");
  const row = { key: "1", label: "SQLite", words: ["choose", "1"] };
  const question = { id: "q-1", asked: "Which?", rows: [row] };
  assertStringIncludes(last({ kind: "answer", question }), "Press the key");
  assertStringIncludes(last({ kind: "answer", question, picked: row }), "Enter sends: SQLite");
});

Deno.test("a question that does not fit below the table is shown in fewer lines", () => {
  const dialog = {
    ...{ kind: "question", title: "Which one?", options: [{ number: 1, label: "SQLite" }] },
  } as never;
  const capture = `Which one?\n${"row\n".repeat(12)}`;
  const base = fleetView("shop", { state: "asks", dialog });
  const views = [{ ...base, seen: { ...base.seen, capture } }];
  const below = (rows: number) =>
    plain(draw(withViews(FIRST, views), { columns: 80, rows }, 0)).slice(4, -2).join("\n");
  assertStringIncludes(below(24), "row\nrow");
  assertStringIncludes(below(12), "Which one?\n\n  1  SQLite");
});

Deno.test("the screen as it was seen last counts, for the chosen session alone", () => {
  const base = fleetView("shop");
  const views = [{ ...base, seen: { ...base.seen, capture: "older" } }];
  const shown = (session: string) => {
    const state = { ...withViews(FIRST, views), screen: { session, text: "newer" } };
    return plain(draw(state, { columns: 80, rows: 24 }, 0))[4];
  };
  assertEquals([shown("shop"), shown("other")], ["newer", "older"]);
});

Deno.test("a session that is gone does not show its last screen", () => {
  const base = fleetView("shop", { state: "lost", now: "Claude Code is gone" });
  const views = [{ ...base, seen: { ...base.seen, holds: "gone" as const } }];
  const state = { ...withViews(FIRST, views), screen: { session: "shop", text: "its screen" } };
  assertEquals(plain(draw(state, { columns: 80, rows: 24 }, 0))[4], "Claude Code is gone");
});
