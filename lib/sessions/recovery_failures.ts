/** Who could not be brought back, told to the global status session: each failure once. */

import { newWakeId } from "../send_wake.ts";
import { readTextIfThere, removeIfThere, writeAtomic } from "../files.ts";
import { isObject } from "../json.ts";
import { hash } from "../paths.ts";
import type { AgentResult } from "./recovery.ts";
import { send } from "./recovery_wake.ts";
import { DEFAULT_SETTINGS, type Registry } from "../registry.ts";
import { shellQuote } from "../shell.ts";
import { commandWords } from "../wake.ts";
import type { World } from "./world.ts";

/** By agent, what was told of it. */
type Marks = Record<string, string>;

/** A timer that meets the same failures again has nothing to add. True when a wake was sent. */
export function tellFailures(
  world: World,
  registry: Registry,
  /** Those that were looked at: what is known of others stays. */
  looked: ReadonlySet<string>,
  results: AgentResult[],
): boolean {
  const file = `${world.paths.state}/recovery-failures`;
  const before = readMarks(file);
  const failed = results.filter((result) => result.outcome === "failed");
  const now = new Map(
    Object.entries(before).filter(([agentId]) => !looked.has(agentId)),
  );
  for (const agentId of new Set(failed.map((result) => result.agent_id))) {
    const own = failed.filter((result) => result.agent_id === agentId);
    now.set(agentId, hash(own.map(lineOf).join("\n")));
  }
  const { global_status_openclaw_session_key: key, global_status_openclaw_session_id: id } =
    registry;
  const isReachable = key !== "" || id !== "" || registry.transport === "inbox";
  const isNew = [...now].some(([agentId, mark]) => before[agentId] !== mark);
  if (isNew && !isReachable) return false;
  if (isNew) {
    const receiver = {
      agent_id: "global_status",
      transport: registry.transport,
      openclaw_session_key: key,
      openclaw_session_id: id,
      maxChars: DEFAULT_SETTINGS.max_content_chars,
    };
    const wakeId = newWakeId(world.now().getTime());
    send(world, receiver, "recovery", draftOf(world, looked.size, failed), wakeId);
  }
  if (now.size === 0) removeIfThere(file);
  else writeAtomic(file, JSON.stringify(Object.fromEntries(now)));
  return isNew;
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
      "The others are not affected. Remove the cause, then run the actions below.",
    ].join("\n"),
    state: "error" as const,
    actions: ids.map((agentId) => [...recover, "--agent", agentId].map(shellQuote).join(" ")),
  };
}

function lineOf({ agent_id, session, detail }: AgentResult): string {
  return `- ${agent_id} (${session}): ${detail}`;
}

function readMarks(file: string): Marks {
  try {
    const value: unknown = JSON.parse(readTextIfThere(file) ?? "{}");
    return isObject(value) ? value as Marks : {};
  } catch {
    return {}; // Spoiled, or of an earlier version: at worst a failure is told twice.
  }
}
