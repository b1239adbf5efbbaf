/** When the end of a turn and its idle reminder both wait, only the end is sent. */

import { type QueuedWake, TURN_ENDS } from "../outbox.ts";

export class TurnEnds {
  private readonly ends = new Map<string, string>();

  /** For an idle reminder: the wake for the end of the same turn. */
  endOfSameTurn(wake: QueuedWake): string | undefined {
    if (wake.trigger !== "idle_prompt" || !wake.prompt_id) return undefined;
    return this.ends.get(turnOf(wake));
  }

  add(wake: QueuedWake): void {
    if (isEnd(wake)) this.ends.set(turnOf(wake), wake.wake_id);
  }

  /** The turn's wake became a dead letter, so the reminder is sent after all. */
  drop(wake: QueuedWake): void {
    if (isEnd(wake)) this.ends.delete(turnOf(wake));
  }
}

function isEnd({ trigger, prompt_id }: QueuedWake): boolean {
  return Boolean(prompt_id) && TURN_ENDS.includes(trigger);
}

function turnOf({ session, prompt_id }: QueuedWake): string {
  return `${session} ${prompt_id}`;
}
