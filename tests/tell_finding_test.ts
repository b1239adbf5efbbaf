import { assertEquals } from "@std/assert";
import { FindingMarks } from "../lib/fleet/finding_marks.ts";
import type { FleetFinding } from "../lib/fleet/findings.ts";
import { viewOf } from "../lib/fleet/session_view.ts";
import { type ReportContext, tellFinding } from "../lib/fleet/tell_finding.ts";
import { writeAtomic } from "../lib/files.ts";
import { memoryFile, readMemory } from "../lib/session_memory.ts";
import { agentOf, memoryOf, NOW, seen } from "./support/fleet_sessions.ts";
import { TestHome } from "./support/home.ts";

/** Reports an idle session's turn. Its memory was written `ms` after the look at it. */
async function tellTurn(home: TestHome, ms: number, ended: string): Promise<string> {
  const { paths } = home;
  const view = viewOf(seen({ agent: agentOf({ delivery: { transport: "inbox" } }) }), NOW);
  const { session } = view;
  const updated_at = new Date(NOW + ms).toISOString();
  writeAtomic(memoryFile(paths, session), JSON.stringify(memoryOf({ ended, updated_at })));
  const finding: FleetFinding = { kind: "turn", key: "k", since: 0, view };
  const world = { paths, now: () => new Date(NOW + 2000), env: home.variable, startDeliverer() {} };
  await tellFinding(
    finding,
    {
      ...{ world, registry: { agents: [] }, marks: new FindingMarks(paths), lookedAt: NOW },
      ...{ isRecovered: () => false, stops: new Map() },
    } as unknown as ReportContext,
  );
  return readMemory(paths, session).ended;
}

Deno.test("tellFinding() reports a turn after which the session was left, and keeps that it was", async () => {
  await using home = new TestHome();
  assertEquals(await tellTurn(home, 1000, "prompt_input_exit"), "prompt_input_exit");
  assertEquals(home.wakes("warden").map(({ trigger }) => trigger), ["response_complete"]);
});

Deno.test("tellFinding() forgets an end before the look: that Claude Code was alive at it", async () => {
  await using home = new TestHome();
  assertEquals(await tellTurn(home, -60_000, "prompt_input_exit"), "");
});
