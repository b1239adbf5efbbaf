/** An agent that may not decide, and a Claude that draws its command like a harmless menu. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { decides, RIGHTS } from "../../lib/dialog_kind.ts";
import type { ActionResult, DriverContext } from "../../lib/driver/driver_context.ts";
import { decide } from "../../lib/driver/menu_decide.ts";
import { answerOpen, choose, submit, type } from "../../lib/driver/menu_dialogs.ts";
import { pressKey } from "../../lib/driver/menu_key.ts";
import { clearThen } from "../../lib/driver/menu_prompt.ts";
import { readScreen } from "../../lib/pane.ts";
import { menuOptions, pendingFor } from "../support/driver_context.ts";
import { FakePane } from "../support/fake_pane.ts";
import { fixturePane } from "../support/fixtures.ts";
import { act, playing } from "../support/menu_action.ts";

const IDLE = "04-idle-default-mode";
const OPTIONS = menuOptions();
const OFF = { whyNoDecision: "it may not decide" };

const PANES = Array.from(
  Deno.readDirSync(new URL("../fixtures/panes/", import.meta.url)),
  ({ name }) => name.replace(/\.txt$/, ""),
).sort();

/** Every action that could accept something. */
const ACCEPTING: Record<string, (context: DriverContext) => Promise<ActionResult>> = {
  "choose 1": (context) => choose(context, 1, OPTIONS),
  "choose 2": (context) => choose(context, 2, OPTIONS),
  "answer 1": (context) => answerOpen(context, ["1"], OPTIONS),
  "type x": (context) => type(context, "x", OPTIONS),
  "type 1": (context) => type(context, "1", menuOptions("--queue")),
  "clear_then x": (context) => clearThen(context, "x"),
  enter: (context) => pressKey(context, "Enter"),
  submit,
  allow: (context) => decide(context, { kind: "allow" }, OPTIONS),
};

async function refusals(pane: string, context: Partial<DriverContext>, names: string[]) {
  const said: Record<string, string> = {};
  for (const name of names) {
    const result = await act(playing(pane, IDLE), ACCEPTING[name]!, { context });
    assertEquals(result.sent, [], `${pane}: ${name}`);
    assert(result.said.startsWith("refused: "), `${pane}: ${name}: ${result.said}`);
    said[name] = result.said;
  }
  return said;
}

Deno.test("a permission stays one, whatever its command draws above the rows", () => {
  const drawn = PANES.filter((name) => /permission-(drawn|wide|left-edge|low|long-row)/.test(name));
  assert(drawn.length > 30);
  for (const name of drawn) {
    const { state, dialog } = readScreen(fixturePane(name));
    assertEquals([state, dialog?.kind], ["permission_prompt", "permission"], name);
  }
});

Deno.test("a request stays one when letters push a drawn input box to the left edge", async () => {
  for (const version of ["v325", "v197"]) {
    const pane = fixturePane(`${version}-99c-permission-drawn-fakebox`);
    const pushed = pane.replace(/^[ │]+─{1,9}\n/gm, "").replace(
      /^[ │]+(?=(❯ hello|─{20}))/gm,
      "",
    );
    assert(/^─+\n❯ hello\n─+\n/m.test(pushed), pushed);
    const { state, draft, dialog } = readScreen(pushed);
    assertEquals([state, draft, dialog?.kind], ["permission_prompt", "", "permission"], version);
    const { sent } = await act(new FakePane(() => pushed), ACCEPTING.enter!, { context: OFF });
    assertEquals(sent, []);
  }
});

Deno.test("without answer_permissions no key accepts anything but at the free dialogs", async () => {
  const tried = PANES.filter((name) => {
    const { dialog } = readScreen(fixturePane(name));
    return dialog !== undefined && !RIGHTS[dialog.kind].free;
  });
  for (const part of ["mcp-server", "mcp-servers", "settings-error", "add-dir", "trust", "plan"]) {
    assert(tried.some((name) => name.includes(part)), part);
  }
  for (const pane of tried) await refusals(pane, OFF, Object.keys(ACCEPTING));
});

Deno.test("the refusal says what helps, and esc still leaves the dialog", async () => {
  const { "choose 1": said } = await refusals("v325-99e-mcp-server", OFF, ["choose 1"]);
  assertStringIncludes(said!, "it may not decide; at this dialog (it is none of the known menus");
  assertStringIncludes(said!, "only snapshot and esc work, or a person attaches and decides");
  for (const pane of ["v325-99e-mcp-servers", "v197-99-permission-low-80x8", "v325-80-trust"]) {
    const left = await act(playing(pane, IDLE), (context) => pressKey(context, "Escape"), {
      context: OFF,
    });
    assertEquals(left.sent, ["Escape"], pane);
  }
});

Deno.test("without answer_permissions the free dialogs work as before", async () => {
  const free: [string, string, string[]][] = [
    ["10-ask-single", "choose 2", ["2"]],
    ["v197-91-ask-hostile-80x24", "choose 1", ["1"]],
    ["15-ask-multi-review", "submit", ["1"]],
    ["05-slash-menu", "enter", ["Enter"]],
    ["55-resume-picker", "choose 1", ["Enter"]],
    ["v325-82-resume-summary", "choose 1", ["Enter"]],
  ];
  for (const [pane, name, keys] of free) {
    const { said, sent } = await act(playing(pane, IDLE), ACCEPTING[name]!, { context: OFF });
    assertEquals(sent, keys, said);
  }
});

Deno.test("what is not shown whole is not decided with keys, even where an agent may", async () => {
  const low = PANES.filter((name) => {
    const { dialog } = readScreen(fixturePane(name));
    return decides(dialog?.kind) && !dialog!.whole;
  });
  for (const name of ["v325-99-permission-low-80x11", "v197-99-permission-low-80x10"]) {
    assert(low.includes(name), name);
  }
  for (const pane of low) {
    const said = await refusals(pane, {}, ["choose 1", "enter", "allow"]);
    for (const sentence of Object.values(said)) {
      assertStringIncludes(sentence, "the window is too low to show all rows");
    }
  }
});

Deno.test("the waiting hook decides what a low window cannot show", async () => {
  const pending = pendingFor("permission", {
    tool: "Bash",
    tool_input: { command: "touch made-by-bash" },
  });
  const { said, sent } = await act(
    playing("v325-99-permission-low-80x11"),
    (context) => decide(context, { kind: "allow" }, OPTIONS),
    { pending: [pending], context: { isWaiting: () => true } },
  );
  assertEquals(sent, []);
  assertStringIncludes(said, "through the waiting hook");
});

Deno.test("without answer_permissions no typed command changes settings or servers", async () => {
  const texts = [
    "/config permissionMode=auto",
    " /settings a=b",
    "/mcp enable helper",
    "/plugin x y",
  ];
  const ways = [
    (text: string) => (context: DriverContext) => type(context, text, OPTIONS),
    (text: string) => (context: DriverContext) => type(context, text, menuOptions("--queue")),
    (text: string) => (context: DriverContext) => clearThen(context, text),
  ];
  for (const text of texts) {
    for (const way of ways) {
      const { said, sent } = await act(playing("01-idle-fresh"), way(text), { context: OFF });
      assertEquals(sent, [], text);
      assertStringIncludes(said, "can change what Claude may do, without a dialog");
    }
  }
});
