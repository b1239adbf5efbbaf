import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { checkGateway } from "../lib/doctor/gateway_check.ts";
import { checkHooks } from "../lib/doctor/hooks_check.ts";
import { checkLaunchers } from "../lib/doctor/launchers_check.ts";
import { checkOutbox } from "../lib/doctor/outbox_check.ts";
import { checkRegistryFile } from "../lib/doctor/registry_check.ts";
import { sendTestWakes } from "../lib/doctor/test_wake.ts";
import type { Check, Finding } from "../lib/doctor/finding.ts";
import { deadFile, enqueue } from "../lib/outbox.ts";
import { moveToDead } from "../lib/outbox_files.ts";
import { ROOT } from "../lib/paths.ts";
import { run } from "../lib/process.ts";
import { Clinic, TASK, WARDEN } from "./support/clinic.ts";
import { aWake } from "./support/delivery_home.ts";
import { startFakeGateway } from "./support/fake_gateway.ts";
import { writeExecutable } from "./support/executable.ts";

const INBOX = { ...WARDEN, delivery: { transport: "inbox" } };

/** What is broken, fixed with the very commands that are printed. */
async function fixed(clinic: Clinic, check: Check): Promise<string[]> {
  const broken = await brokenIn(clinic, check);
  assert(broken.length > 0, "there is something to fix");
  for (const fix of new Set(broken.map(({ fix, text }) => fix ?? text))) {
    await clinic.paste(fix);
  }
  return (await brokenIn(clinic, check)).map(({ text }) => text);
}

async function brokenIn(clinic: Clinic, check: Check): Promise<Finding[]> {
  return (await clinic.ask(check)).findings.filter(({ level }) => level === "broken");
}

Deno.test("doctor's fixes put a registry where there is none, and open one that is broken", async () => {
  await using clinic = await Clinic.create();
  clinic.env.GSD_REGISTRY = `${clinic.dir}/new place/it's/registry.json`;
  assertEquals(await fixed(clinic, checkRegistryFile), []);
  const example = clinic.read(`${ROOT}/config/recovery-registry.example.json`);
  assertEquals(clinic.read(clinic.env.GSD_REGISTRY), example);

  // Without $EDITOR: vi, and a vi that fixes what it is shown.
  await Deno.mkdir(`${clinic.dir}/bin`);
  const vi = `#!/bin/sh\n[ "$1" = +2 ] && echo '{ "agents": [] }' > "$2"\n`;
  writeExecutable(`${clinic.dir}/bin/vi`, vi);
  clinic.env.PATH = `${clinic.dir}/bin:${clinic.env.PATH}`;
  clinic.registry('{\n "agents": {} }');
  assertEquals(await fixed(clinic, checkRegistryFile), []);
});

Deno.test("doctor's fixes register what is not registered, and what is, as it was", async () => {
  await using clinic = await Clinic.create();
  assertEquals(await fixed(clinic, checkHooks), []);
  assertEquals(await brokenIn(clinic, checkLaunchers), []);

  const project = `${clinic.dir}/a project/.claude/settings.json`;
  await Deno.mkdir(`${clinic.dir}/a project/.claude`, { recursive: true });
  clinic.registerHooks({ file: project, allowAll: true });
  await Deno.writeTextFile(project, clinic.read(project).replace('"timeout": 5', '"timeout": 6'));
  assertEquals(await fixed(clinic, checkHooks), []);
  assertStringIncludes(clinic.read(`${clinic.world.paths.data}/bin/hook`), "  -A \\\n");
});

Deno.test("doctor's fixes name Deno by its path where it is not on PATH", async () => {
  await using clinic = await Clinic.create();
  await clinic.withoutDeno();
  const [finding] = await brokenIn(clinic, checkHooks);
  assertEquals(finding!.fix, `${Deno.execPath()} ${TASK} register`);
  assertEquals(await fixed(clinic, checkHooks), []);
});

Deno.test("doctor's fixes deliver what waits, for an agent of any name", async () => {
  await using clinic = await Clinic.create();
  const agent_id = "it's; me";
  clinic.registry({ agents: [{ ...INBOX, agent_id }] });
  const { paths } = clinic.world;
  const created_at = new Date(Date.now() - 600_000).toISOString();
  enqueue(paths, aWake({ agent_id, transport: "inbox", created_at }));
  const dead = aWake({ agent_id, transport: "inbox" });
  enqueue(paths, dead);
  moveToDead(paths, dead, "No such session");
  await Deno.writeTextFile(`${deadFile(paths, dead)}.unreadable`, "not a wake");
  await Deno.chmod(paths.state, 0o755);
  assertEquals((await brokenIn(clinic, checkOutbox)).length, 4);
  assertEquals(await fixed(clinic, checkOutbox), []);

  // Without a launcher the test wake stays where it is, and the fix carries it.
  const [lost] = await brokenIn(clinic, sendTestWakes);
  await clinic.paste(lost!.fix!);
  assertEquals((await clinic.ask(checkOutbox)).notes, []);
});

