/** One file of the state folder that cannot be used does not hold up the rest. */

import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { main as report } from "../../commands/report.ts";
import { main as status } from "../../commands/status.ts";
import { checkState } from "../../lib/doctor/state_check.ts";
import { driverLock } from "../../lib/driver/driver_turn.ts";
import { listHolds, readHold } from "../../lib/doors/holds.ts";
import { readStop } from "../../lib/doors/spending_stops.ts";
import { holdUsableLock } from "../../lib/doors/usable_lock.ts";
import { isThere, namesIn, writeAtomic } from "../../lib/files.ts";
import { readJournal } from "../../lib/journal_read.ts";
import { record } from "../../lib/journal.ts";
import { waitingIds } from "../../lib/outbox_files.ts";
import { ROOT } from "../../lib/paths.ts";
import { startProgram } from "../support/child_process.ts";
import { Clinic } from "../support/clinic.ts";
import { DeliveryHome, put } from "../support/delivery_home.ts";
import { ended, make, ODD } from "../support/odd_files.ts";
import { CAN_BE_NOBODY, NOBODY, otherUser } from "../support/other_user.ts";
import { statusWorld } from "../support/status_world.ts";

const HOLDS = ["paused", "taken", "paused-agents", "quiet"];
const inbox = (home: DeliveryHome, more = {}) => put(home.paths, { transport: "inbox", ...more });

function lay(home: DeliveryHome, what: string, file: string): string {
  const path = `${home.paths.state}/${file}`;
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  ODD[what]!(path);
  return path;
}

for (const what of Object.keys(ODD)) {
  Deno.test(`${what} in the place of a hold holds its own name alone`, async () => {
    await using home = new DeliveryHome();
    for (const folder of HOLDS) lay(home, what, `${folder}/other.json`);
    const wake = inbox(home);
    const held = inbox(home, { session: "other" });
    const { stderr } = await ended(home.deliver(["--once"]));
    assert(isThere(`${home.paths.state}/inbox/warden/${wake.wake_id}.txt`), stderr);
    assertEquals(waitingIds(home.paths, "warden"), [held.wake_id]);
    assertEquals(listHolds(home.paths).map(({ name }) => name), HOLDS.map(() => "other"));
    assert(readHold(home.paths, "taken", "other") !== undefined);
    assertEquals(await status([], statusWorld(home)), 0);
  });
}

Deno.test("listHolds() passes over a folder that cannot be read", async () => {
  await using home = new DeliveryHome();
  await Deno.mkdir(home.paths.state, { recursive: true });
  await Deno.writeTextFile(`${home.paths.state}/paused-agents`, "no folder");
  const wake = inbox(home);
  await ended(home.deliver(["--once"]));
  assert(isThere(`${home.paths.state}/inbox/warden/${wake.wake_id}.txt`));
});

for (const what of ["a fifo", "a folder", "a link to itself"]) {
  Deno.test(`deliver sets ${what} in the place of an agent's lock aside`, async () => {
    await using home = new DeliveryHome();
    const lock = lay(home, what, "locks/deliver-warden.lock");
    const wake = inbox(home);
    const { stderr } = await ended(home.deliver(["--once"]));
    assert(isThere(`${home.paths.state}/inbox/warden/${wake.wake_id}.txt`), stderr);
    assert(namesIn(`${home.paths.state}/locks`).includes("deliver-warden.lock.unreadable"));
    assert(Deno.lstatSync(lock).isFile);
    const said = [...readJournal(home.paths, "warden")].find(({ kind }) => kind === "problem");
    assertMatch(String(said?.reason), /^A lock that is no file was set aside/);
  });
}

Deno.test("holdUsableLock() says why a lock cannot be made", async () => {
  await using home = new DeliveryHome();
  const path = `${home.paths.state}/locks/keys-${"long".repeat(100)}`;
  await assertRejects(
    () => holdUsableLock(home.paths, path, { session: "s" }),
    Error,
    "(os error 36): stat '",
  );
});

Deno.test("readStop() counts a file that cannot be used as a stop", async () => {
  for (const what of Object.keys(ODD)) {
    await using home = new DeliveryHome();
    assertEquals(readStop(home.paths, "warden-main"), undefined);
    lay(home, what, "stopped/warden-main.json");
    assertStringIncludes(readStop(home.paths, "warden-main")?.why ?? "", "cannot be used");
  }
});

Deno.test("report leaves out what it cannot read of a session", async () => {
  await using home = new DeliveryHome();
  record(home.paths, {
    kind: "queued",
    ...{ session: "warden-main", agent_id: "warden", wake_id: "W" },
    ...{ event: "Stop", trigger: "response_complete" },
  });
  record(home.paths, {
    kind: "queued",
    ...{ session: "report", agent_id: "global_status", wake_id: "R", trigger: "report" },
  });
  lay(home, "a fifo", "sessions/warden-main.json");
  const world = statusWorld(home);
  assertEquals(await report(["--since", "1h"], world), 0, world.warned.join());
  assertStringIncludes(world.said.join(), "1 session");
});

