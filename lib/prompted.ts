/** A prompt has reached Claude Code: who gave it is remembered for the wakes of its turn. */

import { textOf } from "./events.ts";
import type { HookContext } from "./hook_context.ts";
import { note } from "./journal.ts";
import { changeMemory, eventOwner, withEvent } from "./session_memory.ts";
import { type Prompter, whoPrompted } from "./typed.ts";

/** Returns who gave it; nothing for a `claude -p` beside the session. */
export async function notePrompt(context: HookContext): Promise<Prompter | undefined> {
  const { event, paths, session, agent, now } = context;
  const prompt = textOf(event.fields, "prompt");
  const who = rememberPrompt(context, prompt);
  if (who === undefined) return undefined;
  // The text of an instruction is in its own record.
  const said = who.instruction_id === undefined ? { text: prompt } : {};
  await note(paths, {
    kind: "prompt",
    session,
    agent_id: agent.agent_id,
    event: event.name,
    prompt_id: event.promptId,
    ...who,
    ...said,
  }, now);
  return who;
}

/** Nothing for a `claude -p` beside the session. */
function rememberPrompt(context: HookContext, prompt: string): Prompter | undefined {
  const { event, paths, session, now } = context;
  const who = (last: string) => whoPrompted(paths, session, prompt, { last, now: now.getTime() });
  try {
    const outcome = changeMemory(paths, session, (before) => {
      const memory = withEvent(before, context);
      if (eventOwner(before, event) === "guest") return { memory, value: undefined };
      const { last = "" } = before.prompted ?? {};
      const value = who(last);
      const { by_kind, instruction_id = last } = value;
      const prompted = { prompt_id: event.promptId, by_kind, last: instruction_id };
      return { memory: { ...memory, prompted }, value };
    });
    if (outcome.kind === "done") return outcome.value;
  } catch {
    // The memory cannot be used: the record is written all the same.
  }
  return who("");
}
