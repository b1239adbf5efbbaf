/** Who could not be brought back: noted in the journal and told to whoever minds all, each once. */

import { newWakeId } from "../new_wake.ts";
import { readTextIfThere, removeIfThere, writeAtomic } from "../files.ts";
import { record } from "../journal.ts";
import { isObject } from "../json.ts";
import { hash } from "../paths.ts";
import type { AgentResult } from "./recovery.ts";
import { send } from "./recovery_wake.ts";
import { DEFAULT_SETTINGS, type Registry } from "../registry.ts";
import { shellQuote } from "../shell.ts";
import { commandWords } from "../wake.ts";
import type { World } from "../cli/world.ts";

/** By agent, its failures: each stands in the journal, and somebody was told of it or nobody. */
type Marks = Record<string, Record<string, "told" | "noted">>;

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
  const markOf = (one: AgentResult) => before[one.agent_id]?.[hash(lineOf(one))];
  for (const one of failed) if (markOf(one) === undefined) note(world, one);
  const { global_status_openclaw_session_key: key, global_status_openclaw_session_id: id } =
    registry;
  const isReachable = key !== "" || id !== "" || registry.transport === "inbox";
  const isTold = isReachable && failed.some((one) => markOf(one) !== "told");
  if (isTold) {
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
  const now = new Map(Object.entries(before).filter(([agentId]) => !looked.has(agentId)));
  for (const one of failed) {
    // Who was told of it stays so, also when there is nobody to be told any more.
    const mark = isReachable ? "told" : markOf(one) ?? "noted";
    now.set(one.agent_id, { ...now.get(one.agent_id), [hash(lineOf(one))]: mark });
  }
  if (now.size === 0) removeIfThere(file);
  else writeAtomic(file, JSON.stringify(Object.fromEntries(now)));
  return isTold;
}

/** An entry of the registry that is wrong may have no session: it stands where the wake does. */
function note(world: World, { agent_id, session, detail: reason }: AgentResult): void {
  record(world.paths, { kind: "problem", session: session || "recovery", agent_id, reason });
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
    if (!isObject(value)) return {};
    return Object.fromEntries(Object.entries(value).filter(([, own]) => isObject(own))) as Marks;
  } catch {
    return {}; // Spoiled, or of an earlier version: at worst a failure is told twice.
  }
}
