import { assertEquals, assertMatch } from "@std/assert";
import { readJournal } from "../lib/journal_read.ts";
import { readRegistry } from "../lib/registry.ts";
import { reportFailures } from "../lib/recovery/recovery_failures.ts";
import type { AgentResult } from "../lib/recovery/recovery_result.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";

const failure = (agent_id: string, session: string, detail: string): AgentResult => ({
  ...{ agent_id, session, detail, outcome: "failed" as const, conversation: "", wake_id: "" },
});
const ANVIL = failure("anvil", "anvil-main", "its folder is gone");
const TYPO = failure("typo", "", "its entry is wrong");

function report(world: SessionWorld, key: string, results: AgentResult[], examined?: string[]) {
  const text = JSON.stringify({ global_status_openclaw_session_key: key, agents: [] });
  const reading = readRegistry(text);
  if (reading.kind === "broken") throw new Error(reading.reason);
  const ids = examined ?? ["anvil", "typo", "bolt"];
  return reportFailures(world, reading.registry, new Set(ids), results);
}

function noted(world: SessionWorld, session: string): string[] {
  return [...readJournal(world.paths, session)].filter(({ kind }) => kind === "problem")
    .map(({ agent_id, reason }) => `${agent_id}: ${reason}`);
}

for (const key of ["", "agent:main:main"]) {
  const status = key === "" ? "no global status session" : "a global status session";
  Deno.test(`reportFailures() reports each failure once with ${status}`, () =>
    inSessionWorld((world) => {
      const wakes = () => world.wakes("global_status").map(({ message }) => message);
      for (let round = 0; round < 3; round++) report(world, key, [ANVIL, TYPO]);
      assertEquals(noted(world, "anvil-main"), ["anvil: its folder is gone"]);
      assertEquals(noted(world, "recovery"), ["typo: its entry is wrong"], "it has no session");
      assertEquals(wakes().length, key === "" ? 0 : 1);
      if (key !== "") assertMatch(wakes()[0]!, /2 of 3 agents .*\n- anvil \(anvil-main\): its/);

      // A run for others changes nothing about these.
      report(world, key, [], ["bolt"]);
      report(world, key, [ANVIL, TYPO]);
      assertEquals(noted(world, "anvil-main").length, 1);

      // Fixed, and broken again: another failure. The other one lasts.
      report(world, key, [TYPO]);
      report(world, key, [ANVIL, TYPO]);
      assertEquals([noted(world, "anvil-main").length, noted(world, "recovery").length], [2, 1]);
      assertEquals(wakes().length, key === "" ? 0 : 2);
      return Promise.resolve();
    }));
}
