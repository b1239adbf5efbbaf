/** Does Claude Code run in the agents' sessions, and does OpenClaw take messages from there? */

import { taskCommand } from "../cli/task_command.ts";
import type { World } from "../cli/world.ts";
import { readGatewayTarget } from "../delivery/openclaw_config.ts";
import { isFolder } from "../files.ts";
import { FleetReader } from "../fleet/fleet_reader.ts";
import type { SessionObservation } from "../fleet/observation.ts";
import { tmuxName } from "../fleet/session_commands.ts";
import type { Env } from "../paths.ts";
import { type Agent, tmuxSessionName } from "../registry.ts";
import { wayBack } from "../sessions/agent_launch.ts";
import { isStopped } from "../sessions/comeback.ts";
import { launchesOf } from "../sessions/launch_files.ts";
import { agentsToWake, broken, type DoctorContext, type Finding, note, ok } from "./finding.ts";
import { tmuxCommand } from "./fix_commands.ts";
import { markOfServer, markOfSession } from "./shell_mark.ts";

export async function checkSessions(context: DoctorContext): Promise<Finding[]> {
  if (context.plan.kind === "refused" || context.registry.kind !== "registry") return [];
  const { world } = context;
  const program = context.plan.install.tmux;
  const env: Env = (name) => name === "GSD_TMUX" ? program : world.env(name);
  const reader = new FleetReader({ ...world, env }, undefined, context.registry.registry);
  const { sessions, servers } = await reader.read();
  const { tmux } = servers[0]!;
  const there = sessions.filter(({ holds }) => holds !== "gone");
  const serverMark = await markOfServer(tmux);
  const unmark = tmuxCommand(world, program, "set-environment", "-gu", "OPENCLAW_SHELL");
  const agents = agentsToWake(context).filter((agent) => agent.tmux_session_name !== "");
  const findings: Finding[] = [];
  for (const agent of agents) {
    const own = there.filter((one) => one.agent?.agent_id === agent.agent_id);
    const recover = taskCommand(world, "recover", "--agent", agent.agent_id);
    const fix = serverMark === undefined ? recover : `${unmark} && ${recover}`;
    const name = tmuxSessionName(agent.tmux_session_name);
    if (own.length === 0 && !there.some(({ session }) => session === name)) {
      const [launch] = launchesOf(world.paths, agent.agent_id);
      const last = sessions.find(({ session }) => session === launch?.session);
      findings.push(
        last !== undefined && isStopped(last)
          ? stopped(world, agent, last.session)
          : notRunning(agent, fix),
      );
    }
    const anyLives = own.some(({ holds }) => holds === "alive");
    for (const one of own) {
      const session = tmuxName(one);
      const server = servers.find(({ socket }) => socket === one.socket);
      const mark = await markOfSession(server?.tmux ?? tmux, session);
      if (mark !== undefined) findings.push(marked(session, mark, recover, needsProgram(agent)));
      if (one.holds !== "alive") {
        // In a marked session it would get the mark again; the finding above says what helps.
        const helps = mark === undefined && bringsBack(one, anyLives);
        findings.push(withoutClaude(world, agent, one, helps ? fix : undefined));
      } else if (mark === undefined) {
        const as = one.renamedTo === undefined ? "" : `, as "${one.renamedTo}"`;
        findings.push(ok(`The session "${one.session}" of agent "${agent.agent_id}" runs${as}`));
      }
    }
  }
  if (serverMark === undefined) return findings;
  const text =
    `The tmux server hands ${serverMark} to every new session: OpenClaw's program refuses ` +
    "messages from there. If the server is yours and not an agent's, remove the mark";
  return [...findings, agents.some(needsProgram) ? broken(text, unmark) : note(text)];

  function needsProgram({ transport }: Agent): boolean {
    return transport === "cli" ||
      transport === "auto" && readGatewayTarget(world.env).kind === "unreadable";
  }
}

/** Whether `recover --agent` does something about it: it leaves a shell that we did not start. */
function bringsBack({ launch }: SessionObservation, anyLives: boolean): boolean {
  return !anyLives || launch !== undefined;
}

const FOUND: Record<SessionObservation["holds"], string> = {
  alive: "Claude Code runs",
  shell: "no Claude Code runs, only a shell",
  dead: "no Claude Code runs: all that ran there has ended",
  occupied: "no Claude Code runs, but another program",
  gone: "no Claude Code runs: the session has just ended",
};

/** A note only: a person may have left Claude Code on purpose. */
function withoutClaude(
  world: World,
  agent: Agent,
  seen: SessionObservation,
  fix: string | undefined,
): Finding {
  const { session, holds, launch } = seen;
  if (isStopped(seen)) return stopped(world, agent, session);
  const text = `In "${session}" of agent "${agent.agent_id}" ${FOUND[holds]}`;
  if (fix === undefined) return note(text);
  const way = wayBack(world, agent, launch);
  return way.kind === "refused"
    ? note(`${text}, and it cannot be started again: ${way.reason}; fix that first`)
    : note(text, fix);
}

/** No fix: ending the session ends Claude's work, and only its owner knows when that may be. */
function marked(session: string, mark: string, recover: string, hurts: boolean): Finding {
  const text = `The session "${session}" carries ${mark}: OpenClaw's program refuses messages ` +
    "from there, its gateway does not; it keeps the mark until it is started again: end it when " +
    `its work is done, then: ${recover}`;
  return hurts ? broken(text) : note(text);
}

/** Ended on purpose: only its name brings it back. */
function stopped(world: World, { agent_id }: Agent, session: string): Finding {
  const back = taskCommand(world, "recover", session);
  return note(
    `The session "${session}" of agent "${agent_id}" was stopped; ${back} brings it back`,
  );
}

function notRunning(agent: Agent, fix: string): Finding {
  const { agent_id, tmux_session_name, working_directory } = agent;
  const session = tmuxSessionName(tmux_session_name);
  const text = `The session "${session}" of agent "${agent_id}" does not run`;
  return working_directory !== "" && !isFolder(working_directory)
    ? note(`${text}, and its working_directory ${working_directory} is not a folder: correct it`)
    : note(text, fix);
}
