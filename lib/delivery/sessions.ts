/** The OpenClaw sessions of wakes: each is looked up once per process. */

import type { TryOutcome } from "./delivery.ts";
import type { QueuedWake } from "../outbox.ts";
import type { Called } from "./refusals.ts";

export type SessionFound = { kind: "session"; sessionKey: string };

export class Sessions {
  private readonly keys = new Map<string, string>();

  /**
   * The key of an existing session: `agent` would create a session for any unknown name.
   * `resolve` calls the gateway's `sessions.resolve`.
   */
  async of(
    wake: QueuedWake,
    resolve: (params: Record<string, string>) => Promise<Called>,
  ): Promise<SessionFound | TryOutcome> {
    const { openclaw_session_key: key, openclaw_session_id: id } = wake;
    const known = this.keys.get(key || id);
    if (known !== undefined) return { kind: "session", sessionKey: known };
    const answer = await resolve(key ? { key } : { sessionId: id });
    if (answer.kind === "failed") return answer.isUnknown ? unknownSession(wake) : answer.outcome;
    const found = sessionIn(answer.value, wake);
    if (found.kind === "session") this.keys.set(key || id, found.sessionKey);
    return found;
  }
}

/** The session that `sessions.resolve` has found; without a key it cannot be addressed. */
function sessionIn(
  answer: Record<string, unknown>,
  { openclaw_session_key, openclaw_session_id }: QueuedWake,
): SessionFound | TryOutcome {
  const found = typeof answer.key === "string" ? answer.key : "";
  const sessionKey = found || openclaw_session_key;
  if (sessionKey !== "") return { kind: "session", sessionKey };
  const reason = `OpenClaw did not find session ${openclaw_session_id}: it answered without a key`;
  return { kind: "later", scope: "target", reason };
}

function unknownSession(wake: QueuedWake): TryOutcome {
  const { openclaw_session_key: key, openclaw_session_id: id } = wake;
  const [what, name, field] = key
    ? ["key", key, "openclaw_session_key"]
    : ["id", id, "openclaw_session_id"];
  return {
    kind: "later",
    scope: "target",
    reason: `OpenClaw has no session with the ${what} "${name}": correct ${field} of agent ` +
      `"${wake.agent_id}" in the registry, or start that session`,
  };
}
