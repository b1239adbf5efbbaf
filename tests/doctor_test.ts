import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { checkGateway } from "../lib/doctor/gateway_check.ts";
import { checkJournal } from "../lib/doctor/journal_check.ts";
import { checkLaunchers } from "../lib/doctor/launchers_check.ts";
import { checkOutbox } from "../lib/doctor/outbox_check.ts";
import { checkPrograms } from "../lib/doctor/programs_check.ts";
import { checkRegistryFile } from "../lib/doctor/registry_check.ts";
import { checkSpeed, speedFinding } from "../lib/doctor/speed_check.ts";
import { sendTestWakes } from "../lib/doctor/test_wake.ts";
import { checkWatch } from "../lib/doctor/watch_check.ts";
import { type HeldLock, holdLock } from "../lib/doors/held_lock.ts";
import { gatherContext } from "../lib/doctor/doctor_context.ts";
import { holdWatch } from "../lib/fleet/watch_lock.ts";
import { ensureDir } from "../lib/files.ts";
import { record } from "../lib/journal.ts";
import { writeHold } from "../lib/doors/holds.ts";
import { enqueue } from "../lib/outbox.ts";
import { moveToDead } from "../lib/outbox_files.ts";
import { aWake } from "./support/delivery_home.ts";
import { writeExecutable } from "./support/executable.ts";
import { startFakeGateway } from "./support/fake_gateway.ts";
import { Clinic, WARDEN } from "./support/clinic.ts";

Deno.test("doctor knows which programs are there and which versions were tried", async () => {
  await using clinic = await Clinic.create();
  const missing = await clinic.ask(checkPrograms);
  assertEquals(missing.broken, [
    "Cannot find claude: GSD_CLAUDE is " + clinic.env.GSD_CLAUDE +
    ", and there is no such program",
  ]);
  assertMatch(missing.notes.join(), /Cannot find openclaw.*by the gateway alone/);
  clinic.registry({ agents: [{ ...WARDEN, delivery: { transport: "inbox" } }] });
  const unneeded = await clinic.ask(checkPrograms);
  assertEquals(unneeded.notes, []);
  assertMatch(unneeded.ok.join("\n"), /There is no openclaw, and no agent needs it/);
  const { notes: folder } = await clinic.ask(checkGateway);
  assertEquals(folder, [
    `1 agent reads its wakes from an inbox folder: ${clinic.world.paths.state}/inbox/warden`,
  ]);

  clinic.program("GSD_CLAUDE", "echo '2.1.325 (Claude Code)'");
  clinic.program("GSD_OPENCLAW", "echo 'OpenClaw 2026.9.6 (abc)'");
  const there = await clinic.ask(checkPrograms);
  assertEquals([there.broken, there.notes], [[], []]);
  assertMatch(there.ok.join("\n"), /claude 2\.1\.325 .*known to work/);

  clinic.program("GSD_CLAUDE", "echo '2.2.0 (Claude Code)'");
  assertMatch((await clinic.ask(checkPrograms)).notes.join(), /claude 2\.2\.0 .*not been tried/);
  clinic.program("GSD_CLAUDE", "echo 'no licence' >&2; exit 3");
  assertMatch((await clinic.ask(checkPrograms)).broken.join(), /Cannot start .*: no licence/);
});

Deno.test("doctor finds launchers that are missing, changed or cannot be run", async () => {
  await using clinic = await Clinic.create();
  const bin = `${clinic.world.paths.data}/bin`;
  assertMatch((await clinic.ask(checkLaunchers)).broken.join("\n"), /deliver is missing/);
  await clinic.fix(checkLaunchers);
  assertMatch((await clinic.ask(checkLaunchers)).ok.join(), /start$/);

  await Deno.chmod(`${bin}/menu-driver`, 0o644);
  await Deno.writeTextFile(`${bin}/recover`, "#!/bin/sh\n");
  const spoilt = (await clinic.ask(checkLaunchers)).broken.join("\n");
  assertMatch(spoilt, /menu-driver is not executable/);
  assertMatch(spoilt, /recover is not as install.json makes it/);
  await clinic.fix(checkLaunchers);
  assertEquals((await clinic.ask(checkLaunchers)).broken, []);
});

