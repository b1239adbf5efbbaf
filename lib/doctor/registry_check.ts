/** Is the registry as it should be, and can each of its agents be woken? */

import { POST_LAUNCH_MODES } from "../sessions/launch.ts";
import { checkRegistry } from "../registry/registry_file.ts";
import { unknownKeys } from "../registry/registry_keys.ts";
import {
  type Agent,
  findAgent,
  type Registry,
  tmuxSessionName,
  whyUnreachable,
} from "../registry.ts";
import { shellQuote } from "../text.ts";
import { findProgram } from "../doors/programs.ts";
import { broken, type DoctorContext, type Finding, note, ok } from "./finding.ts";
import { taskCommand } from "../cli/task_command.ts";
import { editCommand, WITHOUT_OPENCLAW } from "./fix_commands.ts";

export function checkRegistryFile(context: DoctorContext): Finding[] {
  const file = context.world.paths.registry;
  const { registry } = context;
  if (registry.kind === "missing") {
    const example = `${context.world.paths.root}/config/recovery-registry.example.json`;
    const noAgent = context.asked === undefined ? "" : `, and so no agent "${context.asked}"`;
    const text = `There is no registry at ${file}${noAgent}: no session is managed`;
    return [broken(text, copyCommand(example, file))];
  }
  if (context.registryText === "" && registry.kind === "broken") {
    return [broken(`Cannot read ${file}: ${registry.reason}; its owner must give you access`)];
  }
  const problems = checkRegistry(context.registryText).map(({ line, field, problem }) => {
    const text = `${file}:${line}: ${field === "" ? "" : `${field}: `}${problem}`;
    return broken(text, editCommand(file, line));
  });
  if (registry.kind === "broken") {
    if (problems.length > 0) return problems;
    return [broken(`Cannot use ${file}: ${registry.reason}`, editCommand(file))];
  }
  const agents = context.agents.flatMap((agent) => checkAgent(agent, context));
  const strangers = unknownKeys(context.registryText).map(({ line, field, problem }) =>
    note(`${file}:${line}: ${field}: ${problem}`, editCommand(file, line))
  );
  const shared = sharedSessions(registry.registry, context);
  const findings = [...problems, ...strangers, ...agents, ...shared];
  if (findings.some(({ level }) => level === "broken")) return findings;
  const count = registry.registry.agents.length;
  return [ok(`${file} is valid, ${count} agent${count === 1 ? "" : "s"}`), ...findings];
}

function checkAgent(agent: Agent, { world }: DoctorContext): Finding[] {
  const name = `Agent "${agent.agent_id}"`;
  const fix = editCommand(world.paths.registry);
  const notWoken = `${name} cannot be woken`;
  if (!agent.enabled) return [note(`${name} is disabled and is not woken`)];
  if (agent.unusable) return [broken(`${notWoken}: ${agent.problems.join("; ")}`, fix)];
  if (agent.tmux_session_name === "") {
    return [broken(`${notWoken}: it has no tmux_session_name`, fix)];
  }
  const findings: Finding[] = [];
  const why = whyUnreachable(agent);
  if (why !== undefined) {
    const canSync = findProgram(world.env, "GSD_OPENCLAW", "openclaw") !== undefined;
    findings.push(
      canSync
        ? broken(`${notWoken}: ${why}`, taskCommand(world, "sync"))
        : broken(`${notWoken}: ${why}; ${WITHOUT_OPENCLAW}`, fix),
    );
  }
  const mode = agent.claude_post_launch_mode;
  if (mode !== "" && !POST_LAUNCH_MODES.some((known) => known === mode)) {
    const known = POST_LAUNCH_MODES.join(", ");
    const text =
      `${name} has claude_post_launch_mode "${mode}", which means resume; known: ${known}`;
    findings.push(note(text, fix));
  }
  return findings;
}

/** By the rule of the hooks: a conflict is a session for which they would wake no agent. */
function sharedSessions(registry: Registry, { world, asked }: DoctorContext): Finding[] {
  const usable = registry.agents.filter((agent) =>
    agent.enabled && !agent.unusable && agent.tmux_session_name !== ""
  );
  const sessions = new Set(usable.map((agent) => tmuxSessionName(agent.tmux_session_name)));
  return [...sessions].flatMap((session): Finding[] => {
    if (findAgent(registry, session).kind !== "refused") return [];
    const owners = usable.filter((one) => tmuxSessionName(one.tmux_session_name) === session)
      .map((agent) => agent.agent_id);
    if (asked !== undefined && !owners.includes(asked)) return [];
    const text = `Several agents claim the session "${session}", so none is woken: ` +
      owners.join(", ");
    return [broken(text, editCommand(world.paths.registry))];
  });
}

function copyCommand(example: string, file: string): string {
  const folder = file.slice(0, file.lastIndexOf("/")) || "/";
  const [from, to, within] = [example, file, folder].map(shellQuote);
  return `mkdir -p ${within} && cp ${from} ${to}`;
}
