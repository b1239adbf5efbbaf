/** Failures of a recovery: each is noted in the journal and reported to the global session, once. */

import { readJsonIfThere, removeIfThere, writeAtomic } from "../files.ts";
import { record } from "../journal.ts";
import { isObject } from "../json.ts";
import { newWakeId } from "../new_wake.ts";
import type { AgentResult } from "./recovery_result.ts";
import { globalReceiver } from "../sessions/global_status.ts";
import { send } from "../sessions/recovery_wake.ts";
import type { Registry } from "../registry.ts";
import { shellQuote } from "../text.ts";
import { commandWords } from "../wake.ts";
import type { World } from "../cli/world.ts";

/** Reports failures that no earlier run has reported. True when a wake was sent. */
export function reportFailures(
  world: World,
  registry: Registry,
  /** The agents of this run. Known failures of other agents stay. */
  examined: ReadonlySet<string>,
  results: AgentResult[],
): boolean {
  const file = `${world.paths.state}/recovery-failures`;
  const before = readReported(file);
  const failed = results.filter(({ outcome }) => outcome === "failed");
  const news = failed.filter((one) => !before.some((old) => lineOf(old) === lineOf(one)));
  for (const { agent_id, session, detail: reason } of news) {
    record(world.paths, { kind: "problem", session: session || "recovery", agent_id, reason });
  }
  const receiver = globalReceiver(registry);
  const isWoken = receiver !== undefined && news.length > 0;
  if (isWoken) {
    const wakeId = newWakeId(world.now().getTime());
    send(world, receiver, "recovery", draftOf(world, examined.size, failed), wakeId);
  }
  const lasting = [...before.filter(({ agent_id }) => !examined.has(agent_id)), ...failed];
  if (lasting.length === 0) removeIfThere(file);
  else writeAtomic(file, JSON.stringify(lasting));
  return isWoken;
}

function draftOf(world: World, count: number, failed: AgentResult[]) {
  const ids = [...new Set(failed.map((result) => result.agent_id))];
  const recover = commandWords(world.paths, "recover");
  return {
    trigger: "recovery_failed",
    section: "CONTENT" as const,
    body: [
      `${ids.length} of ${count} agents could not be brought back:`,
      ...failed.map(lineOf),
      "The others are not affected.",
    ].join("\n"),
    details: { advice: "remove the cause, then run the actions below" },
    state: "error" as const,
    actions: ids.map((agentId) => [...recover, "--agent", agentId].map(shellQuote).join(" ")),
  };
}

function lineOf({ agent_id, session, detail }: AgentResult): string {
  return `- ${agent_id} (${session}): ${detail}`;
}

function readReported(file: string): AgentResult[] {
  const value = readJsonIfThere(file);
  // Unreadable: at worst a failure is reported twice.
  return Array.isArray(value) ? value.filter(isObject) as unknown as AgentResult[] : [];
}
