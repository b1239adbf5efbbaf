/** The OpenClaw session for reports about all agents: `global_status_openclaw_session_key`. */

import type { World } from "../cli/world.ts";
import { loadRegistry } from "../gate.ts";
import { newWakeId, type Receiver } from "../new_wake.ts";
import { DEFAULT_SETTINGS, type Registry } from "../registry.ts";
import { send } from "./recovery_wake.ts";

/** Its folder in the outbox. */
export const GLOBAL_AGENT = "global_status";

/** Reports about all agents have these names in place of a session's. */
const REPORTS = ["report", "recovery"];

/** A wake that belongs to no session. */
export function isReport(agentId: string, session: string): boolean {
  return agentId === GLOBAL_AGENT && REPORTS.includes(session);
}

/** Undefined where the registry names none. */
export function globalReceiver(registry: Registry): Receiver | undefined {
  const { global_status_openclaw_session_key: key, global_status_openclaw_session_id: id } =
    registry;
  if (key === "" && id === "" && registry.transport !== "inbox") return undefined;
  return {
    agent_id: GLOBAL_AGENT,
    transport: registry.transport,
    openclaw_session_key: key,
    openclaw_session_id: id,
    maxChars: DEFAULT_SETTINGS.max_content_chars,
  };
}

/** Sends a text of ours; the id of its wake. Throws where the registry names no session. */
export function sendToGlobal(world: World, trigger: string, body: string): string {
  const { registry: path } = world.paths;
  const reading = loadRegistry(path);
  if (reading.kind === "missing") throw new Error(`there is no registry ${path}`);
  if (reading.kind !== "registry") {
    throw new Error(`the registry ${path} is broken: ${reading.reason}`);
  }
  const receiver = globalReceiver(reading.registry);
  if (receiver === undefined) {
    throw new Error(
      `the registry ${path} names no global status session: set global_status_openclaw_session_key`,
    );
  }
  const wakeId = newWakeId(world.now().getTime());
  send(world, receiver, trigger, {
    trigger,
    section: "CONTENT",
    body,
    state: "unknown",
    actions: [],
  }, wakeId);
  return wakeId;
}
