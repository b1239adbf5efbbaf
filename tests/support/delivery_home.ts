/** A home for tests of delivery: OpenClaw's config, wakes, and the real deliverer process. */

import { newWakeId } from "../../lib/new_wake.ts";
import { enqueue, type QueuedWake } from "../../lib/outbox.ts";
import { type Paths, ROOT } from "../../lib/paths.ts";
import { type Started, startProgram } from "./child_process.ts";
import { Dice } from "./fuzz.ts";
import { TestHome } from "./home.ts";

export type { Ended } from "./child_process.ts";

export class DeliveryHome extends TestHome {
  constructor() {
    super();
    this.env.GSD_OPENCLAW = `${this.dir}/no-openclaw`;
  }

  configure(gateway: Record<string, unknown>): void {
    this.writeOpenClawConfig({ gateway });
  }

  /** The real `deliver` command; its result once it has ended. */
  deliver(args: string[]): Started {
    const script = `${ROOT}/commands/deliver.ts`;
    return startProgram([Deno.execPath(), "run", "-A", "--quiet", script, ...args], this.env);
  }
}

export function aWake(more: Partial<QueuedWake> = {}): QueuedWake {
  const now = Date.parse(more.created_at ?? "") || Date.now();
  const wake_id = more.wake_id ?? newWakeId(now);
  return {
    wake_id,
    agent_id: "warden",
    session: "warden-main",
    trigger: "response_complete",
    created_at: new Date(now).toISOString(),
    transport: "auto",
    openclaw_session_key: "agent:warden:main",
    openclaw_session_id: "",
    message: `[SESSION IDENTITY]\nagent_id: warden\nwake_id: ${wake_id}\n\n[CONTENT]\nDone.`,
    expects_reply: false,
    ...more,
  };
}

export function put(paths: Paths, more: Partial<QueuedWake> = {}): QueuedWake {
  const wake = aWake(more);
  enqueue(paths, wake);
  return wake;
}

/** Random numbers from a seed, so that a failed run can be repeated. */
export function seeded(seed: number): () => number {
  const dice = new Dice(seed);
  return () => dice.next(2 ** 32) / 2 ** 32;
}
