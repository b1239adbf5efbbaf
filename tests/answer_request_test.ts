import { assertEquals } from "@std/assert";
import { waitBeside } from "../lib/answer_request.ts";
import { isStillOpen, openPending, type Pending, wasShown } from "../lib/answers.ts";
import { readEvent } from "../lib/events.ts";
import { contextFrom } from "../lib/hook_context.ts";
import { readRegistry } from "../lib/registry.ts";
import { pause } from "../lib/time.ts";
import { fixtureEvent, fixturePane } from "./support/fixtures.ts";
import { HookWorld, WARDEN } from "./support/hook_world.ts";

Deno.test("waitBeside() waits for the result of the tool, which a busy machine writes late", async () => {
  await using world = await HookWorld.create();
  const { paths, transcript } = world;
  const pane = await world.pane("warden-main");
  await world.server.show(pane, fixturePane("30-permission-bash"));
  const asked: Record<string, unknown> = fixtureEvent("permission_request-bash");
  const fixture = { ...asked, transcript_path: transcript };
  const input = asked.tool_input as Record<string, unknown>;
  const line = (type: string, ...content: unknown[]) =>
    `${JSON.stringify({ type, message: { role: type, content } })}\n`;
  const use = { type: "tool_use", id: "t1", name: "Bash", input };
  Deno.writeTextFileSync(transcript, line("assistant", use));

  const reading = readEvent(JSON.stringify(fixture));
  const registry = readRegistry(JSON.stringify({ agents: [WARDEN] }));
  if (reading.kind !== "event" || registry.kind !== "registry") throw new Error("no fixture");
  const { event } = reading;
  const place = { session: "warden-main", pane, agent: registry.registry.agents[0]! };
  const variables: Record<string, string> = { ...world.env(), ...await world.server.env(pane) };
  const env = (name: string) => variables[name];
  const context = contextFrom(place, { event, paths, env, leaveToShell() {} });
  const pending: Pending = {
    ...{ id: "p-1", kind: "permission", session: "warden-main", agent_id: "warden" },
    ...{ claude_session_id: event.sessionId, prompt_id: event.promptId, tool: "Bash" },
    ...{ tool_input: input, pid: Deno.pid, secret_sha256: "none", wake_id: "w-1" },
    ...{ asked_at: "2026-11-18T20:00:00.000Z", until: "2100-01-01T00:00:00.000Z" },
  };
  openPending(paths, pending);
  let hasLeft = false;
  let looks = 0;
  const sleep = async () => {
    await pause(5);
    if (!hasLeft && wasShown(paths, pending)) {
      hasLeft = true;
      await world.server.show(pane, fixturePane("02-working"));
    }
    // The dialog has closed; the result is still to be written.
    if (isStillOpen(paths, pending) || looks++ !== 20) return;
    const block = { type: "tool_result", tool_use_id: "t1", content: "ran", is_error: false };
    Deno.writeTextFileSync(transcript, line("user", block), { append: true });
  };
  assertEquals(await waitBeside(context, pending, { sleep }), undefined);
  const decided = world.journal().at(-1)!;
  assertEquals([decided.by_kind, decided.decision], ["keyboard", { kind: "allow" }]);
});
