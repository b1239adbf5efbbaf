/** How many wakes of each session wait, and how many are dead letters. */

import { deadFile, wakeFile } from "../outbox.ts";
import { agentsIn, deadIds, readWake, waitingIds } from "../outbox_files.ts";
import { messageOf } from "../json.ts";
import type { Paths } from "../paths.ts";
import { isReport } from "../sessions/global_status.ts";

export interface WakeCounts {
  unsent: Map<string, number>;
  dead: Map<string, number>;
}

/** A wake never changes its session: each is read once. */
export class WakeCounter {
  readonly #sessions = new Map<string, string>();

  count(paths: Paths, problems: string[]): WakeCounts {
    const seen = new Set<string>();
    const counted = (place: "outbox" | "dead") => {
      const counts = new Map<string, number>();
      const passOver = (problem: string) => void problems.push(problem);
      for (const agent_id of readable(() => agentsIn(paths, place, passOver), problems)) {
        const ids = () => place === "dead" ? deadIds(paths, agent_id) : waitingIds(paths, agent_id);
        for (const wake_id of readable(ids, problems)) {
          const wake = { agent_id, wake_id };
          const file = place === "dead" ? deadFile(paths, wake) : wakeFile(paths, wake);
          const session = this.#sessions.get(wake_id) ?? readWake(file)?.session ?? "";
          this.#sessions.set(wake_id, session);
          seen.add(wake_id);
          if (session === "" || isReport(agent_id, session)) continue;
          counts.set(session, (counts.get(session) ?? 0) + 1);
        }
      }
      return counts;
    };
    const counts = { dead: counted("dead"), unsent: counted("outbox") };
    for (const id of this.#sessions.keys()) if (!seen.has(id)) this.#sessions.delete(id);
    return counts;
  }
}

function readable(list: () => string[], problems: string[]): string[] {
  try {
    return list();
  } catch (error) {
    problems.push(messageOf(error));
    return [];
  }
}
