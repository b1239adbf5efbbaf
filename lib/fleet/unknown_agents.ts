/** Agents of the registry that OpenClaw does not know: no wake of theirs can arrive. */

import type { World } from "../cli/world.ts";
import { openclawPlaces, readGatewayTarget } from "../delivery/openclaw_config.ts";
import { type Agent, type Registry, whyUnreachable } from "../registry.ts";
import { globalReceiver } from "../sessions/global_status.ts";
import type { AgentListing } from "../sessions/openclaw_sessions.ts";
import { sessionNameOf } from "../sessions/session_names.ts";
import type { FindingMarks } from "./finding_marks.ts";
import { sendNews } from "./tell_finding.ts";

/** The agent of OpenClaw that a wake would reach. */
export function openclawId(
  { agent_id, openclaw_session_key: key }: Pick<Agent, "agent_id" | "openclaw_session_key">,
): string {
  return (/^agent:([^:]+):/.exec(key)?.[1] ?? agent_id).toLowerCase();
}

/** Those that cannot be woken. A list without any agent says nothing. Pure. */
export function unknownAmong(agents: Agent[], ids: string[]): Agent[] {
  if (ids.length === 0) return [];
  const known = new Set(ids.map((id) => id.toLowerCase()));
  return agents.filter((agent) => isWoken(agent) && !known.has(openclawId(agent)));
}

function isWoken(agent: Agent): boolean {
  return agent.enabled && !agent.unusable && agent.transport !== "inbox" &&
    whyUnreachable(agent) === undefined;
}

/** OpenClaw's program takes two seconds. It is asked after a change, otherwise this often. */
const EVERY_MS = 6 * 3_600_000;
const AT_MOST_EVERY_MS = 600_000;

export class UnknownAgents {
  #askedAt = -Infinity;
  #askedFor = "";

  constructor(
    private readonly world: World,
    private readonly marks: FindingMarks,
    private readonly list: () => Promise<AgentListing>,
  ) {}

  /** Why a report could not be sent, in sentences. */
  async look(registry: Registry): Promise<string[]> {
    const now = this.world.now().getTime();
    const woken = registry.agents.filter(isWoken);
    const state = `${this.#configStamp()} ${woken.map(openclawId).sort()}`;
    const waited = Math.abs(now - this.#askedAt);
    const isDue = waited >= EVERY_MS || state !== this.#askedFor && waited >= AT_MOST_EVERY_MS;
    if (!isDue || woken.length === 0 || !this.#isHere()) return [];
    [this.#askedAt, this.#askedFor] = [now, state];
    const listing = await this.list();
    if (listing.kind !== "agents") return [];
    const unknown = unknownAmong(woken, listing.ids);
    this.marks.endOver((key) => {
      const [kind, id] = key.startsWith('["unknown') ? JSON.parse(key) : [];
      return kind === "unknown" && !unknown.some((agent) => agent.agent_id === id);
    });
    return unknown.flatMap((agent) => this.#tell(agent, listing.ids, registry) ?? []);
  }

  #tell(agent: Agent, ids: string[], registry: Registry): string | undefined {
    const { agent_id } = agent;
    const id = openclawId(agent);
    const about = `OpenClaw has no agent ${id}, so no wake of ${agent_id} arrives`;
    const to = globalReceiver(registry);
    // No global session is set, or it is this agent's: the journal has the finding.
    if (to === undefined || openclawId(to) === id) return about;
    const key = JSON.stringify(["unknown", agent_id, id]);
    if (this.marks.isTold(key)) return undefined;
    const mark = this.marks.begin(key, this.world.now().getTime());
    sendNews(
      sessionNameOf(agent),
      {
        ...{ trigger: "agent_unknown", section: "CONTENT", state: "error" },
        body: `${about}. Its wakes wait in the outbox. OpenClaw's agents: ${ids.join(", ")}`,
        details: {
          agent: agent_id,
          advice:
            "Add the agent to OpenClaw, or correct agent_id and openclaw_session_key in the " +
            "registry (or set enabled to false). Then the wakes that wait are delivered.",
          evidence: "openclaw agents list does not have it",
        },
        actions: [`openclaw agents add ${id}`],
      },
      mark.wake_id,
      to,
      { world: this.world },
    );
    this.marks.finish(mark);
    return undefined;
  }

  /** The agents of a gateway on another machine are in a config that we do not see. */
  #isHere(): boolean {
    const reading = readGatewayTarget(this.world.env);
    if (reading.kind !== "target") return false;
    return ["127.0.0.1", "localhost", "[::1]"].includes(new URL(reading.target.url).hostname);
  }

  #configStamp(): string {
    try {
      const { mtime, size } = Deno.statSync(openclawPlaces(this.world.env).config);
      return `${mtime?.getTime()} ${size}`;
    } catch {
      return "";
    }
  }
}
