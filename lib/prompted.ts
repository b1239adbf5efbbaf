/** A prompt has reached Claude Code: who gave it is remembered for the wakes of its turn. */

import { textOf } from "./events.ts";
import { type HookContext, usageOf } from "./hook_context.ts";
import { note } from "./journal.ts";
import { changeMemory, eventOwner, type SessionMemory, withEvent } from "./session_memory.ts";
import { type Prompter, whoPrompted } from "./typed.ts";

export async function notePrompt(context: HookContext): Promise<NotedPrompt> {
  const { event, paths, session, agent, now } = context;
  const prompt = textOf(event.fields, "prompt");
  const { who, isUnreported } = rememberPrompt(context, prompt);
  if (who === undefined) return { isUnreported };
  // The text of an instruction is in its own record.
  const said = who.instruction_id === undefined ? { text: prompt } : {};
  const { lastUsd } = await usageOf(context) ?? {};
  await note(paths, {
    kind: "prompt",
    session,
    agent_id: agent.agent_id,
    event: event.name,
    prompt_id: event.promptId,
    ...who,
    ...said,
    ...(lastUsd === undefined ? {} : { total_usd: lastUsd }),
  }, now);
  return { who, isUnreported };
}

export interface NotedPrompt {
  /** Who gave it; nothing for a `claude -p` beside the session. */
  who?: Prompter;
  /** No wake has reported the end of the turn before. */
  isUnreported: boolean;
}

function rememberPrompt(context: HookContext, prompt: string): NotedPrompt {
  const { event, paths, session, now } = context;
  const who = (last: string) => whoPrompted(paths, session, prompt, { last, now: now.getTime() });
  try {
    const outcome = changeMemory(paths, session, (before) => {
      const memory = withEvent(before, context);
      if (eventOwner(before, event) === "guest") return { memory, value: { isUnreported: false } };
      const { last = "" } = before.prompted ?? {};
      const prompter = who(last);
      const { by_kind, instruction_id = last } = prompter;
      const prompted = { prompt_id: event.promptId, by_kind, last: instruction_id };
      const value = { who: prompter, isUnreported: isUnreported(before, event.promptId) };
      return { memory: { ...memory, prompted }, value };
    });
    if (outcome.kind === "done") return outcome.value;
  } catch {
    // The memory cannot be used: the record is still written.
  }
  return { who: who(""), isUnreported: false };
}

/** A prompt that joins a running turn has the id of that turn. */
function isUnreported({ prompted, said }: SessionMemory, promptId: string): boolean {
  if (prompted === undefined || prompted.prompt_id === promptId) return false;
  return !said.some((wake) => wake.prompt_id === prompted.prompt_id && ENDS.includes(wake.trigger));
}

const ENDS = ["response_complete", "response_failed", "interrupted"];
