import { assertEquals, assertMatch } from "@std/assert";
import "../lib/cli/load_guards.ts";
import { queueLines, reportOf } from "../lib/queue/queue_lines.ts";
import { added } from "../lib/queue/step_list.ts";
import { writeHold } from "../lib/doors/holds.ts";
import { withStep } from "../lib/step_giving.ts";
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

Deno.test("reportOf() names many steps by their first and last, and says why none is given", async () => {
  await using home = new TestHome();
  const by = { by: "warden", by_kind: "agent" } as const;
  const target = { session: SESSION, agent: { agent_id: "warden" } };
  const at = { session: SESSION, agent_id: "warden" };
  const texts = Array.from({ length: 9 }, (_, n) => ({ text: `step ${n}` }));
  const { queue, added: all } = added(undefined, at, texts, by, new Date());
  const steps = all.filter(({ n }) => n !== 3);
  const report = (json: boolean) =>
    reportOf(home.paths, target, { kind: "clear" }, { queue, steps }, { json, dryRun: false });
  const added3 = reportOf(home.paths, target, { kind: "add", steps: [] }, { queue, steps }, {
    ...{ json: false, dryRun: true },
  });
  assertEquals(added3, `Would have added steps 1, 2, 4 to 9: ${SESSION}: 9 steps wait, 0 done`);
  writeHold(home.paths, { kind: "taken", name: SESSION, agent_id: "warden", since: "" });
  const why = "a person has taken the session: steps wait for gsd-code give";
  assertEquals(report(false), `Cleared the queue: ${SESSION}: 9 steps wait, 0 done; ${why}`);
  assertEquals(JSON.parse(report(true)).state, `9 steps wait, 0 done; ${why}`);
});
