/**
 * The next step as the answer of the Stop hook: Claude goes on with it in the same turn. It is for a
 * session without the mod whose box has a draft: keys would go into that draft.
 */

import { namesIn } from "./files.ts";
import type { HookContext } from "./hook_context.ts";
import { newWakeId } from "./new_wake.ts";
import { hash, safeName } from "./paths.ts";
import { proofOf, sizeOf } from "./step_proof.ts";
import { whatNext } from "./next_move.ts";
import { begun, notGiven, toGive } from "./step_giving.ts";
import { currentStep, type Queue, type Step } from "./steps.ts";

/** Claude Code overrides the ninth block in a row. Other hooks may have some of them. */
const MOST_IN_A_ROW = 6;

/** Neither keys nor a mod can give the next step, and the session is not held. */
export async function mayBlock(context: HookContext): Promise<boolean> {
  const { paths, session, agent } = context;
  const has = (folder: string, ...names: string[]) => {
    const there = namesIn(`${paths.state}/${folder}`);
    return names.some((name) => there.includes(`${name}.json`));
  };
  const name = safeName(session);
  if (has("roads", name, hash(session))) return false;
  if (["paused", "taken", "stopped"].some((folder) => has(folder, name))) return false;
  if (has("paused-agents", safeName(agent.agent_id))) return false;
  return (await context.screen()).draft !== "";
}

/** The queue with its next step on its way, and that step; undefined where it goes another way. */
export function withBlock(
  queue: Queue,
  { event, now }: Pick<HookContext, "event" | "now">,
): { queue: Queue; step: Step } | undefined {
  const inARow =
    queue.steps.filter(({ giving, prompt_id }) =>
      giving?.by_stop === true && prompt_id === event.promptId
    ).length;
  const next = whatNext(queue, { now: now.getTime() });
  const isPlain = next.kind === "give" && !/^\s*[/!]/.test(next.text);
  if (next.kind !== "give" || !isPlain || inARow >= MOST_IN_A_ROW) return undefined;
  const after = toGive(queue, next.step.n, {
    instruction_id: newWakeId(now.getTime()),
    at: now.toISOString(),
    text: next.text,
    claude_session_id: event.sessionId,
    transcript_path: event.transcriptPath,
    position: sizeOf(event.transcriptPath),
    by_stop: true,
  });
  return { queue: after, step: next.step };
}

/** A turn has ended, or failed: has it begun the step that the hook before gave? */
export function afterBlock(
  queue: Queue,
  { event }: Pick<HookContext, "event">,
): Queue {
  const step = currentStep(queue);
  const giving = step?.giving;
  if (step?.state !== "giving" || giving?.by_stop !== true) return queue;
  const proof = proofOf(giving, event.transcriptPath || giving.transcript_path);
  if (proof.kind === "none" || proof.kind === "passed") return notGiven(queue, step.n);
  return begun(queue, step.n, event.promptId, new Date(giving.at));
}
