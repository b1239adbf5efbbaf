/** Two Claudes in one tmux session: a `claude -p` beside the session's own, or one in another pane. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { giveAnswer, listPending, wasShown } from "../lib/answers.ts";
import { closePending } from "../lib/close_pending.ts";
import { readMemory } from "../lib/session_memory.ts";
import { fixtureEvent, fixturePane } from "./support/fixtures.ts";
import { HookWorld, WARDEN } from "./support/hook_world.ts";
import { until } from "./support/until.ts";

type Change = Record<string, unknown>;
type Step = [hook: string, event: string, session_id: string, change?: Change];

const start = (id: string, change: Change = {}): Step => [
  ...["session_start.ts", "session_start-startup", id] as const,
  change,
];
const stop = (id: string): Step => ["stop.ts", "stop-plain", id, { prompt_id: `of ${id}` }];
const end = (id: string, reason = "other"): Step => [
  ...["session_end.ts", "session_end-other", id] as const,
  { reason },
];
/** Claude Code names the model at the start of a terminal session only. */
const HEADLESS = { model: undefined };

// deno-fmt-ignore
const SEQUENCES: Record<string, { steps: Step[]; hears: string[]; resumes: string }> = {
  "of the end of its own Claude":
    { steps: [start("own"), end("own")], hears: ["session_end"], resumes: "own" },
  "nothing of the end of a claude -p beside it":
    { steps: [start("own"), start("p", HEADLESS), end("p")], hears: [], resumes: "own" },
  "no words of a claude -p beside it, and resumes its own":
    { steps: [start("own"), start("p", HEADLESS), stop("p"), end("p"), stop("own")], hears: ["response_complete"], resumes: "own" },
  "of its own end once, though a claude -p outlives it":
    { steps: [start("own"), start("p", HEADLESS), end("own"), end("p")], hears: ["session_end"], resumes: "own" },
  "nothing of a claude -p that is resumed again and again":
    { steps: [start("own"), start("p", HEADLESS), end("p"), start("p", { ...HEADLESS, source: "resume" }), end("p")], hears: [], resumes: "own" },
  "of the end of one that was started after its own was killed":
    { steps: [start("killed"), start("new"), end("new")], hears: ["session_end"], resumes: "new" },
  "of the end of one that was resumed after its own was killed":
    { steps: [start("killed"), start("old", { ...HEADLESS, source: "resume" }), end("old")], hears: ["session_end"], resumes: "old" },
  "of the end of one whose start names no model, after its own has ended":
    { steps: [start("own"), end("own"), start("new", HEADLESS), end("new")], hears: ["session_end", "session_end"], resumes: "new" },
  "of the end after /clear":
    { steps: [start("own"), end("own", "clear"), start("new", { ...HEADLESS, source: "clear" }), end("new")], hears: ["session_end"], resumes: "new" },
  "of the end after /resume":
    { steps: [start("own"), end("own", "resume"), start("old", { source: "resume" }), end("old")], hears: ["session_end"], resumes: "old" },
  "of the end of one in another pane, and resumes its own, which has run since":
    { steps: [start("own"), start("other"), stop("own"), end("other")], hears: ["response_complete", "session_end"], resumes: "own" },
  "of a second end soon after it was brought back":
    { steps: [start("own"), end("own"), start("own", { source: "resume" }), end("own")], hears: ["session_end", "session_end"], resumes: "own" },
  "of one end once, though two hooks report it":
    { steps: [start("own"), end("own"), end("own")], hears: ["session_end"], resumes: "own" },
  "of the end of one that was not seen before":
    { steps: [start("own"), end("unheard")], hears: ["session_end"], resumes: "own" },
};

for (const [title, { steps, hears, resumes }] of Object.entries(SEQUENCES)) {
  Deno.test(`the agent learns ${title}`, async () => {
    await using world = await HookWorld.create();
    for (const [hook, event, session_id, change] of steps) {
      await world.hook(hook, { ...fixtureEvent(event), session_id, ...change });
    }
    const told = world.wakes().map((wake) => /^type: (.*)$/m.exec(wake)?.[1]);
    assertEquals(told, hears);
    assertEquals(readMemory(world.paths, "warden-main").claude_session_id, resumes);
  });
}

Deno.test("the end of a claude -p that is not sent is in the journal with its reason", async () => {
  await using world = await HookWorld.create();
  for (const [hook, event, session_id, change] of [start("own"), start("p", HEADLESS), end("p")]) {
    await world.hook(hook, { ...fixtureEvent(event), session_id, ...change });
  }
  const entry = world.journal().at(-1);
  assertEquals([entry?.kind, entry?.trigger], ["suppressed", "session_end"]);
  assertStringIncludes(String(entry?.reason), "beside the session's own");
});

Deno.test("the end of another Claude says that one has run since", async () => {
  await using world = await HookWorld.create();
  for (const [hook, event, session_id, change] of [start("own"), end("other")]) {
    await world.hook(hook, { ...fixtureEvent(event), session_id, ...change });
  }
  assertStringIncludes(world.wakes()[0]!, "Another Claude Code has since run in this session");
});

