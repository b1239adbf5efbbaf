import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { main as status } from "../../commands/status.ts";
import { statusWorld } from "../support/status_world.ts";
import { AgentOutbox } from "../../lib/delivery/agent_outbox.ts";
import { isThere, namesIn } from "../../lib/files.ts";
import { readJournal } from "../../lib/journal_read.ts";
import { claimStart, isDelivered, wakeFile } from "../../lib/outbox.ts";
import { waitingIds } from "../../lib/outbox_files.ts";
import { checkOutbox } from "../../lib/doctor/outbox_check.ts";
import type { Finding } from "../../lib/doctor/finding.ts";
import { checkState } from "../../lib/doctor/state_check.ts";
import { newWakeId } from "../../lib/new_wake.ts";
import { Clinic, WARDEN } from "../support/clinic.ts";
import { aWake, DeliveryHome, put } from "../support/delivery_home.ts";
import { ended, make, ODD } from "../support/odd_files.ts";
import { CAN_BE_NOBODY, NOBODY, type OtherUser, otherUser } from "../support/other_user.ts";

const inbox = (home: DeliveryHome, more = {}) => put(home.paths, { transport: "inbox", ...more });

for (const [what, lay] of Object.entries(ODD)) {
  Deno.test(`deliver sets ${what} in the outbox aside and delivers the rest`, async () => {
    await using home = new DeliveryHome();
    const odd = { agent_id: "warden", wake_id: newWakeId(Date.now() - 1000) };
    const before = inbox(home, { wake_id: newWakeId(Date.now() - 2000) });
    const after = inbox(home);
    lay(wakeFile(home.paths, odd));
    const { stderr } = await ended(home.deliver(["--agent", "warden"]));
    for (const { wake_id } of [before, after]) {
      assert(isThere(`${home.paths.state}/inbox/warden/${wake_id}.txt`), stderr);
    }
    assertEquals(waitingIds(home.paths, "warden"), []);
    const aside = `${home.paths.state}/dead/warden/${odd.wake_id}.json.unreadable`;
    assert(isThere(aside), "by a rename, as it is");
    const said = [...readJournal(home.paths, "warden")].find((line) => line.kind === "dead");
    assertEquals(said?.wake_id, odd.wake_id);
    assertStringIncludes(String(said?.reason), "cannot be read");
    const dropped = await ended(home.deliver(["--drop", odd.wake_id]));
    assertEquals([dropped.code, isThere(aside)], [0, false]);
  });
}

Deno.test("deliver passes over what it can neither read nor set aside", async () => {
  await using home = new DeliveryHome();
  const odd = { agent_id: "warden", wake_id: newWakeId(Date.now() - 1000) };
  const wake = inbox(home);
  ODD["a fifo"]!(wakeFile(home.paths, odd));
  await Deno.writeTextFile(`${home.paths.state}/dead`, "a file where the folder should be");
  const { code, stdout, stderr } = await ended(home.deliver(["--once"]));
  assertEquals([code, stdout], [1, "1 delivered, 0 dead letters, 1 waiting\n"]);
  assertStringIncludes(stderr, `${odd.wake_id} in the outbox cannot be read`);
  assertStringIncludes(stderr, "it cannot be set aside");
  assert(isThere(`${home.paths.state}/inbox/warden/${wake.wake_id}.txt`));
  const said = [...readJournal(home.paths, "warden")].find((line) => line.kind === "problem");
  assertStringIncludes(String(said?.reason), "it cannot be set aside");
});

for (const what of ["a fifo", "a folder", "a link to itself"]) {
  Deno.test(`deliver serves all agents though ${what} is in the place of one's mark`, async () => {
    await using home = new DeliveryHome();
    const wakes = [inbox(home), inbox(home, { agent_id: "forge" })];
    claimStart(home.paths, "forge", "7");
    ODD[what]!(`${home.paths.state}/locks/starts-warden`);
    await ended(home.deliver(["--claimed", "7"]));
    await ended(home.deliver(["--claimed", "8"]));
    for (const { agent_id, wake_id } of wakes) {
      assert(isThere(`${home.paths.state}/inbox/${agent_id}/${wake_id}.txt`), agent_id);
    }
  });
}

