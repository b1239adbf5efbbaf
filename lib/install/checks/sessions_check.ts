/** Do the agents' tmux sessions run, and are they such that OpenClaw takes messages from them? */

import { readGatewayTarget } from "../../delivery/openclaw_config.ts";
import { isOwn } from "../../sessions/session_names.ts";
import { sessionNames } from "../../sessions/tmux_sessions.ts";
import { tmuxFrom } from "../../tmux.ts";
import { type Agent, tmuxSessionName } from "../../registry.ts";
import { agentsToWake, type Finding, type Patient } from "./finding.ts";
import { taskCommand, tmuxCommand } from "./mend.ts";
import { markOfServer, markOfSession } from "./shell_mark.ts";

const CHECK = "sessions";

export async function checkSessions(patient: Patient): Promise<Finding[]> {
  if (patient.look.kind === "refused" || patient.registry.kind !== "registry") return [];
  const { registry } = patient.registry;
  const { world } = patient;
  const { env } = world;
  const program = patient.look.install.tmux;
  const tmux = tmuxFrom((name) => name === "GSD_TMUX" ? program : env(name), {
    timeoutMs: 5000,
    env: { HOME: env("HOME") ?? "/", TMUX_TMPDIR: env("TMUX_TMPDIR") ?? "/tmp" },
  });
  const running = await sessionNames(tmux);
  const serverMark = await markOfServer(tmux);
  const unmark = tmuxCommand(world, program, "set-environment", "-gu", "OPENCLAW_SHELL");
  const agents = agentsToWake(patient).filter((agent) => agent.tmux_session_name !== "");
  const findings: Finding[] = [];
  for (const agent of agents) {
    const own = [...running].filter((session) => isOwn(registry, agent, session));
    const recover = taskCommand(world, "recover", "--agent", agent.agent_id);
    if (own.length === 0 && !running.has(tmuxSessionName(agent.tmux_session_name))) {
      const mend = serverMark === undefined ? recover : `${unmark} && ${recover}`;
      findings.push(notRunning(agent, mend));
    }
    for (const session of own) {
      const mark = await markOfSession(tmux, session);
      findings.push(
        mark === undefined
          ? {
            check: CHECK,
            level: "ok",
            text: `The session "${session}" of agent "${agent.agent_id}" runs`,
          }
          : marked(session, mark, recover, needsProgram(agent)),
      );
    }
  }
  if (serverMark === undefined) return findings;
  const hurts = agents.some(needsProgram);
  findings.push({
    check: CHECK,
    level: hurts ? "broken" : "note",
    text: `The tmux server hands ${serverMark} to every new session: OpenClaw's program refuses ` +
      "messages from there. If the server is yours and no agent's, take the mark off it",
    ...(hurts ? { mend: unmark } : {}),
  });
  return findings;

  function needsProgram({ transport }: Agent): boolean {
    return transport === "cli" ||
      transport === "auto" && readGatewayTarget(env).kind === "unreadable";
  }
}

/** No mend: what ends the session ends Claude's work, and only its owner knows when that may be. */
function marked(session: string, mark: string, recover: string, hurts: boolean): Finding {
  return {
    check: CHECK,
    level: hurts ? "broken" : "note",
    text: `The session "${session}" carries ${mark}: OpenClaw's program refuses messages from ` +
      "there, its gateway does not; it keeps the mark until it is started again: end it when its " +
      `work is done, then: ${recover}`,
  };
}

function notRunning(agent: Agent, mend: string): Finding {
  const { agent_id, tmux_session_name, working_directory } = agent;
  const session = tmuxSessionName(tmux_session_name);
  const text = `The session "${session}" of agent "${agent_id}" does not run`;
  const finding = { check: CHECK, level: "note" as const };
  return working_directory !== "" && !isFolder(working_directory)
    ? {
      ...finding,
      text: `${text}, and its working_directory ${working_directory} is no folder: correct it`,
    }
    : { ...finding, text, mend };
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