Deno.test("a question stays open while another Claude of the tmux session stops, asks and ends", async () => {
  await using world = await HookWorld.create();
  const { paths } = world;
  const ask = fixtureEvent("pre_tool_use-ask-single");
  const request = fixtureEvent("permission_request-ask-single");
  const same = { session_id: ask.session_id, prompt_id: ask.prompt_id };
  await world.hook("pre_tool_use.ts", ask);
  const waiting = world.hook("permission_request.ts", { ...request, ...same });
  const pending = await until(
    "the question to be open",
    () => listPending(paths, "warden-main")[0],
  );

  await world.hook("stop.ts", { ...fixtureEvent("stop-plain"), session_id: "other" });
  await world.hook("stop_failure.ts", {
    ...fixtureEvent("stop_failure-auth"),
    session_id: "other",
  });
  const others = world.hook("permission_request.ts", {
    ...fixtureEvent("permission_request-ask-multi"),
    session_id: "other",
  });
  await until(
    "the other question to be open",
    () => listPending(paths, "warden-main").length === 2,
  );
  await world.hook("session_end.ts", { ...fixtureEvent("session_end-other"), session_id: "other" });
  await others;
  const reminder = fixtureEvent("notification-permission_prompt");
  await world.hook("notification.ts", { ...reminder, ...same });
  assertEquals(world.journal().at(-1)?.kind, "suppressed");

  const secret = new RegExp(`--question ${pending.id}\\.(\\S+)`).exec(world.wakes()[0]!)?.[1];
  giveAnswer(paths, pending, {
    by: "warden",
    caller: "openclaw > menu-driver",
    secret,
    via: "hook",
    at: new Date().toISOString(),
    decision: { kind: "answers", answers: { "Which?": "this one" }, annotations: {} },
  });
  assertStringIncludes((await waiting).stdout, "this one");
  const answered = world.journal().findLast((entry) => entry.via === "hook");
  assertEquals([answered?.by, answered?.caller], ["warden", "openclaw > menu-driver"]);
});

for (const permissions of ["registered", "all"] as const) {
  Deno.test(`a hook beside a dialog sees its end on the screen, with ${permissions} permissions`, async () => {
    const hook_settings = { answer_timeout_s: 60 };
    const registry = { agents: [{ ...WARDEN, hook_settings }] };
    await using world = await HookWorld.create({ permissions, registry });
    const pane = await world.pane("warden-main");
    await world.server.show(pane, fixturePane("10-ask-single"));
    const waiting = world.hook(
      "permission_request.ts",
      fixtureEvent("permission_request-ask-single"),
    );
    await until("the dialog to be seen", () => {
      const [pending] = listPending(world.paths, "warden-main");
      return pending !== undefined && wasShown(world.paths, pending);
    });
    await world.server.show(pane, fixturePane("04-idle-default-mode"));
    assertEquals((await waiting).stdout, "");
    const { outcome, by_kind } = world.journal().at(-1)!;
    assertEquals([outcome, by_kind], ["left", "keyboard"]);
  });
}

Deno.test("a subagent's request stays open and known when Claude's own turn ends", async () => {
  const registry = { agents: [{ ...WARDEN, hook_settings: { answer_permissions: true } }] };
  await using world = await HookWorld.create({ registry });
  const { paths } = world;
  const open = () => listPending(paths, "warden-main");
  const request = fixtureEvent("permission_request-subagent");
  const same = { session_id: request.session_id, prompt_id: request.prompt_id };
  const waiting = world.hook("permission_request.ts", request);
  const pending = await until("the request to be open", () => open()[0]);
  const task = { id: pending.subagent, type: "subagent", status: "running", description: "Make" };
  const stop = { ...fixtureEvent("stop-plain"), ...same };
  await world.hook("stop.ts", { ...stop, background_tasks: [task] });
  await world.hook("stop_failure.ts", { ...fixtureEvent("stop_failure-auth"), ...same });
  assertEquals(open().map(({ id }) => id), [pending.id]);

  const reminder = { ...fixtureEvent("notification-permission_prompt"), ...same };
  await world.hook("notification.ts", reminder);
  assertEquals(world.journal().at(-1)?.kind, "suppressed");
  // Once its file is gone, the lines of its wake are refused: then the reminder is sent.
  closePending(paths, "warden-main", { id: pending.id });
  await waiting;
  await world.hook("notification.ts", reminder);
  assertEquals(world.journal().at(-1)?.kind, "queued");
});

Deno.test("a subagent's request is closed when the turn ends and no subagent runs", async () => {
  const registry = { agents: [{ ...WARDEN, hook_settings: { answer_permissions: true } }] };
  await using world = await HookWorld.create({ registry });
  const request = fixtureEvent("permission_request-subagent");
  const waiting = world.hook("permission_request.ts", request);
  await until("the request to be open", () => listPending(world.paths, "warden-main")[0]);
  await world.hook("stop.ts", { ...fixtureEvent("stop-plain"), session_id: request.session_id });
  await waiting;
  assertEquals(listPending(world.paths, "warden-main"), []);
  assertEquals(readMemory(world.paths, "warden-main").open, undefined);
});

Deno.test("a wake names its pane where the session has another one", async () => {
  const registry = { agents: [{ ...WARDEN, hook_settings: { answer_permissions: true } }] };
  await using world = await HookWorld.create({ registry });
  const pane = await world.pane("warden-main");
  const named = () => world.wakes().at(-1)!.includes(` --pane ${pane} warden-main `);
  await world.hook("stop.ts", fixtureEvent("stop-plain"));
  assertEquals(named(), false);
  await world.server.tmux("split-window", "-t", pane, "cat");
  await world.hook("stop.ts", fixtureEvent("stop-after-ask"));
  assertEquals(named(), true);
  // That hook asks tmux by bin/capture.
  const waiting = world.hook("permission_request.ts", fixtureEvent("permission_request-bash"));
  const told = () => listPending(world.paths, "warden-main").find(({ wake_id }) => wake_id);
  const pending = await until("the request's wake", told);
  assertEquals([pending.pane, named()], [pane, true]);
  closePending(world.paths, "warden-main", { id: pending.id });
  await waiting;
});
