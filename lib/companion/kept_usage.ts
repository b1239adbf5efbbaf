/** What the mod says about the context, the cost and the limits, as it is kept for the hooks. */

import { type KeptUsage, lastTotal } from "../usage.ts";
import { type SessionFacts, usageIn } from "./session_facts.ts";

/** `facts`: they know when an API that has failed can be reached again. */
export function keptUsage(
  data: Record<string, unknown>,
  { resetsAt }: SessionFacts,
  now: number,
): KeptUsage {
  return {
    ...usageIn(data),
    session_id: String(data.sessionId ?? ""),
    prompt_id: String(data.promptId ?? ""),
    at: now,
    ...(resetsAt === undefined ? {} : { api_resets_at: new Date(resetsAt).toISOString() }),
  };
}

/** What a conversation had cost, by the usage that was kept last: of another one it says nothing. */
export function spentIn(kept: string, sessionId: string): number {
  const total = lastTotal(kept);
  return total !== undefined && total.session_id === sessionId ? total.usd : 0;
}

/** The sum of a Claude Code that was killed and resumed may begin at 0 again. */
export function turnCost(usd: number | undefined, before: number): Pick<KeptUsage, "turn_usd"> {
  if (usd === undefined) return {};
  return { turn_usd: usd >= before ? usd - before : usd };
}
