/** What an agent gets from whole sequences of recorded events: real hooks, real deliverer, inbox. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { listPending } from "../lib/answers.ts";
import { holdLock } from "../lib/doors/held_lock.ts";
import { namesIn } from "../lib/files.ts";
import { changeMemory } from "../lib/session_memory.ts";
import { fixtureEvent, fixtureTranscript } from "./support/fixtures.ts";
import { type HookResult, HookWorld, section, WARDEN } from "./support/hook_world.ts";
import { until } from "./support/until.ts";

type Step = [hook: string, event: string, change?: Record<string, unknown>];

async function worldWith(settings: Record<string, unknown>, deliver = true): Promise<HookWorld> {
  return await HookWorld.create({
    deliver,
    registry: {
      delivery: { transport: "inbox" },
      hook_settings: settings,
      agents: [{ agent_id: "warden", tmux_session_name: "warden-main" }],
    },
  });
}

/**
 * Plays the events one after the other, each when the wake before has been delivered. The hook of
 * a PermissionRequest waits beside the dialog while the others come.
 */
async function heard(world: HookWorld, steps: Step[], deliver = true): Promise<string[]> {
  const beside: Promise<HookResult>[] = [];
  for (const step of steps) {
    if (step === SIX_SECONDS || step === AT_ONCE) {
      closedAt(world, Date.now() + (step === AT_ONCE ? 2500 : -6000));
      continue;
    }
    const [hook, event, change] = step;
    const running = world.hook(hook, { ...fixtureEvent(event), ...change });
    if (hook === "permission_request.ts") {
      beside.push(running);
      await until("the hook to wait", () => listPending(world.paths, "warden-main").length > 0);
    } else {
      assertSilent(await running);
    }
    if (deliver) await until("the outbox to be empty", () => world.wakes().length === 0);
  }
  for (const running of beside) assertSilent(await running);
  const inbox = `${world.dir}/state/inbox/warden`;
  const messages = deliver
    ? namesIn(inbox).map((name) => Deno.readTextFileSync(`${inbox}/${name}`))
    : world.wakes();
  return messages.map((message) => {
    const type = /^type: (.*)$/m.exec(message)?.[1] ?? "";
    return message.includes("\n[NO CHANGE]\n") ? `${type} (no change)` : type;
  });
}

function closedAt({ paths }: HookWorld, at: number): void {
  changeMemory(paths, "warden-main", ({ closed, ...memory }) => ({
    memory: closed === undefined ? memory : { ...memory, closed: { ...closed, at } },
    value: undefined,
  }));
}

function assertSilent({ ms: _, ...result }: HookResult): void {
  assertEquals(result, { code: 0, stdout: "", stderr: "" });
}

const STOP: Step = ["stop.ts", "stop-plain"];
const IDLE: Step = ["notification.ts", "notification-idle_prompt"];
const ASK: Step = ["pre_tool_use.ts", "pre_tool_use-ask-single"];
const REQUEST: Step = ["permission_request.ts", "permission_request-ask-single"];
const PERMISSION: Step = ["notification.ts", "notification-permission_prompt"];
/** So long after a dialog has opened comes its reminder. */
const SIX_SECONDS: Step = ["", ""];
/** The next hook begins when the dialog closes, however slow the machine is. */
const AT_ONCE: Step = ["", ""];
const ANSWERED: Step = ["post_tool_use.ts", "post_tool_use-ask-single"];
const BESIDE: Step = ["notification.ts", "notification-idle-beside-endless-shell"];
const SAME = { prompt_id: fixtureEvent("stop-endless-shell").prompt_id };
const done = (prompt_id: string) => ({ prompt_id, last_assistant_message: "Done." });

