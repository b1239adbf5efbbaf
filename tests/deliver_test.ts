import { assertEquals, assertStringIncludes } from "@std/assert";
import { type DeliverWorld, main } from "../commands/deliver.ts";
import { isLockWanted } from "../lib/delivery/handover.ts";
import { holdLock } from "../lib/doors/held_lock.ts";
import { namesIn } from "../lib/files.ts";
import { readJournal } from "../lib/journal_read.ts";
import { claimStart, type QueuedWake, unclaimStart } from "../lib/outbox.ts";
import { claimedBy, deadIds, moveToDead, waitingIds } from "../lib/outbox_files.ts";
import { safeName } from "../lib/paths.ts";
import { DeliveryHome, put } from "./support/delivery_home.ts";
import { startFakeGateway } from "./support/fake_gateway.ts";
import { writeExecutable } from "./support/executable.ts";

/** The command in this process, with what it printed. */
async function deliver(
  home: DeliveryHome,
  args: string[],
  now = Date.now,
  sleep = () => Promise.reject<void>(new Error("slept")),
) {
  let out = "", err = "";
  const world: DeliverWorld = {
    paths: home.paths,
    env: (name) => home.env[name],
    allEnv: () => home.env,
    now,
    sleep,
    targetNow: () => undefined,
    say: (line) => out += `${line}\n`,
    warn: (line) => err += `${line}\n`,
  };
  return { code: await main(args, world), out, err };
}

const inbox = (home: DeliveryHome, more: Partial<QueuedWake> = {}) =>
  put(home.paths, { transport: "inbox", ...more });
const bury = (home: DeliveryHome, more: Partial<QueuedWake> = {}) => {
  const wake = inbox(home, more);
  moveToDead(home.paths, wake, "nobody there");
  return wake;
};

Deno.test("deliver writes one file per wake into the inbox of its agent", async () => {
  await using home = new DeliveryHome();
  const odd = inbox(home, { agent_id: "../odd agent" });
  const wake = inbox(home);
  assertEquals((await deliver(home, [])).out, "2 delivered, 0 dead letters, 0 waiting\n");
  const text = (one: QueuedWake) =>
    Deno.readTextFileSync(`${home.paths.state}/inbox/${safeName(one.agent_id)}/${one.wake_id}.txt`);
  assertEquals([text(wake), text(odd)], [wake.message, odd.message]);
  const [line] = readJournal(home.paths, "warden-main");
  assertEquals([line!.kind, line!.transport, line!.tries], ["delivered", "inbox", 1]);
});

Deno.test("deliver serves all agents, whatever else is in the outbox", async () => {
  await using home = new DeliveryHome();
  const long = "管理者エージェント管理者エージェント";
  inbox(home, { agent_id: long });
  inbox(home);
  Deno.writeTextFileSync(`${home.paths.state}/outbox/stray`, "");
  Deno.mkdirSync(`${home.paths.state}/outbox/50%`);
  assertEquals((await deliver(home, [])).out, "2 delivered, 0 dead letters, 0 waiting\n");
  assertEquals(waitingIds(home.paths, long), []);
});

Deno.test("deliver lists what it gave up because it was no wake", async () => {
  await using home = new DeliveryHome();
  const { wake_id } = inbox(home);
  Deno.writeTextFileSync(`${home.paths.state}/outbox/warden/${wake_id}.json`, "half a wa");
  const { code, err } = await deliver(home, ["--once"]);
  assertEquals(code, 1);
  assertStringIncludes(err, "is not a wake");
  assertStringIncludes((await deliver(home, ["--list"])).out, `${wake_id}.json.unreadable`);
});

Deno.test("deliver --agent leaves the wakes of others where they are", async () => {
  await using home = new DeliveryHome();
  inbox(home);
  const other = inbox(home, { agent_id: "forge" });
  assertEquals((await deliver(home, ["--agent", "warden"])).code, 0);
  assertEquals(waitingIds(home.paths, "warden"), []);
  assertEquals(waitingIds(home.paths, "forge"), [other.wake_id]);
});

Deno.test("deliver --agent refuses an id that neither registry nor outbox knows", async () => {
  await using home = new DeliveryHome();
  const wake = inbox(home);
  Deno.writeTextFileSync(home.paths.registry, '{"agents":[{"agent_id":"forge"}]}');
  const refused = await deliver(home, ["--agent", "wardne"]);
  assertEquals([refused.code, refused.out], [1, ""]);
  assertStringIncludes(refused.err, 'There is no agent "wardne" in ');
  assertEquals(waitingIds(home.paths, "warden"), [wake.wake_id]);
  assertEquals((await deliver(home, ["--agent", "forge"])).code, 0);
  // Removed from the registry, but its wake still waits.
  assertEquals((await deliver(home, ["--agent", "warden"])).code, 0);
  assertEquals(waitingIds(home.paths, "warden"), []);
});

