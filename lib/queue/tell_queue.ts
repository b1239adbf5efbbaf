/** Sends the wakes of a queue, each once: a runner that is killed leaves its wake to the next one. */

import { startDeliverer } from "../deliverer.ts";
import type { HookContext } from "../hook_context.ts";
import { record } from "../journal.ts";
import { readJournal } from "../journal_read.ts";
import { isDelivered } from "../outbox.ts";
import { readScreen } from "../pane.ts";
import type { Env, Paths } from "../paths.ts";
import type { Agent } from "../registry.ts";
import { sendWake } from "../sending.ts";
import { readMemory } from "../session_memory.ts";
import type { Queue } from "../steps.ts";
import { actionsFor, commandWords } from "../wake.ts";
import { suggestedField } from "../suggested.ts";
import { shellQuote } from "../text.ts";
import { doneDraft, pausedDraft } from "./queue_wakes.ts";

export async function tellQueue(
  { paths, env, now }: { paths: Paths; env: Env; now: Date },
  queue: Queue,
  agent: Agent | undefined,
  what: "done" | "paused",
  wakeId: string,
): Promise<void> {
  const { session } = queue;
  if (agent === undefined) {
    const reason = `Cannot report queue_${what}: no enabled agent has the session`;
    return record(paths, { kind: "problem", session, agent_id: queue.agent_id, reason });
  }
  if (wasSent(paths, session, agent.agent_id, wakeId)) {
    return startDeliverer(paths, env, agent.agent_id);
  }
  const driver = [
    ...commandWords(paths, "menu-driver"),
    ...(queue.socket === undefined ? [] : ["--socket", queue.socket]),
  ].map(shellQuote).join(" ");
  const actions = actionsFor(driver, session, { kind: "prompt" });
  const plain = what === "done" ? doneDraft(queue, actions) : pausedDraft(paths, queue, actions);
  const suggested = suggestedField(paths, session, queue.last?.text ?? "");
  const draft = { ...plain, details: { ...plain.details, ...suggested } };
  await sendWake(contextOf({ paths, env, now }, queue, agent), draft, {
    source: "queue",
    wakeId,
    identity: wakeId,
  });
}

/** It waits, is a dead letter, or was delivered. */
function wasSent(paths: Paths, session: string, agent_id: string, wake_id: string): boolean {
  if (!isDelivered(paths, { agent_id, wake_id })) return true;
  if (readMemory(paths, session).said.some((said) => said.wake_id === wake_id)) return true;
  for (const line of readJournal(paths, session)) if (line.wake_id === wake_id) return true;
  return false;
}

/** As of the event that ended the last turn: a reminder of that turn is a duplicate then. */
function contextOf(
  { paths, env, now }: { paths: Paths; env: Env; now: Date },
  queue: Queue,
  agent: Agent,
): HookContext {
  const { session } = queue;
  const memory = readMemory(paths, session);
  return {
    ...{ session, pane: "", agent, settings: agent.settings, paths, env, now },
    event: {
      name: "queue",
      sessionId: memory.claude_session_id,
      transcriptPath: memory.transcript_path,
      cwd: memory.cwd,
      promptId: queue.report?.prompt_id ?? queue.last?.prompt_id ?? "",
      fields: {},
    },
    leaveToShell: () => {},
    startQueue: () => {},
    capture: () => Promise.resolve(undefined),
    screen: () => Promise.resolve(readScreen("")),
    startDeliverer: () => {
      startDeliverer(paths, env, agent.agent_id);
      return Promise.resolve();
    },
  };
}
