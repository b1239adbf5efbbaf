/** Of one turn's end and the reminder that Claude idles, when both waited, only the end is told. */

import type { QueuedWake } from "../outbox.ts";

export class TurnEnds {
  private readonly ends = new Map<string, string>();

  /** The wake that tells the end of the turn of which this wake only reminds. */
  toldInsteadOf(wake: QueuedWake): string | undefined {
    if (wake.trigger !== "idle_prompt" || !wake.prompt_id) return undefined;
    return this.ends.get(turnOf(wake));
  }

  add(wake: QueuedWake): void {
    if (isEnd(wake)) this.ends.set(turnOf(wake), wake.wake_id);
  }

  /** It was given up: then the reminder is better than nothing. */
  drop(wake: QueuedWake): void {
    if (isEnd(wake)) this.ends.delete(turnOf(wake));
  }
}

function isEnd({ trigger, prompt_id }: QueuedWake): boolean {
  return Boolean(prompt_id) && (trigger === "response_complete" || trigger === "response_failed");
}

function turnOf({ session, prompt_id }: QueuedWake): string {
  return `${session} ${prompt_id}`;
}
