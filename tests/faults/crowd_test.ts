import { assert, assertEquals } from "@std/assert";
import { ROOT } from "../../lib/paths.ts";
import { TextLineStream } from "@std/streams";
import { agentsIn, waitingIds } from "../../lib/outbox_files.ts";
import { DeliveryHome, seeded } from "../support/delivery_home.ts";
import { type FakeGateway, startFakeGateway } from "../support/fake_gateway.ts";
import { until } from "../support/until.ts";

const AGENTS = ["warden", "forge", "scout", "mason", "ferry"];

interface Told {
  wake_id: string;
  created: number;
  written: number;
  pid: number;
  session: string;
  agent: string;
}

Deno.test("deliver brings 200 wakes of 20 sessions to 5 agents, once and in order, past every fault", async () => {
  await using home = new DeliveryHome();
  const gateway = await startFakeGateway({
    sessions: Object.fromEntries(AGENTS.map((id) => [`agent:${id}:main`, `id-${id}`])),
    faults: {
      dropBefore: 0.1,
      dropAfter: 0.1,
      unavailable: 0.1,
      slowMs: 5,
      random: seeded(20261116),
    },
  });
  try {
    home.configure({ port: gateway.port, auth: { token: "fake-token" } });
    const watch = watchProcesses();
    const writers = Array.from(
      { length: 20 },
      (_, n) => writer(home, AGENTS[n % 5]!, `s${n}`, watch.see),
    );
    await until("some wakes have arrived", () => gateway.taken.length > 20);
    await gateway.restart(300, { forget: true });
    const told = (await Promise.all(writers)).flat();
    assertEquals(told.length, 200);

    await settled(home, gateway);
    await until("every deliverer that was started has ended", () => watch.alive() === 0);
    const { megabytes } = watch.stop();
    assertEquals(leftOver(home), 0);
    const arrived = gateway.taken.map(({ key }) => key.split("~")[0]!);
    assertEquals(arrived.length, 200, "each wake was begun once");
    assertEquals(new Set(arrived).size, 200, "no wake was begun under two keys");
    assertInOrder(told, arrived);
    assert(
      gateway.connections.most <= AGENTS.length + 1,
      `${gateway.connections.most} connections`,
    );
    assert(megabytes < 200, `a deliverer grew to ${megabytes} MB`);
  } finally {
    await gateway.stop();
  }
});

/** What was written before another wake was even made must have arrived before it. */
function assertInOrder(told: Told[], arrived: string[]): void {
  const place = new Map(arrived.map((id, index) => [id, index]));
  for (const early of told) {
    for (const late of told) {
      if (early.agent !== late.agent || early.written >= late.created) continue;
      assert(place.get(early.wake_id)! < place.get(late.wake_id)!, `${late.wake_id} overtook`);
    }
  }
}

async function settled(home: DeliveryHome, gateway: FakeGateway): Promise<void> {
  await until("the outbox is empty", () => leftOver(home) === 0, { timeoutMs: 120_000 });
  await until("every deliverer has left", () => gateway.connections.now === 0);
}

function leftOver(home: DeliveryHome): number {
  return agentsIn(home.paths, "outbox").reduce((n, id) => n + waitingIds(home.paths, id).length, 0);
}

async function writer(
  home: DeliveryHome,
  agent: string,
  session: string,
  see: (pid?: number) => void,
) {
  const script = `${ROOT}/tests/support/put_wakes.ts`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", script, agent, session, "10", "start"],
    env: home.env,
    clearEnv: true,
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const told: Told[] = [];
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
  for await (const line of lines) {
    const one = JSON.parse(line);
    see(one.pid);
    told.push({ ...one, session, agent });
  }
  await child.status;
  return told;
}

/** Looks at the deliverers that were started, while they live. */
function watchProcesses() {
  const pids = new Set<number>();
  let megabytes = 0;
  const look = () => {
    for (const pid of pids) {
      try {
        const status = Deno.readTextFileSync(`/proc/${pid}/status`);
        megabytes = Math.max(megabytes, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
        if (/^State:\s+Z/m.test(status)) pids.delete(pid);
      } catch {
        pids.delete(pid);
      }
    }
  };
  const timer = setInterval(look, 50);
  return {
    see(pid: number | undefined) {
      if (pid !== undefined) pids.add(pid);
    },
    alive: () => (look(), pids.size),
    stop: () => {
      clearInterval(timer);
      return { megabytes };
    },
  };
}
