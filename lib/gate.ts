/** Which agent an event belongs to. For most sessions there is none, and the hook ends. */

import { readTextIfThere } from "./files.ts";
import { isKnownName, ownerOf } from "./known_sessions.ts";
import { type HookInput, type PaneOwner, paneOwner, type ShowingSession } from "./events.ts";
import { type Env, later, type Paths } from "./paths.ts";
import { messageOf } from "./json.ts";
import {
  type Agent,
  findAgent,
  isNamed,
  readRegistry,
  type Registry,
  type RegistryReading,
  whyUnreachable,
} from "./registry.ts";

export type Gate =
  /** `panes`: how many its session has. */
  | { kind: "managed"; session: string; pane: string; panes: number; agent: Agent }
  /** The agent cannot be reached, but recovery needs to know the conversation. */
  | { kind: "mute"; session: string; pane: string; agent: Agent; reason: string }
  /** Not managed: write nothing. */
  | { kind: "unmanaged" }
  | { kind: "refused"; session: string; agent_id?: string; reason: string };

/** The pane a hook runs in, and tmux's answer about its session, which may still be on its way. */
export interface PaneQuery {
  pane: string;
  /** The session that the pane was made in, by tmux's own number. */
  madeIn: string;
  /** The socket of its tmux server. */
  socket: string;
  env: Env;
  answer: Promise<PaneOwner>;
}

/** `answered`: tmux's answer from the registered command; a hook that is run by hand asks itself. */
export function askTmux(env: Env, answered: HookInput["tmux"]): PaneQuery | undefined {
  const pane = env("TMUX_PANE");
  // Without $TMUX a running server answers for any of its sessions.
  const tmux = env("TMUX");
  if (!tmux || !pane) return undefined;
  const madeIn = `$${tmux.slice(tmux.lastIndexOf(",") + 1)}`;
  const socket = tmux.replace(/,\d+,\d+$/, "");
  const answer = answered === undefined
    ? ask(env, pane)
    : Promise.resolve(paneOwner(answered.session));
  return { pane, madeIn, socket, env, answer };
}

async function ask(env: Env, pane: string): Promise<PaneOwner> {
  const look = await (await loadTmux()).lookAtPane(env, pane);
  return look.kind === "seen" ? paneOwner(look.owner) : { kind: "none", reason: look.reason };
}

export function loadTmux(): Promise<typeof import("./tmux.ts")> {
  return import(later("./tmux.ts"));
}

/** `known`: the session that the same Claude session was seen in before. */
export async function openGate(
  paths: Paths,
  { pane, madeIn, socket, env, answer }: PaneQuery,
  known: string | undefined,
  claudeId: string,
): Promise<Gate> {
  const text = readRegistryText(paths.registry);
  if (text === undefined) {
    return known === undefined ? { kind: "unmanaged" } : {
      kind: "refused",
      session: known,
      reason: `The registry ${paths.registry} is missing`,
    };
  }
  const asked = await answer;
  const shownIn = asked.kind === "session" ? asked.shownIn : [];
  const names = shownIn.map(({ name }) => name);
  const looked = known === undefined || names.includes(known) ? names : [...names, known];
  const from = { socket, claudeId, env };
  const owners: Owners = new Map(looked.map((name) => [name, ownerOf(paths, name, from) ?? ""]));
  const reading = typeof text === "string"
    ? readRegistry(text, looked, [...owners.values()].filter((owner) => owner !== ""))
    : text;
  if (reading.kind === "broken") {
    // Which agent it has cannot be read: write only for a session that was managed before.
    const session = shownIn.find(({ name }) => isKnownName(paths, name))?.name ?? known;
    const reason = `Cannot use the registry ${paths.registry}: ${reading.reason}`;
    return session === undefined ? { kind: "unmanaged" } : { kind: "refused", session, reason };
  }
  const owner = ownerAmong(reading.registry, shownIn, madeIn, owners);
  if (owner.kind === "several") {
    const names = owner.names.map((name) => `"${name}"`).join(" and ");
    const reason = `No agent is woken: the window is shown in the sessions ${names}, ` +
      "and tmux does not say in which of them it was made";
    return { kind: "refused", session: owner.names[0]!, reason };
  }
  // After `tmux kill-session` the pane is gone while its session's last hook still runs.
  const session = asked.kind === "session" ? owner.name : known;
  if (session === undefined) return { kind: "unmanaged" };

  const match = findAgent(reading.registry, session, owners.get(session));
  if (match.kind === "none") return { kind: "unmanaged" };
  if (match.kind === "refused") {
    const { agent_id } = match;
    const reason = `Agent "${agent_id}" is not woken: ${match.reason}`;
    return { kind: "refused", session, agent_id, reason };
  }
  const { agent } = match;
  const unreachable = whyUnreachable(agent);
  const panes = shownIn.find(({ name }) => name === session)?.panes ?? 1;
  if (unreachable === undefined) return { kind: "managed", session, pane, panes, agent };
  const reason = `Agent "${agent.agent_id}" is not woken: ${unreachable}`;
  return { kind: "mute", session, pane, agent, reason };
}

/** The agent of each session by its record; "" without one. */
type Owners = Map<string, string>;

type WindowOwner = { kind: "one"; name: string | undefined } | { kind: "several"; names: string[] };

/** Of several sessions that show the window: the registered one; if several are, its first one. */
function ownerAmong(
  registry: Registry,
  shownIn: ShowingSession[],
  madeIn: string,
  recorded: Owners,
): WindowOwner {
  const owners = shownIn.filter(({ name }) =>
    findAgent(registry, name, recorded.get(name)).kind !== "none"
  );
  if (owners.length < 2) return { kind: "one", name: owners[0]?.name };
  const made = owners.find(({ id }) => id === madeIn);
  if (made !== undefined) return { kind: "one", name: made.name };
  // tmux names a second view of the session `warden-main-1`, like a session that spawn makes.
  const exact = owners.filter(({ name }) =>
    recorded.get(name) ||
    registry.agents.some((agent) => isNamed(agent.tmux_session_name, name))
  );
  return exact.length === 1
    ? { kind: "one", name: exact[0]!.name }
    : { kind: "several", names: owners.map(({ name }) => name) };
}

export function loadRegistry(path: string): RegistryReading | { kind: "missing" } {
  const text = readRegistryText(path);
  if (text === undefined) return { kind: "missing" };
  return typeof text === "string" ? readRegistry(text) : text;
}

function readRegistryText(path: string): string | undefined | { kind: "broken"; reason: string } {
  try {
    return readTextIfThere(path);
  } catch (error) {
    return { kind: "broken", reason: messageOf(error) };
  }
}
