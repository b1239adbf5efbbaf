import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { QueueWorld } from "../lib/delivery/agent_queue.ts";
import { serveAgent } from "../lib/delivery/serve_agent.ts";
import type { Tried } from "../lib/delivery/carriers.ts";
import { DAY, MINUTE } from "../lib/delivery/delivery.ts";
import { readJournal } from "../lib/journal_read.ts";
import { holdLock } from "../lib/doors/held_lock.ts";
import { enqueue, type QueuedWake, wakeFile } from "../lib/outbox.ts";
import { deadIds, readWake, waitingIds } from "../lib/outbox_files.ts";
import { aWake, DeliveryHome, put } from "./support/delivery_home.ts";

const OK: Tried = {
  outcome: { kind: "delivered", detail: "accepted" },
  transport: "gateway",
  why: "test",
};
const DOWN: Tried = { outcome: { kind: "later", scope: "all", reason: "gateway down" }, why: "" };
const unknown = (wake: QueuedWake): Tried => ({
  outcome: { kind: "later", scope: "target", reason: `no session ${wake.openclaw_session_key}` },
  why: "",
});

/** A world where time passes only by sleeping. */
function simulated(home: DeliveryHome, carry: (wake: QueuedWake, now: number) => Tried) {
  const clock = { now: Date.parse("2026-11-16T10:00:00Z") };
  const tries: { id: string; at: number }[] = [];
  const world: QueueWorld = {
    paths: home.paths,
    env: () => undefined,
    allEnv: () => ({}),
    now: () => clock.now,
    sleep: (ms) => {
      clock.now += ms;
      return Promise.resolve();
    },
    targetNow: () => undefined,
    carriers: {
      deliver(wake) {
        tries.push({ id: wake.wake_id, at: clock.now });
        return Promise.resolve(carry(wake, clock.now));
      },
      close() {},
    },
  };
  return { clock, tries, world };
}

const putAt = (home: DeliveryHome, now: number, more: Partial<QueuedWake> = {}) =>
  put(home.paths, { created_at: new Date(now).toISOString(), ...more });

const LONG = { once: false, lifeMs: 90 * MINUTE };

Deno.test("serveAgent() goes on waiting, without hurry, with what it cannot bury", async () => {
  await using home = new DeliveryHome();
  const never: Tried = { outcome: { kind: "never", reason: "it cannot be" }, why: "" };
  const { clock, tries, world } = simulated(home, () => never);
  putAt(home, clock.now);
  Deno.writeTextFileSync(`${home.paths.state}/dead`, "not a folder");
  const result = await serveAgent("warden", world, { once: false, lifeMs: 10 * MINUTE });
  assertEquals([result.dead, result.left], [0, 1]);
  assert(tries.length < 25, `${tries.length} tries in ten minutes`);
});

Deno.test("serveAgent() waits an hour for the gateway without hurry, then delivers all in order", async () => {
  await using home = new DeliveryHome();
  const down = 60 * MINUTE;
  const start = Date.parse("2026-11-16T10:00:00Z");
  const { world, tries } = simulated(home, (_, now) => now < start + down ? DOWN : OK);
  const wakes = [0, 1, 2, 3, 4].map((n) => putAt(home, start + n));
  const result = await serveAgent("warden", world, LONG);
  assertEquals([result.delivered, result.left, result.dead], [5, 0, 0]);
  const failed = tries.filter(({ at }) => at < start + down);
  assert(failed.length < 30, `${failed.length} tries in an hour`);
  assertEquals(new Set(failed.map(({ id }) => id)), new Set([wakes[0]!.wake_id]));
  const arrived = tries.filter(({ at }) => at >= start + down).map(({ id }) => id);
  assertEquals(arrived, wakes.map((wake) => wake.wake_id));
  assert(tries.at(-1)!.at - start < 66 * MINUTE, "at most one long pause late");
});

Deno.test("serveAgent() tries at once, and without long pauses, when the gateway listens again", async () => {
  await using home = new DeliveryHome();
  const start = Date.parse("2026-11-16T10:00:00Z");
  const back = start + 30 * MINUTE;
  const busy: Tried = {
    outcome: { kind: "later", scope: "all", reason: "changed while starting work. Retry." },
    why: "",
  };
  const { clock, world, tries } = simulated(
    home,
    (_, now) => now < back ? DOWN : now < back + 10_000 ? busy : OK,
  );
  world.gateway = () => Promise.resolve(clock.now < back ? "down" : "up");
  putAt(home, start);
  const result = await serveAgent("warden", world, LONG);
  assertEquals(result.delivered, 1);
  const late = (tries.at(-1)!.at - back) / 1000;
  assert(late <= 20, `delivered ${late} s after the gateway was back`);
  const failed = tries.filter(({ at }) => at < back);
  assert(failed.length < 25, `${failed.length} tries in half an hour`);
});

