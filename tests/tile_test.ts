import "../lib/cli/load_guards.ts";
import { assert, assertEquals } from "@std/assert";
import type { Pending } from "../lib/answers.ts";
import { hintFor, requestOf } from "../lib/wall/tile.ts";

function pending(more: Partial<Pending>): Pending {
  return {
    ...{ id: "q-1", kind: "question", session: "shop-main", agent_id: "warden" },
    ...{ tool: "AskUserQuestion", tool_input: {}, asked_at: "2026-11-16T10:00:00Z" },
    ...{ until: "", pid: 1, secret_sha256: "abc" },
    ...more,
  };
}

Deno.test("a question has its options, and no secret", () => {
  const tool_input = {
    questions: [{
      question: "Which database?",
      multiSelect: true,
      options: [{ label: "SQLite", description: "small" }, { label: "PostgreSQL" }],
    }],
  };
  assertEquals(requestOf(pending({ tool_input }), false), {
    ...{ id: "q-1", kind: "question", asked_at: "2026-11-16T10:00:00Z", text: "" },
    questions: [{
      question: "Which database?",
      many: true,
      options: [{ label: "SQLite", description: "small" }, {
        label: "PostgreSQL",
        description: "",
      }],
    }],
  });
});

Deno.test("a permission can be decided where its agent may, and where it is shown whole", () => {
  const bash = (command: string) =>
    pending({ id: "p-1", kind: "permission", tool: "Bash", tool_input: { command } });
  const short = requestOf(bash("make test"), true);
  assert(short.text.includes("make test"));
  assertEquals(short.why_not, undefined);
  assert(requestOf(bash("make test"), false).why_not?.includes("answer_permissions"));
  const long = requestOf(bash("echo x;".repeat(5000)), true);
  assert(long.why_not?.includes("too long"));
  assert(long.text.length < 7000);
});

Deno.test("texts of a million characters are cut", () => {
  const text = "x".repeat(1_000_000);
  const option = { label: text, description: text };
  const tool_input = {
    questions: Array(50).fill({ question: text, options: Array(50).fill(option) }),
  };
  const request = requestOf(pending({ tool_input }), false);
  assertEquals(request.questions.length, 30);
  assertEquals(request.questions[0]!.options.length, 30);
  assert(JSON.stringify(request).length < 1_500_000);
});

Deno.test("hintFor() names a command where the page has no button", () => {
  const hint = (state: string, isAnswerable = false) =>
    hintFor({ session: "shop main", state, attach: "tmux attach" }, isAnswerable)?.run;
  assertEquals(hint("lost"), "gsd-code recover 'shop main'");
  assertEquals(hint("held"), "gsd-code resume 'shop main'");
  assertEquals(hint("taken"), "gsd-code give 'shop main'");
  assertEquals(["asks", "permission", "dialog"].map((state) => hint(state)), [
    ...["tmux attach", "tmux attach", "tmux attach"],
  ]);
  assertEquals([hint("asks", true), hint("working"), hint("idle")], [
    ...[undefined, undefined, undefined],
  ]);
});
