/** From an event to the gateway's word that it has it, and where that time goes. */

import { enqueue } from "../lib/outbox.ts";
import { V8_FLAGS } from "../lib/install/v8_flags.ts";
import { readJournal } from "../lib/journal_read.ts";
import { type Paths, pathsFrom, ROOT } from "../lib/paths.ts";
import { AgentModel } from "../tests/support/agent_model.ts";
import { inScene, type Scene } from "../tests/support/artefacts.ts";
import { TestHome } from "../tests/support/home.ts";
import { aWake } from "../tests/support/delivery_home.ts";
import { type RealOpenClaw, startOpenClaw } from "../tests/support/real_openclaw.ts";
import { pause } from "../tests/support/until.ts";
import { median } from "./figures.ts";
import { phasesFrom } from "./phases.ts";

export interface DeliveryFigure {
  name: string;
  medianMs: number;
  worstMs: number;
  /** Of a bare `deno run` in the same run. */
  ratio: number;
}

/** After its start a gateway is watched for two minutes: each wake until its end is known. */
const OLD_MS = 125_000;

/** As the launcher starts it. */
const DENO_FLAGS = [
  ...["run", "--no-lock", "--no-config", "--no-npm", "--no-remote", "--cached-only"],
  ...["--no-prompt", "--quiet", V8_FLAGS, "-A"],
];
const BARE = "bare deno run";
const YOUNG = "wake to ack, gateway just started";
const OLD = "wake to ack, gateway up for two minutes";
const CLI = "wake to ack by the command line";

export function measureDelivery(
  rounds: number,
  progress: (done: number) => void,
): Promise<DeliveryFigure[]> {
  return inScene("bench delivery", async (scene) => {
    const course = await Course.open(scene);
    await course.deliver("gateway"); // the first turn after a start is slow for all
    const times = new Map<string, number[]>();
    const note = (name: string, ms: number) => times.set(name, [...times.get(name) ?? [], ms]);
    for (let round = 0; round < rounds; round++) {
      note(YOUNG, (await course.deliver("gateway")).ackMs);
      progress((round + 1) / rounds / 4);
    }
    await course.untilOld();
    for (let round = 0; round < rounds; round++) {
      note(BARE, await course.bareMs());
      note(OLD, (await course.deliver("gateway")).ackMs);
      const { phases } = await course.deliver("gateway", { timed: true });
      for (const [name, ms] of Object.entries(phases)) note(`  ${name}`, ms);
      note(CLI, (await course.deliver("cli")).ackMs);
      progress(0.25 + 0.75 * (round + 1) / rounds);
    }
    const bare = median(times.get(BARE)!);
    const order = [BARE, YOUNG, OLD, ...[...times.keys()].filter((name) => name[0] === " "), CLI];
    return order.map((name) => ({
      name,
      medianMs: median(times.get(name)!),
      worstMs: Math.max(...times.get(name)!),
      ratio: median(times.get(name)!) / bare,
    }));
  });
}

interface Measured {
  ackMs: number;
  phases: Record<string, number>;
}

class Course {
  private readonly paths: Paths;

  private constructor(
    private readonly dir: string,
    private readonly env: Record<string, string>,
    private readonly gateway: RealOpenClaw,
    private readonly sessionKey: string,
    private readonly readyAt: number,
  ) {
    this.paths = pathsFrom((name) => env[name], ROOT);
    Deno.writeTextFileSync(`${dir}/empty.ts`, "export {};\n");
  }

  static async open(scene: Scene): Promise<Course> {
    const model = new AgentModel();
    scene.atEnd(() => model.stop());
    const gateway = await startOpenClaw({ scene, modelUrl: model.url, agents: ["warden"] });
    const readyAt = performance.now();
    const { key } = await gateway.createSession("warden");
    const env = {
      ...new TestHome(scene).env,
      GSD_OPENCLAW: gateway.program,
    };
    return new Course(scene.dir, env, gateway, key, readyAt);
  }

  async untilOld(): Promise<void> {
    await pause(Math.max(0, this.readyAt + OLD_MS - performance.now()));
  }

  async bareMs(): Promise<number> {
    const began = performance.now();
    await this.deno(`${this.dir}/empty.ts`);
    return performance.now() - began;
  }

  /** One wake by a deliverer that is started for it; until the journal has it as delivered. */
  async deliver(
    transport: "gateway" | "cli",
    { timed } = { timed: false },
  ): Promise<Measured> {
    const wake = { ...aWake({ openclaw_session_key: this.sessionKey }), transport };
    const file = `${this.dir}/times.json`;
    const began = performance.timeOrigin + performance.now();
    enqueue(this.paths, wake);
    const preload = timed ? ["--preload", `${ROOT}/bench/socket_times.ts`] : [];
    await this.deno(...preload, `${ROOT}/commands/deliver.ts`, "--agent", wake.agent_id);
    const last = [...readJournal(this.paths, wake.session)].findLast((entry) =>
      entry.wake_id === wake.wake_id
    );
    if (last?.kind !== "delivered") {
      throw new Error(`A wake did not arrive by ${transport}: ${JSON.stringify(last)}`);
    }
    const phases = timed ? phasesFrom(began, JSON.parse(Deno.readTextFileSync(file))) : {};
    await this.gateway.untilQuiet("warden");
    return { ackMs: Date.parse(String(last.at)) - began, phases };
  }

  private async deno(...args: string[]): Promise<void> {
    await new Deno.Command(Deno.execPath(), {
      args: [...DENO_FLAGS, ...args],
      env: { ...this.env, GSD_BENCH_TIMES: `${this.dir}/times.json` },
      clearEnv: true,
      stdin: "null",
    }).output();
  }
}
