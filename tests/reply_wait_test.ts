import { assertEquals, assertMatch } from "@std/assert";
import { MINUTE } from "../lib/delivery/delivery.ts";
import { saveReply } from "../lib/delivery/reply_files.ts";
import { serveAgent } from "../lib/delivery/serve_agent.ts";
import { writeHold } from "../lib/doors/holds.ts";
import { isThere } from "../lib/files.ts";
import { replyFile } from "../lib/outbox_files.ts";
import { awaitedIds, endReplyWait, holdReplyWait, isAwaited } from "../lib/reply_wait.ts";
import { aWake, DeliveryHome, put } from "./support/delivery_home.ts";
import { DOWN, OK, queueWorld } from "./support/queue_world.ts";
import { SimClock } from "./support/sim_clock.ts";
import { until } from "./support/until.ts";

const EXPECTS = { expects_reply: true };

/** A hook as a process of its own: it holds the wait until it is killed. */
async function waitingHook(home: DeliveryHome, wakeId: string): Promise<Deno.ChildProcess> {
  const module = new URL("../lib/reply_wait.ts", import.meta.url).href;
  const code = `import { holdReplyWait } from "${module}";
    holdReplyWait({ state: "${home.paths.state}" }, "${wakeId}");
    await new Promise((r) => setTimeout(r, 600_000));`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--quiet", code],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  await until("the hook to wait", () => isAwaited(home.paths, wakeId));
  return child;
}

Deno.test("isAwaited() is true while the hook waits, and false once it has left or was killed", async () => {
  await using home = new DeliveryHome();
  const { paths } = home;
  const { wake_id } = aWake();
  assertEquals(isAwaited(paths, wake_id), false);
  holdReplyWait(paths, wake_id);
  assertEquals([isAwaited(paths, wake_id), awaitedIds(paths)], [true, [wake_id]]);
  endReplyWait(paths, wake_id);
  assertEquals([isAwaited(paths, wake_id), awaitedIds(paths)], [false, []]);
  const other = aWake().wake_id;
  const hook = await waitingHook(home, other);
  hook.kill("SIGKILL");
  await hook.status;
  assertEquals([isAwaited(paths, other), awaitedIds(paths)], [false, []]);
});

Deno.test("saveReply() stops waiting when the hook has left", async () => {
  await using home = new DeliveryHome();
  const wake = aWake(EXPECTS);
  holdReplyWait(home.paths, wake.wake_id);
  const never = Promise.withResolvers<never>();
  const saving = saveReply(home.paths, wake, never.promise);
  endReplyWait(home.paths, wake.wake_id);
  await saving;
  assertEquals(isThere(replyFile(home.paths, wake.wake_id)), false);
});

Deno.test("serveAgent() lets a waiting hook go when its wake cannot be delivered now", async () => {
  await using home = new DeliveryHome();
  const clock = new SimClock();
  const started = clock.now;
  // Behind another one, so that it is never tried itself.
  const created_at = new Date(started).toISOString();
  put(home.paths, { created_at });
  const { wake_id } = put(home.paths, { ...EXPECTS, created_at });
  holdReplyWait(home.paths, wake_id);
  try {
    const serving = serveAgent("warden", queueWorld(home, clock, () => DOWN), {
      once: false,
      lifeMs: MINUTE,
    });
    await clock.run(started + 1000);
    const reply = JSON.parse(Deno.readTextFileSync(replyFile(home.paths, wake_id)));
    assertEquals(reply.status, "failed");
    assertEquals(reply.reason, "the wake was not delivered: gateway down");
    await clock.run(started + 2 * MINUTE, serving);
    await serving;
  } finally {
    endReplyWait(home.paths, wake_id);
  }
});

Deno.test("serveAgent() lets the hook of a held wake go, though it tries others meanwhile", async () => {
  await using home = new DeliveryHome();
  const clock = new SimClock();
  const started = clock.now;
  const created_at = new Date(started).toISOString();
  const since = created_at;
  writeHold(home.paths, { kind: "session", name: "held", agent_id: "warden", since });
  put(home.paths, { created_at });
  const { wake_id } = put(home.paths, { ...EXPECTS, created_at, session: "held" });
  holdReplyWait(home.paths, wake_id);
  try {
    const options = { once: false, lifeMs: MINUTE };
    const serving = serveAgent("warden", queueWorld(home, clock, () => DOWN), options);
    await clock.run(started + 1000);
    const reply = JSON.parse(Deno.readTextFileSync(replyFile(home.paths, wake_id)));
    assertMatch(reply.reason, /held by a pause/);
    await clock.run(started + 2 * MINUTE, serving);
    await serving;
  } finally {
    endReplyWait(home.paths, wake_id);
  }
});