Deno.test("checkGateway() says what to do about a session that sync would leave alone", async () => {
  await using clinic = await Clinic.create();
  const gateway = await startFakeGateway({ sessions: {} });
  try {
    clinic.gateway(gateway.port, "fake-token");
    clinic.program("GSD_OPENCLAW", "exit 0");
    const [unknown] = await brokenIn(clinic, checkGateway);
    assertMatch(unknown!.text, /Talk to the agent once if it is new; otherwise empty the field/);
    const edit = `\${EDITOR:-vi} ${clinic.env.GSD_REGISTRY}`;
    assertEquals(unknown!.fix, `${edit} && deno ${TASK} sync`);
    await Deno.remove(clinic.env.GSD_OPENCLAW!); // which sync asks
    assertEquals((await brokenIn(clinic, checkGateway))[0]!.fix, edit);
  } finally {
    await gateway.stop();
  }
  const [gone] = await brokenIn(clinic, checkGateway);
  assertMatch(gone!.text, /Cannot reach the gateway.*; run here: openclaw gateway run/);
  assertEquals(gone!.fix, undefined);
});

Deno.test("doctor without OpenClaw names no command that needs it, and says what would help", async () => {
  await using clinic = await Clinic.create();
  const fixOf = async (check: Check) => (await brokenIn(clinic, check))[0]!;
  clinic.registry({ agents: [{ ...WARDEN, openclaw_session_key: "" }] });
  const unknown = await fixOf(checkRegistryFile);
  assertMatch(unknown.text, /nor openclaw_session_id; install OpenClaw, or .*"inbox"/);
  assertEquals(unknown.fix, `\${EDITOR:-vi} ${clinic.env.GSD_REGISTRY}`);

  clinic.registry({ agents: [WARDEN] });
  const created_at = new Date(Date.now() - 600_000).toISOString();
  enqueue(clinic.world.paths, aWake({ created_at }));
  const late = await fixOf(checkOutbox);
  assertMatch(late.text, /OpenClaw, which cannot be found/);
  assertEquals([late.fix, late.autofix], [undefined, undefined]);
  const lost = await fixOf(sendTestWakes);
  assertMatch(lost.text, /install OpenClaw, or .*"inbox"/);
  assertEquals(lost.fix, undefined);

  clinic.program("GSD_OPENCLAW", "exit 0");
  for (const check of [checkOutbox, sendTestWakes]) {
    assertEquals((await fixOf(check)).fix, `deno ${TASK} deliver --agent warden --once`);
  }
  clinic.registry({ agents: [{ ...WARDEN, openclaw_session_key: "" }] });
  assertEquals((await fixOf(checkRegistryFile)).fix, `deno ${TASK} sync`);
});

Deno.test("checkRegistryFile() knows two agents for one session as the hooks do", async () => {
  await using clinic = await Clinic.create();
  const shared = async (...agents: Record<string, unknown>[]) => {
    clinic.registry({ agents });
    const { broken } = await clinic.ask(checkRegistryFile);
    return broken.filter((text) => text.startsWith("Several agents"));
  };
  const named = (agent_id: string, tmux_session_name: string) => ({
    ...WARDEN,
    agent_id,
    tmux_session_name,
  });
  assertEquals(await shared(named("a", "w.main"), named("b", "w_main")), [
    'Several agents claim the session "w_main", so none is woken: a, b',
  ]);
  assertEquals(await shared(named("a", "w"), named("b", "w-2")), []);
  assertEquals(await shared(named("a", "w"), named("a", "w")), []);
  assertEquals(await shared(named("a", "w"), { ...named("b", "w"), agent_id: 7 }), []);
});

Deno.test("doctor asked about one agent keeps silent about the others' wakes", async () => {
  await using clinic = await Clinic.create();
  clinic.registry({ agents: [INBOX] });
  enqueue(clinic.world.paths, aWake({ agent_id: "long-gone" }));
  const about = async (...args: string[]) => {
    await clinic.run("--json", ...args);
    const { findings } = JSON.parse(clinic.said());
    return findings.filter(({ text }: Finding) => text.includes("long-gone")).length;
  };
  assertEquals([await about(), await about("warden")], [1, 0]);
});

Deno.test("doctor --fix --json lists what could not be fixed", async () => {
  await using clinic = await Clinic.create();
  clinic.registry({ agents: [INBOX] });
  clinic.registerHooks();
  const text = clinic.read(clinic.settings).replaceAll(clinic.world.paths.data, "/old/gsd");
  await Deno.writeTextFile(clinic.settings, text);
  await Deno.chmod(clinic.settings, 0o444);
  assertEquals(await clinic.run("--fix", "--json"), 1);
  const told = JSON.parse(clinic.said().slice(clinic.said().indexOf("{\n")));
  assertMatch(told.fixed.join(), /^write the launchers in [^,]*$/);
  assertEquals(told.not_fixed.length, 1);
  assertMatch(told.not_fixed[0].what, /register our hooks/);
  assertMatch(told.not_fixed[0].reason, /read-only/);
});

Deno.test("doctor finishes without a folder for temporary files", async () => {
  await using clinic = await Clinic.create();
  clinic.registry({ agents: [INBOX] });
  const args = ["run", "-A", "--quiet", `${ROOT}/commands/doctor.ts`];
  const env = { ...clinic.env, TMPDIR: "/no/such/folder", NO_COLOR: "1" };
  const outcome = await run(Deno.execPath(), args, { timeoutMs: 300_000, env, cwd: ROOT });
  assert(outcome.kind === "finished");
  assertEquals([outcome.code, outcome.stderr], [1, ""]);
  assertMatch(outcome.stdout, /note {3}speed: .* not measured: .* in \/no\/such\/folder/);
  assertMatch(outcome.stdout, /things are broken/);
});
