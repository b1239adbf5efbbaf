import { assert, assertEquals } from "@std/assert";
import { ROOT } from "../../lib/paths.ts";
import { waitingIds } from "../../lib/outbox_files.ts";
import { DeliveryHome, put, seeded } from "../support/delivery_home.ts";
import { startFakeGateway } from "../support/fake_gateway.ts";
import { assertDelivered, leftIn } from "../support/delivered_ids.ts";
import { pause } from "../support/until.ts";

const SESSIONS = { "agent:warden:main": "id-1" };

Deno.test("deliver loses and doubles nothing when it is killed at any moment", async () => {
  await using home = new DeliveryHome();
  const random = seeded(7);
  const gateway = await startFakeGateway({ sessions: SESSIONS, faults: { slowMs: 8 } });
  try {
    home.configure({ port: gateway.port, auth: { token: "fake-token" } });
    const accepted: string[] = [];
    for (let round = 0; round < 24; round++) {
      accepted.push(...[put(home.paths).wake_id, put(home.paths).wake_id].sort());
      const { child, done } = home.deliver(["--agent", "warden"]);
      await pause(30 + random() * 170);
      kill(child);
      await done;
      // The gateway forgets its keys with it: only the session itself shows what arrived.
      if (round % 6 === 5) await gateway.restart(1, { forget: true });
    }
    assertEquals((await home.deliver(["--agent", "warden"]).done).code, 0);
    assertEquals(waitingIds(home.paths, "warden"), []);
    assertEquals(gateway.taken.map(({ key }) => key), accepted, "each once, in order");
  } finally {
    await gateway.stop();
  }
});

Deno.test("enqueue() keeps what it accepted, whole, when its process is killed at any moment", async () => {
  await using home = new DeliveryHome();
  const random = seeded(11);
  const accepted: string[] = [];
  for (let round = 0; round < 16; round++) {
    const script = `${ROOT}/tests/support/put_wakes.ts`;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", script, "warden", "warden-main", "500", "no"],
      env: home.env,
      clearEnv: true,
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    let said = "";
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    for (let killed = false;;) {
      const { value, done } = await reader.read();
      if (done) break;
      said += value;
      if (killed) continue;
      killed = true; // once it has begun, at any moment
      setTimeout(() => kill(child), random() * 200);
    }
    await child.status;
    const lines = said.split("\n").slice(0, -1);
    accepted.push(...lines.map((line) => JSON.parse(line).wake_id));
  }
  const gateway = await startFakeGateway({ sessions: SESSIONS });
  try {
    home.configure({ port: gateway.port, auth: { token: "fake-token" } });
    const left = leftIn(home.paths, "warden");
    assert(accepted.length >= 16, "each process had begun");
    const missing = accepted.filter((id) => !left.waiting.includes(id));
    assertEquals(missing, []);
    assertEquals((await home.deliver([]).done).code, 0);
    assertDelivered(gateway.taken.map(({ key }) => key), left);
    assertEquals(waitingIds(home.paths, "warden"), []);
  } finally {
    await gateway.stop();
  }
});

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It was done already.
  }
}
