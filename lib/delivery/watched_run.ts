/** How a run ends that a gateway has accepted, as far as that can be seen soon. */

import type { GatewayAnswer } from "./gateway.ts";
import { whyRunFailed } from "./refusals.ts";
import { TIME_IS_UP, within } from "../time.ts";

/** The code of a gateway that cannot take a wake now. */
export const UNAVAILABLE = "UNAVAILABLE";

export type Watched =
  | { kind: "settled" | "open" }
  | { kind: "failed"; why: string }
  /** The connection broke. */
  | { kind: "lost"; reason: string };

/**
 * A gateway that was killed during an agent's turn says "accepted" and later, for the same request,
 * UNAVAILABLE: the agent never reads that message. This happens after a start, or when its own
 * workers time out. But a run whose model fails ends so too. There, and if the connection breaks in
 * that time, or the run is stopped by a person or does not end, the history says what was read.
 */
export async function watched(final: Promise<GatewayAnswer>, watchMs: number): Promise<Watched> {
  const end = await within(final, watchMs);
  if (end === TIME_IS_UP) return { kind: "open" };
  if (end.kind === "ok") {
    const why = whyRunFailed(end.payload);
    return why === undefined ? { kind: "settled" } : { kind: "failed", why };
  }
  return end.kind === "lost" ? end : { kind: "failed", why: end.message };
}
