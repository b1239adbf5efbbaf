/** The line below the prompt for the person at the terminal: whose session it is. */

import { hourAndMinute } from "../still_running.ts";
import { readTextIfThere } from "../files.ts";
import { journalFile } from "../journal.ts";
import { isObject, parseIfJson } from "../json.ts";
import type { Paths } from "../paths.ts";

/** Claude Code puts the mod's name before it. */
export function statusText(agentId: string, lastWake: Date | undefined): string {
  const whose = `${agentId} looks after this session`;
  return lastWake === undefined
    ? `${whose}, no wake yet`
    : `${whose}, last wake at ${hourAndMinute(lastWake)}`;
}

/** When the last wake of the session reached its agent, by its journal. */
export function lastWakeAt(journal: string): Date | undefined {
  for (const line of journal.trimEnd().split("\n").reverse()) {
    if (!line.includes('"delivered"')) continue;
    const record = parseIfJson(line);
    if (isObject(record) && record.kind === "delivered") return new Date(String(record.at));
  }
  return undefined;
}

export function statusLine(
  paths: Paths,
  { session, agent }: { session: string; agent: { agent_id: string } },
  show: (text: string) => void,
): { refresh(): void } {
  const path = journalFile(paths, session);
  let seen = "";
  let shown = "";
  return {
    refresh() {
      const mark = markOf(path);
      if (mark === seen && shown !== "") return;
      seen = mark;
      const text = statusText(agent.agent_id, lastWakeAt(readTextIfThere(path) ?? ""));
      if (text !== shown) show(text);
      shown = text;
    },
  };
}

function markOf(path: string): string {
  try {
    const { size, mtime } = Deno.statSync(path);
    return `${size} ${mtime?.getTime()}`;
  } catch {
    return "";
  }
}
