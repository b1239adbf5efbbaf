/** A watch over the sessions of a test, at times that the test chooses. */

import { main as recoverMain } from "../../commands/recover.ts";
import type { SessionView } from "../../lib/fleet/session_view.ts";
import { FleetWatch } from "../../lib/fleet/watch.ts";
import { claudeIn, idOf, listAs } from "./recovering.ts";
import type { SessionWorld } from "./session_world.ts";

export interface TestWatch {
  /** Looks `seconds` later; what was told, as `session kind`. */
  look(seconds: number): Promise<string[]>;
  settled(): Promise<void>;
}

/** Makes watches of one world: a second one is the first after a restart. */
export function watcher(world: SessionWorld) {
  let ahead = 0;
  const now = () => new Date(Date.now() + ahead);
  const recovered: string[] = [];
  const typed: string[] = [];
  const stopped: string[] = [];
  const listing: { kind: "agents"; ids: string[] } = { kind: "agents", ids: [] };
  let typingFails: string | undefined;
  const watchWorld = {
    ...world,
    now,
    gateway: () => Promise.resolve("up" as const),
    startQueue: () => {},
    type: (view: SessionView, text: string) => {
      typed.push(`${view.session} ${text}`);
      return Promise.resolve(typingFails);
    },
    stopTurn: (view: SessionView) => {
      stopped.push(view.session);
      return Promise.resolve(undefined);
    },
    openclawAgents: () => Promise.resolve(listing),
    recover: async (agentId: string) => {
      recovered.push(agentId);
      const words = ["--agent", agentId, "--unattended", "--skip-sync"];
      return await recoverMain(words, { ...world, now });
    },
  };
  const start = (): TestWatch => {
    const watch = new FleetWatch(watchWorld);
    return {
      look: async (seconds) => {
        ahead += seconds * 1000;
        const { told } = await watch.look();
        return told.map(({ kind, view }) => `${view.session} ${kind}`);
      },
      settled: () => watch.settled(),
    };
  };
  const failTyping = (why: string | undefined) => void (typingFails = why);
  return { start, recovered, typed, stopped, listing, failTyping, watchWorld };
}

/** Claude Code's own word on its state. */
export async function says(
  world: SessionWorld,
  session: string,
  more: Record<string, unknown>,
): Promise<void> {
  const pid = await claudeIn(world, session);
  listAs(world, pid, idOf(world, session));
  const file = `${world.paths.claudeConfig}/sessions/${pid}.json`;
  const entry = { ...JSON.parse(Deno.readTextFileSync(file)), cwd: `${world.dir}/p`, ...more };
  Deno.writeTextFileSync(file, JSON.stringify(entry));
}
