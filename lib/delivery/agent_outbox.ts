/** One agent's outbox as a deliverer sees it: what waits, what is new, what has to be passed over. */

import { record } from "../journal.ts";
import {
  outboxDir,
  type QueuedWake,
  readWake,
  setAside,
  waitingIds,
  whyNoWake,
} from "../outbox.ts";
import { type Paths, safeName } from "../paths.ts";
import { messageOf } from "../process.ts";

export type Found =
  | { kind: "wake"; wake: QueuedWake }
  /** Not a wake: it is in the dead letters now, or could not even be moved there. */
  | { kind: "set aside" | "passed over"; reason: string }
  | { kind: "gone" };

export class AgentOutbox {
  private readonly seen = new Set<string>();
  /** Delivered, or not a wake, but still there since the disk does not let it go. */
  private readonly stuck = new Set<string>();

  constructor(private readonly paths: Paths, private readonly agentId: string) {}

  waiting(): string[] {
    return waitingIds(this.paths, this.agentId).filter((id) => !this.stuck.has(id));
  }

  /** What has come since `see()`. */
  unseen(): string[] {
    return this.waiting().filter((id) => !this.seen.has(id));
  }

  see(ids: string[]): void {
    for (const id of ids) this.seen.add(id);
  }

  passOver(id: string): void {
    this.stuck.add(id);
  }

  read(id: string): Found {
    const path = `${outboxDir(this.paths, this.agentId)}/${id}.json`;
    const wake = readWake(path);
    // A wake under another name or in another's folder would be told again and again.
    const isOurs = wake?.wake_id === id && safeName(wake.agent_id) === safeName(this.agentId);
    return isOurs ? { kind: "wake", wake } : this.bury(id, path);
  }

  private bury(id: string, path: string): Found {
    const about = { session: this.agentId, agent_id: this.agentId, wake_id: id };
    const { reason, passes } = whyNoWake(id, path);
    try {
      if (passes) throw new Error("the disk or the system is in trouble");
      if (!setAside(this.paths, about, path)) return { kind: "gone" };
      record(this.paths, { kind: "dead", ...about, reason });
      return { kind: "set aside", reason };
    } catch (error) {
      this.passOver(id); // the others must not wait for it
      const stays = `${reason}; it cannot be set aside: ${messageOf(error)}`;
      record(this.paths, { kind: "problem", ...about, reason: stays });
      return { kind: "passed over", reason: stays };
    }
  }
}
