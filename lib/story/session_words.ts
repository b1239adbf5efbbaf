/** What the log says of a session's starts, and of what was done with it or with its agent. */

import { textOf } from "../events.ts";
import type { Known } from "./known.ts";
import type { Saying, StoryLine } from "./story_line.ts";

const STARTS = new Map(Object.entries<string>({
  resume: "resumed",
  clear: "cleared",
  compact: "compacted",
}));

/** With these a reason begins; the rest of it says more. */
const DEEDS = [
  ...["adopted", "given back", "limit raised", "paused", "quiet hours", "recovered", "removed"],
  ...["renamed", "resumed", "spawned", "stopped", "taken"],
];
/** Who did it, where the record does not say it. */
const PROGRAMS = new Map([["recovered", "recover"], ["spawned", "spawn"]]);

/** Whole reasons that are too long for the word of a line. */
const LONG: [reason: RegExp, what: string][] = [
  [/^it was lost/, "recovering"],
  [/^it was sent on/, "sent on"],
  [/^recover ended/, "not recovered"],
];

/** What `--kind` takes of these. */
export const SESSION_WORDS = [
  ...["started", "session", ...STARTS.values()],
  ...DEEDS.filter((what) => what !== "spawned"),
  ...LONG.map(([, what]) => what),
];

export function sessionSaying(line: StoryLine, { holds }: Known): Saying | undefined {
  const reason = textOf(line, "reason");
  if (line.event === "SessionEnd" || textOf(line, "guest") !== "") return undefined;
  if (line.event === "SessionStart") {
    const what = STARTS.get(textOf(line, "source")) ?? "started";
    return { who: "Claude", what, tone: "quiet" };
  }
  if (reason.startsWith("to be ")) return undefined; // the end of the hold follows
  const deed = DEEDS.find((what) => new RegExp(`^${what}\\b`).test(reason));
  const by = textOf(line, "by") || endedBy(deed, textOf(line, "session"), holds) ||
    PROGRAMS.get(deed ?? "");
  const who = by ?? (line.source === "watch" ? "watch" : "–");
  if (deed === undefined) {
    const what = LONG.find(([long]) => long.test(reason))?.[1] ?? "session";
    return { who, what, text: reason, tone: "good" };
  }
  const text = reason.slice(deed.length).replace(/^:? +/, "") || textOf(line, "text");
  return { who, what: deed === "spawned" ? "started" : deed, text, tone: "good" };
}

/** The deliverer ends a hold, and does not record who wanted that. */
function endedBy(
  deed: string | undefined,
  session: string,
  holds: Known["holds"],
): string | undefined {
  if (deed !== "given back" && deed !== "resumed") return undefined;
  const by = holds.get(session);
  holds.delete(session);
  return by;
}
