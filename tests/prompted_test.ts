import { assert, assertEquals } from "@std/assert";
import { noteTyped } from "../lib/typed.ts";
import { fixtureEvent } from "./support/fixtures.ts";
import { HookWorld } from "./support/hook_world.ts";

const HOOK = "user_prompt_submit.ts";
const AGENT = { by: "warden", by_kind: "agent", instruction_id: "I1" } as const;
const PROMPT = fixtureEvent("user_prompt_submit");

async function submit(world: HookWorld, event: unknown = PROMPT): Promise<void> {
  const { code, stdout, stderr } = await world.hook(HOOK, event);
  assertEquals({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" });
}

const promptedBy = (message: string) => /^prompted_by: (.*)$/m.exec(message)?.[1];

Deno.test("UserPromptSubmit records what was typed at the keyboard, and the turn's wake says so", async () => {
  await using world = await HookWorld.create();
  await submit(world);
  const [prompt] = world.home.journal();
  assertEquals(
    [prompt?.kind, prompt?.by, prompt?.text, prompt?.prompt_id],
    ["prompt", "keyboard", PROMPT.prompt, PROMPT.prompt_id],
  );
  assertEquals(world.wakes(), [], "no agent is woken");
  await world.hook("stop.ts", fixtureEvent("stop-plain"));
  const queued = world.home.journal().find(({ kind }) => kind === "queued");
  assertEquals([queued?.prompted_by, queued?.prompt_id], ["human", PROMPT.prompt_id]);
  assert(String(queued?.text).startsWith("First paragraph of the plain reply."));
  assertEquals(world.wakes().map(promptedBy), ["human"]);
});

Deno.test("UserPromptSubmit knows the agent's prompt, and another turn's wake says nothing", async () => {
  await using world = await HookWorld.create();
  noteTyped(world.paths, "warden-main", String(PROMPT.prompt), AGENT, Date.now());
  await submit(world);
  const [prompt] = world.home.journal();
  assertEquals(
    [prompt?.by, prompt?.by_kind, prompt?.instruction_id, prompt?.text],
    ["warden", "agent", "I1", undefined],
  );
  await world.hook("stop.ts", fixtureEvent("stop-plain"));
  await submit(world, { ...PROMPT, prompt_id: "another" });
  await world.hook("stop.ts", { ...fixtureEvent("stop-plain"), prompt_id: "a third" });
  assertEquals(world.wakes().map(promptedBy), [undefined, undefined]);
});

Deno.test("UserPromptSubmit masks and cuts, and is silent with any prompt", async () => {
  await using world = await HookWorld.create();
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  for (const prompt of [`token ${secret}`, "\u0000\u001b[31m", "é".repeat(300_000), null, 5, {}]) {
    await submit(world, { ...PROMPT, prompt });
  }
  const texts = world.home.journal().map(({ text }) => String(text ?? ""));
  assertEquals(texts.length, 6);
  assertEquals(texts.filter((text) => text.includes(secret) || text.length > 2000), []);
});

Deno.test("UserPromptSubmit records a question of an earlier turn as left", async () => {
  await using world = await HookWorld.create();
  await world.hook("pre_tool_use.ts", fixtureEvent("pre_tool_use-ask-single"));
  const ask = fixtureEvent("permission_request-ask-single");
  const dir = `${world.paths.state}/pending/warden-main`;
  Deno.mkdirSync(dir, { recursive: true });
  const pending = {
    ...{ id: "q-1", kind: "question", session: "warden-main", agent_id: "warden", pid: 1 },
    ...{ claude_session_id: ask.session_id, prompt_id: ask.prompt_id, wake_id: "W1" },
    ...{ tool: ask.tool_name, tool_input: ask.tool_input, secret_sha256: "" },
    ...{ asked_at: "2026-11-16T10:00:00.000Z", until: "2026-11-16T10:10:00.000Z" },
  };
  Deno.writeTextFileSync(`${dir}/q-1.json`, JSON.stringify(pending));
  await submit(world, { ...PROMPT, session_id: ask.session_id, prompt_id: "later" });
  const left = world.home.journal().find(({ kind }) => kind === "answered");
  assertEquals(
    [left?.question_id, left?.outcome, left?.by, left?.wake_id, Number(left?.after_ms) > 0],
    ["q-1", "left", "keyboard", "W1", true],
  );
});

Deno.test("UserPromptSubmit of a claude -p beside the session leaves no record", async () => {
  await using world = await HookWorld.create();
  await submit(world);
  const guest = { ...PROMPT, session_id: "guest" };
  const start = { ...guest, hook_event_name: "SessionStart", source: "startup", prompt: undefined };
  await world.hook("session_start.ts", start);
  await submit(world, guest);
  assertEquals(world.home.journal().filter(({ kind }) => kind === "prompt").length, 1);
});
