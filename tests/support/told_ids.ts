/** What must be delivered of an outbox that killed processes have written to. */

import { assertEquals } from "@std/assert";
import { namesIn } from "../../lib/files.ts";
import { outboxDir, waitingIds } from "../../lib/outbox.ts";
import type { Paths } from "../../lib/paths.ts";

export interface Left {
  waiting: string[];
  /** Without a name yet: delivered where they are whole. */
  begun: string[];
}

export function leftIn(paths: Paths, agentId: string): Left {
  const names = namesIn(outboxDir(paths, agentId)).filter((name) => name.endsWith(".tmp"));
  return { waiting: waitingIds(paths, agentId), begun: names.map((name) => name.split(".")[0]!) };
}

/** Each once, in order, and nothing that is only half written. */
export function assertTold(told: string[], { waiting, begun }: Left): void {
  assertEquals(told, [...waiting, ...begun.filter((id) => told.includes(id))].sort());
}
