/** Who an event belongs to: the first thing a hook asks, and for most sessions the last. */

import type { HookEvent } from "./events.ts";
import { readTextIfThere } from "./files.ts";
import type { Env, Paths } from "./paths.ts";
import { messageOf } from "./process.ts";
import {
  type Agent,
  findAgent,
  readRegistry,
  type RegistryReading,
  whyUnreachable,
} from "./registry.ts";
import { sessionOfClaude } from "./session_memory.ts";
import { sessionOfPane, type Tmux } from "./tmux.ts";

export type Gate =
  | { kind: "managed"; session: string; pane: string; agent: Agent }
  /** Nobody's business: no trace of it may remain. */
  | { kind: "unmanaged" }
  | { kind: "refused"; session: string; agent_id?: string; reason: string };

export async function openGate(
  paths: Paths,
  env: Env,
  tmux: Tmux,
  event: HookEvent,
): Promise<Gate> {
  const pane = env("TMUX_PANE");
  // Without $TMUX a running server would answer for whichever session it likes.
  if (!env("TMUX") || !pane) return { kind: "unmanaged" };

  const reading = loadRegistry(paths.registry);
  if (reading.kind === "missing") {
    const session = sessionOfClaude(paths, event.sessionId);
    return session === undefined
      ? { kind: "unmanaged" }
      : { kind: "refused", session, reason: `The registry ${paths.registry} is missing` };
  }
  const asked = await sessionOfPane(tmux, pane);
  // After `tmux kill-session` the pane is gone while its session's last hook still runs.
  const session = asked.kind === "session" ? asked.name : sessionOfClaude(paths, event.sessionId);
  if (session === undefined) return { kind: "unmanaged" };
  if (reading.kind === "broken") {
    const reason = `Cannot use the registry ${paths.registry}: ${reading.reason}`;
    return { kind: "refused", session, reason };
  }

  const match = findAgent(reading.registry, session);
  if (match.kind === "none") return { kind: "unmanaged" };
  if (match.kind === "refused") {
    const reason = `Agent "${match.agent_id}" is not woken: ${match.reason}`;
    return { kind: "refused", session, agent_id: match.agent_id, reason };
  }
  const unreachable = whyUnreachable(match.agent);
  if (unreachable !== undefined) {
    const reason = `Agent "${match.agent.agent_id}" is not woken: ${unreachable}`;
    return { kind: "refused", session, agent_id: match.agent.agent_id, reason };
  }
  return { kind: "managed", session, pane, agent: match.agent };
}

export function loadRegistry(path: string): RegistryReading | { kind: "missing" } {
  try {
    const text = readTextIfThere(path);
    return text === undefined ? { kind: "missing" } : readRegistry(text);
  } catch (error) {
    return { kind: "broken", reason: messageOf(error) };
  }
}