Deno.test("serveAgent() makes no long pause while a gateway that was away is starting", async () => {
  await using home = new DeliveryHome();
  const start = Date.parse("2026-11-16T10:00:00Z");
  const listens = start + 3 * MINUTE;
  const ready = listens + 3 * MINUTE;
  const starting: Tried = {
    outcome: { kind: "later", scope: "all", reason: "gateway starting", soon: true },
    why: "",
  };
  // It listens just before a try, so that no pause notices.
  const { world, tries } = simulated(
    home,
    (_, now) => now < listens ? DOWN : now < ready ? starting : OK,
  );
  putAt(home, start);
  const result = await serveAgent("warden", world, LONG);
  assertEquals(result.delivered, 1);
  const seen = tries.findLast(({ at }) => at < ready)!;
  const late = (tries.at(-1)!.at - ready) / 1000;
  assert(late <= 5 && seen.at >= listens, `delivered ${late} s after the gateway was ready`);
});

Deno.test("serveAgent() ends its life while the gateway stays away, and keeps the wakes", async () => {
  await using home = new DeliveryHome();
  const { world, clock } = simulated(home, () => DOWN);
  const started = clock.now;
  const wake = putAt(home, started);
  const result = await serveAgent("warden", world, LONG);
  assertEquals([result.delivered, result.left, result.lastError], [0, 1, "gateway down"]);
  assert(clock.now - started < 100 * MINUTE);
  const attempts = readWake(wakeFile(home.paths, wake))!.attempts!;
  assertEquals(attempts.last_error, "gateway down");
});

Deno.test("serveAgent() makes a wake a dead letter after a day of tries, with the reason", async () => {
  await using home = new DeliveryHome();
  const { world, clock } = simulated(home, () => DOWN);
  const wake = putAt(home, clock.now);
  await serveAgent("warden", world, { once: false, lifeMs: 25 * 60 * MINUTE });
  assertEquals(deadIds(home.paths, "warden"), [wake.wake_id]);
  const last = [...readJournal(home.paths, "warden-main")].at(-1)!;
  assertEquals(last.kind, "dead");
  assertStringIncludes(
    String(last.reason),
    "not delivered within a day; the last try: gateway down",
  );
  assert(clock.now - Date.parse(wake.created_at) >= DAY);
});

Deno.test("serveAgent() does not give up a fresh wake because the clock jumped ahead", async () => {
  await using home = new DeliveryHome();
  let isUp = false;
  const { world, clock } = simulated(home, () => isUp ? OK : DOWN);
  putAt(home, clock.now);
  clock.now += 400 * DAY;
  await serveAgent("warden", world, { once: true, lifeMs: MINUTE });
  assertEquals(deadIds(home.paths, "warden"), []);
  isUp = true;
  clock.now -= 800 * DAY;
  const result = await serveAgent("warden", world, LONG);
  assertEquals(result.delivered, 1);
});

Deno.test("serveAgent() lets an unknown session hold up only its own wakes", async () => {
  await using home = new DeliveryHome();
  const { world, clock, tries } = simulated(
    home,
    (wake) => wake.openclaw_session_key === "agent:gone" ? unknown(wake) : OK,
  );
  const lost = [0, 1].map((n) =>
    putAt(home, clock.now + n, { openclaw_session_key: "agent:gone" })
  );
  const fine = putAt(home, clock.now + 2);
  await serveAgent("warden", world, { once: true, lifeMs: MINUTE });
  assertEquals(tries.map(({ id }) => id), [lost[0]!.wake_id, fine.wake_id]);
  await serveAgent("warden", world, LONG);
  assertEquals(deadIds(home.paths, "warden"), lost.map((wake) => wake.wake_id));
  const reason = [...readJournal(home.paths, "warden-main")].findLast((line) =>
    line.kind === "dead"
  );
  assertStringIncludes(String(reason?.reason), "agent:gone");
});