// deno-fmt-ignore
const SEQUENCES: Record<string, { steps: Step[]; settings?: Record<string, unknown>; deliver?: boolean; transcript?: string; hears: string[] }> = {
  "a turn's end once, not again when Claude idles":
    { steps: [STOP, IDLE], hears: ["response_complete"] },
  "of idleness when the turn's end has not arrived":
    { steps: [STOP, IDLE], deliver: false, hears: ["response_complete", "idle_prompt"] },
  "a question once, and what was answered":
    { steps: [ASK, REQUEST, PERMISSION, ANSWERED], hears: ["ask_user_question", "ask_user_question_answered"] },
  "a question once, where no hook waits beside it":
    { steps: [ASK, PERMISSION, ANSWERED], hears: ["ask_user_question", "ask_user_question_answered"] },
  "a question once, and the end of a turn that it was escaped from":
    { steps: [ASK, REQUEST, PERMISSION, STOP], hears: ["ask_user_question", "response_complete"] },
  "a turn's end once, though the hook ran twice":
    { steps: [STOP, STOP], hears: ["response_complete"] },
  "two turns that both end in the same word":
    { steps: [["stop.ts", "stop-plain", done("one")], ["stop.ts", "stop-plain", done("two")]], hears: ["response_complete", "response_complete"] },
  "a turn's end beside an endless task, and once that Claude waits":
    { steps: [["stop.ts", "stop-endless-shell"], BESIDE, BESIDE], hears: ["response_complete", "idle_prompt (no change)"] },
  "a turn's end once, where a subagent will wake Claude":
    { steps: [["stop.ts", "stop-endless-shell-and-subagent", SAME], BESIDE], hears: ["response_complete"] },
  "a turn's end beside a background task, then the end":
    { steps: [["stop.ts", "stop-background-shell"], ["stop.ts", "stop-woken-by-background"]], hears: ["response_complete", "response_complete"] },
  "a turn's end once, also when a person runs shell lines after it":
    { steps: [["stop.ts", "stop-before-shell-lines"], ["notification.ts", "notification-idle-after-shell-line"], ["notification.ts", "notification-idle-after-second-shell-line"]], transcript: "shell-lines-left-alone", hears: ["response_complete"] },
  "a permission that comes after an answered question":
    { steps: [ASK, ANSWERED, SIX_SECONDS, PERMISSION], hears: ["ask_user_question", "ask_user_question_answered", "permission_prompt"] },
  "nothing from the reminder of a question that is answered at that moment":
    { steps: [ASK, ANSWERED, AT_ONCE, PERMISSION], hears: ["ask_user_question", "ask_user_question_answered"] },
  "nothing of a cleared session but what comes after":
    { steps: [["session_end.ts", "session_end-clear"], ["session_start.ts", "session_start-clear"], STOP], hears: ["response_complete"] },
  "in few words what it knows, where that is wanted":
    { steps: [STOP, IDLE], settings: { dedup_mode: "lightweight" }, hears: ["response_complete", "idle_prompt (no change)"] },
  "everything, where that is wanted":
    { steps: [STOP, STOP, IDLE], settings: { dedup_mode: "off" }, hears: ["response_complete", "response_complete", "idle_prompt"] },
};

for (const [title, sequence] of Object.entries(SEQUENCES)) {
  Deno.test(`the agent learns ${title}`, async () => {
    const { steps, settings = {}, deliver = true, transcript, hears } = sequence;
    await using world = await worldWith(settings, deliver);
    const written = transcript === undefined ? steps : steps.map(([hook, event, change]): Step => {
      return [hook, event, { ...change, transcript_path: world.transcript }];
    });
    if (transcript !== undefined) {
      const lines = fixtureTranscript(transcript);
      await Deno.writeTextFile(world.transcript, lines.join("\n") + "\n");
    }
    assertEquals(await heard(world, written, deliver), hears);
  });
}

Deno.test("what is not sent again is in the journal with its reason", async () => {
  await using world = await worldWith({});
  await heard(world, [STOP, IDLE]);
  const suppressed = world.journal().find((entry) => entry.kind === "suppressed");
  const queued = world.journal().find((entry) => entry.kind === "queued");
  assertEquals(suppressed?.of, queued?.wake_id);
  assertStringIncludes(String(suppressed?.reason), "end of this turn");
});

Deno.test("the agent learns a turn's end once, also where the memory of it was not written", async () => {
  await using world = await worldWith({});
  await heard(world, [STOP]);
  Deno.removeSync(`${world.dir}/state/sessions/warden-main.json`);
  assertEquals(await heard(world, [IDLE]), ["response_complete"]);
});

/** Runs a hook that waits for the agent, and gives it the agent's reply. */
async function replied(
  hook: string,
  event: Record<string, unknown>,
  reply: unknown,
  settings: Record<string, unknown> = {},
) {
  const bidirectional = { hook_mode: "bidirectional", bidirectional_timeout_s: 120, ...settings };
  await using world = await worldWith(bidirectional, false);
  const running = world.hook(hook, event);
  const outbox = `${world.dir}/state/outbox/warden`;
  if (reply !== undefined) {
    await until("the wake to be written", () => world.wakes().length === 1);
    const id = namesIn(outbox)[0]!.replace(".json", "");
    await Deno.mkdir(`${world.dir}/state/replies`, { recursive: true });
    const text = typeof reply === "string" ? JSON.stringify({ status: "ok", text: reply }) : reply;
    await Deno.writeTextFile(`${world.dir}/state/replies/.${id}`, text as string);
    await Deno.rename(`${world.dir}/state/replies/.${id}`, `${world.dir}/state/replies/${id}.json`);
  }
  const result = await running;
  assertEquals([result.code, result.stderr], [0, ""]);
  const decided = world.journal().find((entry) => entry.kind === "decided");
  return { stdout: result.stdout, decided, wakes: world.wakes() };
}

const REASON = `Now run "deno test"\nand say 'done' {really}`;

Deno.test("stop.ts passes the agent's instruction on to Claude, to the letter", async () => {
  const reply = `Sure.\n\`\`\`json\n${
    JSON.stringify({ decision: "block", reason: REASON })
  }\n\`\`\``;
  const { stdout, decided } = await replied("stop.ts", fixtureEvent("stop-plain"), reply);
  assertEquals(JSON.parse(stdout), { decision: "block", reason: REASON });
  assertEquals(decided?.decision, "block");
});

