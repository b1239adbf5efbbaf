/** Asks OpenClaw's program for its agents and sessions; older versions keep the latter in files. */

import { cliEnv } from "../delivery/openclaw.ts";
import { openclawPlaces } from "../delivery/openclaw_config.ts";
import { findProgram } from "../doors/programs.ts";
import { namesIn, readTextIfThere } from "../files.ts";
import { isObject, parseIfJson } from "../json.ts";
import { run } from "../process.ts";
import type { World } from "../cli/world.ts";

type OpenClawAnswer = { kind: "answer"; stdout: string } | { kind: "none"; reason: string };

/** OpenClaw starts Node with all its plugins: two seconds on an idle machine. */
const ANSWER_MS = 60_000;

async function askOpenClaw(world: World, ...args: string[]): Promise<OpenClawAnswer> {
  const program = findProgram(world.env, "GSD_OPENCLAW", "openclaw");
  if (program === undefined) return { kind: "none", reason: "there is no openclaw on PATH" };
  const options = { env: cliEnv(world.environment()), timeoutMs: ANSWER_MS };
  const outcome = await run(program, args, options);
  const asked = `openclaw ${args[0]}`;
  switch (outcome.kind) {
    case "finished": {
      if (outcome.code === 0) return { kind: "answer", stdout: outcome.stdout };
      const said = (outcome.stderr || outcome.stdout).trim().split("\n")[0] ?? "";
      return { kind: "none", reason: `${asked} failed: ${said}` };
    }
    case "timeout":
      return { kind: "none", reason: `${asked} did not answer in ${ANSWER_MS / 1000} s` };
    case "missing":
      return { kind: "none", reason: outcome.reason };
  }
}

export type AgentListing = { kind: "agents"; ids: string[] } | { kind: "unknown"; reason: string };

/** The agents of its config; no gateway has to run. */
export async function listOpenClawAgents(world: World): Promise<AgentListing> {
  const answer = await askOpenClaw(world, "agents", "list", "--json");
  if (answer.kind === "none") return { kind: "unknown", reason: answer.reason };
  const ids = parseAgents(answer.stdout);
  return ids === undefined
    ? { kind: "unknown", reason: "openclaw agents list gave no list" }
    : { kind: "agents", ids };
}

/** The list as 2026.9.6 prints it, perhaps after other lines; undefined when it is something else. */
export function parseAgents(text: string): string[] | undefined {
  const value = parseIfJson(text.slice(Math.max(0, text.search(/^\[(\s*[{\]]|$)/m))));
  if (!Array.isArray(value)) return undefined;
  return value.filter(isObject).flatMap(({ id }) => typeof id === "string" ? [id] : []);
}

export interface OpenClawSession {
  agentId: string;
  key: string;
  id: string;
  updatedAt: number;
}

type SessionListing =
  | { kind: "sessions"; sessions: OpenClawSession[]; source: string }
  | { kind: "unknown"; reason: string };

export async function listOpenClawSessions(world: World): Promise<SessionListing> {
  let reason = "";
  // Older versions do not know --limit; without it 9.6 stops after a hundred sessions.
  for (const more of [["--limit", "all"], []]) {
    const answer = await askOpenClaw(world, "sessions", "--json", "--all-agents", ...more);
    const sessions = answer.kind === "answer" ? parseListing(answer.stdout) : undefined;
    if (sessions !== undefined) return { kind: "sessions", sessions, source: "openclaw sessions" };
    reason = answer.kind === "none" ? answer.reason : "openclaw sessions gave no list";
  }
  const old = oldStores(world);
  return old ?? { kind: "unknown", reason };
}

/** The list as 2026.9.6 prints it; undefined when it is something else. */
export function parseListing(text: string): OpenClawSession[] | undefined {
  const value = parseIfJson(text.slice(Math.max(0, text.indexOf("{"))));
  if (!isObject(value) || !Array.isArray(value.sessions)) return undefined;
  return value.sessions.filter(isObject).flatMap((entry) => {
    const { key, sessionId, agentId, updatedAt } = entry;
    if (typeof key !== "string" || typeof sessionId !== "string") return [];
    return [{
      agentId: typeof agentId === "string" ? agentId : agentOfKey(key),
      key,
      id: sessionId,
      updatedAt: typeof updatedAt === "number" ? updatedAt : 0,
    }];
  });
}

/** `agents/<agent>/sessions/sessions.json`, as versions before the SQLite store wrote it. */
function parseOldStore(text: string, agentId: string): OpenClawSession[] {
  const value = parseIfJson(text);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, entry]) => {
    if (!isObject(entry) || typeof entry.sessionId !== "string") return [];
    const updatedAt = typeof entry.updatedAt === "number" ? entry.updatedAt : 0;
    return [{ agentId, key, id: entry.sessionId, updatedAt }];
  });
}

function oldStores(world: World): SessionListing | undefined {
  const agents = `${openclawPlaces(world.env).state}/agents`;
  const sessions: OpenClawSession[] = [];
  let found = false;
  for (const agentId of namesIn(agents)) {
    const text = readTextIfThere(`${agents}/${agentId}/sessions/sessions.json`);
    if (text === undefined) continue;
    found = true;
    sessions.push(...parseOldStore(text, agentId));
  }
  return found
    ? { kind: "sessions", sessions, source: `${agents}/*/sessions/sessions.json` }
    : undefined;
}

function agentOfKey(key: string): string {
  return /^agent:([^:]+):/.exec(key)?.[1] ?? "";
}