Deno.test("deliver keeps the wake when there is no way to OpenClaw, and says what is missing", async () => {
  await using home = new DeliveryHome();
  const wake = put(home.paths);
  const { code, err } = await deliver(home, ["--once"]);
  assertEquals(code, 1);
  assertStringIncludes(err, `OpenClaw's config ${home.home}/.openclaw/openclaw.json is not there`);
  assertStringIncludes(err, "no-openclaw");
  assertEquals(waitingIds(home.paths, "warden"), [wake.wake_id]);
});

Deno.test("deliver goes by the command line where the gateway gives no right to write", async () => {
  await using home = new DeliveryHome();
  const gateway = await startFakeGateway({ scopes: false });
  try {
    home.configure({ port: gateway.port, auth: { token: "fake-token" } });
    const script = `#!/bin/sh\ncase "$3" in sessions.resolve) echo '{"ok":true,"key":"k"}';;\n` +
      `agent) rm "$GSD_PARAMS_FILE"; echo '{"status":"accepted"}';; esac\n`;
    writeExecutable(home.env.GSD_OPENCLAW!, script);
    put(home.paths);
    assertEquals((await deliver(home, ["--once"])).code, 0);
    const [line] = readJournal(home.paths, "warden-main");
    assertEquals(line!.transport, "cli");
    assertStringIncludes(String(line!.why), "missing scope");
  } finally {
    await gateway.stop();
  }
});

Deno.test("deliver makes a dead letter at once of what has no session to go to", async () => {
  await using home = new DeliveryHome();
  const wake = put(home.paths, { openclaw_session_key: "" });
  assertEquals((await deliver(home, ["--once"])).code, 1);
  assertEquals(deadIds(home.paths, "warden"), [wake.wake_id]);
});

Deno.test("deliver --list shows waiting wakes and dead letters", async () => {
  await using home = new DeliveryHome();
  assertEquals(
    (await deliver(home, ["--list"])).out,
    "No wake waits, and there are no dead letters\n",
  );
  const [dead, waiting] = [bury(home), inbox(home)];
  const { out } = await deliver(home, ["--list"]);
  assertEquals(out.split("\n").map((line) => line.split(/\s+/).slice(0, 2)), [
    ["STATE", "WAKE"],
    ["dead", dead.wake_id],
    ["waiting", waiting.wake_id],
    [""],
  ]);
  const listed = JSON.parse((await deliver(home, ["--list", "--json"])).out);
  assertEquals(listed[0].reason, "nobody there");
});

Deno.test("deliver --retry brings back one wake or all, --drop forgets them", async () => {
  await using home = new DeliveryHome();
  const [one, two, three] = [bury(home), bury(home), bury(home, { agent_id: "forge" })];
  assertEquals((await deliver(home, ["--retry", one.wake_id])).code, 0);
  assertEquals(deadIds(home.paths, "warden"), [two.wake_id]);
  assertEquals((await deliver(home, ["--drop", two.wake_id])).out, "1 dropped\n");
  assertEquals(deadIds(home.paths, "warden"), []);
  const later = () => Date.now() + 3 * 24 * 3600 * 1000;
  assertEquals((await deliver(home, ["--retry", "--all"], later)).code, 0);
  assertEquals(deadIds(home.paths, three.agent_id), []);
  assertEquals((await deliver(home, ["--drop", "--all"])).out, "There are no dead letters\n");
});

Deno.test("deliver --retry gives a wake another day", async () => {
  await using home = new DeliveryHome();
  const wake = put(home.paths, { created_at: "2026-01-01T00:00:00Z" });
  moveToDead(home.paths, { ...wake, attempts: { count: 50, next_at: "", last_error: "" } }, "down");
  assertEquals((await deliver(home, ["--retry", "--all"])).code, 1);
  assertEquals(waitingIds(home.paths, "warden"), [wake.wake_id]);
});

Deno.test("deliver says what is wrong with its arguments and exits 2", async () => {
  await using home = new DeliveryHome();
  const cases: [string[], string][] = [
    [["--bogus"], 'deliver does not take "--bogus"'],
    [["--agent"], "--agent needs an agent's id"],
    [["--agent", ""], "--agent needs an agent's id"],
    [["--retry"], "--retry needs a wake id or --all"],
    [["--drop", "X", "--all"], "--drop needs a wake id or --all"],
    [["--all"], "--all goes with --retry or --drop"],
    [["--list", "--drop", "X"], "--drop does not go with --list"],
  ];
  for (const [args, problem] of cases) {
    const { code, err } = await deliver(home, args);
    assertEquals(code, 2);
    assertStringIncludes(err, problem);
  }
  assertEquals((await deliver(home, ["--retry", "NOPE"])).code, 1);
  const help = await deliver(home, ["--help"]);
  assertEquals([help.code, help.err], [0, ""]);
  assertStringIncludes(help.out, "Examples:");
});

