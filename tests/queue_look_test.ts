import { assertEquals } from "@std/assert";
import {
  type ClaudePane,
  findPane,
  type FoundPane,
  type PaneScreen,
  type PaneWorld,
} from "../lib/driver/claude_pane.ts";
import { lookOf, type SessionLook } from "../lib/queue/session_look.ts";
import { fixturePane } from "./support/fixtures.ts";

function pane(screen: Partial<PaneScreen>): FoundPane {
  const shown: PaneScreen = { state: "idle", ready: true, draft: "", text: "", ...screen };
  return { kind: "pane", pane: {} as ClaudePane, pid: 1, screen: shown };
}

const menu = { kind: "slash_menu" } as NonNullable<PaneScreen["dialog"]>;
const question = { kind: "question" } as NonNullable<PaneScreen["dialog"]>;

const LOOKS: [name: string, found: FoundPane, look: SessionLook][] = [
  ["no pane", { kind: "none", reason: "it is gone" }, { state: "gone" }],
  ["two panes", { kind: "none", reason: "several (%1, %2)", isSeveral: true }, {
    ...{ state: "several", reason: "several (%1, %2)" },
  }],
  ["an empty box", pane({}), { state: "free", isReady: true, draft: "" }],
  ["a draft", pane({ draft: "and" }), { state: "free", isReady: true, draft: "and" }],
  ["a shell line", pane({ ready: false }), { state: "free", isReady: false, draft: "" }],
  ["a list of commands", pane({ state: "menu", ready: false, draft: "/c", dialog: menu }), {
    ...{ state: "free", isReady: false, draft: "/c" },
  }],
  ["a question", pane({ state: "menu", ready: false, dialog: question }), { state: "dialog" }],
  ["Claude at work", pane({ state: "working" }), { state: "busy" }],
  ["no screen of Claude Code", pane({ state: "unknown", ready: false }), { state: "starting" }],
];

for (const [name, found, look] of LOOKS) {
  Deno.test(`lookOf(): ${name}: ${look.state}`, () => assertEquals(lookOf(found), look));
}

for (const [count, state] of [[0, "gone"], [1, "free"], [2, "several"]] as const) {
  Deno.test(`lookOf() what findPane() finds with ${count} panes of Claude Code: ${state}`, async () => {
    const rows = [1, 2].map((n) => `%${n} 99999999 ${n <= count ? 0 : 1} warden-main\tnode`);
    const call = (verb: string) =>
      Promise.resolve({
        kind: "ok" as const,
        stdout: verb === "list-panes" ? rows.join("\n") : fixturePane("01-idle-fresh"),
      });
    const world = { tmux: { call } } as unknown as PaneWorld;
    assertEquals(lookOf(await findPane(world, "warden-main", undefined)).state, state);
  });
}
