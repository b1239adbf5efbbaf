/** What must be delivered of an outbox that killed processes have written to. */

import { assertEquals } from "@std/assert";
import { namesIn } from "../../lib/files.ts";
import { outboxDir } from "../../lib/outbox.ts";
import { waitingIds } from "../../lib/outbox_files.ts";
import type { Paths } from "../../lib/paths.ts";

export interface Left {
  waiting: string[];
  /** Temporary files. A complete one is delivered. */
  begun: string[];
}

export function leftIn(paths: Paths, agentId: string): Left {
  const names = namesIn(outboxDir(paths, agentId)).filter((name) => name.endsWith(".tmp"));
  return { waiting: waitingIds(paths, agentId), begun: names.map((name) => name.split(".")[0]!) };
}

/** Each wake once, in order, and no half-written one. */
export function assertDelivered(ids: string[], { waiting, begun }: Left): void {
  assertEquals(ids, [...waiting, ...begun.filter((id) => ids.includes(id))].sort());
}
