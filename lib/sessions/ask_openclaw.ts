/** Asks OpenClaw's program for its sessions and agents. */

import { cliEnv } from "../delivery/openclaw.ts";
import { findProgram } from "../doors/programs.ts";
import { isObject } from "../json.ts";
import { run } from "../process.ts";
import type { World } from "../cli/world.ts";

export type OpenClawAnswer = { kind: "answer"; stdout: string } | { kind: "none"; reason: string };

/** OpenClaw starts Node with all its plugins: two seconds on an idle machine. */
const ANSWER_MS = 60_000;

export async function askOpenClaw(world: World, ...args: string[]): Promise<OpenClawAnswer> {
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

/** The list as 2026.9.6 prints it, perhaps behind other lines; undefined when it is something else. */
export function parseAgents(text: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(text.slice(Math.max(0, text.search(/^\[(\s*[{\]]|$)/m))));
    if (!Array.isArray(value)) return undefined;
    return value.filter(isObject).flatMap(({ id }) => typeof id === "string" ? [id] : []);
  } catch {
    return undefined;
  }
}
