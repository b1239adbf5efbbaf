/** What is no folder, or is closed, in the place of one of our folders. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { main as status } from "../../commands/status.ts";
import { checkOutbox } from "../../lib/doctor/outbox_check.ts";
import { checkState } from "../../lib/doctor/state_check.ts";
import { FleetWatch, type WatchWorld } from "../../lib/fleet/watch.ts";
import { isThere, namesIn } from "../../lib/files.ts";
import { moveToDead, waitingIds } from "../../lib/outbox_files.ts";
import { ROOT } from "../../lib/paths.ts";
import { startProgram } from "../support/child_process.ts";
import { Clinic } from "../support/clinic.ts";
import { aWake, DeliveryHome, put } from "../support/delivery_home.ts";
import { fixtureEvent } from "../support/fixtures.ts";
import type { TestHome } from "../support/home.ts";
import { HookWorld, WARDEN } from "../support/hook_world.ts";
import { ended, make, ODD } from "../support/odd_files.ts";
import { CAN_BE_NOBODY, otherUser } from "../support/other_user.ts";
import { recover, remember, spawned } from "../support/recovering.ts";
import { inSessionWorld } from "../support/session_world.ts";
import { statusWorld } from "../support/status_world.ts";
import { until } from "../support/until.ts";
import { watcher } from "../support/watching.ts";

const NO_FOLDER: Record<string, (path: string) => void> = {
  "a fifo": ODD["a fifo"]!,
  "a link to itself": ODD["a link to itself"]!,
  "a link that leads nowhere": (path) => Deno.symlinkSync("/nonexistent", path),
  "a file": (path) => Deno.writeTextFileSync(path, "x"),
};

for (const [what, put] of Object.entries(NO_FOLDER)) {
  Deno.test(`${what} in the place of an outbox is named, and no wake is lost`, async () => {
    const registry = { delivery: { transport: "inbox" }, agents: [WARDEN] };
    await using world = await HookWorld.create({ registry, deliver: true });
    const { state } = world.paths;
    const path = `${state}/outbox/warden`;
    await Deno.mkdir(`${state}/outbox`, { recursive: true });
    put(path);

    const deliver = startProgram(
      [Deno.execPath(), "run", "-A", "--quiet", `${ROOT}/commands/deliver.ts`, "--once"],
      world.env(),
    );
    const { code, stderr } = await ended(deliver);
    assertEquals(code, 1);
    assertStringIncludes(stderr, `${path} is not a folder`);
    const listed = statusWorld(world.home);
    await status([], listed);
    assertStringIncludes(listed.warned.join(), `${path} is not a folder`);

    await world.hook("stop.ts", { ...fixtureEvent("stop-plain"), last_assistant_message: "Done." });
    const inbox = `${state}/inbox/warden`;
    await until("the wake", () => namesIn(inbox).find((name) => name.endsWith(".txt")));
    assert(isThere(`${path}~unreadable`));
  });
}

Deno.test("enqueue() loses no wake where another hook clears its place meanwhile", async () => {
  await using home = new DeliveryHome();
  const { state } = home.paths;
  await Deno.mkdir(state, { recursive: true });
  Deno.writeTextFileSync(`${state}/outbox`, "x");
  const { lstatSync } = Deno;
  Deno.lstatSync = (path) => {
    Deno.lstatSync = lstatSync;
    put(home.paths); // the other one
    return lstatSync(path);
  };
  try {
    put(home.paths);
  } finally {
    Deno.lstatSync = lstatSync;
  }
  assertEquals(waitingIds(home.paths, "warden").length, 2);
});

function watchWorld(home: TestHome, more: Partial<WatchWorld> = {}): WatchWorld {
  return {
    ...statusWorld(home),
    recover: () => Promise.resolve(0),
    gateway: () => Promise.resolve("up"),
    startQueue() {},
    type: () => Promise.resolve(undefined),
    stopTurn: () => Promise.resolve(undefined),
    openclawAgents: () => Promise.resolve({ kind: "agents", ids: ["warden"] }),
    ...more,
  };
}

for (const folder of ["queue", "outbox", "pending", "pending/warden-main"]) {
  for (const what of ["a fifo", "a link to itself"]) {
    Deno.test(`status and the watch go on with ${what} in the place of ${folder}`, async () => {
      await using home = new DeliveryHome();
      const { state } = home.paths;
      home.writeRegistry({ agents: [WARDEN] });
      moveToDead(home.paths, aWake(), "no such session");
      const path = `${state}/${folder}`;
      await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      ODD[what]!(path);
      const world = statusWorld(home);
      const code = await status([], world);
      assertEquals([code, world.warned.length], [0, 1], world.warned.join("\n"));
      assertStringIncludes(world.warned[0]!, path);
      assertStringIncludes(world.said[0]!, "warden-main");
      await new FleetWatch(watchWorld(home)).look();
      const problems = home.journal("watch").map(({ reason }) => String(reason));
      assertStringIncludes(problems.join(), path);
    });
  }
}

for (const place of ["budgets", "budgets/anvil.json"]) {
  Deno.test(`the watch reports a loss with a link to itself in the place of ${place}`, () =>
    inSessionWorld(async (world) => {
      const lost = await spawned(world, "anvil");
      await spawned(world, "anvil", { max_usd_per_day: 5 }, "--name", "docs");
      remember(world, lost, { session: lost, agent_id: "anvil", claude_session_id: "c-1" });
      const path = `${world.paths.state}/${place}`;
      await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      ODD["a link to itself"]!(path);
      await world.killClaude(lost);
      const watch = watcher(world).start();
      await watch.look(0);
      assertEquals(await watch.look(5), [`${lost} lost`]);
      await watch.settled();
    }));
}

/** Runs `work` while a folder with this end of its path cannot be listed, as with a broken disk. */
async function unlisted<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const { readDirSync } = Deno;
  Deno.readDirSync = (path) => {
    if (String(path).endsWith(folder)) throw new Deno.errors.PermissionDenied(`no ${folder}`);
    return readDirSync(path);
  };
  try {
    return await work();
  } finally {
    Deno.readDirSync = readDirSync;
  }
}

