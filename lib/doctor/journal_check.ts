/** What went wrong in the last day, by the journal. */

import { agoOf } from "../fleet/ago.ts";
import { namesIn } from "../files.ts";
import { readJournal } from "../journal_read.ts";
import { originalName } from "../paths.ts";
import { type DoctorContext, type Finding, note, ok } from "./finding.ts";

const DAY_MS = 86_400_000;
const FAILURES = ["failed", "problem", "dead"];

interface Failure {
  reason: string;
  sessions: Set<string>;
  count: number;
  last: number;
}

export function checkJournal(context: DoctorContext): Finding[] {
  const { world } = context;
  const now = world.now().getTime();
  const failures = new Map<string, Failure>();
  const files = namesIn(`${world.paths.state}/journal`).filter((name) => /\.jsonl$/.test(name));
  for (const file of files) {
    const session = originalName(file.slice(0, -".jsonl".length));
    for (const entry of readJournal(world.paths, session)) {
      const at = Date.parse(String(entry.at));
      if (!FAILURES.includes(String(entry.kind)) || !(now - at < DAY_MS)) continue;
      if (context.asked !== undefined && entry.agent_id !== context.asked) continue;
      const reason = `${entry.kind}: ${entry.reason ?? "no reason noted"}`;
      const failure = failures.get(reason) ?? { reason, sessions: new Set(), count: 0, last: 0 };
      failure.count++;
      failure.sessions.add(session);
      failure.last = Math.max(failure.last, at);
      failures.set(reason, failure);
    }
  }
  if (failures.size === 0) return [ok("No failure in the last day")];
  const recent = [...failures.values()].sort((a, b) => b.last - a.last).slice(0, 5);
  return recent.map(({ reason, sessions, count, last }) =>
    note(
      `${count === 1 ? "Once" : `${count} times`} in the last day, last ` +
        `${agoOf(now - last)} ago, in ${[...sessions].slice(0, 3).join(", ")}: ${reason}`,
    )
  );
}