Deno.test("doctor names what cannot be used in the state folder, and its fix fixes it", async () => {
  await using clinic = await Clinic.create();
  const { state } = clinic.world.paths;
  put(clinic.world.paths);
  for (const folder of ["locks", "journal", "panes"]) Deno.mkdirSync(`${state}/${folder}`);
  assertEquals((await clinic.ask(checkState)).broken, []);
  ODD["a fifo"]!(`${state}/locks/starts-warden`);
  ODD["a folder"]!(`${state}/journal/warden-main.jsonl`);
  ODD["a link to itself"]!(`${state}/outbox/warden/${newWakeId(0)}.json`);
  ODD["a file of 300 MB"]!(`${state}/panes/warden-main.txt`);
  const { findings } = await clinic.ask(checkState);
  const broken = findings.filter(({ level }) => level === "broken");
  assertEquals(broken.length, 4);
  assertStringIncludes(broken.map(({ text }) => text).join("\n"), "/starts-warden is a fifo");
  for (const { fix } of broken) await clinic.paste(fix!);
  assertEquals((await clinic.ask(checkState)).broken, []);
});

Deno.test("doctor says how many more files cannot be used", async () => {
  await using clinic = await Clinic.create();
  const { state } = clinic.world.paths;
  Deno.mkdirSync(`${state}/locks`, { recursive: true });
  for (let i = 1; i <= 5; i++) ODD["a fifo"]!(`${state}/locks/starts-${i}`);
  assertEquals((await clinic.ask(checkState)).broken.length, 5);
  ODD["a fifo"]!(`${state}/locks/starts-6`);
  ODD["a fifo"]!(`${state}/locks/starts-7`);
  const { broken } = await clinic.ask(checkState);
  assertEquals(broken.length, 6);
  assertStringIncludes(broken.at(-1)!, `2 more files in ${state} cannot be used`);
});

Deno.test("doctor sends a wake again that was set aside while it could not be read", async () => {
  await using clinic = await Clinic.create();
  clinic.registry({ agents: [{ ...WARDEN, delivery: { transport: "inbox" } }] });
  const { paths } = clinic.world;
  const wake = aWake({ transport: "inbox" });
  const aside = `${paths.state}/dead/warden/${wake.wake_id}.json.unreadable`;
  Deno.mkdirSync(`${paths.state}/dead/warden`, { recursive: true });
  Deno.writeTextFileSync(aside, JSON.stringify(wake));
  const { findings } = await clinic.ask(checkOutbox);
  await clinic.paste(findings.find(({ text }) => text.includes(aside))!.fix!);
  assert(isThere(`${paths.state}/inbox/warden/${wake.wake_id}.txt`));
});

/** What doctor says of the state folder when that user runs it. */
async function checkedBy(
  user: OtherUser,
  { dir, paths: { state } }: DeliveryHome,
): Promise<Finding[]> {
  const check = `${dir}/check.ts`;
  await Deno.writeTextFile(
    check,
    `import { checkState } from "${user.root}/lib/doctor/state_check.ts";
     console.log(JSON.stringify(checkState({ world: { paths: { state: "${state}" } } })));`,
  );
  return JSON.parse((await user.run(check)).stdout);
}

Deno.test({
  name: "deliver refuses to write into another user's state folder as root",
  ignore: Deno.uid() !== 0,
  async fn() {
    await using home = new DeliveryHome();
    const wake = inbox(home);
    make("chown", "-R", `${NOBODY}:${NOBODY}`, home.paths.state);
    const id = wake.wake_id;
    for (const args of [["--once"], [], ["--claimed", "7"], ["--retry", id], ["--drop", id]]) {
      const { code, stderr } = await home.deliver(args).done;
      assertEquals(code, 1);
      assertStringIncludes(stderr, `Cannot deliver as root: ${home.paths.state} belongs to user`);
    }
    assertEquals(waitingIds(home.paths, "warden"), [wake.wake_id]);
    assertEquals(namesIn(home.paths.state), ["outbox"]);
  },
});

Deno.test("AgentOutbox leaves a wake where it is while the disk is in trouble", async () => {
  await using home = new DeliveryHome();
  const wake = inbox(home);
  const outbox = new AgentOutbox(home.paths, "warden");
  const { readTextFileSync } = Deno;
  Deno.readTextFileSync = () => {
    throw Object.assign(new Error("Input/output error"), { code: "EIO" });
  };
  try {
    assertEquals((await outbox.read(wake.wake_id)).kind, "passed over");
  } finally {
    Deno.readTextFileSync = readTextFileSync;
  }
  assertEquals(outbox.waiting(), [], "not again in this run");
  assertEquals((await new AgentOutbox(home.paths, "warden").read(wake.wake_id)).kind, "wake");
});

