/** Is the registry as it should be, and can each of its agents be woken? */

import { POST_LAUNCH_MODES } from "../../sessions/launch.ts";
import { checkRegistry } from "../../sessions/registry_file.ts";
import { type Agent, whyUnreachable } from "../../registry.ts";
import { shellQuote } from "../../shell.ts";
import type { Finding, Patient } from "./finding.ts";

const CHECK = "registry";

export function checkRegistryFile(patient: Patient): Finding[] {
  const file = patient.world.paths.registry;
  const { registry } = patient;
  if (registry.kind === "missing") {
    return [{
      check: CHECK,
      level: "broken",
      text: `There is no registry at ${file}: no session is managed`,
      mend: ["cp", `${patient.world.paths.root}/config/recovery-registry.example.json`, file]
        .map(shellQuote).join(" "),
    }];
  }
  if (patient.registryText === "" && registry.kind === "broken") {
    return [{ check: CHECK, level: "broken", text: `Cannot read ${file}: ${registry.reason}` }];
  }
  const problems = checkRegistry(patient.registryText).map(({ line, field, problem }): Finding => ({
    check: CHECK,
    level: "broken",
    text: `${file}:${line}: ${field === "" ? "" : `${field}: `}${problem}`,
    mend: `$EDITOR +${line} ${shellQuote(file)}`,
  }));
  if (registry.kind === "broken") {
    return problems.length > 0
      ? problems
      : [{ check: CHECK, level: "broken", text: `Cannot use ${file}: ${registry.reason}` }];
  }
  const agents = patient.agents.flatMap((agent) => checkAgent(agent, file));
  const findings = [...problems, ...agents, ...sharedSessions(registry.registry.agents, file)];
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

function checkAgent(agent: Agent, file: string): Finding[] {
  const name = `Agent "${agent.agent_id}"`;
  const mend = `$EDITOR ${shellQuote(file)}`;
  const broken = (text: string): Finding => ({ check: CHECK, level: "broken", text, mend });
  if (!agent.enabled) {
    return [{ check: CHECK, level: "note", text: `${name} is disabled and is not woken` }];
  }
  if (agent.unusable) return [broken(`${name} cannot be woken: ${agent.problems.join("; ")}`)];
  if (agent.tmux_session_name === "") {
    return [broken(`${name} cannot be woken: it has no tmux_session_name`)];
  }
  const unreachable = whyUnreachable(agent);
  const findings = unreachable === undefined
    ? []
    : [{ ...broken(`${name} cannot be woken: ${unreachable}`), mend: "deno task sync" }];
  const mode = agent.claude_post_launch_mode;
  if (mode !== "" && !POST_LAUNCH_MODES.some((known) => known === mode)) {
    const known = POST_LAUNCH_MODES.join(", ");
    const text =
      `${name} has claude_post_launch_mode "${mode}", which means resume; known: ${known}`;
    findings.push({ check: CHECK, level: "note", text, mend });
  }
  return findings;
}

function sharedSessions(agents: Agent[], file: string): Finding[] {
  const enabled = agents.filter((agent) => agent.enabled && agent.tmux_session_name !== "");
  const sessions = [...new Set(enabled.map((agent) => agent.tmux_session_name))];
  return sessions.flatMap((session): Finding[] => {
    const owners = enabled.filter((agent) => agent.tmux_session_name === session);
    if (owners.length < 2) return [];
    const names = owners.map((agent) => agent.agent_id).join(", ");
    const text = `Several agents claim the session "${session}", so none is woken: ${names}`;
    return [{ check: CHECK, level: "broken", text, mend: `$EDITOR ${shellQuote(file)}` }];
  });
}
