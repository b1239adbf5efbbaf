import { assertEquals } from "@std/assert";
import type { Pending } from "../lib/answers.ts";
import type { SessionView } from "../lib/fleet/session_view.ts";
import { keysIn } from "../lib/top/top_keys.ts";
import { FIRST, onKey, type TopEffect, type TopState, withViews } from "../lib/top/top_state.ts";
import { fleetView } from "./support/fleet_view.ts";

function pressed(state: TopState, keys: string): { state: TopState; effects: TopEffect[] } {
  const effects: TopEffect[] = [];
  for (const key of keysIn(keys)) {
    const step = onKey(state, key);
    state = step.state;
    if (step.effect !== undefined) effects.push(step.effect);
  }
  return { state, effects };
}

function asking(more: Partial<Pending>, view: Partial<SessionView> = {}): SessionView {
  const pending: Pending = {
    ...{
      id: "q-1",
      kind: "question",
      session: "shop",
      agent_id: "warden",
      tool: "AskUserQuestion",
    },
    ...{
      asked_at: "",
      until: "",
      pid: 1,
      secret_sha256: "",
      tool_input: { questions: [DATABASE] },
    },
    ...more,
  };
  const base = fleetView("shop", { state: "asks", ...view });
  return { ...base, seen: { ...base.seen, pending: [pending], ...view.seen } };
}

const DATABASE = {
  question: "Which database?",
  options: [{ label: "PostgreSQL" }, { label: "SQLite" }],
};
const THREE = withViews(FIRST, ["a", "b", "c"].map((name) => fleetView(name)));

Deno.test("keys move between sessions, and stop at the ends", () => {
  assertEquals(THREE.chosen, "a");
  assertEquals(pressed(THREE, "jj").state.chosen, "c");
  assertEquals(pressed(THREE, "jjjj").state.chosen, "c");
  assertEquals(pressed(THREE, "jk\u001b[A").state.chosen, "a");
  assertEquals(pressed(FIRST, "jki\rla").state, FIRST);
});

Deno.test("the chosen session stays chosen wherever it moves", () => {
  const state = pressed(THREE, "j").state;
  const turned = withViews(state, ["c", "b", "a"].map((name) => fleetView(name)));
  assertEquals(turned.chosen, "b");
  assertEquals(withViews(turned, [fleetView("z")]).chosen, "z");
});

Deno.test("an answer to a session that is gone is not kept", () => {
  const state = pressed(withViews(FIRST, [asking({})]), "a2").state;
  const gone = withViews(state, [fleetView("other")]);
  assertEquals(gone.mode, { kind: "list" });
  assertEquals(pressed(gone, "\r").effects, [{ kind: "attach", session: "other" }]);
});

Deno.test("a number picks, and only Enter sends", () => {
  const state = withViews(FIRST, [asking({})]);
  assertEquals(pressed(state, "a2").effects, []);
  assertEquals(pressed(state, "a2\u001b").effects, []);
  assertEquals(pressed(state, "a\r").effects, []);
  assertEquals(pressed(state, "a7\r").effects, []);
  assertEquals(pressed(state, "a12\r").effects, [{
    ...{ kind: "drive", session: "shop", stdin: "" },
    words: ["--question", "q-1", "shop", "choose", "2"],
  }]);
});

Deno.test("a permission is decided only where its agent may", () => {
  const request = { id: "p-1", kind: "permission" as const, tool: "Bash" };
  const view = asking(request, { state: "permission" });
  assertEquals(pressed(withViews(FIRST, [view]), "ay").effects, []);
  const agent = { settings: { answer_permissions: true } } as SessionView["seen"]["agent"];
  const free = { ...view, seen: { ...view.seen, agent: agent! } };
  assertEquals(pressed(withViews(FIRST, [free]), "ay\r").effects, [{
    ...{ kind: "drive", session: "shop", stdin: "" },
    words: ["--question", "p-1", "shop", "allow"],
  }]);
});

Deno.test("what cannot be answered by one key says so", () => {
  const two = { tool_input: { questions: [DATABASE, DATABASE] } };
  const many = { tool_input: { questions: [{ ...DATABASE, multiSelect: true }] } };
  for (const view of [asking(two), asking(many), fleetView("shop"), asking({ tool_input: {} })]) {
    const { state, effects } = pressed(withViews(FIRST, [view]), "a");
    assertEquals([state.mode.kind, effects, state.said !== ""], ["list", [], true]);
  }
});

Deno.test("an instruction is written, edited and sent", () => {
  const { state, effects } = pressed(THREE, "ijq?\u007f\u007f -x\r");
  assertEquals(effects, [{
    ...{ kind: "drive", session: "a", words: ["a", "type", "-"], stdin: "j -x" },
  }]);
  assertEquals(state.mode, { kind: "list" });
  assertEquals(pressed(THREE, "iabc\u001b").effects, []);
  assertEquals(pressed(THREE, "i  \r").effects, []);
});

Deno.test("q and Ctrl-C end it; Ctrl-C in every mode", () => {
  assertEquals(pressed(THREE, "q").effects, [{ kind: "quit" }]);
  for (const mode of ["", "i", "?"]) {
    assertEquals(pressed(THREE, `${mode}\u0003`).effects, [{ kind: "quit" }], mode);
  }
});