Deno.test("checkState() names every file that cannot be used", async () => {
  await using clinic = await Clinic.create();
  const { state } = clinic.world.paths;
  const files = [
    ...HOLDS.map((folder) => `${folder}/x.json`),
    ...["budgets/x.json", "stopped/x.json", "typed/x.json", "drafts/x.json", "commands/x.json"],
    ...["queue/x/queue.json", "texts/x/W.txt"],
  ];
  for (const file of files) {
    const path = `${state}/${file}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    make("mkfifo", path);
    const { broken } = await clinic.ask(checkState);
    assertEquals(broken.length, 1, file);
    assertStringIncludes(broken[0]!, `${path} is a fifo, not a file`);
    await Deno.remove(path);
  }
});

Deno.test("spawn does not read a prompt from what is no file", async () => {
  await using home = new DeliveryHome();
  make("mkfifo", `${home.dir}/prompt.md`);
  const words = ["commands/spawn.ts", "warden", home.dir, "--system-prompt"];
  const [file, ...args] = words;
  const deno = [Deno.execPath(), "run", "-A", "--quiet", `${ROOT}/${file}`];
  const spawn = startProgram([...deno, ...args, `${home.dir}/prompt.md`], home.env, "");
  const { code, stderr } = await ended(spawn);
  assertEquals(code > 0, true);
  assertStringIncludes(stderr, "prompt.md");
});

for (const what of ["a fifo", "a folder", "a link to itself"]) {
  Deno.test(`driverLock() sets ${what} in its place aside`, async () => {
    await using home = new DeliveryHome();
    const path = lay(home, what, "locks/keys-warden-main");
    (await driverLock(home, "warden-main"))!.release();
    assert(Deno.lstatSync(path).isFile);
    assert(isThere(`${path}.unreadable`));
    const said = home.journal().find(({ kind }) => kind === "problem");
    assertMatch(String(said?.reason), /^A lock that is no file was set aside/);
  });
}

Deno.test({
  name: "a driver of the user sets a lock aside that root has left",
  ignore: !CAN_BE_NOBODY,
  async fn() {
    await using home = new DeliveryHome();
    const path = `${home.paths.state}/locks/keys-warden-main`;
    writeAtomic(path, "");
    const user = await otherUser(home);
    make("chown", "0:0", path);
    const script = `${home.dir}/lock.ts`;
    await Deno.writeTextFile(
      script,
      `import { driverLock } from "${user.root}/lib/driver/driver_turn.ts";
       const paths = { state: "${home.paths.state}" };
       console.log((await driverLock({ paths }, "warden-main"))?.isOurs());`,
    );
    const { stdout, stderr } = await user.run(script);
    assertEquals(stdout, "true\n", stderr);
    assert(isThere(`${path}.unreadable`));
  },
});

Deno.test({
  name: "a driver of the user says why a lock cannot be made in a closed folder",
  ignore: !CAN_BE_NOBODY,
  async fn() {
    await using home = new DeliveryHome();
    const locks = `${home.paths.state}/locks`;
    await Deno.mkdir(locks, { recursive: true });
    const user = await otherUser(home);
    await Deno.chmod(locks, 0o500);
    const script = `${home.dir}/lock.ts`;
    await Deno.writeTextFile(
      script,
      `import { driverLock } from "${user.root}/lib/driver/driver_turn.ts";
       const paths = { state: "${home.paths.state}" };
       await driverLock({ paths }, "warden-main").catch(({ message }) => console.log(message));`,
    );
    const { stdout, stderr } = await user.run(script);
    assertMatch(stdout, /^Permission denied .*: open '.*\/locks\/keys-warden-main'\n$/, stderr);
  },
});

Deno.test({
  name: "root changes nothing in the state folder of another user",
  ignore: Deno.uid() !== 0,
  async fn() {
    await using home = new DeliveryHome();
    inbox(home);
    make("chown", "-R", `${NOBODY}:${NOBODY}`, home.paths.state);
    const before = namesIn(home.dir);
    for (
      const words of [
        ["pause", "warden"],
        ["take", "warden-main"],
        ["menu_driver", "warden-main", "snapshot"],
        ["menu_driver", "--dry-run", "warden-main", "choose", "1"],
        ["menu_driver", "--after-turn", "warden-main", "type", "x"],
        ["send", "warden-main", "x"],
        ["report", "--send"],
        ["doctor", "--fix"],
        ["doctor", "--send-test-wake"],
      ]
    ) {
      const [name, ...args] = words;
      const deno = [Deno.execPath(), "run", "-A", "--quiet", `${ROOT}/commands/${name}.ts`];
      const { code, stderr } = await startProgram([...deno, ...args], home.env, "").done;
      assertEquals(code, 1);
      assertMatch(stderr, /^Cannot [^\n]* as root: .* belongs to user \d+\. [^\n]*\n$/);
    }
    assertEquals(namesIn(home.dir), before);
    assertEquals(namesIn(home.paths.state), ["outbox"]);
  },
});
