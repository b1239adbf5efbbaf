import { assertEquals, assertStringIncludes } from "@std/assert";
import { readEvent } from "../lib/events.ts";
import { saidBefore, stoppedTurn } from "../lib/interrupted.ts";
import { noteEscape } from "../lib/own_escape.ts";
import { fixtureEvent, fixtureTranscript } from "./support/fixtures.ts";
import { HookWorld, section } from "./support/hook_world.ts";

/** A turn that a person has stopped with Esc at a question. */
const STOPPED = fixtureTranscript("plain-and-questions").slice(0, 70);
const AFTERWARDS = fixtureTranscript("plain-and-questions").slice(0, 85);
const PROMPT = "ce4bda17-0be4-4da3-838e-697c699bbce6";
const STOPPED_WRITING = "20e23e3a-7ae9-4281-a5c2-930977f743d4";
const AT = Date.parse("2026-11-16T00:04:18.441Z");
const CLAUDE = "9155c4d8-3289-433e-bc89-16ab56d139a1";

interface Files {
  lines?: string[];
  /** What Claude Code says of itself; null: it keeps no such file. */
  state?: Record<string, unknown> | null;
}

/** Claude Code's folder, with a transcript and what it says of itself. */
function write(home: string, { lines = STOPPED, state = {} }: Files): string {
  const path = `${home}/.claude/projects/p/transcript.jsonl`;
  Deno.mkdirSync(`${home}/.claude/projects/p`, { recursive: true });
  Deno.mkdirSync(`${home}/.claude/sessions`, { recursive: true });
  Deno.writeTextFileSync(path, lines.join("\n") + "\n");
  Deno.writeTextFileSync(`${home}/.claude/sessions/4711.0A0B.key`, "{}");
  if (state !== null) {
    const own = { sessionId: CLAUDE, status: "idle", statusUpdatedAt: AT + 100, ...state };
    Deno.writeTextFileSync(`${home}/.claude/sessions/4711.json`, JSON.stringify(own));
  }
  return path;
}

function found(files: Files): string | undefined {
  const home = Deno.makeTempDirSync({ prefix: "gsd-test-" });
  try {
    const event = { session_id: CLAUDE, transcript_path: write(home, files) };
    const reading = readEvent(JSON.stringify(event));
    return reading.kind === "event" ? stoppedTurn(reading.event)?.promptId : undefined;
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
}

const ASIDE = JSON.stringify({
  type: "user",
  message: { role: "user", content: "<command-name>/clear</command-name>" },
});
const cases: [name: string, files: Files, expected: string | undefined][] = [
  ["a turn that was stopped", {}, PROMPT],
  ["a turn that was stopped, and a command", { lines: [...STOPPED, ASIDE] }, PROMPT],
  ["a turn that was stopped before another one", { lines: AFTERWARDS }, undefined],
  ["a turn that was stopped before this Claude Code was started", {
    state: { statusUpdatedAt: AT - 60_000 },
  }, undefined],
  ["another conversation's Claude", { state: { sessionId: "another" } }, undefined],
  ["a version that says nothing of itself", { state: null }, undefined],
  ["a turn that has ended by itself", { lines: STOPPED.slice(0, 59) }, undefined],
  ["odd values", { state: { statusUpdatedAt: "soon" } }, undefined],
];
for (const [name, files, expected] of cases) {
  Deno.test(`stoppedTurn() finds ${expected === undefined ? "nothing" : "it"} in ${name}`, () => {
    assertEquals(found(files), expected);
  });
}

Deno.test("saidBefore() has Claude's words before the mark of an interruption", () => {
  const home = Deno.makeTempDirSync({ prefix: "gsd-test-" });
  try {
    assertEquals(saidBefore(write(home, {}), PROMPT), "I need one decision.");
    assertEquals(saidBefore(`${home}/none`, PROMPT), "");
    const lines = fixtureTranscript("stopped-while-writing-2.1.197");
    assertEquals(
      saidBefore(write(home, { lines }), STOPPED_WRITING),
      "I look at the first file now.",
    );
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
});

Deno.test("without the mod, an Esc is reported at the next event, once, with what was said", async () => {
  await using world = await HookWorld.create();
  const path = write(`${world.dir}/home`, {});
  const change = { session_id: CLAUDE, transcript_path: path };
  await world.hook("pre_compact.ts", { ...fixtureEvent("pre_compact-manual"), ...change });
  await world.hook("session_end.ts", { ...fixtureEvent("session_end-clear"), ...change });
  const told = world.wakes().filter((wake) => wake.includes("\ntype: interrupted\n"));
  assertEquals(told.length, 1);
  assertStringIncludes(section(told[0]!, "CONTENT"), "I need one decision.");
  assertStringIncludes(section(told[0]!, "TRIGGER"), "stopped_at: 2026-11-16T00:04:18Z");
});

Deno.test("the agent's own esc is not reported", async () => {
  await using world = await HookWorld.create();
  noteEscape(world.paths, "warden-main", AT - 200);
  const change = { session_id: CLAUDE, transcript_path: write(`${world.dir}/home`, {}) };
  await world.hook("session_end.ts", { ...fixtureEvent("session_end-clear"), ...change });
  assertEquals(world.wakes(), []);
});
