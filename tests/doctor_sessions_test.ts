import { assert, assertEquals, assertMatch } from "@std/assert";
import { checkSessions } from "../lib/doctor/sessions_check.ts";
import { writeAtomic } from "../lib/files.ts";
import { ROOT } from "../lib/paths.ts";
import { run } from "../lib/process.ts";
import { memoryFile } from "../lib/session_memory.ts";
import { writeLaunch } from "../lib/sessions/launch_files.ts";
import { Clinic, TASK, WARDEN } from "./support/clinic.ts";
import { launchOf } from "./support/recovering.ts";
import { until } from "./support/until.ts";

const BY_CLI = { ...WARDEN, delivery: { transport: "cli" } };
const MARK = ["set-environment", "-g", "OPENCLAW_SHELL", "exec"];

/** Starts a stand-in for Claude Code, and waits until the shell has become it. */
async function claudeIn({ server }: Clinic, session: string): Promise<void> {
  const pane = await server.session(session, "exec bash -c 'exec -a claude sleep 1000'");
  const current = ["display-message", "-p", "-t", pane, "#{pane_current_command}"];
  await until("the stand-in", async () => await server.tmux(...current) === "claude");
}

Deno.test("checkSessions() says when a session cannot be brought back for want of its folder", async () => {
  await using clinic = await Clinic.create();
  clinic.registry({ agents: [{ ...WARDEN, working_directory: "/no/such/folder" }] });
  const { findings } = await clinic.ask(checkSessions);
  assertMatch(findings[0]!.text, /working_directory \/no\/such\/folder is not a folder/);
  assertEquals(findings[0]!.fix, undefined);
});

Deno.test("checkSessions() counts to an agent the sessions that hooks count to it", async () => {
  await using clinic = await Clinic.create();
  const running = async (...agents: unknown[]) => {
    clinic.registry({ agents });
    const { ok, notes } = await clinic.ask(checkSessions);
    return [...ok, ...notes];
  };
  assertMatch((await running(WARDEN)).join(), /"warden-main" .* does not run/);
  for (const name of ["warden-main-2", "warden-main-x", "w_main", "w", "w-2"]) {
    await claudeIn(clinic, name);
  }
  const runs = (session: string, agent: string) =>
    `The session "${session}" of agent "${agent}" runs`;
  assertEquals(await running(WARDEN), [runs("warden-main-2", "warden")]);
  assertEquals(await running({ ...WARDEN, tmux_session_name: "w.main" }), [
    runs("w_main", "warden"),
  ]);
  const two = ["w", "w-2"].map((name) => ({ agent_id: name, tmux_session_name: name }));
  assertEquals(await running(...two), [runs("w", "w"), runs("w-2", "w-2")]);
});

Deno.test("checkSessions() finds the mark of an agent's shell in what runs, and kills nothing", async () => {
  await using clinic = await Clinic.create();
  clinic.registry({ agents: [BY_CLI] });
  await clinic.server.session("other");
  await clinic.server.tmux(...MARK);
  await clinic.server.session("warden-main");
  const { findings, broken } = await clinic.ask(checkSessions);
  assertMatch(broken.join("\n"), /"warden-main" carries OPENCLAW_SHELL=exec/);
  assertMatch(broken.join("\n"), /until it is started again/);
  assert(findings.every(({ fix }) => !fix?.includes("kill")));

  const fixes = findings.flatMap(({ fix }) => fix ?? []);
  assertEquals(fixes, [`${clinic.env.GSD_TMUX} set-environment -gu OPENCLAW_SHELL`]);
  const outcome = await run("/bin/sh", ["-c", fixes[0]!], { env: clinic.env, timeoutMs: 300_000 });
  assertEquals(outcome.kind === "finished" && outcome.code, 0);
  const after = await clinic.ask(checkSessions);
  assertMatch(after.broken.join("\n"), /"warden-main" carries OPENCLAW_SHELL=exec/);
  assertEquals(after.findings.flatMap(({ fix }) => fix ?? []), []);

  await clinic.server.tmux("kill-session", "-t", "=warden-main");
  await clinic.server.session("warden-main");
  assertEquals((await clinic.ask(checkSessions)).broken, []);
});

