/** The names of an agent's tmux sessions, for spawn and recover. */

import { currentName, ownerOf } from "../known_sessions.ts";
import type { Paths } from "../paths.ts";
import { shellQuote } from "../text.ts";
import { type Agent, findAgent, type Registry, tmuxSessionName } from "../registry.ts";
import { allLaunches } from "./launch_files.ts";

type Named = Pick<Agent, "agent_id" | "tmux_session_name">;

/** The name of an agent's first session, as tmux writes it; further ones add a number. */
export function sessionNameOf(agent: Named): string {
  return isNameless(agent)
    ? defaultSessionName(agent.agent_id)
    : tmuxSessionName(agent.tmux_session_name);
}

/** A name of blanks counts as none. */
export function isNameless(agent: Pick<Agent, "tmux_session_name">): boolean {
  return agent.tmux_session_name.trim() === "";
}

/** The name of an agent that has none in the registry. */
export function defaultSessionName(agentId: string): string {
  return `${agentId.replace(/[.:\s#$\\]+/g, "_")}-main`;
}

/** The registry with a session name for these agents, so that `findAgent` finds them by it. */
export function withNames(registry: Registry, of: ReadonlySet<Agent>): Registry {
  const agents = registry.agents.map((agent) =>
    of.has(agent) ? { ...agent, tmux_session_name: sessionNameOf(agent) } : agent
  );
  return { ...registry, agents };
}

/** Why tmux would change this session name, so that the session is not found. */
export function whyNoName(name: string): string | undefined {
  // deno-lint-ignore no-control-regex
  const isOdd = name === "" || /^\$|\$[A-Za-z_{]|[#\\\u0000-\u001f\u007f]|;$/.test(name);
  return isOdd
    ? `tmux would call a session ${JSON.stringify(name)} something else: give it a ` +
      `tmux_session_name without "#", "\\", line ends, a "$" at its beginning or before a ` +
      `letter, and a ";" at its end`
    : undefined;
}

/** Why a session cannot have this name, given by a person; undefined when it can. */
export function whyNotFree(
  name: string,
  { paths, taken, registry, agentId }: {
    paths: Paths;
    /** The names of sessions that run or will come back. */
    taken: ReadonlySet<string>;
    registry: Registry | undefined;
    agentId: string;
  },
): string | undefined {
  const unfit = whyNoName(name);
  if (unfit !== undefined) return unfit;
  if (name.startsWith("-")) return 'a name that begins with "-" would be read as an option';
  const own = tmuxSessionName(name);
  if (own !== name) return `tmux would call it "${own}": "." and ":" have a meaning there`;
  const owner = ownerOf(paths, name);
  if (owner !== undefined && (owner !== agentId || taken.has(name))) {
    return `${owner} has a session "${name}" already: gsd-code remove ${shellQuote(name)} gives ` +
      "that up, gsd-code status shows all";
  }
  if (taken.has(name)) return `a tmux session "${name}" is there already`;
  const match = registry === undefined ? undefined : findAgent(registry, name);
  const named = match?.kind === "agent" ? match.agent.agent_id : undefined;
  return named === undefined || named === agentId
    ? undefined
    : `by its name the session "${name}" belongs to ${named}`;
}

/** The name itself, or with the first free number where it is taken; throws for an unusable one. */
export function chooseSession(
  base: string,
  taken: ReadonlySet<string>,
  ofOtherAgents: ReadonlySet<string>,
): string {
  const reason = whyNoName(base) ??
    (ofOtherAgents.has(base) ? `the session name "${base}" belongs to another agent` : undefined);
  if (reason !== undefined) throw new Error(reason);
  if (!taken.has(base)) return base;
  for (let number = 2;; number++) {
    const name = `${base}-${number}`;
    if (!taken.has(name) && !ofOtherAgents.has(name)) return name;
  }
}

/** The session names of the other agents. */
export function namesOfOthers(registry: Registry | undefined, agentId: string): Set<string> {
  const others = registry?.agents.filter((agent) => agent.agent_id !== agentId) ?? [];
  return new Set(others.map((agent) => tmuxSessionName(agent.tmux_session_name)));
}

/** Also the names that sessions in use had before: wakes that their agents have read still say them. */
export function withEarlierNames(paths: Paths, names: ReadonlySet<string>): Set<string> {
  const earlier = allLaunches(paths).map(({ session }) => session)
    .filter((session) => names.has(currentName(paths, session)));
  return new Set([...names, ...earlier]);
}
