import { assertEquals } from "@std/assert";
import { fixtureEvent } from "./support/fixtures.ts";
import { HookWorld, section } from "./support/hook_world.ts";

const WORDS = "Shall I deploy now?";

Deno.test("stop.ts does not send the words of a message again in another turn", async () => {
  await using world = await HookWorld.create();
  const path = world.transcript;
  const turn = (promptId: string, id: string) => {
    const message = { id, model: "m", content: [{ type: "text", text: WORDS }] };
    const lines = [
      { type: "user", promptId, message: { role: "user", content: "Go on" } },
      { type: "assistant", message: { ...message, stop_reason: "end_turn" } },
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    Deno.writeTextFileSync(path, text, { append: true });
    const event = { ...fixtureEvent("stop-plain"), last_assistant_message: WORDS };
    return world.hook("stop.ts", { ...event, transcript_path: path, prompt_id: promptId });
  };
  await turn("one", "msg_1");
  await turn("two", "msg_1"); // the line stands in the second turn as well
  await turn("three", "msg_2"); // the same words, said again
  assertEquals(
    world.wakes().map((wake) => section(wake, "CONTENT")),
    [WORDS, "(The turn ended without a word from Claude.)", WORDS],
  );
});