Deno.test("checkSessions() leaves a session without the mark alone, and warns of the next one", async () => {
  await using clinic = await Clinic.create();
  clinic.registry({ agents: [BY_CLI] });
  await claudeIn(clinic, "warden-main");
  await clinic.server.tmux(...MARK);
  const { ok, broken } = await clinic.ask(checkSessions);
  assertEquals(ok, ['The session "warden-main" of agent "warden" runs']);
  assertMatch(broken.join("\n"), /tmux server hands OPENCLAW_SHELL=exec to every new session/);
});

Deno.test("checkSessions() offers no fix for a mark that does no harm", async () => {
  await using clinic = await Clinic.create();
  clinic.registry({ agents: [{ ...WARDEN, delivery: { transport: "gateway" } }] });
  await clinic.server.session("other");
  await clinic.server.tmux(...MARK);
  await clinic.server.session("warden-main");
  const { findings, broken, notes } = await clinic.ask(checkSessions);
  assertEquals(broken, []);
  assertMatch(notes.join("\n"), /carries OPENCLAW_SHELL=exec/);
  assertMatch(notes.join("\n"), /^In "warden-main" .* no Claude Code runs, but another program$/m);
  assertEquals(findings.flatMap(({ fix }) => fix ?? []), []);
});

Deno.test("checkSessions() offers recovery only where it can succeed", async () => {
  await using clinic = await Clinic.create();
  await clinic.server.session("other");
  await clinic.server.tmux(...MARK);
  const { findings } = await clinic.ask(checkSessions);
  const fix = findings.find(({ text }) => text.includes("does not run"))?.fix;
  assertEquals(
    fix,
    `${clinic.env.GSD_TMUX} set-environment -gu OPENCLAW_SHELL && ` +
      `deno ${TASK} recover --agent warden`,
  );
});

const SHELL = "exec bash -i";