Deno.test("serveAgent() takes a new key after the gateway spent the old one", async () => {
  await using home = new DeliveryHome();
  const keys: (string | undefined)[] = [];
  const { world, clock } = simulated(home, (wake) => {
    keys.push(wake.attempts?.key);
    return keys.length === 3
      ? OK
      : { outcome: { kind: "later", scope: "all", reason: "UNAVAILABLE", newKey: true }, why: "" };
  });
  const { wake_id } = putAt(home, clock.now);
  await serveAgent("warden", world, LONG);
  assertEquals(keys, [undefined, `${wake_id}~2`, `${wake_id}~3`]);
});

Deno.test("serveAgent() sees the wake of a deliverer that found it leaving", async () => {
  await using home = new DeliveryHome();
  let late: QueuedWake | undefined;
  const { world, tries } = simulated(home, () => OK);
  const { paths } = home;
  put(paths);
  world.carriers!.close = () => {
    if (late !== undefined) return;
    // The last look at the outbox is over, the lock still held: another deliverer is refused.
    late = aWake();
    enqueue(paths, late);
    assertEquals(holdLock(`${paths.state}/locks/deliver-warden.lock`), undefined);
  };
  const result = await serveAgent("warden", world, { once: true, lifeMs: MINUTE });
  assertEquals(result.delivered, 2);
  assertEquals(tries.at(-1)!.id, late?.wake_id);
});

Deno.test("serveAgent() leaves at once while another process delivers", async () => {
  await using home = new DeliveryHome();
  const { world, tries } = simulated(home, () => OK);
  put(home.paths);
  const lock = holdLock(`${home.paths.state}/locks/deliver-warden.lock`)!;
  assertEquals((await serveAgent("warden", world, LONG)).kind, "busy");
  assertEquals(tries, []);
  lock.release();
  assertEquals((await serveAgent("warden", world, LONG)).delivered, 1);
});

Deno.test("serveAgent() asks the registry again for a wake that failed", async () => {
  await using home = new DeliveryHome();
  const asked: string[] = [];
  const { world } = simulated(home, (wake) => {
    asked.push(wake.openclaw_session_key);
    return wake.openclaw_session_key === "agent:right" ? OK : unknown(wake);
  });
  world.targetNow = () => ({
    openclaw_session_key: "agent:right",
    openclaw_session_id: "",
    transport: "auto",
  });
  put(home.paths, { openclaw_session_key: "agent:wrong" });
  assertEquals((await serveAgent("warden", world, LONG)).delivered, 1);
  assertEquals(asked, ["agent:wrong", "agent:right"]);
  assertEquals(waitingIds(home.paths, "warden"), []);
});

Deno.test("serveAgent() waits for one that tries everything once, and stays for what has come since", async () => {
  await using home = new DeliveryHome();
  const { clock, world } = simulated(home, () => OK);
  const lock = holdLock(`${home.paths.state}/locks/deliver-warden.lock`, "once");
  putAt(home, clock.now);
  const sleep = world.sleep;
  let looks = 0;
  world.sleep = (ms) => {
    if (++looks === 3) lock!.release();
    return sleep(ms);
  };
  const result = await serveAgent("warden", world, LONG);
  assertEquals([result.kind, result.delivered, looks], ["served", 1, 3]);
});

Deno.test("serveAgent() leaves when OpenClaw wants another environment, for the timer to try", async () => {
  await using home = new DeliveryHome();
  const refused: Tried = {
    outcome: { kind: "later", scope: "all", elsewhere: true, reason: "not from an agent's shell" },
    why: "",
  };
  const { clock, tries, world } = simulated(home, () => refused);
  putAt(home, clock.now);
  const result = await serveAgent("warden", world, LONG);
  assertEquals([result.left, tries.length], [1, 1]);
});

Deno.test("serveAgent() delivers all when the clock is set back while the gateway is away", async () => {
  await using home = new DeliveryHome();
  const { clock, world } = simulated(home, () => --away > 0 ? DOWN : OK);
  let away = 8;
  const start = clock.now;
  const early = putAt(home, start);
  const sleep = world.sleep;
  world.sleep = async (ms) => {
    await sleep(ms);
    if (away === 5 && clock.now > start) {
      clock.now = start - 3 * 60 * MINUTE;
      late.push(putAt(home, clock.now));
    }
  };
  const late: QueuedWake[] = [];
  const result = await serveAgent("warden", world, LONG);
  assertEquals([late.length > 0, result.left, result.dead], [true, 0, 0]);
  assertEquals(result.delivered, late.length + 1);
  assertEquals(waitingIds(home.paths, early.agent_id), []);
});
