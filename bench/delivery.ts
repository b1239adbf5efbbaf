/** From an event to the gateway's word that it has it: over its socket, and over its command line. */

import { enqueue } from "../lib/outbox.ts";
import { readJournal } from "../lib/journal.ts";
import { pathsFrom, ROOT } from "../lib/paths.ts";
import { AgentModel } from "../tests/support/agent_model.ts";
import { inScene } from "../tests/support/artefacts.ts";
import { aWake } from "../tests/support/delivery_home.ts";
import { startOpenClaw } from "../tests/support/real_openclaw.ts";
import { median } from "./figures.ts";

export interface DeliveryFigure {
  name: string;
  medianMs: number;
  worstMs: number;
}

export function measureDelivery(
  rounds: number,
  progress: (done: number) => void,
): Promise<DeliveryFigure[]> {
  return inScene("bench delivery", async (scene) => {
    const model = new AgentModel();
    scene.atEnd(() => model.stop());
    const gateway = await startOpenClaw({ scene, modelUrl: model.url, agents: ["warden"] });
    const { key } = await gateway.createSession("warden");
    const env: Record<string, string> = {
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      HOME: scene.home,
      GSD_STATE_DIR: `${scene.dir}/state`,
      GSD_REGISTRY: `${scene.dir}/registry.json`,
      GSD_OPENCLAW: gateway.program,
      DENO_NO_UPDATE_CHECK: "1",
    };
    const paths = pathsFrom((name) => env[name], ROOT);
    const once = async (transport: "gateway" | "cli") => {
      const wake = { ...aWake({ openclaw_session_key: key }), transport };
      const began = performance.now();
      enqueue(paths, wake);
      await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--quiet", `${ROOT}/commands/deliver.ts`, "--once"],
        env,
        clearEnv: true,
        stdin: "null",
      }).output();
      const took = performance.now() - began;
      const records = [...readJournal(paths, wake.session)];
      if (!records.some((entry) => entry.kind === "delivered" && entry.wake_id === wake.wake_id)) {
        throw new Error(`A wake did not arrive by ${transport}: ${JSON.stringify(records.at(-1))}`);
      }
      await gateway.untilQuiet("warden");
      return took;
    };
    const times = { gateway: [] as number[], cli: [] as number[] };
    await once("gateway"); // the first turn after a start is slow for all
    for (let round = 0; round < rounds; round++) {
      for (const way of ["gateway", "cli"] as const) times[way].push(await once(way));
      progress((round + 1) / rounds);
    }
    return (["gateway", "cli"] as const).map((way) => ({
      name: `event to ack by ${way}`,
      medianMs: median(times[way]),
      worstMs: Math.max(...times[way]),
    }));
  });
}
