import { assertEquals, assertStringIncludes } from "@std/assert";
import { readScreen, type Screen } from "../lib/pane.ts";
import { assertGolden } from "./support/golden.ts";

const PANES = new URL("./fixtures/panes/", import.meta.url);
const GOLDEN = new URL("./golden/panes.txt", import.meta.url);

function pane(name: string): string {
  return Deno.readTextFileSync(new URL(`${name}.txt`, PANES));
}

/** One recording's reading as lines a person can check against the screen. */
function summary(name: string, { state, ready, draft, dialog, pressurePct }: Screen): string {
  const facts = [
    `${name}: ${state}`,
    ready ? "ready" : "",
    draft === "" ? "" : `draft ${JSON.stringify(draft)}`,
    pressurePct === undefined ? "" : `${pressurePct}%`,
  ].filter((fact) => fact !== "").join(", ");
  if (dialog === undefined) return facts;
  const tabs = dialog.tabs.map((tab) => `${tab.answered ? "☒" : "☐"} ${tab.label}`).join(" | ");
  const options = dialog.options.map((option) => {
    const box = option.checked === undefined ? "" : option.checked ? "[✔] " : "[ ] ";
    const about = option.description === "" ? "" : `: ${option.description}`;
    return `  ${option.focused ? "❯" : " "} ${option.number}. ${box}${option.label}${about}`;
  });
  return [
    `${facts}, ${dialog.kind}${
      dialog.preview ? " with preview" : ""
    }, cursor on "${dialog.focused}"`,
    `  = ${dialog.title}`,
    ...(tabs === "" ? [] : [`  # ${tabs}`]),
    ...options,
  ].join("\n");
}

Deno.test("readScreen() reads every recorded screen as the golden table says", () => {
  const names = Array.from(Deno.readDirSync(PANES), (entry) => entry.name.replace(/\.txt$/, ""));
  const table = names.sort().map((name) => summary(name, readScreen(pane(name)))).join("\n") + "\n";
  assertGolden(GOLDEN, table);
});

Deno.test("readScreen() does not take the words of a conversation for a state", () => {
  const words = [
    "permission",
    "error",
    "Do you want to allow this? 87%",
    "esc to interrupt",
    "❯ 1. Yes",
    "  2. No",
    "Esc to cancel · Tab to amend",
    "─".repeat(100),
    "CTX 87%",
    "12% until auto-compact",
    "API Error: 500",
  ].map((line) => `  ${line}`).join("\n");
  for (const name of ["01-idle-fresh", "v197-01-idle", "04-idle-default-mode"]) {
    const lines = pane(name).split("\n");
    const at = lines.findIndex((line) => line.startsWith("─"));
    const hostile = [...lines.slice(0, at), `● ${words.trimStart()}`, "", ...lines.slice(at)];
    assertEquals(readScreen(hostile.join("\n")), { state: "idle", ready: true, draft: "" });
  }
});

Deno.test("readScreen() calls a screen unknown when a shell came after Claude Code", () => {
  const left = pane("v197-01-idle").trimEnd();
  assertEquals(readScreen(left).state, "idle");
  assertEquals(readScreen(`${left}\nuser@host:~$ `).state, "unknown");
  assertEquals(readScreen("").state, "unknown");
  assertEquals(readScreen("$ cat notes\n1. Yes\n2. No\n$ ").state, "unknown");
  const dialog = pane("30-permission-bash").trimEnd();
  assertEquals(readScreen(`${dialog}\nuser@host:~$ `).state, "unknown");
});

Deno.test("readScreen() reads a draft of several lines and no placeholder", () => {
  const box = (draft: string) =>
    ["● Hello", "", "─".repeat(60), ...draft.split("\n"), "─".repeat(60), "  ? for shortcuts"]
      .join("\n");
  assertEquals(readScreen(box("❯ one\n  two\n\n    three")).draft, "one\ntwo\n\n  three");
  assertEquals(readScreen(box('❯ Try "how does <filepath> work?"')).draft, "");
  assertEquals(readScreen(box("❯ \u001b[7mr\u001b[27m\u001b[2mun the tests\u001b[22m")).draft, "");
  assertEquals(readScreen(box("❯ run the tests\u001b[7m \u001b[27m")).draft, "run the tests");
  // Where NO_COLOR is set, the cursor is inverted and nothing is dim.
  const cursor = (letter: string) => `\u001b[7m${letter}\u001b[0m\u001b[39m\u001b[49m`;
  const queued = `❯ ${cursor("P")}ress up to edit queued messages`;
  assertEquals(readScreen(box(queued)).draft, "");
  assertEquals(readScreen(`\u001b[32m$\u001b[39m claude\n${box(queued)}`).draft, "");
  assertEquals(readScreen(box(`❯ ${cursor("r")}un the tests`)).draft, "run the tests");
  // With colours only what is dim is a placeholder.
  const grey = `\u001b[38;5;244m${"─".repeat(60)}\u001b[39m`;
  const typed = `${grey}\n❯ Press up to edit queued messages${
    cursor(" ")
  }\n${grey}\n  ? for shortcuts`;
  assertEquals(readScreen(typed).draft, "Press up to edit queued messages");
  assertEquals(readScreen(box("! ls")).ready, false);
});

Deno.test("readScreen() knows the pressure only from the notice and the status line", () => {
  const screen = (notice: string, footer: string) =>
    ["● It is 87% done, context: 91%", "", notice.padStart(98), "─".repeat(100), "❯ "]
      .concat(["─".repeat(100), `  ${footer}`, "  ⏵⏵ auto mode on (shift+tab to cycle)"]).join(
        "\n",
      );
  const cases: [string, string, number | undefined][] = [
    ["", "", undefined],
    ["7% until auto-compact", "", 93],
    ["Context left until auto-compact: 12%", "", 88],
    ["", "CTX 50% Opus 5.5", 50],
    ["", "model | context: 42.5%", 42],
    ["", "61% context used", 61],
    ["", "30% context left", 70],
    ["", "context remaining 20%", 80],
    ["", "battery 20%", undefined],
    ["", "context is fine, battery 20% and more", undefined],
  ];
  for (const [notice, footer, expected] of cases) {
    assertEquals(readScreen(screen(notice, footer)).pressurePct, expected, notice + footer);
  }
});

Deno.test("readScreen() gives the permission dialog as drawn", () => {
  const { dialog, state } = readScreen(pane("30-permission-bash"));
  assertEquals(state, "permission_prompt");
  assertStringIncludes(dialog!.text, "touch /home/dev/app/made-by-bash && echo bash-ran");
  assertEquals(dialog!.text.startsWith("Bash command"), true);
});

Deno.test("readScreen() knows a question whose last words stand on a line of their own", () => {
  const whole = pane("11-ask-single-other-focused");
  for (const [line, rest] of [["Esc", "to cancel"], ["Esc to", "cancel"]]) {
    const wrapped = whole.replace(" · Esc to cancel", ` · ${line}\n${rest}`);
    assertEquals(readScreen(wrapped).dialog?.focused, "4. Type something.");
    assertEquals(
      readScreen(`${wrapped.trimEnd()}\n$ cancel`).dialog,
      undefined,
      "a shell's prompt",
    );
  }
});

Deno.test("readScreen() knows resume from summary by either name of its first row", () => {
  const shown = pane("v325-82-resume-summary");
  const kinds = ["(recommended)", "(instant, recommended)", "(recommended) and run it"].map((
    name,
  ) => readScreen(shown.replace("(recommended)", name)).dialog?.kind);
  assertEquals(kinds, ["resume_summary", "resume_summary", "other"]);
});
