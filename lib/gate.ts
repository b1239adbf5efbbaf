/** Who an event belongs to: the first thing a hook asks, and for most sessions the last. */

import { readTextIfThere } from "./files.ts";
import type { HookInput } from "./hook_input.ts";
import { type PaneOwner, paneOwner } from "./pane_owner.ts";
import type { Env, Paths } from "./paths.ts";
import { messageOf } from "./json.ts";
import {
  type Agent,
  findAgent,
  readRegistry,
  type RegistryReading,
  tmuxSessionName,
  whyUnreachable,
} from "./registry.ts";

export type Gate =
  | { kind: "managed"; session: string; pane: string; agent: Agent }
  /** Nobody's business: no trace of it may remain. */
  | { kind: "unmanaged" }
  | { kind: "refused"; session: string; agent_id?: string; reason: string };

/** The pane a hook runs in, and tmux already asked for its session: it answers meanwhile. */
export interface Asking {
  pane: string;
  answer: Promise<PaneOwner>;
}

/** `told`: what tmux has told before the event; a hook that is run by hand asks itself. */
export function askTmux(env: Env, told: HookInput["tmux"]): Asking | undefined {
  const pane = env("TMUX_PANE");
  // Without $TMUX a running server would answer for whichever session it likes.
  if (!env("TMUX") || !pane) return undefined;
  const answer = told === undefined ? ask(env, pane) : Promise.resolve(paneOwner(told.session));
  return { pane, answer };
}

async function ask(env: Env, pane: string): Promise<PaneOwner> {
  const { sessionOfPane, tmuxFrom } = await loadTmux();
  return await sessionOfPane(tmuxFrom(env), pane);
}

// An address that is made here: Deno loads beforehand what it finds written out.
export function loadTmux(): Promise<typeof import("./tmux.ts")> {
  return import(new URL("./tmux.ts", import.meta.url).href);
}

/** `known`: the session that the same Claude session was seen in before. */
export async function openGate(
  paths: Paths,
  { pane, answer }: Asking,
  known: string | undefined,
): Promise<Gate> {
  const reading = loadRegistry(paths.registry);
  if (reading.kind === "missing") {
    return known === undefined ? { kind: "unmanaged" } : {
      kind: "refused",
      session: known,
      reason: `The registry ${paths.registry} is missing`,
    };
  }
  const asked = await answer;
  // After `tmux kill-session` the pane is gone while its session's last hook still runs.
  const session = asked.kind === "session" ? nameIn(reading, asked) : known;
  if (session === undefined) return { kind: "unmanaged" };
  if (reading.kind === "broken") {
    const reason = `Cannot use the registry ${paths.registry}: ${reading.reason}`;
    return { kind: "refused", session, reason };
  }

  const match = findAgent(reading.registry, session);
  if (match.kind === "none") return { kind: "unmanaged" };
  const refused = (agent_id: string, why: string): Gate => ({
    kind: "refused",
    session,
    agent_id,
    reason: `Agent "${agent_id}" is not woken: ${why}`,
  });
  if (match.kind === "refused") return refused(match.agent_id, match.reason);
  const unreachable = whyUnreachable(match.agent);
  if (unreachable !== undefined) return refused(match.agent.agent_id, unreachable);
  return { kind: "managed", session, pane, agent: match.agent };
}

/** Where several sessions show the window, the one that the registry names. */
function nameIn(reading: RegistryReading, { name, also }: { name: string; also: string[] }) {
  if (reading.kind === "broken") return name;
  const isNamed = (session: string) =>
    reading.registry.agents.some((agent) => tmuxSessionName(agent.tmux_session_name) === session);
  return [name, ...also].find(isNamed) ?? name;
}

export function loadRegistry(path: string): RegistryReading | { kind: "missing" } {
  try {
    const text = readTextIfThere(path);
    return text === undefined ? { kind: "missing" } : readRegistry(text);
  } catch (error) {
    return { kind: "broken", reason: messageOf(error) };
  }
}
