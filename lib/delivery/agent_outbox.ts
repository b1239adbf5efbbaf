/** One agent's outbox as a deliverer sees it: what waits, what is new, what must be skipped. */

import { type Hold, holdsOn, listHolds } from "../doors/holds.ts";
import { prepareGuards } from "../fence.ts";
import { record } from "../journal.ts";
import { outboxDir, type QueuedWake, wakeFile } from "../outbox.ts";
import { readWake, setAside, waitingIds, whyNoWake } from "../outbox_files.ts";
import { type Paths, safeName } from "../paths.ts";
import { messageOf } from "../process.ts";

export type Found =
  | { kind: "wake"; wake: QueuedWake }
  /** The file is not a wake: it is a dead letter now, or could not be moved. */
  | { kind: "set aside" | "passed over"; reason: string }
  | { kind: "gone" };

export class AgentOutbox {
  private readonly seen = new Set<string>();
  /** Delivered, or not a wake, but the file could not be removed. */
  private readonly stuck = new Set<string>();
  /** The wakes that were read because something is held. */
  private readonly known = new Map<string, Pick<QueuedWake, "session" | "trigger">>();

  constructor(private readonly paths: Paths, private readonly agentId: string) {}

  /** Those that may be sent now. */
  waiting(): string[] {
    return this.free(this.all());
  }

  /** Does not check holds: for frequent calls. */
  isEmpty(): boolean {
    return this.all().length === 0;
  }

  private free(ids: string[]): string[] {
    const holds = ids.length === 0 ? [] : listHolds(this.paths);
    return holds.length === 0 ? ids : ids.filter((id) => !this.isHeld(id, holds));
  }

  /** The wakes that are held: by a pause, or because a person has taken the session. */
  held(): string[] {
    const holds = listHolds(this.paths);
    return holds.length === 0 ? [] : this.all().filter((id) => this.isHeld(id, holds));
  }

  /** The agent may have been paused since the list was made. */
  isHeldNow(wake: QueuedWake): boolean {
    return holdsOn(listHolds(this.paths), wake).length > 0;
  }

  private all(): string[] {
    return waitingIds(this.paths, this.agentId).filter((id) => !this.stuck.has(id));
  }

  private isHeld(id: string, holds: Hold[]): boolean {
    const agent_id = this.agentId;
    const { session, trigger } = this.known.get(id) ??
      readWake(wakeFile(this.paths, { agent_id, wake_id: id })) ?? { session: "", trigger: "" };
    this.known.set(id, { session, trigger });
    return holdsOn(holds, { agent_id, session, trigger }).length > 0;
  }

  /** Wakes that came after `see()`. */
  unseen(): string[] {
    return this.free(this.all().filter((id) => !this.seen.has(id)));
  }

  see(ids: string[]): void {
    for (const id of ids) this.seen.add(id);
  }

  passOver(id: string): void {
    this.stuck.add(id);
  }

  async read(id: string): Promise<Found> {
    const path = `${outboxDir(this.paths, this.agentId)}/${id}.json`;
    const wake = readWake(path);
    // A wake under another name or in another agent's folder would be sent again and again.
    const isOurs = wake?.wake_id === id && safeName(wake.agent_id) === safeName(this.agentId);
    return isOurs ? { kind: "wake", wake } : await this.bury(id, path);
  }

  private async bury(id: string, path: string): Promise<Found> {
    await prepareGuards();
    const about = { session: this.agentId, agent_id: this.agentId, wake_id: id };
    const { reason, passes } = whyNoWake(id, path);
    try {
      if (passes) throw new Error("the disk or the system fails");
      if (!setAside(this.paths, about, path)) return { kind: "gone" };
      record(this.paths, { kind: "dead", ...about, reason });
      return { kind: "set aside", reason };
    } catch (error) {
      this.passOver(id); // other wakes must not wait for it
      const stays = `${reason}; it cannot be set aside: ${messageOf(error)}`;
      record(this.paths, { kind: "problem", ...about, reason: stays });
      return { kind: "passed over", reason: stays };
    }
  }
}
