/** Which agent owns a session, and which files describe it. */

import { isFile, namesIn } from "../files.ts";
import { isObject, messageOf, parseIfJson } from "../json.ts";
import { linesFromEnd } from "../transcript.ts";
import { originalName, type Paths } from "../paths.ts";
import { type Agent, findAgent, type Registry } from "../registry.ts";
import { projectName } from "../sessions/conversations.ts";
import type { Launch } from "../sessions/launch.ts";
import { isOfServer, isSameRun } from "../sessions/tmux_servers.ts";
import { waitingCount } from "../steps.ts";
import { readQueue } from "../steps_file.ts";
import type { FleetServer } from "./fleet_panes.ts";
import type { SessionObservation } from "./observation.ts";

/** Older records are not needed to know whether something was reported. */
const JOURNAL_BYTES = 64 * 1024;

/** By its record, else by its name. */
export function agentOfSession(
  registry: Registry | undefined,
  session: string,
  launch: Launch | undefined,
): Agent | undefined {
  if (registry === undefined) return undefined;
  const match = findAgent(registry, session, launch?.agent_id);
  return match.kind === "agent" ? match.agent : undefined;
}

/** The agent of a launch whose session name no longer matches the agent's. */
export function namedIn(registry: Registry | undefined, agentId = ""): Agent | undefined {
  const agent = registry?.agents.find((one) => one.agent_id === agentId);
  return agent?.enabled && !agent.unusable ? agent : undefined;
}

export function isServerThere(servers: FleetServer[], launch: Launch | undefined): boolean {
  const own = servers.find(({ socket }) => isOfServer(launch, socket));
  return isSameRun(own?.run, launch);
}

/** The server that it may be on has not answered yet. */
export function isOnUnseen(servers: FleetServer[], launch: Launch | undefined): boolean {
  return servers.some(({ isUnseen, socket }) => isUnseen && isOfServer(launch, socket));
}

export function transcriptOf(
  { entry, memory, launch }: SessionObservation,
  claudeConfig: string,
): string | undefined {
  const id = entry?.sessionId || memory?.claude_session_id || launch?.claude_session_id || "";
  if (memory?.claude_session_id === id && memory.transcript_path !== "") {
    return memory.transcript_path;
  }
  const folder = entry?.cwd || memory?.cwd || launch?.working_directory || "";
  if (!/^[\w-]+$/.test(id) || folder === "") return undefined;
  const config = launch?.env.CLAUDE_CONFIG_DIR ?? claudeConfig;
  const path = `${config}/projects/${projectName(folder)}/${id}.jsonl`;
  return isFile(path) ? path : undefined;
}

export function recordsAtEnd(path: string): Record<string, unknown>[] {
  // A line may be cut: it is being written, or the disk was full.
  return Array.from(linesFromEnd(path, JOURNAL_BYTES), ({ text }) => parseIfJson(text))
    .filter(isObject).reverse();
}

/** The fields that have a value. */
export function definedOnly<T extends Record<string, unknown>>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** The queues, by their sessions. Mostly there is none. */
export function queuesIn(
  paths: Paths,
  problems: string[],
): Map<string, Pick<SessionObservation, "queue">> {
  const found = new Map<string, Pick<SessionObservation, "queue">>();
  const read = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      problems.push(messageOf(error));
      return undefined;
    }
  };
  const sessions = read(() => namesIn(`${paths.state}/queue`).map(originalName)) ?? [];
  for (const session of sessions) {
    const queue = read(() => readQueue(paths, session));
    if (queue === undefined) continue;
    const paused = queue.paused !== undefined;
    found.set(session, { queue: { waiting: waitingCount(queue), paused } });
  }
  return found;
}
