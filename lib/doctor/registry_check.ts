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
import type { DoctorContext, Finding } from "./finding.ts";
import { taskCommand } from "../cli/task_command.ts";
import { editCommand, WITHOUT_OPENCLAW } from "./fix_commands.ts";

const CHECK = "registry";

export function checkRegistryFile(context: DoctorContext): Finding[] {
  const file = context.world.paths.registry;
  const { registry } = context;
  if (registry.kind === "missing") {
    return [{
      check: CHECK,
      level: "broken",
      text: `There is no registry at ${file}: no session is managed`,
      fix: copying(`${context.world.paths.root}/config/recovery-registry.example.json`, file),
    }];
  }
  if (context.registryText === "" && registry.kind === "broken") {
    const text = `Cannot read ${file}: ${registry.reason}; its owner must give you access`;
    return [{ check: CHECK, level: "broken", text }];
  }
  const problems = checkRegistry(context.registryText).map(({ line, field, problem }): Finding => ({
    check: CHECK,
    level: "broken",
    text: `${file}:${line}: ${field === "" ? "" : `${field}: `}${problem}`,
    fix: editCommand(file, line),
  }));
  if (registry.kind === "broken") {
    return problems.length > 0 ? problems : [{
      check: CHECK,
      level: "broken",
      text: `Cannot use ${file}: ${registry.reason}`,
      fix: editCommand(file),
    }];
  }
  const agents = context.agents.flatMap((agent) => checkAgent(agent, context));
  const strangers = unknownKeys(context.registryText).map(({ line, field, problem }): Finding => ({
    check: CHECK,
    level: "note",
    text: `${file}:${line}: ${field}: ${problem}`,
    fix: editCommand(file, line),
  }));
  const shared = sharedSessions(registry.registry, context);
  const findings = [...problems, ...strangers, ...agents, ...shared];
  if (findings.some(({ level }) => level === "broken")) return findings;
  const count = registry.registry.agents.length;
  return [
    {
      check: CHECK,
      level: "ok",
      text: `${file} is valid, ${count} agent${count === 1 ? "" : "s"}`,
    },
    ...findings,
  ];
}

function checkAgent(agent: Agent, { world }: DoctorContext): Finding[] {
  const name = `Agent "${agent.agent_id}"`;
  const fix = editCommand(world.paths.registry);
  const broken = (text: string): Finding => ({ check: CHECK, level: "broken", text, fix });
  if (!agent.enabled) {
    return [{ check: CHECK, level: "note", text: `${name} is disabled and is not woken` }];
  }
  if (agent.unusable) return [broken(`${name} cannot be woken: ${agent.problems.join("; ")}`)];
  if (agent.tmux_session_name === "") {
    return [broken(`${name} cannot be woken: it has no tmux_session_name`)];
  }
  const unreachable = whyUnreachable(agent);
  const why = `${name} cannot be woken: ${unreachable}`;
  const canSync = findProgram(world.env, "GSD_OPENCLAW", "openclaw") !== undefined;
  const findings = unreachable === undefined
    ? []
    : canSync
    ? [{ ...broken(why), fix: taskCommand(world, "sync") }]
    : [broken(`${why}; ${WITHOUT_OPENCLAW}`)];
  const mode = agent.claude_post_launch_mode;
  if (mode !== "" && !POST_LAUNCH_MODES.some((known) => known === mode)) {
    const known = POST_LAUNCH_MODES.join(", ");
    const text =
      `${name} has claude_post_launch_mode "${mode}", which means resume; known: ${known}`;
    findings.push({ check: CHECK, level: "note", text, fix });
  }
  return findings;
}

/** By the hooks' own rule: only a session that they would leave alone is a conflict. */
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
    const fix = editCommand(world.paths.registry);
    return [{ check: CHECK, level: "broken", text, fix }];
  });
}

function copying(example: string, file: string): string {
  const folder = file.slice(0, file.lastIndexOf("/")) || "/";
  const [from, to, within] = [example, file, folder].map(shellQuote);
  return `mkdir -p ${within} && cp ${from} ${to}`;
}