Deno.test("stop.ts lets Claude stop when the agent decides nothing", async () => {
  for (const reply of ["Well done!", '{"decision":"block"}', '{"decision":"approve"}']) {
    const { stdout, decided } = await replied("stop.ts", fixtureEvent("stop-plain"), reply);
    assertEquals([stdout, decided?.decision], ["", "none"]);
  }
});

Deno.test("stop.ts lets Claude stop when the agent does not reply in time", async () => {
  const settings = { bidirectional_timeout_s: 1 };
  const { stdout, decided } = await replied(
    ...["stop.ts", fixtureEvent("stop-plain"), undefined, settings] as const,
  );
  assertEquals([stdout, decided?.reason], ["", "no reply within 1 s"]);
});

Deno.test("stop.ts lets Claude go as soon as the agent cannot be reached", async () => {
  await using world = await HookWorld.create({
    deliver: true,
    registry: {
      hook_settings: { hook_mode: "bidirectional", bidirectional_timeout_s: 300 },
      agents: [{ ...WARDEN, delivery: { transport: "gateway" } }],
    },
  });
  const result = await world.hook("stop.ts", fixtureEvent("stop-plain"));
  assertSilent(result);
  const decided = world.journal().find((entry) => entry.kind === "decided");
  assertStringIncludes(String(decided?.reason), "the wake was not delivered: OpenClaw's config");
  assertEquals(world.wakes().length, 1);
  const { outbox, lock } = {
    outbox: `${world.dir}/state/outbox/warden`,
    lock: `${world.dir}/state/locks/deliver-warden.lock`,
  };
  for (const name of namesIn(outbox)) Deno.removeSync(`${outbox}/${name}`);
  await until("the deliverer to leave", () => {
    const held = holdLock(lock);
    held?.release();
    return held !== undefined;
  });
});

Deno.test("stop.ts does not wait where the deliverer cannot be started", async () => {
  await using world = await HookWorld.create({
    registry: {
      hook_settings: { hook_mode: "bidirectional", bidirectional_timeout_s: 300 },
      agents: [WARDEN],
    },
  });
  await Deno.remove(`${world.dir}/data/bin/deliver`);
  assertSilent(await world.hook("stop.ts", fixtureEvent("stop-plain")));
  const reasons = world.journal().map((entry) => String(entry.reason ?? ""));
  assertStringIncludes(reasons.join("\n"), "Cannot start the deliverer");
  assertStringIncludes(reasons.join("\n"), "no reply can come");
});

Deno.test("stop.ts never blocks twice in a row, but sends a wake", async () => {
  const { stdout, decided, wakes } = await replied(
    ...["stop.ts", fixtureEvent("stop-hook-active"), undefined] as const,
  );
  assertEquals([stdout, decided], ["", undefined]);
  assertStringIncludes(section(wakes[0]!, "TRIGGER"), "stop_hook_active: true");
});

Deno.test("pre_compact.ts prints the agent's instructions for the summary, and only those", async () => {
  const event = fixtureEvent("pre_compact-manual");
  const instructions = JSON.stringify({ instructions: "Keep the names." });
  assertEquals((await replied("pre_compact.ts", event, instructions)).stdout, "Keep the names.");
  assertEquals((await replied("pre_compact.ts", event, "nothing special")).stdout, "");
});

Deno.test("pre_compact.ts passes a block on for a compaction by hand, not for an automatic one", async () => {
  const block = JSON.stringify({ decision: "block", reason: "not now" });
  const manual = await replied("pre_compact.ts", fixtureEvent("pre_compact-manual"), block);
  assertEquals(manual.stdout, block);
  const auto = await replied("pre_compact.ts", fixtureEvent("pre_compact-auto"), block);
  assertEquals(auto.stdout, "");
});

Deno.test("notifications, failures and the end never wait for a reply", async () => {
  await using world = await worldWith({ hook_mode: "bidirectional" }, false);
  const steps: Step[] = [IDLE, ["stop_failure.ts", "stop_failure-auth"], [
    "session_end.ts",
    "session_end-other",
  ]];
  assertEquals((await heard(world, steps, false)).length, 3);
});

Deno.test("a reminder of what was sent before asks for no reply, since no hook waits", async () => {
  const settings = {
    dedup_mode: "lightweight",
    hook_mode: "bidirectional",
    bidirectional_timeout_s: 1,
  };
  await using world = await worldWith(settings, false);
  for (let times = 0; times < 2; times++) await world.hook("stop.ts", fixtureEvent("stop-plain"));
  const [told, reminded] = world.wakes();
  assertStringIncludes(told!, "reply_expected: within 1 s");
  assertStringIncludes(reminded!, "[NO CHANGE]");
  assertEquals(reminded!.includes("reply_expected"), false);
});