Deno.test("doctor finds what is wrong in the registry, with the line, and who cannot be woken", async () => {
  await using clinic = await Clinic.create();
  const broken = async (registry: unknown) => {
    clinic.registry(registry);
    return (await clinic.ask(checkRegistryFile)).broken.join("\n");
  };
  await Deno.remove(clinic.env.GSD_REGISTRY!);
  assertMatch((await clinic.ask(checkRegistryFile)).broken.join(), /no registry at/);
  const asked = gatherContext(clinic.world, "zz");
  assert(asked.kind === "context");
  assertMatch(checkRegistryFile(asked.context)[0]!.text, /, and so no agent "zz": no session/);
  assertMatch(await broken('{\n "agents": [\n'), /registry\.json:\d+: not JSON/);
  assertMatch(
    await broken('{\n "agents": [\n  {\n   "agent_id": "warden",\n   "enabled": "yes"\n }]}'),
    /registry\.json:5: agents\[0\]\.enabled/,
  );
  assertMatch(
    await broken({ agents: [{ ...WARDEN, openclaw_session_key: "" }] }),
    /"warden" cannot be woken: it has neither/,
  );
  assertMatch(
    await broken({ agents: [{ ...WARDEN, tmux_session_name: "" }] }),
    /has no tmux_session_name/,
  );
  assertMatch(
    await broken({ agents: [WARDEN, { ...WARDEN, agent_id: "forge" }] }),
    /Several agents claim the session "warden-main", so none is woken: warden, forge/,
  );
  assertEquals(
    await broken({ agents: [WARDEN, { ...WARDEN, agent_id: "x", enabled: false }] }),
    "",
  );
  const { ok, notes } = await clinic.ask(checkRegistryFile);
  assertMatch(ok.join(), /is valid, 2 agents/);
  assertMatch(notes.join(), /"x" is disabled/);
  clinic.registry({ agents: [{ ...WARDEN, claude_post_launch_mode: "resum" }] });
  assertMatch(
    (await clinic.ask(checkRegistryFile)).notes.join(),
    /mode "resum", which means resume/,
  );
  const text = `{\n "hook_settings": { "bidirectional_timeout": 9 },\n "agents": []\n}`;
  clinic.registry(text);
  const { notes: slips, broken: none } = await clinic.ask(checkRegistryFile);
  assertEquals(none, []);
  assertMatch(
    slips.join(),
    /registry\.json:2: hook_settings\.bidirectional_timeout: .* did you mean bidirectional_timeout_s\?$/,
  );
  assertEquals(clinic.read(clinic.env.GSD_REGISTRY!), text);
  clinic.registry({ agents: [{ ...WARDEN, claude_post_launch_mode: "continue" }] });
  assertEquals((await clinic.ask(checkRegistryFile)).notes, []);
});

Deno.test("doctor names a gateway that is not where it was at the registration", async () => {
  await using clinic = await Clinic.create();
  const gateway = await startFakeGateway({ sessions: { "agent:warden:main": "id-1" } });
  try {
    clinic.gateway(1, "fake-token");
    await clinic.fix(checkLaunchers);
    clinic.gateway(gateway.port, "fake-token");
    const text = `was at ws://127.0.0.1:1 at the registration and is at ${gateway.url} now`;
    assertStringIncludes((await clinic.ask(checkGateway)).broken.join(), text);
    // Only register accepts it: nothing else may move where the token goes.
    await Deno.remove(`${clinic.world.paths.data}/bin/sockets`);
    await clinic.fix(checkLaunchers);
    assertStringIncludes((await clinic.ask(checkGateway)).broken.join(), text);
    clinic.registerHooks();
    assertEquals((await clinic.ask(checkGateway)).broken, []);
    clinic.env.OPENCLAW_GATEWAY_PORT = "1";
    assertStringIncludes(
      (await clinic.ask(checkGateway)).broken.join(),
      "is at ws://127.0.0.1:1 now",
    );
  } finally {
    await gateway.stop();
  }
});

Deno.test("doctor asks the gateway: there, token good, session known; and sends a test wake", async () => {
  await using clinic = await Clinic.create();
  assertMatch((await clinic.ask(checkGateway)).broken.join(), /openclaw\.json is not there/);
  clinic.program("GSD_OPENCLAW", "exit 0");
  assertMatch((await clinic.ask(checkGateway)).notes.join(), /go by .*, which is slower/);
  await Deno.remove(clinic.env.GSD_OPENCLAW!);

  const gateway = await startFakeGateway({ sessions: { "agent:other:main": "id-0" } });
  try {
    clinic.gateway(gateway.port, "wrong");
    assertMatch((await clinic.ask(checkGateway)).broken.join(), /refused us.*TOKEN/);
    clinic.gateway(gateway.port, "fake-token");
    assertMatch(
      (await clinic.ask(checkGateway)).broken.join(),
      /does not know the session key "agent:warden:main"/,
    );
    gateway.sessions.set("agent:warden:main", "id-1");
    const well = await clinic.ask(checkGateway);
    assertEquals(well.broken, []);
    assertEquals(well.ok.length, 2);

    await clinic.fix(checkLaunchers);
    assertMatch((await clinic.ask(sendTestWakes)).ok.join(), /has the test wake/);
    assertStringIncludes(gateway.taken.at(-1)!.message, "type: doctor_test");
  } finally {
    await gateway.stop();
  }
  assertMatch((await clinic.ask(checkGateway)).broken.join(), /Cannot reach the gateway/);
  assertMatch((await clinic.ask(sendTestWakes)).broken.join(), /does not have the test wake/);
});

