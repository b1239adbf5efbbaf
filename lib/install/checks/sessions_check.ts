/** Do the agents' tmux sessions run, and are they such that OpenClaw takes messages from them? */

import { readGatewayTarget } from "../../delivery/openclaw_config.ts";
import { sessionNames } from "../../sessions/tmux_sessions.ts";
import { type Tmux, tmuxFrom } from "../../tmux.ts";
import type { Agent } from "../../registry.ts";
import { shellQuote } from "../../shell.ts";
import { agentsToWake, type Finding, type Patient } from "./finding.ts";

const CHECK = "sessions";

export async function checkSessions(patient: Patient): Promise<Finding[]> {
  if (patient.look.kind === "refused") return [];
  const { env } = patient.world;
  const tmuxProgram = patient.look.install.tmux;
  const outside = { HOME: env("HOME") ?? "/", TMUX_TMPDIR: env("TMUX_TMPDIR") ?? "/tmp" };
  const tmux = tmuxFrom((name) => name === "GSD_TMUX" ? tmuxProgram : env(name), {
    timeoutMs: 5000,
    env: outside,
  });
  const running = await sessionNames(tmux);
  const findings: Finding[] = [];
  for (const agent of agentsToWake(patient)) {
    const name = agent.tmux_session_name;
    if (name === "") continue;
    const own = [...running].filter((one) =>
      one === name || one.startsWith(`${name}-`) && /^\d+$/.test(one.slice(name.length + 1))
    );
    if (own.length === 0) findings.push(notRunning(agent));
    const needsCli = agent.transport === "cli" ||
      agent.transport === "auto" && readGatewayTarget(env).kind === "unreadable";
    for (const session of own) {
      findings.push(await lookInto(tmux, session, agent.agent_id, needsCli));
    }
  }
  return findings;
}

function notRunning({ agent_id, tmux_session_name, working_directory }: Agent): Finding {
  const text = `The session "${tmux_session_name}" of agent "${agent_id}" does not run`;
  const finding = { check: CHECK, level: "note" as const };
  return working_directory !== "" && !isFolder(working_directory)
    ? {
      ...finding,
      text: `${text}, and its working_directory ${working_directory} is no folder: correct it`,
    }
    : { ...finding, text, mend: `deno task recover --agent ${shellQuote(agent_id)}` };
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** tmux hands the environment its server was started in to every session, for good. */
async function lookInto(
  tmux: Tmux,
  session: string,
  agentId: string,
  needsCli: boolean,
): Promise<Finding> {
  const own = await tmux.call("show-environment", "-t", `=${session}:`, "OPENCLAW_SHELL");
  const global = await tmux.call("show-environment", "-g", "OPENCLAW_SHELL");
  const decisive = own.kind === "ok" ? own : global;
  const marked = decisive.kind === "ok" && /^OPENCLAW_SHELL=./.test(decisive.stdout.trim());
  if (!marked) {
    const text = `The session "${session}" of agent "${agentId}" runs`;
    return { check: CHECK, level: "ok", text };
  }
  const mark = decisive.stdout.trim();
  return {
    check: CHECK,
    level: needsCli ? "broken" : "note",
    text: `The session "${session}" carries ${mark}: OpenClaw's program refuses messages from ` +
      "there, its gateway does not; start tmux outside of an agent's exec tool",
    mend: `tmux kill-session -t ${shellQuote(`=${session}`)} && ` +
      `deno task recover --agent ${shellQuote(agentId)}`,
  };
}