Deno.test("deliver writes no token anywhere", async () => {
  await using home = new DeliveryHome();
  const gateway = await startFakeGateway({ token: "s3cret-token-xyz" });
  try {
    home.configure({ port: gateway.port, auth: { token: "s3cret-token-xyz" } });
    put(home.paths);
    put(home.paths, { openclaw_session_key: "agent:nope" });
    const { code, stdout, stderr } = await home.deliver(["--once", "--json"]).done;
    assertEquals(code, 1);
    const journal = Deno.readTextFileSync(`${home.paths.state}/journal/warden-main.jsonl`);
    assertEquals((stdout + stderr + journal).includes("s3cret"), false);
  } finally {
    await gateway.stop();
  }
});

Deno.test("claimStart() lets two starts per agent through until one of them has started", async () => {
  await using home = new DeliveryHome();
  const { paths } = home;
  const locks = `${paths.state}/locks`;
  const dated = (at: Date) => {
    for (const name of namesIn(locks)) Deno.utimeSync(`${locks}/${name}`, at, at);
  };
  // Marks that are as old as the test says, however long it takes.
  const made = new Date("2026-11-16T10:00:00Z");
  const claim = (by = "7", afterMs = 0) => {
    const claimed = claimStart(paths, "warden", by, made.getTime() + afterMs);
    dated(made);
    return claimed;
  };
  assertEquals([claim(), claimStart(paths, "forge", "8")], [true, true]);
  assertEquals(claimedBy(paths, "7"), ["warden"]);
  assertEquals([claim("9"), claim("10")], [true, false], "the first may have been killed");
  assertEquals([claimedBy(paths, "9"), claimedBy(paths, "10")], [["warden"], []]);
  assertEquals([claim("7", 1999), claim("7", 2000)], [false, true], "killed on its way");
  assertEquals(claim("7", -3_600_000), true, "a clock that was set back");
  unclaimStart(paths, "warden");
  assertEquals(claim(), true, "one that could not be started");
});

Deno.test("deliver --claimed serves the agents of that hook alone, and lets others start", async () => {
  await using home = new DeliveryHome();
  inbox(home), inbox(home, { agent_id: "forge" });
  claimStart(home.paths, "warden", "7");
  claimStart(home.paths, "forge", "8");
  assertEquals(
    (await deliver(home, ["--claimed", "7"])).out,
    "1 delivered, 0 dead letters, 0 waiting\n",
  );
  assertEquals(waitingIds(home.paths, "forge").length, 1);
  assertEquals(claimStart(home.paths, "warden", "9"), true);
});

Deno.test("deliver asks the process that serves its agent to hand over, unless a hook started it", async () => {
  for (
    const [args, asks] of [[[], true], [["--once"], true], [["--claimed", "7"], false]] as const
  ) {
    await using home = new DeliveryHome();
    inbox(home);
    const lock = holdLock(`${home.paths.state}/locks/deliver-warden.lock`)!;
    let hasAsked = false;
    const sleep = () => {
      hasAsked = isLockWanted(home.paths, "warden");
      lock.release();
      return Promise.resolve();
    };
    const { out } = await deliver(home, [...args], Date.now, sleep);
    if (!hasAsked) lock.release();
    assertEquals(hasAsked, asks);
    assertStringIncludes(out, asks ? "1 delivered" : "another process is delivering to warden");
  }
});

Deno.test("deliver --claimed serves every agent with a wake when it finds no claim", async () => {
  await using home = new DeliveryHome();
  inbox(home), inbox(home, { agent_id: "forge" });
  assertEquals(
    (await deliver(home, ["--claimed", "7"])).out,
    "2 delivered, 0 dead letters, 0 waiting\n",
  );
});

Deno.test("deliver --drop and --retry are honest about a letter that is no wake", async () => {
  await using home = new DeliveryHome();
  const { wake_id } = inbox(home);
  Deno.writeTextFileSync(`${home.paths.state}/outbox/warden/${wake_id}.json`, "half a wa");
  await deliver(home, ["--once"]);
  const retried = await deliver(home, ["--retry", wake_id]);
  assertEquals(retried.code, 1);
  assertStringIncludes(retried.err, `--drop ${wake_id} removes it`);
  const { code, out } = await deliver(home, ["--drop", wake_id]);
  assertEquals([code, out], [0, "1 dropped\n"]);
  assertEquals(
    (await deliver(home, ["--list"])).out,
    "No wake waits, and there are no dead letters\n",
  );
  assertEquals([...readJournal(home.paths, "warden")].at(-1)?.reason, "dropped by hand");
});

Deno.test("deliver does not take a wake in another agent's folder for one, and says so once", async () => {
  await using home = new DeliveryHome();
  const { wake_id } = inbox(home);
  const [from, to] = ["warden", "forge"].map((id) => `${home.paths.state}/outbox/${id}`);
  Deno.renameSync(from!, to!);
  const { code, err } = await deliver(home, []);
  assertEquals(code, 1);
  assertStringIncludes(err, `The file of ${wake_id} in the outbox is not a wake`);
  assertEquals(waitingIds(home.paths, "forge"), []);
});