Deno.test("doctor sends its test wake again to a gateway that has just started", async () => {
  await using clinic = await Clinic.create();
  const { data, state } = clinic.world.paths;
  ensureDir(`${data}/bin`);
  const deliver = (times: number) =>
    writeExecutable(
      `${data}/bin/deliver`,
      `#!/bin/sh
cd ${state}/outbox/warden || exit 1
echo once >>../../tries
[ "$(grep -c once ../../tries)" -lt ${times} ] || exec rm ./*.json
sed -i 's/"expects_reply"/"attempts": {"last_error": "The gateway has just started and the agent …"}, "expects_reply"/' ./*.json
`,
    );
  deliver(3);
  assertMatch((await clinic.ask(sendTestWakes)).ok.join(), /has the test wake/);
  assertEquals(Deno.readTextFileSync(`${state}/tries`), "once\n".repeat(3));
  deliver(100);
  assertMatch((await clinic.ask(sendTestWakes)).broken.join(), /The gateway has just started/);
});

Deno.test("doctor counts waiting wakes and dead letters, with their age", async () => {
  await using clinic = await Clinic.create();
  const { paths } = clinic.world;
  assertEquals((await clinic.ask(checkOutbox)).ok, [
    "No wake waits, and there are no dead letters",
  ]);
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  enqueue(paths, aWake());
  assertMatch((await clinic.ask(checkOutbox)).notes.join(), /1 waiting for agent "warden"/);
  enqueue(paths, aWake({ created_at: ago(60), transport: "inbox" }));
  assertMatch((await clinic.ask(checkOutbox)).broken.join(), /2 waiting .* oldest for 60 min/);
  await clinic.fix(checkOutbox, "start the deliverer");
  assertEquals(clinic.started, ["warden"]);
  const dead = aWake({ created_at: ago(1500) });
  enqueue(paths, dead);
  moveToDead(paths, dead, "No such session");
  assertMatch(
    (await clinic.ask(checkOutbox)).broken.join("\n"),
    /1 dead letter of agent "warden", the last .* ago: No such session/,
  );
  await Deno.chmod(paths.state, 0o755);
  assertMatch((await clinic.ask(checkOutbox)).broken.join("\n"), /Other users can read/);
  await clinic.fix(checkOutbox, "readable");
  assert(!(await clinic.ask(checkOutbox)).broken.join("\n").includes("Others can look"));
});

Deno.test("doctor lists the failures of the last day, each once with its number", async () => {
  await using clinic = await Clinic.create();
  const { paths } = clinic.world;
  assertEquals((await clinic.ask(checkJournal)).ok, ["No failure in the last day"]);
  const old = new Date(Date.now() - 3 * 86_400_000);
  record(paths, { kind: "problem", session: "warden-main", reason: "long ago" }, old);
  record(paths, { kind: "delivered", session: "warden-main" });
  assertEquals((await clinic.ask(checkJournal)).notes, []);
  for (let n = 0; n < 3; n++) {
    record(paths, { kind: "failed", session: "warden-main", reason: "no gateway" });
  }
  assertMatch(
    (await clinic.ask(checkJournal)).notes.join(),
    /3 times in the last day, last 0 s ago, in warden-main: failed: no gateway/,
  );
});

Deno.test("doctor measures a hook as registered, and judges what it costs", async () => {
  await using clinic = await Clinic.create();
  // Nothing is registered yet: what npx brought is not yet where hooks will have it.
  for (const deno of [Deno.execPath(), clinic.npxDeno()]) {
    clinic.deno = deno;
    const measured = await clinic.ask(checkSpeed);
    assertMatch(
      [...measured.ok, ...measured.notes].join(),
      /takes \d+ ms, \d+\.\d times a bare Deno/,
    );
  }
  // Then bin/hook starts no Deno.
  Deno.removeSync(clinic.world.paths.registry);
  assertEquals((await clinic.ask(checkSpeed)).findings, []);
  assertEquals(speedFinding(20, 30, "").level, "ok");
  assertEquals(speedFinding(20, 90, "").level, "note");
  assertEquals(speedFinding(20, NaN, "").level, "broken");
});

