import { assertEquals, assertMatch } from "@std/assert";
import "../lib/cli/load_guards.ts";
import { queueLines } from "../lib/queue/queue_lines.ts";
import { added } from "../lib/queue/step_list.ts";
import { withStep } from "../lib/steps.ts";
import { changeQueue, queueFile } from "../lib/steps_file.ts";
import { TestHome } from "./support/home.ts";

const SESSION = "warden-main";
const SECRET = `sk-ant-api03-${"a1B2".repeat(24)}`;

Deno.test("queueLines() masks secrets of steps and results, the file keeps the step as it was given", async () => {
  await using home = new TestHome();
  const by = { by: "warden", by_kind: "agent" } as const;
  const at = { session: SESSION, agent_id: "warden" };
  const { queue } = added(undefined, at, [{ text: `Use ${SECRET}` }], by, new Date());
  const over = withStep(queue, 1, { state: "done", result: `I used ${SECRET}` });
  changeQueue(home.paths, SESSION, () => ({ queue: over, value: 0 }));
  for (const json of [false, true]) {
    const shown = queueLines(home.paths, SESSION, { json }).join("\n");
    assertEquals(shown.includes(SECRET.slice(0, 30)), false, shown);
    assertMatch(shown, /Use /);
  }
  const file = queueFile(home.paths, SESSION);
  assertEquals(Deno.readTextFileSync(file).includes(SECRET), true);
  assertEquals((Deno.statSync(file).mode ?? 0) & 0o777, 0o600);
});
