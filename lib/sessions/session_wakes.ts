/** The wakes of a session that wait or are dead: counted, renamed, dropped. */

import { askForLock, endAsking } from "../delivery/handover.ts";
import { holdLock } from "../doors/held_lock.ts";
import { isThere, removeIfThere, writeAtomic } from "../files.ts";
import { record } from "../journal.ts";
import { deadFile, type QueuedWake, wakeFile } from "../outbox.ts";
import { agentsIn, deadIds, readWake, waitingIds } from "../outbox_files.ts";
import { type Paths, safeName } from "../paths.ts";
import { shellQuote } from "../text.ts";
import { pause } from "../time.ts";

interface WakeOnDisk {
  wake: QueuedWake;
  path: string;
  state: "waiting" | "dead";
}

export function wakesOf(paths: Paths, session: string): WakeOnDisk[] {
  const listed = (place: "outbox" | "dead") =>
    agentsIn(paths, place).flatMap((agent_id) => {
      const ids = place === "dead" ? deadIds(paths, agent_id) : waitingIds(paths, agent_id);
      return ids.flatMap((wake_id): WakeOnDisk[] => {
        const file = place === "dead" ? deadFile : wakeFile;
        const path = file(paths, { agent_id, wake_id });
        const wake = readWake(path);
        return wake?.session === session
          ? [{ wake, path, state: place === "dead" ? "dead" : "waiting" }]
          : [];
      });
    });
  return [...listed("outbox"), ...listed("dead")];
}

/** Gives waiting wakes and dead letters the session's new name: its field, and what they say. */
export async function renameWakes(paths: Paths, from: string, to: string): Promise<void> {
  const agents = new Set(wakesOf(paths, from).map(({ wake }) => wake.agent_id));
  for (const agentId of agents) {
    await whileNotDelivering(paths, agentId, () => {
      for (const { wake, path } of wakesOf(paths, from)) {
        if (wake.agent_id !== agentId || !isThere(path)) continue;
        const renamed = { ...wake, session: to, message: renamedMessage(wake.message, from, to) };
        // Not the temporary name of a new wake: a leftover must not be read as one.
        const options = { durable: true, ending: ".again.tmp" };
        writeAtomic(path, JSON.stringify(renamed, null, 1), options);
      }
    });
  }
}

/** The message with the new name in its identity and its actions; Claude's words stay. */
export function renamedMessage(message: string, from: string, to: string): string {
  let section = "";
  let isFenced = false;
  return message.split("\n").map((line) => {
    if (/^<<<(END_)?EXTERNAL_UNTRUSTED_CONTENT id="/.test(line)) isFenced = !/^<<<END_/.test(line);
    if (isFenced) return line;
    section = /^\[([A-Z ]+)\]$/.exec(line)?.[1] ?? section;
    if (section === "SESSION IDENTITY" && line === `tmux_session_name: ${from}`) {
      return `tmux_session_name: ${to}`;
    }
    if (section !== "AVAILABLE ACTIONS") return line;
    const words = line.split(` ${shellQuote(from)} `);
    return words.length === 1 ? line : words.join(` ${shellQuote(to)} `);
  }).join("\n");
}

const LOCK_WAIT_MS = 10_000;
const LOOK_EVERY_MS = 100;

/**
 * Runs the work while no deliverer can send or remove a wake of the agent. A sleeping deliverer hands
 * over within a second. If one keeps trying for longer, its wakes stay as they are.
 */
async function whileNotDelivering(paths: Paths, agentId: string, work: () => void): Promise<void> {
  const path = `${paths.state}/locks/deliver-${safeName(agentId)}.lock`;
  for (let waited = 0; waited <= LOCK_WAIT_MS; waited += LOOK_EVERY_MS) {
    const lock = holdLock(path);
    if (lock !== undefined) {
      try {
        endAsking(paths, agentId);
        return work();
      } finally {
        lock.release();
      }
    }
    askForLock(paths, agentId);
    await pause(LOOK_EVERY_MS);
  }
  endAsking(paths, agentId);
}

/** Drops the wakes of a session, and says so in its journal. */
export function dropWakes(paths: Paths, session: string, now: Date): void {
  for (const { wake, path } of wakesOf(paths, session)) {
    removeIfThere(path);
    const { agent_id, wake_id, trigger } = wake;
    const reason = "dropped with its session";
    record(paths, { kind: "dead", session, agent_id, wake_id, trigger, reason }, now);
  }
}