Deno.test("doctor exits 1 while something is broken and 0 when --fix and the user fixed it", async () => {
  await using clinic = await Clinic.create();
  clinic.registry({ agents: [{ ...WARDEN, delivery: { transport: "inbox" } }] });
  clinic.program("GSD_CLAUDE", "echo 2.1.325");
  clinic.registerHooks();
  const { settings } = clinic;
  const moved = clinic.read(settings).replaceAll(clinic.world.paths.data, "/old/gsd");
  await Deno.writeTextFile(settings, moved);
  assertEquals(await clinic.run(), 1);
  assertMatch(clinic.said(), /BROKEN hooks: .*a folder that is gone/);
  assertMatch(clinic.said(), /fix with: deno task .*register/);
  assertMatch(clinic.said(), /doctor --fix fixes/);

  assertEquals(await clinic.run("--fix"), 0, clinic.said());
  assertMatch(clinic.said(), /Fixing: register our hooks/);
  assertMatch(clinic.said(), /Fixing: write the launchers/);
  assertMatch(clinic.said(), /Nothing is broken; see the \d notes/);

  assertEquals(await clinic.run("warden", "--json", "--send-test-wake"), 0);
  const told = JSON.parse(clinic.said());
  assertEquals([told.ok, told.broken], [true, 0]);
  assertEquals(told.findings.at(-1).check, "test wake");
  assertEquals(await clinic.run("nobody"), 1);
  assertMatch(clinic.said(), /no agent "nobody"; its agents: warden/);
  assertEquals(await clinic.run("--bogus"), 2);
  assertEquals(await clinic.run("a", "b"), 2);
  assertEquals(await clinic.run("--help"), 0);
});

Deno.test("doctor says whether a watch runs, and how to have one", async () => {
  await using clinic = await Clinic.create();
  const { notes, findings } = await clinic.ask(checkWatch);
  assertMatch(notes.join(), /^No watch runs/);
  assertMatch(findings[0]!.fix!, /install-units$/);
  const lock = holdWatch(clinic.world.paths)!;
  assertEquals((await clinic.ask(checkWatch)).ok, ["The watch runs"]);
  lock.release();
});

Deno.test("doctor says that the watch has to be started again to run the code of now", async () => {
  await using clinic = await Clinic.create();
  const { paths } = clinic.world;
  const said = async (lock: HeldLock) => {
    const { notes, findings } = await clinic.ask(checkWatch);
    lock.release();
    assertMatch(findings[0]!.fix!, /install-units$/);
    return notes.join();
  };
  assertMatch(
    await said(holdWatch(paths, 0)!),
    /^The watch \(process \d+\) runs since 1970-01-01T00:00:00Z, and its code has changed since/,
  );
  assertMatch(await said(holdWatch({ ...paths, root: "/elsewhere" })!), /the code of \/elsewhere:/);
  assertMatch(await said(holdLock(`${paths.state}/locks/watch`, "4711")!), /an earlier version/);
  // A full disk has kept it from noting anything.
  const lock = holdLock(`${paths.state}/locks/watch`)!;
  assertEquals((await clinic.ask(checkWatch)).ok, ["The watch runs"]);
  lock.release();
});

Deno.test("checkOutbox() names what is held, and does not call held wakes late", async () => {
  await using clinic = await Clinic.create();
  const { paths } = clinic.world;
  const since = new Date(Date.now() - 3_600_000).toISOString();
  enqueue(paths, aWake({ created_at: since }));
  writeHold(paths, { kind: "agent", name: "warden", agent_id: "warden", since });
  writeHold(paths, { kind: "taken", name: "docs", agent_id: "warden", since });
  const { notes, broken, findings } = await clinic.ask(checkOutbox);
  assertEquals(broken, []);
  assertMatch(notes.join("\n"), /^The agent "warden" is paused, for .* now; wakes held: 1$/m);
  assertMatch(notes.join("\n"), /^A person has the session "docs" of agent "warden", for .*: 0$/m);
  assertMatch(findings.map(({ fix }) => fix).join(), /resume warden,.*give docs$/);
});