/** Until its start-up files are through, a shell runs other programs. */
async function promptIn(clinic: Clinic, pane: string): Promise<void> {
  const shown = () => clinic.server.tmux("capture-pane", "-p", "-t", pane);
  await until("the prompt", async () => /[$#] ?$/.test((await shown()).trimEnd()));
}

const WITHOUT: [name: string, command: string, found: string][] = [
  ["a shell", SHELL, "no Claude Code runs, only a shell"],
  ["another program", "cat", "no Claude Code runs, but another program"],
  ["a dead pane", "", "no Claude Code runs: all that ran there has ended"],
];
for (const [name, command, found] of WITHOUT) {
  Deno.test(`checkSessions() names a session with ${name}, and its fix helps`, async () => {
    await using clinic = await Clinic.create();
    // Without a key no agent is woken: no deliverer works in a folder that is removed.
    const mute = { ...WARDEN, openclaw_session_key: "" };
    clinic.registry({ agents: [{ ...mute, working_directory: clinic.dir }] });
    clinic.program("GSD_CLAUDE", `cat '${ROOT}/tests/fixtures/panes/01-idle-fresh.txt'; cat`);
    const pane = await clinic.server.session("warden-main", command || "cat");
    if (command === "") {
      await clinic.server.tmux("set-option", "-g", "remain-on-exit", "on");
      await clinic.server.tmux("respawn-pane", "-k", "-t", pane, "true");
      const isDead = () => clinic.server.tmux("display-message", "-pt", pane, "#{pane_dead}");
      await until("the pane to be dead", async () => await isDead() === "1");
    }
    if (command === SHELL) await promptIn(clinic, pane);
    const [finding, ...more] = (await clinic.ask(checkSessions)).findings;
    assertEquals(more, []);
    const fix = `deno ${TASK} recover --agent warden`;
    const text = `In "warden-main" of agent "warden" ${found}`;
    assertEquals(finding, { level: "note", text, fix });

    await clinic.paste(fix);
    const after = await clinic.ask(checkSessions);
    const session = name === "another program" ? "warden-main-2" : "warden-main";
    assertEquals(after.ok, [`The session "${session}" of agent "warden" runs`]);
    assertEquals(after.findings.flatMap((one) => one.fix ?? []), []);
  });
}

Deno.test("checkSessions() offers no recovery that would do nothing or fail", async () => {
  await using clinic = await Clinic.create();
  clinic.registry({ agents: [{ ...WARDEN, working_directory: clinic.dir }] });
  await promptIn(clinic, await clinic.server.session("warden-main", SHELL));
  const { findings, broken } = await clinic.ask(checkSessions);
  assertEquals([broken, findings[0]!.fix], [[], undefined]);
  assertMatch(findings[0]!.text, /only a shell, and it cannot be started again: the program /);

  clinic.program("GSD_CLAUDE", "cat");
  assertEquals((await clinic.ask(checkSessions)).findings[0]!.fix?.includes("recover"), true);
  await claudeIn(clinic, "warden-main-2");
  const beside = await clinic.ask(checkSessions);
  assertEquals(beside.notes, [
    'In "warden-main" of agent "warden" no Claude Code runs, only a shell',
  ]);
  assertEquals(beside.findings.flatMap(({ fix }) => fix ?? []), []);
});

Deno.test("checkSessions() offers recovery of a launch beside a session that lives, whatever took its place", async () => {
  for (const command of ["cat", SHELL]) {
    await using clinic = await Clinic.create();
    clinic.registry({ agents: [{ ...WARDEN, working_directory: clinic.dir }] });
    clinic.program("GSD_CLAUDE", "cat");
    const pane = await clinic.server.session("warden-main", command);
    if (command === SHELL) await promptIn(clinic, pane);
    await claudeIn(clinic, "warden-main-2");
    writeLaunch(clinic.world.paths, {
      session: "warden-main",
      agent_id: "warden",
      working_directory: clinic.dir,
      command: "claude",
      settings_file: "",
      prompt_file: "",
      system_prompt: "",
      env: {},
      claude_session_id: "",
      started_at: new Date().toISOString(),
    });
    const { findings } = await clinic.ask(checkSessions);
    const fixes = findings.flatMap(({ fix }) => fix ?? []);
    assertEquals(fixes, [`deno ${TASK} recover --agent warden`], command);
  }
});

Deno.test("checkSessions() knows a session by its record, and one that was stopped", async () => {
  await using clinic = await Clinic.create();
  clinic.registry({ agents: [WARDEN] });
  const launch = launchOf({ session: "docs", agent_id: "warden" });
  const { paths } = clinic.world;
  writeLaunch(paths, launch);
  await claudeIn(clinic, "docs");
  assertEquals((await clinic.ask(checkSessions)).ok, [
    'The session "docs" of agent "warden" runs',
  ]);
  writeLaunch(paths, { ...launch, stopped_at: "2026-01-01T00:00:00.000Z" });
  await clinic.server.tmux("kill-session", "-t", "=docs");
  const { notes } = await clinic.ask(checkSessions);
  assertMatch(
    notes.join(),
    /"docs" of agent "warden" was stopped; .* recover docs brings it back$/,
  );
});

Deno.test("checkSessions() calls no session stopped that was started by hand since", async () => {
  await using clinic = await Clinic.create();
  clinic.registry({ agents: [WARDEN] });
  const { paths } = clinic.world;
  const stopped_at = "2026-01-02T00:00:00.000Z";
  writeLaunch(paths, launchOf({ session: "docs", agent_id: "warden", stopped_at }));
  const updated_at = "2026-01-03T00:00:00.000Z";
  const memory = { agent_id: "warden", ended: "other", ended_at: updated_at, updated_at, said: [] };
  writeAtomic(memoryFile(paths, "docs"), JSON.stringify(memory));
  assertMatch((await clinic.ask(checkSessions)).notes.join(), /"warden-main" .* does not run$/);
  await clinic.server.session("docs", "cat");
  const { notes } = await clinic.ask(checkSessions);
  assertMatch(
    notes.join(),
    /^In "docs" of agent "warden" no Claude Code runs, but another program/,
  );
});
