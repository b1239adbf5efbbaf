import { assert, assertEquals } from "@std/assert";
import { MINUTE } from "../../lib/delivery/delivery.ts";
import { removeOldFiles } from "../../lib/delivery/housekeeping.ts";
import { recoverLost } from "../../lib/delivery/lost_wakes.ts";
import { serveAgent } from "../../lib/delivery/serve_agent.ts";
import { isThere, namesIn } from "../../lib/files.ts";
import { record } from "../../lib/journal.ts";
import { enqueue, outboxDir, type QueuedWake, wakeFile } from "../../lib/outbox.ts";
import { moveToDead, saveAttempts, waitingIds } from "../../lib/outbox_files.ts";
import { aWake, DeliveryHome, put } from "../support/delivery_home.ts";
import { OK, queueWorld } from "../support/queue_world.ts";
import { SimClock } from "../support/sim_clock.ts";

/** Every call that decides what is left after a power cut, in its order. */
function traced(work: () => void): string[] {
  const calls: string[] = [];
  const names = new Map<Deno.FsFile, string>();
  const { openSync, renameSync } = Deno;
  const { syncSync, syncDataSync } = Deno.FsFile.prototype;
  const short = (path: string | URL) =>
    String(path).replace(/^.*\/state/, "").replace(/\d+-\d+/, "N");
  Deno.openSync = (path, options) => {
    const file = openSync(path, options);
    names.set(file, short(path));
    return file;
  };
  Deno.renameSync = (from, to) => {
    renameSync(from, to);
    calls.push(`rename to ${short(to)}`);
  };
  const noted = (sync: () => void) =>
    function (this: Deno.FsFile) {
      sync.call(this);
      calls.push(`sync ${names.get(this) || "the state folder"}`);
    };
  Deno.FsFile.prototype.syncSync = noted(syncSync);
  Deno.FsFile.prototype.syncDataSync = noted(syncDataSync);
  try {
    work();
  } finally {
    Object.assign(Deno, { openSync, renameSync });
    Object.assign(Deno.FsFile.prototype, { syncSync, syncDataSync });
  }
  return calls;
}

Deno.test("enqueue() syncs the file, then its name, and the folders that it has made", async () => {
  await using home = new DeliveryHome();
  Deno.mkdirSync(home.paths.state);
  const [first, second] = [aWake(), aWake()];
  const file = (wake: QueuedWake) => `/outbox/warden/${wake.wake_id}.json`;
  assertEquals(traced(() => enqueue(home.paths, first)), [
    "sync /outbox",
    "sync the state folder",
    `sync ${file(first)}.N.tmp`,
    `rename to ${file(first)}`,
    "sync /outbox/warden",
  ]);
  assertEquals(traced(() => enqueue(home.paths, second)), [
    `sync ${file(second)}.N.tmp`,
    `rename to ${file(second)}`,
    "sync /outbox/warden",
  ]);
  const dead = traced(() => moveToDead(home.paths, first, "nobody there"));
  assertEquals(dead.at(-1), "sync /dead/warden", "before the wake leaves the outbox");
});

const NOW = Date.now();

/** What a power cut leaves of a wake whose rename was not on the disk yet. */
function lose(home: DeliveryHome, more: Partial<QueuedWake> = {}): QueuedWake {
  const wake = aWake({ transport: "inbox", ...more });
  enqueue(home.paths, wake);
  Deno.renameSync(wakeFile(home.paths, wake), wakeFile(home.paths, wake) + ".7-0.tmp");
  return wake;
}

const temporary = (home: DeliveryHome) =>
  namesIn(outboxDir(home.paths, "warden")).filter((name) => name.endsWith(".tmp"));

for (const args of [[], ["--agent", "warden"], ["--claimed", "7"]]) {
  Deno.test(`deliver ${args.join(" ")} delivers a wake that a power cut left as .tmp`, async () => {
    await using home = new DeliveryHome();
    const wake = lose(home);
    assertEquals((await home.deliver(args).done).code, 0);
    assert(isThere(`${home.paths.state}/inbox/warden/${wake.wake_id}.txt`));
    assertEquals(temporary(home), []);
  });
}

