import { assertEquals, assertStringIncludes } from "@std/assert";
import { ROOT } from "../../lib/paths.ts";
import { enqueue, wakeFile } from "../../lib/outbox.ts";
import { waitingIds } from "../../lib/outbox_files.ts";
import { aWake, DeliveryHome, put } from "../support/delivery_home.ts";
import { startFakeGateway } from "../support/fake_gateway.ts";
import { added } from "../../lib/queue/step_list.ts";
import { changeQueue, readQueue } from "../../lib/steps_file.ts";
import { until } from "../support/until.ts";

const SESSIONS = { "agent:warden:main": "id-1" };

async function withGateway(
  test: (
    home: DeliveryHome,
    taken: { key: string }[],
    config: Record<string, unknown>,
  ) => Promise<void>,
) {
  await using home = new DeliveryHome();
  const gateway = await startFakeGateway({ sessions: SESSIONS });
  try {
    const config = { port: gateway.port, auth: { token: "fake-token" } };
    home.configure(config);
    await test(home, gateway.taken, config);
  } finally {
    await gateway.stop();
  }
}

/** A limit on file size ends a write as a full disk does: in the middle. */
function limited(home: DeliveryHome, blocks: number, args: string[]) {
  const command = `ulimit -f ${blocks}; trap '' XFSZ; exec "$@"`;
  return new Deno.Command("sh", {
    args: [
      "-c",
      command,
      "sh",
      Deno.execPath(),
      "run",
      "-A",
      "--quiet",
      "--no-code-cache",
      ...args,
    ],
    env: home.env,
    clearEnv: true,
  }).output();
}

Deno.test("enqueue() leaves no half wake when the disk is full", async () => {
  await using home = new DeliveryHome();
  const code = `
    import { enqueue } from "${ROOT}/lib/outbox.ts";
    import { aWake } from "${ROOT}/tests/support/delivery_home.ts";
    import { pathsFrom } from "${ROOT}/lib/paths.ts";
    const paths = pathsFrom((name) => Deno.env.get(name), "/");
    try { enqueue(paths, aWake({ message: "x".repeat(100_000) })); } catch { Deno.exit(7); }`;
  await Deno.writeTextFile(`${home.dir}/full.ts`, code);
  const { code: exit } = await limited(home, 8, [`${home.dir}/full.ts`]);
  assertEquals(exit, 7);
  assertEquals(waitingIds(home.paths, "warden"), []);
  const left = [...Deno.readDirSync(`${home.paths.state}/outbox/warden`)].map(({ name }) => name);
  assertEquals(left, []);
});

Deno.test("deliver delivers although nothing can be written any more", async () => {
  await withGateway(async (home, taken) => {
    const wakes = [put(home.paths), put(home.paths)].sort((a, b) => a.wake_id < b.wake_id ? -1 : 1);
    await limited(home, 0, [`${ROOT}/commands/deliver.ts`, "--once"]);
    assertEquals(taken.map(({ key }) => key), wakes.map((wake) => wake.wake_id));
    assertEquals(waitingIds(home.paths, "warden"), []);
  });
});

Deno.test("deliver says so and leaves when the state folder cannot be written", async () => {
  await withGateway(async (home, taken) => {
    put(home.paths);
    await Deno.writeTextFile(`${home.paths.state}/locks`, "a file where the folder should be");
    const { code, stderr } = await home.deliver(["--once"]).done;
    assertEquals(code, 1);
    assertStringIncludes(stderr, home.paths.state);
    assertEquals(taken.length, 0);
    await Deno.remove(`${home.paths.state}/locks`);
    assertEquals((await home.deliver(["--once"]).done).code, 0);
    assertEquals(taken.length, 1);
  });
});

Deno.test("deliver goes on with what comes after the state folder was deleted underway", async () => {
  await withGateway(async (home, taken, config) => {
    home.configure({ port: 1 });
    put(home.paths);
    const { done } = home.deliver([]);
    const locks = `${home.paths.state}/locks`;
    await until("the deliverer holds its lock", () => [...Deno.readDirSync(locks)].length > 0);
    await until("the folder is gone, though the deliverer may be writing into it", async () => {
      await Deno.remove(home.paths.state, { recursive: true });
      return true;
    });
    await done; // by itself, having nothing left to do
    const wake = aWake();
    enqueue(home.paths, wake);
    home.configure(config);
    assertEquals((await home.deliver([]).done).code, 0);
    assertEquals(taken.map(({ key }) => key), [wake.wake_id]);
  });
});

Deno.test("deliver puts a file that is no wake aside and delivers the rest", async () => {
  await withGateway(async (home, taken) => {
    const broken = put(home.paths);
    await Deno.writeTextFile(wakeFile(home.paths, broken), '{"wake_id": "cut');
    const whole = put(home.paths);
    await home.deliver(["--once"]).done;
    assertEquals(taken.map(({ key }) => key), [whole.wake_id]);
    assertEquals(waitingIds(home.paths, "warden"), []);
  });
});

Deno.test("changeQueue() keeps the queue as it was when the disk is full, and says so", async () => {
  await using home = new DeliveryHome();
  const at = { session: "warden-main", agent_id: "warden" };
  const by = { by: "warden", by_kind: "agent" } as const;
  const { queue } = added(undefined, at, [{ text: "first" }], by, new Date());
  changeQueue(home.paths, "warden-main", () => ({ queue, value: 0 }));
  const code = `
    import { changeQueue } from "${ROOT}/lib/steps_file.ts";
    import { pathsFrom } from "${ROOT}/lib/paths.ts";
    const paths = pathsFrom((name) => Deno.env.get(name), "${ROOT}");
    try {
      changeQueue(paths, "warden-main", (queue) => {
        const steps = [...queue.steps, { ...queue.steps[0], n: 2, text: "x".repeat(50_000) }];
        return { queue: { ...queue, steps }, value: 0 };
      });
    } catch (error) {
      console.log(error.message);
    }`;
  const script = `${home.dir}/fill.ts`;
  Deno.writeTextFileSync(script, code);
  const { stdout } = await limited(home, 16, [script]);
  assertStringIncludes(new TextDecoder().decode(stdout), "File too large");
  assertEquals(readQueue(home.paths, "warden-main"), queue);
});