Deno.test("isDelivered() is false for a wake that was set aside", async () => {
  await using home = new DeliveryHome();
  const wake = inbox(home);
  Deno.writeTextFileSync(wakeFile(home.paths, wake), "half a wa");
  assertEquals((await new AgentOutbox(home.paths, "warden").read(wake.wake_id)).kind, "set aside");
  assertEquals(isDelivered(home.paths, wake), false);
});

/** As `deliver --once` leaves it when it is run by root once in a user's home. */
Deno.test({
  name: "a user's deliverer passes over root's files, and doctor names them with the chown",
  ignore: !CAN_BE_NOBODY,
  async fn() {
    await using home = new DeliveryHome();
    const { state } = home.paths;
    const theirs = inbox(home, { agent_id: "forge" });
    const roots = inbox(home, { wake_id: newWakeId(Date.now() - 1000) });
    const own = inbox(home);
    const user = await otherUser(home);
    const deliver = `${user.root}/commands/deliver.ts`;
    make("chown", "0:0", wakeFile(home.paths, roots));
    const { stderr } = await user.run(deliver);
    assert(isThere(`${state}/inbox/warden/${own.wake_id}.txt`), stderr);
    assert(isThere(`${state}/inbox/forge/${theirs.wake_id}.txt`), stderr);
    assert(isThere(`${state}/dead/warden/${roots.wake_id}.json.unreadable`), stderr);

    const late = inbox(home);
    make("chown", "-R", `${NOBODY}:${NOBODY}`, `${state}/outbox`);
    make("chown", "0:0", `${state}/locks/deliver-warden.lock`);
    await user.run(deliver);
    assert(isThere(`${state}/inbox/warden/${late.wake_id}.txt`), "root's lock blocks nothing");
    const said = [...readJournal(home.paths, "warden")].findLast((line) => line.kind === "problem");
    assertStringIncludes(String(said?.reason), `${state}/locks/deliver-warden.lock`);
    const [finding] = await checkedBy(user, home);
    assertStringIncludes(
      finding!.text,
      `${state}/locks/deliver-warden.lock.unreadable belongs to another user`,
    );
    assertEquals(finding!.fix, `sudo chown -R ${NOBODY}:${NOBODY} ${state}`);
  },
});

for (const folder of ["dead", "inbox", "outbox", "pending"]) {
  Deno.test({
    name: `doctor names the folder ${folder} of another user, and the list shows the rest`,
    ignore: !CAN_BE_NOBODY,
    async fn() {
      await using home = new DeliveryHome();
      const { state } = home.paths;
      const wake = inbox(home);
      const user = await otherUser(home);
      assertEquals((await checkedBy(user, home)).map(({ level }) => level), ["ok"]);
      Deno.mkdirSync(`${state}/${folder}`, { recursive: true });
      Deno.chmodSync(`${state}/${folder}`, 0o700);
      make("chown", "0:0", `${state}/${folder}`);
      const findings = await checkedBy(user, home);
      assertEquals(findings.map(({ level }) => level), ["broken"]);
      assertStringIncludes(findings[0]!.text, `${state}/${folder} belongs to another user`);
      const { code, stdout, stderr } = await user.run(`${user.root}/commands/deliver.ts`, "--list");
      assertEquals([code, stdout.includes(wake.wake_id)], [0, folder !== "outbox"], stderr);
      const isListed = ["dead", "outbox"].includes(folder);
      assertEquals(stderr.includes(`'${state}/${folder}'`), isListed, stderr);
    },
  });
}

Deno.test("status shows the rest where a folder of ours cannot be looked into", async () => {
  for (const folder of ["dead", "journal"]) {
    await using home = new DeliveryHome();
    inbox(home);
    Deno.writeTextFileSync(`${home.paths.state}/${folder}`, "a file where the folder should be");
    const world = statusWorld(home);
    const code = await status([], world);
    assertEquals([code, world.warned.length], [0, 1], world.warned.join("\n"));
    assertStringIncludes(world.warned[0]!, `'${home.paths.state}/${folder}'`);
    assertStringIncludes(world.said[0]!, "warden-main");
  }
});
