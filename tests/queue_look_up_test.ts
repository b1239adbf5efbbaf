/** Was a step given? What the facts say, and the proof in a transcript. */

import { assertEquals } from "@std/assert";
import { type GivenFacts, verdictOn } from "../lib/queue/look_up.ts";
import { proofIn, proofOf } from "../lib/step_proof.ts";
import { TestHome } from "./support/home.ts";

const AT = Date.parse("2026-11-17T12:00:00Z");

function facts(text: string, more: Partial<GivenFacts>, givenAt?: string): GivenFacts {
  return {
    giving: {
      ...{ instruction_id: "i", at: new Date(AT).toISOString(), text, claude_session_id: "c" },
      ...{ transcript_path: "/t", position: 0 },
      ...(givenAt === undefined ? {} : { given_at: givenAt }),
    },
    proof: { kind: "none" },
    look: { state: "free", isReady: true, draft: "" },
    ...{
      claudeId: "c",
      wasNoted: true,
      leavesTrace: false,
      hasCompanion: false,
      now: AT + 20_000,
    },
    ...more,
  };
}

/** A person's draft is in the box: the screen does not show whether Claude works. */
function byStop(more: Partial<GivenFacts>): GivenFacts {
  const all = facts("go", { look: { state: "free", isReady: true, draft: "mine" }, ...more });
  return { ...all, giving: { ...all.giving, by_stop: true } };
}

function unknown(all: GivenFacts): GivenFacts {
  return { ...all, giving: { ...all.giving, claude_session_id: "" } };
}

const given = new Date(AT).toISOString();
const late = AT + 100_000;
const CASES: [name: string, facts: GivenFacts, verdict: string][] = [
  ["its prompt is there", facts("go", { proof: { kind: "prompt", promptId: "p" } }), "begun"],
  ["a command that has left its line", facts("/context", { proof: { kind: "command" } }), "run"],
  ["a command that the driver gave", facts("/tasks", {}, given), "run"],
  ["a command with no trace", facts("/tasks", {}), "unsure"],
  ["a command with no trace, in a dialog", facts("/cost", { look: { state: "dialog" } }), "unsure"],
  [
    "a command, and no Claude Code any more",
    facts("/tasks", { look: { state: "gone" } }),
    "unsure",
  ],
  [
    "a command on a screen that stays unreadable",
    facts("/help", { look: { state: "starting" }, now: late }),
    "unsure",
  ],
  [
    "a command that was never about to be sent",
    facts("/tasks", { wasNoted: false }),
    "not given",
  ],
  [
    "a command that would have left a trace",
    facts("/context", { leavesTrace: true }),
    "not given",
  ],
  [
    "a command that is still in the box",
    facts("/tasks", { look: { state: "free", draft: "/tas" } }),
    "not given",
  ],
  ["a new conversation", facts("/clear", { claudeId: "d", leavesTrace: true }), "run"],
  [
    "a new conversation says nothing of other commands",
    facts("/context", { claudeId: "d", leavesTrace: true }),
    "not given",
  ],
  [
    "a conversation that was not known yet",
    unknown(facts("/clear", { claudeId: "d", leavesTrace: true })),
    "not given",
  ],
  ["plain text that is nowhere", facts("go", {}), "not given"],
  ["plain text by a Stop whose hooks may still run", byStop({}), "later"],
  ["plain text by a Stop that has ended", byStop({ proof: { kind: "passed" } }), "not given"],
  [
    "plain text by a Stop of a Claude Code that is gone",
    byStop({ look: { state: "gone" } }),
    "not given",
  ],
  ["plain text by a Stop, and no word of its end", byStop({ now: AT + 700_000 }), "unsure"],
  ["plain text that a dialog keeps waiting", facts("go", { look: { state: "dialog" } }), "later"],
  ["plain text, while Claude works", facts("go", { look: { state: "busy" } }), "later"],
  [
    "plain text, while Claude works for long: the companion tells more",
    facts("go", { look: { state: "busy" }, now: late, hasCompanion: true }),
    "leave",
  ],
  ["given plain text without a sign", facts("go", {}, given), "later"],
  ["given plain text without a sign for long", facts("go", { now: late }, given), "no sign"],
];

for (const [name, given, verdict] of CASES) {
  Deno.test(`verdictOn(): ${name}: ${verdict}`, () => {
    assertEquals(verdictOn(given).kind, verdict);
  });
}