Deno.test("serveAgent() lets the hook of a held wake go in a long pause between tries", async () => {
  await using home = new DeliveryHome();
  const clock = new SimClock();
  const since = new Date(clock.now).toISOString();
  writeHold(home.paths, { kind: "session", name: "held", agent_id: "warden", since });
  put(home.paths, { created_at: since });
  const options = { once: false, lifeMs: 20 * MINUTE };
  const serving = serveAgent("warden", queueWorld(home, clock, () => DOWN), options);
  await clock.run(clock.now + 12 * MINUTE);
  const created_at = new Date(clock.now).toISOString();
  const { wake_id } = put(home.paths, { ...EXPECTS, created_at, session: "held" });
  holdReplyWait(home.paths, wake_id);
  try {
    await clock.run(clock.now + 2000);
    const reply = JSON.parse(Deno.readTextFileSync(replyFile(home.paths, wake_id)));
    assertMatch(reply.reason, /held by a pause/);
    endReplyWait(home.paths, wake_id);
    await clock.run(clock.now + 20 * MINUTE, serving);
    await serving;
  } finally {
    endReplyWait(home.paths, wake_id);
  }
});

Deno.test("serveAgent() lets a waiting hook go after one try that took long", async () => {
  await using home = new DeliveryHome();
  const clock = new SimClock();
  const started = clock.now;
  const { wake_id } = put(home.paths, {
    ...EXPECTS,
    created_at: new Date(started).toISOString(),
  });
  holdReplyWait(home.paths, wake_id);
  let tries = 0;
  const world = queueWorld(home, clock, () => {
    tries++;
    clock.now += 3000;
    return DOWN;
  });
  try {
    const serving = serveAgent("warden", world, { once: false, lifeMs: MINUTE });
    await clock.run(started + 3000);
    const reply = JSON.parse(Deno.readTextFileSync(replyFile(home.paths, wake_id)));
    assertEquals([tries, reply.reason], [1, "the wake was not delivered: gateway down"]);
    await clock.run(started + 2 * MINUTE, serving);
    await serving;
  } finally {
    endReplyWait(home.paths, wake_id);
  }
});

Deno.test("serveAgent() lets the hook of a dead letter go", async () => {
  await using home = new DeliveryHome();
  const clock = new SimClock();
  const created_at = new Date(clock.now).toISOString();
  const { wake_id } = put(home.paths, { ...EXPECTS, created_at });
  holdReplyWait(home.paths, wake_id);
  const refused = { outcome: { kind: "never" as const, reason: "invalid" }, why: "" };
  try {
    const options = { once: false, lifeMs: MINUTE };
    const serving = serveAgent("warden", queueWorld(home, clock, () => refused), options);
    await clock.run(clock.now + MINUTE, serving);
    assertEquals((await serving).dead, 1);
    const reply = JSON.parse(Deno.readTextFileSync(replyFile(home.paths, wake_id)));
    assertMatch(reply.reason, /^the wake was not delivered: .*invalid/);
  } finally {
    endReplyWait(home.paths, wake_id);
  }
});

Deno.test("serveAgent() tries at once, from its sleep, what a hook waits for", async () => {
  await using home = new DeliveryHome();
  const clock = new SimClock();
  let isUp = false;
  const sent: number[] = [];
  const world = queueWorld(home, clock, () => {
    if (isUp) sent.push(clock.now);
    return isUp ? OK : DOWN;
  });
  put(home.paths, { created_at: new Date(clock.now).toISOString() });
  const serving = serveAgent("warden", world, { once: false, lifeMs: 90 * MINUTE });
  await clock.run(clock.now + 4 * MINUTE);
  isUp = true;
  const { wake_id } = put(home.paths, {
    ...EXPECTS,
    created_at: new Date(clock.now).toISOString(),
  });
  holdReplyWait(home.paths, wake_id);
  const asked = clock.now;
  try {
    await clock.run(asked + 10 * MINUTE, serving);
    assertEquals(sent.map((at) => at - asked <= 1000), [true, true]);
  } finally {
    endReplyWait(home.paths, wake_id);
  }
});
