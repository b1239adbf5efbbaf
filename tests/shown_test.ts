import { assertEquals } from "@std/assert";
import type { Pending } from "../lib/answers.ts";
import { type Dialog, readScreen } from "../lib/pane.ts";
import { isAbout, requestsShown } from "../lib/shown.ts";
import { pendingFor } from "./support/driver_context.ts";
import { fixturePane } from "./support/fixtures.ts";

const RULE = "─".repeat(60);

/** A permission as Claude Code draws it, about the given lines. */
function permission(...lines: string[]): Dialog {
  const rows = [" Do you want to proceed?", " ❯ 1. Yes", "   2. No", "", " Esc to cancel"];
  return readScreen([RULE, " A permission", ...lines.map((l) => ` ${l}`), ...rows].join("\n"))
    .dialog!;
}

function asked(id: string, tool_input: Record<string, unknown>): Pending {
  const about = { session: "s", agent_id: "warden", tool: "T", asked_at: "", until: "", pid: 1 };
  return { id, kind: "permission", tool_input, ...about, secret_sha256: "" };
}

const LONG = "/srv/a/folder/whose/name/is/so/long/that/sixty/characters/are/no/end/of/it";

// deno-fmt-ignore
const CASES: Record<string, { dialog: Dialog; asked: Pending[]; shown: string[] }> = {
  "the one whose file is named, not the one whose content looks like a row":
    { dialog: permission("danger.sh"), asked: [asked("old", { file_path: "/p/harmless.txt", content: "1" }), asked("new", { file_path: "/p/danger.sh", content: "x" })], shown: ["new"] },
  "none, when only the content of another fits":
    { dialog: permission("danger.sh"), asked: [asked("old", { file_path: "/p/harmless.txt", content: "danger.sh" })], shown: [] },
  "the command that is there to its end":
    { dialog: permission(`rm ${LONG}/b`), asked: [asked("a", { command: `rm ${LONG}/a` }), asked("b", { command: `rm ${LONG}/b` })], shown: ["b"] },
  "both, when their ends are cut off":
    { dialog: permission(`rm ${LONG.slice(0, 70)}`), asked: [asked("a", { command: `rm ${LONG}/a` }), asked("b", { command: `rm ${LONG}/b` })], shown: ["a", "b"] },
  "a long one, of which the window shows the end":
    { dialog: permission(`${LONG}/b; ls`), asked: [asked("a", { command: `rm -rf ~; ${LONG}/b; ls` }), asked("b", { command: "make" })], shown: ["a"] },
  "both, when the short one may be a part of the long one":
    { dialog: permission(`${LONG}/b; ls`), asked: [asked("a", { command: `rm -rf ~; ${LONG}/b; ls` }), asked("b", { command: "ls" })], shown: ["a", "b"] },
  "the short one, when the long one is not there":
    { dialog: permission("ls"), asked: [asked("a", { command: `rm -rf ~; ${LONG}/b; ls` }), asked("b", { command: "ls" })], shown: ["b"] },
  "the address, though both have the same prompt":
    { dialog: permission("https://example.org/b", "prompt: read all of it, please"), asked: [asked("a", { url: "https://example.org/a", prompt: "read all of it, please" }), asked("b", { url: "https://example.org/b", prompt: "read all of it, please" })], shown: ["b"] },
  "that of an unknown tool by any of its words":
    { dialog: permission("ticket: ABC-17"), asked: [asked("a", { ticket: "ABC-17" }), asked("b", { ticket: "ABC-18" })], shown: ["a"] },
};

for (const [title, { dialog, asked, shown }] of Object.entries(CASES)) {
  Deno.test(`requestsShown() finds ${title}`, () => {
    assertEquals(requestsShown(asked, dialog).map(({ id }) => id), shown);
  });
}

