import { assert, assertEquals } from "@std/assert";
import { MINUTE, SECOND } from "../lib/delivery/delivery.ts";
import { askForLock, isLockWanted } from "../lib/delivery/handover.ts";
import { holdLock } from "../lib/doors/held_lock.ts";
import { serveAgent } from "../lib/delivery/serve_agent.ts";
import { DeliveryHome, put } from "./support/delivery_home.ts";
import { DOWN, OK, queueWorld } from "./support/queue_world.ts";
import { SimClock } from "./support/sim_clock.ts";

const LIFE = { lifeMs: 90 * MINUTE };

/** A deliverer that has slept for a while between tries, since the gateway is down. */
async function asleep(home: DeliveryHome) {
  const clock = new SimClock();
  const state = { isUp: false };
  const tries: number[] = [];
  const world = () =>
    queueWorld(home, clock, () => {
      tries.push(clock.now);
      return state.isUp ? OK : DOWN;
    });
  put(home.paths, { created_at: new Date(clock.now).toISOString() });
  const sleeper = serveAgent("warden", world(), { ...LIFE, once: false });
  await clock.run(clock.now + 4 * MINUTE);
  assert(clock.now - tries.at(-1)! > 10 * SECOND, "it sleeps");
  return { clock, state, tries, world, sleeper };
}

Deno.test("serveAgent() takes over from a deliverer that sleeps, and the wakes go at once", async () => {
  for (const once of [true, false]) {
    await using home = new DeliveryHome();
    const { clock, state, tries, world, sleeper } = await asleep(home);
    state.isUp = true;
    const asked = clock.now;
    const taker = serveAgent("warden", world(), { ...LIFE, once, takesOver: true });
    await clock.run(asked + MINUTE, taker);
    const { kind, delivered } = await taker;
    assertEquals([kind, delivered], ["served", 1]);
    assert(tries.at(-1)! - asked <= 2 * SECOND, `${tries.at(-1)! - asked} ms later`);
    await clock.run(clock.now + MINUTE, sleeper);
    assertEquals((await sleeper).left, 0);
  }
});

Deno.test("serveAgent() goes on sleeping where one that tries once had no luck either", async () => {
  await using home = new DeliveryHome();
  const { clock, state, tries, world, sleeper } = await asleep(home);
  const taker = serveAgent("warden", world(), { ...LIFE, once: true, takesOver: true });
  await clock.run(clock.now + MINUTE, taker);
  assertEquals((await taker).left, 1);
  const before = tries.length;
  await clock.run(clock.now + 2 * MINUTE);
  assert(tries.length - before <= 2, `${tries.length - before} tries in two minutes`);
  state.isUp = true;
  await clock.run(clock.now + 10 * MINUTE, sleeper);
  assertEquals((await sleeper).delivered, 1);
});

Deno.test("serveAgent() lets one deliverer stand by, however many take over", async () => {
  await using home = new DeliveryHome();
  const { clock, state, world, sleeper } = await asleep(home);
  const running = new Set([0]);
  const served = [sleeper];
  sleeper.then(() => running.delete(0));
  for (const number of [1, 2, 3, 4]) {
    running.add(number);
    const taker = serveAgent("warden", world(), { ...LIFE, once: false, takesOver: true });
    taker.then(() => running.delete(number));
    served.push(taker);
    await clock.run(clock.now + 4 * MINUTE);
  }
  assertEquals([...running], [0, 4]);
  state.isUp = true;
  const all = Promise.all(served);
  await clock.run(clock.now + 10 * MINUTE, all);
  const results = await all;
  assertEquals(results.reduce((sum, { delivered }) => sum + delivered, 0), 1);
  assertEquals(results.map(({ kind }) => kind), ["served", "busy", "busy", "busy", "served"]);
});

Deno.test("serveAgent() goes on when the one that asked for its lock never comes", async () => {
  await using home = new DeliveryHome();
  const { clock, state, sleeper } = await asleep(home);
  askForLock(home.paths, "warden");
  state.isUp = true;
  await clock.run(clock.now + 10 * SECOND, sleeper);
  assertEquals((await sleeper).delivered, 1);
  assertEquals(isLockWanted(home.paths, "warden"), false);
});

Deno.test("serveAgent() takes its lock back when the one that took over is ended by its user", async () => {
  await using home = new DeliveryHome();
  const { clock, state, sleeper } = await asleep(home);
  const lockPath = `${home.paths.state}/locks/deliver-warden.lock`;
  askForLock(home.paths, "warden");
  await clock.run(clock.now + 2 * SECOND);
  const person = holdLock(lockPath)!;
  await clock.run(clock.now + 20 * MINUTE);
  person.release(); // Ctrl-C
  state.isUp = true;
  await clock.run(clock.now + 10 * SECOND, sleeper);
  assertEquals((await sleeper).delivered, 1);
});

Deno.test("serveAgent() takes its question back when the lock is not given", async () => {
  await using home = new DeliveryHome();
  const clock = new SimClock();
  const lock = holdLock(`${home.paths.state}/locks/deliver-warden.lock`)!;
  put(home.paths);
  const world = queueWorld(home, clock, () => OK);
  const asking = serveAgent("warden", world, { ...LIFE, once: true, takesOver: true });
  await clock.run(clock.now + 2 * MINUTE, asking);
  assertEquals((await asking).kind, "busy");
  assertEquals(isLockWanted(home.paths, "warden"), false);
  lock.release();
});

Deno.test("serveAgent() leaves the lock to a sleeper when it was started by a hook", async () => {
  await using home = new DeliveryHome();
  const { clock, state, world, sleeper } = await asleep(home);
  const second = serveAgent("warden", world(), { ...LIFE, once: false });
  assertEquals((await second).kind, "busy");
  state.isUp = true;
  await clock.run(clock.now + 10 * MINUTE, sleeper);
  assertEquals((await sleeper).delivered, 1);
});
