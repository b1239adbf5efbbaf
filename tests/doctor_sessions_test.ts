import { assert, assertEquals, assertMatch } from "@std/assert";
import { checkSessions } from "../lib/install/checks/sessions_check.ts";
import { run } from "../lib/process.ts";
import { Clinic, TASK, WARDEN } from "./support/clinic.ts";

const BY_CLI = { ...WARDEN, delivery: { transport: "cli" } };
const MARK = ["set-environment", "-g", "OPENCLAW_SHELL", "exec"];

Deno.test("checkSessions() says when a session cannot be brought back for want of its folder", async () => {
  await using clinic = await Clinic.create();
  clinic.registry({ agents: [{ ...WARDEN, working_directory: "/no/such/folder" }] });
  const { findings } = await clinic.ask(checkSessions);
  assertMatch(findings[0]!.text, /working_directory \/no\/such\/folder is no folder/);
  assertEquals(findings[0]!.mend, undefined);
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
    await clinic.server.session(name);
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
  assert(findings.every(({ mend }) => !mend?.includes("kill")));

  const mends = findings.flatMap(({ mend }) => mend ?? []);
  assertEquals(mends, [`${clinic.env.GSD_TMUX} set-environment -gu OPENCLAW_SHELL`]);
  const outcome = await run("/bin/sh", ["-c", mends[0]!], { env: clinic.env, timeoutMs: 20_000 });
  assertEquals(outcome.kind === "finished" && outcome.code, 0);
  const after = await clinic.ask(checkSessions);
  assertMatch(after.broken.join("\n"), /"warden-main" carries OPENCLAW_SHELL=exec/);
  assertEquals(after.findings.flatMap(({ mend }) => mend ?? []), []);

  await clinic.server.tmux("kill-session", "-t", "=warden-main");
  await clinic.server.session("warden-main");
  assertEquals((await clinic.ask(checkSessions)).broken, []);
});

Deno.test("checkSessions() leaves a session without the mark alone, and warns of the next one", async () => {
  await using clinic = await Clinic.create();
  clinic.registry({ agents: [BY_CLI] });
  await clinic.server.session("warden-main");
  await clinic.server.tmux(...MARK);
  const { ok, broken } = await clinic.ask(checkSessions);
  assertEquals(ok, ['The session "warden-main" of agent "warden" runs']);
  assertMatch(broken.join("\n"), /tmux server hands OPENCLAW_SHELL=exec to every new session/);
});

Deno.test("checkSessions() offers no mend for a mark that hurts nobody", async () => {
  await using clinic = await Clinic.create();
  clinic.registry({ agents: [{ ...WARDEN, delivery: { transport: "gateway" } }] });
  await clinic.server.session("other");
  await clinic.server.tmux(...MARK);
  await clinic.server.session("warden-main");
  const { findings, broken, notes } = await clinic.ask(checkSessions);
  assertEquals(broken, []);
  assertMatch(notes.join("\n"), /carries OPENCLAW_SHELL=exec/);
  assertEquals(findings.flatMap(({ mend }) => mend ?? []), []);
});

Deno.test("checkSessions() offers recovery only where it can succeed", async () => {
  await using clinic = await Clinic.create();
  await clinic.server.session("other");
  await clinic.server.tmux(...MARK);
  const { findings } = await clinic.ask(checkSessions);
  const mend = findings.find(({ text }) => text.includes("does not run"))?.mend;
  assertEquals(
    mend,
    `${clinic.env.GSD_TMUX} set-environment -gu OPENCLAW_SHELL && ` +
      `deno ${TASK} recover --agent warden`,
  );
});