const PLAN = "## Goal\n\nMake the **shop** faster.\n\n- measure `checkout`\n";
const PLAN_PANES = [
  "33-plan-approval",
  "v325-92-plan-60x15",
  "v325-93-plan-written",
  "v197-92-plan-120x40",
  "v197-93-plan-written",
];
for (const pane of PLAN_PANES) {
  Deno.test(`isAbout() knows the plan on the screen ${pane}, however it is drawn`, () => {
    const dialog = readScreen(fixturePane(pane)).dialog!;
    // Without a file for the plan 2.1.325 gives an empty input.
    for (const input of [{}, { plan: PLAN, planFilePath: "/home/dev/.claude/plans/a.md" }]) {
      assertEquals(isAbout({ ...asked("p", input), kind: "plan" }, dialog), true);
      assertEquals(isAbout(asked("p", input), dialog), false, "a permission is no plan");
    }
    const [old, last, others] = [["old", "1", "a"], ["last", "2", "a"], ["other", "0", "b"]]
      .map(([id, asked_at, claude_session_id]) => (
        {
          ...asked(id!, { plan: PLAN }),
          kind: "plan" as const,
          asked_at: asked_at!,
          claude_session_id,
        }
      ));
    assertEquals(requestsShown([old!, last!], dialog).map(({ id }) => id), ["last"]);
    const ids = requestsShown([last!, others!], dialog).map(({ id }) => id);
    assertEquals(ids, ["last", "other"], "two Claudes of one session cannot be told apart");
  });
}

const bash = (command: string) => ({ tool: "Bash", tool_input: { command } });
const mcp = (tool_input: Record<string, unknown>) => ({ tool: "mcp__forms__noargs", tool_input });
const ask = (question: string, ...labels: string[]) => ({
  tool: "AskUserQuestion",
  tool_input: { questions: [{ question, options: labels.map((label) => ({ label })) }] },
});
const TALL = Array.from({ length: 80 }, (_, at) => `a${at}`).join("\n");
const OBJECT = { deep: { a: [1, 2] }, ok: true };

/** Recorded screens that do not show the very words of what is asked, by what was asked. */
const ODD: Record<string, { tool: string; tool_input: Record<string, unknown> }> = {
  "v325-99h-odd-warning": bash("echo '⚠️ careful' && touch made-⚠️"),
  "v325-99h-odd-emoji": bash("echo '👍🏽 done 👨‍👩‍👧 🇫🇷' > note-✅.txt"),
  "v325-99h-odd-address": {
    tool: "WebFetch",
    tool_input: { url: "https://example.com/ü?q=⚠️", prompt: "Read it" },
  },
  "v325-99h-odd-no-arguments": mcp({}),
  "v197-99h-odd-no-arguments": mcp({}),
  "v325-99h-odd-no-text": mcp(OBJECT),
  "v197-99h-odd-no-text": mcp(OBJECT),
  "v325-99h-odd-tall": bash(TALL),
  "v197-99h-odd-tall": bash(TALL),
  "v197-99h-odd-numbered": ask(
    "What first?\n  1. Build it\n  2. Test it\n  3. Ship it",
    ...["Build", "Test"],
  ),
  "v197-99h-odd-numbered-cursor": ask("Menu\n❯ 1. Build it\n  2. Test it\nok?", "Build", "Test"),
  "v197-99h-odd-labels": ask("Good?", "👍🏽 yes", "👎🏿 no ⚠️"),
  "v325-99h-odd-no-width": ask("a\u200bb or soft\u00adhyphen?", "a\u200bb", "soft\u00adhyphen"),
  "v325-99h-odd-keycaps": ask("1️⃣ or 2️⃣?", "1️⃣ first", "2️⃣ second"),
  "v325-99h-odd-question": ask("⚠️ Delete the old table?", "Yes ✅", "No ❌"),
};

for (const [pane, request] of Object.entries(ODD)) {
  Deno.test(`isAbout() knows on the screen ${pane} what was asked, and nothing else`, () => {
    const { dialog } = readScreen(fixturePane(pane));
    for (const [other, { tool, tool_input }] of Object.entries(ODD)) {
      const kind = tool === "AskUserQuestion" ? "question" : "permission";
      const isSame = JSON.stringify(tool_input) === JSON.stringify(request.tool_input);
      const pending = pendingFor(kind, { tool, tool_input });
      assertEquals(isAbout(pending, dialog!), isSame, other);
    }
  });
}