Deno.test("the watch sends the wakes of others though an outbox cannot be listed", async () => {
  await using home = new DeliveryHome();
  home.writeRegistry({ agents: [WARDEN] });
  put(home.paths, { created_at: new Date(Date.now() - 600_000).toISOString() });
  put(home.paths, { agent_id: "anvil" });
  const started: string[] = [];
  const startDeliverer = (agentId: string) => void started.push(agentId);
  const watch = new FleetWatch(watchWorld(home, { startDeliverer }));
  await unlisted("/outbox/anvil", () => watch.look());
  assertEquals(started, ["warden"]);
});

const UNLISTED: [folder: string, served: string[]][] = [
  ["/outbox/bolt", ["anvil", "crane"]],
  ["/outbox", ["anvil"]],
];
for (const [folder, served] of UNLISTED) {
  Deno.test(`recover says what it has recovered, though ${folder} cannot be listed`, () =>
    inSessionWorld(async (world) => {
      await world.killClaude(await spawned(world, "anvil"));
      for (const agent_id of ["bolt", "crane"]) put(world.paths, { agent_id });
      const { code, outcomes } = await unlisted(folder, () => recover(world));
      assertEquals([code, outcomes, world.carried], [0, { anvil: "recovered" }, served]);
      assertEquals(world.warned, [`Cannot look for wakes that wait: no ${folder}`]);
    }));
}

Deno.test({
  name: "enqueue() opens an outbox that is closed to its owner",
  ignore: !CAN_BE_NOBODY,
  async fn() {
    for (const folder of ["outbox/warden", "outbox"]) {
      await using home = new DeliveryHome();
      const { state } = home.paths;
      put(home.paths);
      Deno.chmodSync(`${state}/${folder}`, 0);
      const user = await otherUser(home);
      const script = `${home.dir}/put.ts`;
      await Deno.writeTextFile(
        script,
        `import { enqueue } from "${user.root}/lib/outbox.ts";
         enqueue({ state: "${state}" }, ${JSON.stringify(aWake())});`,
      );
      const { stderr } = await user.run(script);
      assertEquals(waitingIds(home.paths, "warden").length, 2, stderr);
    }
  },
});

Deno.test("checkState() names what is no folder of ours, or closed, and its fix fixes it", async () => {
  await using clinic = await Clinic.create();
  const { state } = clinic.world.paths;
  const folders = [
    ...["outbox", "outbox~unreadable", "outbox/warden", "outbox/warden~unreadable", "dead/warden"],
    ...["inbox/warden", "pending/warden-main", "queue/warden-main", "roads", "managed", "watch"],
    ...["journal", "locks"],
  ];
  for (const folder of folders) {
    const path = `${state}/${folder}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    make("mkfifo", path);
    const { broken, findings } = await clinic.ask(checkState);
    assertEquals(broken, [`A folder of ours cannot be used: ${path} is not a folder`]);
    await clinic.paste(findings[0]!.fix!);
    assertEquals((await clinic.ask(checkState)).broken, []);
    await Deno.mkdir(path);
    await Deno.chmod(path, 0);
    const closed = await clinic.ask(checkState);
    assertEquals(closed.broken, [
      `A folder of ours cannot be used: ${path} is closed to its owner`,
    ]);
    await clinic.paste(closed.findings[0]!.fix!);
    assertEquals((await clinic.ask(checkState)).broken, []);
  }
  for (const file of ["roads/x.json", "watch/memory.json", "managed/tmp/x,1,0/%1"]) {
    const path = `${state}/${file}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    make("mkfifo", path);
    assertStringIncludes((await clinic.ask(checkState)).broken.join(), `${path} is a fifo`);
    await Deno.remove(path);
  }
});

Deno.test("checkOutbox() does not say that no wake waits where it cannot look", async () => {
  await using clinic = await Clinic.create();
  const { state } = clinic.world.paths;
  await Deno.mkdir(`${state}/outbox`, { recursive: true, mode: 0o700 });
  await Deno.chmod(state, 0o700);
  assertEquals((await clinic.ask(checkOutbox)).ok.length, 1);
  make("mkfifo", `${state}/outbox/warden`);
  const { ok, notes } = await clinic.ask(checkOutbox);
  assertEquals(ok, []);
  assertStringIncludes(notes.join(), `${state}/outbox/warden is not a folder`);
});