const command = "<command-name>/context</command-name>\n  <command-args></command-args>";
const PROOFS: [name: string, line: unknown, text: string, kind: string][] = [
  [
    "a command of the system",
    { type: "system", subtype: "local_command", content: command },
    ...["/context", "command"] as const,
  ],
  [
    "a command as a user's line",
    { type: "user", message: { content: command } },
    ...["/context", "command"] as const,
  ],
  [
    "another command",
    { type: "system", subtype: "local_command", content: command },
    ...["/compact", "none"] as const,
  ],
  [
    "the output of a command is no prompt",
    { type: "system", subtype: "local_command", content: "go" },
    ...["go", "none"] as const,
  ],
  [
    "a prompt by the inbox socket",
    {
      type: "user",
      isMeta: true,
      origin: { kind: "peer" },
      message: {
        content: "Another Claude session sent a message:\nRun all of the tests once more\n…",
      },
    },
    ...["Run all of the tests once more", "prompt"] as const,
  ],
  [
    "a short prompt by the inbox socket",
    {
      type: "user",
      isMeta: true,
      origin: { kind: "peer" },
      message: { content: "Another Claude session sent a message:\ngo on\n\nThis came from …" },
    },
    ...["go on", "prompt"] as const,
  ],
  [
    "a short prompt of the plugin",
    { type: "user", message: { content: "The gsd-code plugin sent a message:\ngo  on\n\nThis …" } },
    ...["go on", "prompt"] as const,
  ],
  [
    "a short prompt that was joined to another one",
    { type: "user", message: { content: "and the docs\ngo on" } },
    ...["go on", "prompt"] as const,
  ],
  [
    "a short text at the end of somebody else's",
    { type: "user", message: { content: "please do not go on" } },
    ...["go on", "none"] as const,
  ],
  [
    "what Claude Code adds",
    { type: "user", isMeta: true, message: { content: "Run all of the tests once more" } },
    ...["Run all of the tests once more", "none"] as const,
  ],
];

for (const [name, line, text, kind] of PROOFS) {
  Deno.test(`proofIn(): ${name}: ${kind}`, () => {
    assertEquals(proofIn([JSON.stringify(line)], text).kind, kind);
  });
}

Deno.test("proofOf() finds the new conversation of /clear whose hook was killed", async () => {
  await using home = new TestHome();
  const old = `${home.dir}/old.jsonl`;
  Deno.writeTextFileSync(old, "");
  const { giving } = facts("/clear", {});
  const giving2 = {
    ...giving,
    transcript_path: old,
    at: new Date(Date.now() - 5000).toISOString(),
  };
  const other = { type: "user", message: { content: "hello" } };
  Deno.writeTextFileSync(`${home.dir}/beside.jsonl`, JSON.stringify(other));
  assertEquals(proofOf(giving2, old).kind, "none");
  const content = "<command-name>/clear</command-name>";
  const line = JSON.stringify({ type: "user", message: { content } });
  Deno.writeTextFileSync(`${home.dir}/new.jsonl`, line);
  assertEquals(proofOf(giving2, old).kind, "command");
  const later = { ...giving2, at: new Date(Date.now() + 5000).toISOString() };
  assertEquals(proofOf(later, old).kind, "none", "of an earlier /clear");
});

Deno.test("proofOf() knows by the transcript that the Stop which was to give a step has ended", async () => {
  await using home = new TestHome();
  const path = `${home.dir}/t.jsonl`;
  const write = (...lines: unknown[]) =>
    Deno.writeTextFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const giving = { ...byStop({}).giving, transcript_path: path };
  const end = { type: "system", subtype: "stop_hook_summary" };
  const feedback = {
    ...{ type: "user", isMeta: true, promptId: "p" },
    message: { content: "Stop hook feedback:\ngo" },
  };
  write();
  assertEquals(proofOf(giving, path).kind, "none");
  write(end);
  assertEquals(proofOf(giving, path).kind, "passed");
  write(feedback, end);
  assertEquals(proofOf(giving, path).kind, "prompt");
});

Deno.test("proofOf() takes no earlier prompt of another conversation for the step", async () => {
  await using home = new TestHome();
  const path = `${home.dir}/old.jsonl`;
  const { giving } = facts("Run the tests", {});
  const given = { ...giving, at: "2026-11-18T12:00:00.000Z", transcript_path: `${home.dir}/new` };
  const write = (...times: string[]) =>
    Deno.writeTextFileSync(
      path,
      times.map((timestamp) => {
        const message = { content: "Run the tests" };
        return `${JSON.stringify({ type: "user", timestamp, promptId: timestamp, message })}\n`;
      }).join(""),
    );
  const [before, after] = ["2026-11-17T12:00:00.000Z", "2026-11-18T12:00:01.000Z"];
  write(before);
  assertEquals(proofOf(given, path), { kind: "none" });
  write(before, after);
  assertEquals(proofOf(given, path), { kind: "prompt", promptId: after });
});