Deno.test("recoverLost() leaves a file alone that is being written, or is not whole", async () => {
  await using home = new DeliveryHome();
  const wake = aWake();
  const rename = Deno.renameSync;
  const looked: string[][] = [];
  const looking: Promise<void>[] = [];
  Deno.renameSync = (from, to) => {
    // Whole, and its writer is about to name it. It looks at the file before it first waits.
    looking.push(recoverLost(home.paths, "warden", NOW));
    looked.push(waitingIds(home.paths, "warden"));
    rename(from, to);
  };
  try {
    enqueue(home.paths, wake);
  } finally {
    Deno.renameSync = rename;
  }
  await Promise.all(looking);
  assertEquals([looked, waitingIds(home.paths, "warden")], [[[]], [wake.wake_id]]);
  const half = lose(home);
  const path = `${wakeFile(home.paths, half)}.7-0.tmp`;
  const text = Deno.readTextFileSync(path);
  for (const cut of ["", text.slice(0, -5)]) {
    Deno.writeTextFileSync(path, cut);
    await recoverLost(home.paths, "warden", NOW);
    assertEquals([waitingIds(home.paths, "warden"), temporary(home).length], [[wake.wake_id], 1]);
  }
});

Deno.test("serveAgent() sends what a killed hook left before what came later", async () => {
  await using home = new DeliveryHome();
  const clock = new SimClock();
  const sent: string[] = [];
  let left: QueuedWake | undefined, later: QueuedWake | undefined;
  const world = queueWorld(home, clock, (wake) => {
    // Both come while the deliverer is at work.
    left ??= lose(home, { created_at: "2026-11-16T10:00:01Z" });
    later ??= put(home.paths, { created_at: "2026-11-16T10:00:02Z" });
    sent.push(wake.wake_id);
    return OK;
  });
  const first = put(home.paths, { created_at: "2026-11-16T10:00:00Z" });
  await serveAgent("warden", world, { once: false, lifeMs: MINUTE });
  assertEquals(sent, [first, left!, later!].map((wake) => wake.wake_id));
});

Deno.test("recoverLost() brings no wake back that waits, is a dead letter or was delivered", async () => {
  await using home = new DeliveryHome();
  const waiting = lose(home);
  enqueue(home.paths, waiting);
  const dead = lose(home);
  moveToDead(home.paths, dead, "nobody there");
  const delivered = lose(home);
  const { session, wake_id } = delivered;
  record(home.paths, { kind: "delivered", session, wake_id });
  await recoverLost(home.paths, "warden", NOW);
  assertEquals(waitingIds(home.paths, "warden"), [waiting.wake_id]);
  assertEquals(temporary(home), []);
});

Deno.test("recoverLost() takes what was left of a try's note for no wake", async () => {
  await using home = new DeliveryHome();
  const wake = aWake();
  enqueue(home.paths, wake);
  const note = /^sync (.*)\.N(\..*)$/.exec(traced(() => saveAttempts(home.paths, wake))[0]!)!;
  Deno.renameSync(wakeFile(home.paths, wake), `${home.paths.state}${note[1]}.7-0${note[2]}`);
  assertEquals(temporary(home).length, 1);
  await recoverLost(home.paths, "warden", NOW);
  assertEquals(waitingIds(home.paths, "warden"), [], "its wake may have been delivered since");
});

Deno.test("removeOldFiles() keeps a whole wake that is a .tmp, and removes half ones", async () => {
  await using home = new DeliveryHome();
  const whole = lose(home);
  const half = lose(home);
  const path = `${wakeFile(home.paths, half)}.7-0.tmp`;
  Deno.writeTextFileSync(path, "{");
  Deno.utimeSync(path, new Date(0), new Date(0));
  await removeOldFiles(home.paths, NOW);
  assertEquals(namesIn(outboxDir(home.paths, "warden")), [`${whole.wake_id}.json`]);
});
