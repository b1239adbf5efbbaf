import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main } from "../commands/watch.ts";
import { holdLock } from "../lib/doors/held_lock.ts";
import { holdWatch, isWatched } from "../lib/fleet/watch_lock.ts";
import { identityOf } from "../lib/noise.ts";
import { projectName } from "../lib/sessions/conversations.ts";
import { put } from "./support/delivery_home.ts";
import { fixturePane } from "./support/fixtures.ts";
import { section } from "./support/hook_world.ts";
import { allProcesses } from "../lib/doors/process_tree.ts";
import { changeAgent, idOf, listAs, remember, spawned } from "./support/recovering.ts";
import { allLaunches } from "../lib/sessions/launch_files.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";
import { writeHold } from "../lib/doors/holds.ts";
import { TmuxServer } from "./support/tmux_server.ts";
import { until } from "./support/until.ts";
import { says, watcher } from "./support/watching.ts";

/** A conversation of one turn, in a folder as Claude Code names it. */
function converse(world: SessionWorld, session: string, last: Record<string, unknown>): void {
  const folder = `${world.paths.claudeConfig}/projects/${projectName(`${world.dir}/p`)}`;
  Deno.mkdirSync(folder, { recursive: true });
  const timestamp = new Date().toISOString();
  const user = { type: "user", promptId: "p-1", timestamp, message: { content: "Fix the tests" } };
  const lines = [user, { type: "assistant", timestamp, ...last }];
  const text = lines.map((line) => JSON.stringify(line) + "\n").join("");
  Deno.writeTextFileSync(`${folder}/${idOf(world, session)}.jsonl`, text);
}

const ANSWER = {
  message: { id: "m", stop_reason: "end_turn", content: [{ type: "text", text: "All pass." }] },
};
/** Idle: there is no finding. */
const IDLE_NOW = { status: "idle", startedAt: Date.now() + 3_600_000 };
const triggers = (world: SessionWorld, agentId = "anvil") =>
  world.wakes(agentId).map(({ trigger }) => trigger);

Deno.test("watch reports a killed Claude Code once, starts it again, and gives up after three times", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const { agents: [agent] } = JSON.parse(Deno.readTextFileSync(world.paths.registry));
    const global = { global_status_openclaw_session_key: "agent:main:main" };
    world.registry({ ...global, agents: [agent] });
    const { start, recovered } = watcher(world);
    const watch = start();
    await says(world, session, IDLE_NOW);
    assertEquals(await watch.look(0), []);
    for (let times = 1; times <= 3; times++) {
      await world.killClaude(session);
      assertEquals(await watch.look(60), [], "hooks and others come first");
      assertEquals(await watch.look(5), [`${session} lost`]);
      assertEquals(await watch.look(1), []);
      await watch.settled();
      assertEquals(recovered.length, times);
      await says(world, session, IDLE_NOW);
      assertEquals(await watch.look(1), []);
    }
    assertEquals(triggers(world), Array(3).fill(["session_lost", "session_recovered"]).flat());
    const [lost] = world.wakes("anvil");
    assertMatch(section(lost!.message, "TRIGGER"), /evidence: no SessionEnd came; .*only a shell/);
    assertMatch(section(lost!.message, "TRIGGER"), /advice: It is being started again/);

    await world.killClaude(session);
    await watch.look(60);
    assertEquals(await watch.look(5), [`${session} lost`]);
    await watch.look(5);
    assertEquals([recovered.length, triggers(world, "global_status")], [3, ["recovery_failed"]]);
    // Killed and started again, it tells nothing twice.
    const second = start();
    for (const seconds of [1, 5, 60]) assertEquals(await second.look(seconds), []);
    assertEquals(triggers(world, "global_status"), ["recovery_failed"]);
  }));

Deno.test("watch recovers one agent at a time: recover refuses to run beside another", () =>
  inSessionWorld(async (world) => {
    const agentOf = () => JSON.parse(Deno.readTextFileSync(world.paths.registry)).agents[0];
    const sessions = [await spawned(world, "anvil")];
    const anvil = agentOf();
    sessions.push(await spawned(world, "bellows"));
    world.registry({ agents: [anvil, agentOf()] });
    const { start, recovered } = watcher(world);
    const watch = start();
    for (const session of sessions) await says(world, session, IDLE_NOW);
    await watch.look(0);
    for (const session of sessions) await world.killClaude(session);
    await watch.look(60);
    assertEquals((await watch.look(5)).length, 2);
    assertEquals(recovered.length, 1);
    await watch.settled();
    await watch.look(1);
    await watch.settled();
    assertEquals(recovered.toSorted(), ["anvil", "bellows"]);
    for (const agent of recovered) {
      assertEquals(triggers(world, agent), ["session_lost", "session_recovered"]);
    }
  }));

Deno.test("watch waits for a recovery that a person has started, and counts no try meanwhile", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const { start, recovered } = watcher(world);
    const watch = start();
    await says(world, session, IDLE_NOW);
    await watch.look(0);
    const lock = holdLock(`${world.paths.state}/locks/recover`, "bellows")!;
    await world.killClaude(session);
    for (const seconds of [60, 5, 31, 31, 31, 31]) {
      await watch.look(seconds);
      await watch.settled();
    }
    lock.release();
    await watch.look(5);
    await watch.settled();
    assertEquals([recovered, triggers(world)], [["anvil"], ["session_lost", "session_recovered"]]);
  }));

Deno.test("watch leaves a lost session alone where auto_recover is off, and one that was left", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil", { auto_recover: false });
    await says(world, session, IDLE_NOW);
    const { start, recovered } = watcher(world);
    const watch = start();
    await watch.look(0);
    await world.killClaude(session);
    await watch.look(6);
    assertEquals(await watch.look(5), [`${session} lost`]);
    assertMatch(world.wakes("anvil")[0]!.message, /advice: If that was not intended/);
    assertMatch(
      section(world.wakes("anvil")[0]!.message, "AVAILABLE ACTIONS"),
      / recover anvil-main$/m,
    );
    changeAgent(world, { auto_recover: true });
    remember(world, session, { agent_id: "anvil", ended: "prompt_input_exit" });
    await watch.look(60);
    await watch.settled();
    assertEquals(recovered, []);
  }));

Deno.test("watch reports late a turn that no hook reported, once, and the idle reminder is a duplicate", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const { start } = watcher(world);
    await start().look(0);
    converse(world, session, ANSWER);
    await says(world, session, { status: "idle", statusUpdatedAt: Date.now(), startedAt: 1 });
    const watch = start();
    assertEquals(await watch.look(10), []);
    assertEquals(await watch.look(20), [`${session} turn`]);
    assertEquals(await watch.look(20), []);
    assertEquals(await start().look(20), []);
    const [wake, ...more] = world.wakes("anvil");
    assertEquals([wake!.trigger, more], ["response_complete", []]);
    assertMatch(section(wake!.message, "TRIGGER"), /late: \d+ s\nevidence: Claude Code says/);
    assertStringIncludes(section(wake!.message, "CONTENT"), "All pass.");
    assertMatch(section(wake!.message, "AVAILABLE ACTIONS"), /menu-driver.* type <text>/);
    const memory = JSON.parse(
      Deno.readTextFileSync(`${world.paths.state}/sessions/${session}.json`),
    );
    assertEquals([memory.said[0].prompt_id, memory.said[0].trigger], ["p-1", "response_complete"]);
    // A hook that comes later still is the same event, and its wake a duplicate.
    const fields = { last_assistant_message: "All pass.", stop_hook_active: false };
    const about = { sessionId: idOf(world, session), promptId: "p-1", transcriptPath: "", cwd: "" };
    const { key } = identityOf({ name: "Stop", ...about, fields }, "All pass.");
    assertEquals(memory.said[0].identity, key);
  }));

Deno.test("watch finds again what it was about to tell when it was killed", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil", { auto_recover: false });
    await says(world, session, IDLE_NOW);
    const { start } = watcher(world);
    const watch = start();
    await watch.look(0);
    await world.killClaude(session);
    await watch.look(6);
    await watch.look(5);
    const told = `${world.paths.state}/watch/told`;
    const [mark] = Array.from(Deno.readDirSync(told), ({ name }) => `${told}/${name}`);
    // Between the mark and its wake; then between the wake and the mark.
    const unfinished = JSON.stringify({ ...JSON.parse(Deno.readTextFileSync(mark!)), told: false });
    const [file] = Array.from(Deno.readDirSync(`${world.paths.state}/outbox/anvil`));
    for (const isQueued of [false, true]) {
      Deno.writeTextFileSync(mark!, unfinished);
      if (!isQueued) {
        Deno.removeSync(`${world.paths.state}/outbox/anvil/${file!.name}`);
        Deno.removeSync(`${world.paths.state}/journal/${session}.jsonl`);
      }
      const again = start();
      await again.look(1);
      await again.look(5);
      assertEquals(Array.from(Deno.readDirSync(`${world.paths.state}/outbox/anvil`)), [file!]);
    }
  }));

Deno.test("watch reports dialogs without a hook, stalls, and questions that stay unanswered", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil", { hook_settings: { stall_after_s: 60 } });
    const { agents: [agent] } = JSON.parse(Deno.readTextFileSync(world.paths.registry));
    const global = { global_status_openclaw_session_key: "agent:main:main" };
    world.registry({ ...global, agents: [agent] });
    const { start } = watcher(world);
    const watch = start();
    const say = (more: Record<string, unknown>) =>
      says(world, session, { statusUpdatedAt: Date.now(), startedAt: 1, ...more });
    await say({ status: "waiting", waitingFor: "dialog open" });
    await watch.look(0);
    assertEquals(await watch.look(25), [`${session} dialog`]);
    assertEquals(await watch.look(1775), [`${session} unanswered`]);
    assertEquals(await watch.look(1800), []);
    const [open] = world.wakes("anvil");
    assertMatch(section(open!.message, "TRIGGER"), /^type: dialog_open\ndialog: unknown\n/);
    const [escalated] = world.wakes("global_status");
    assertMatch(
      section(escalated!.message, "TRIGGER"),
      /type: unanswered\nagent: anvil\nwaits: dialog, for \d/,
    );
    assertMatch(section(escalated!.message, "AVAILABLE ACTIONS"), /attach -t '?=anvil-main/);

    await say({ status: "busy", statusUpdatedAt: Date.now() + 3_600_000 });
    converse(world, session, {
      message: { content: [{ type: "tool_use", name: "Bash", input: { command: "npm test" } }] },
    });
    assertEquals(await watch.look(1), []);
    assertEquals(await watch.look(120), [`${session} stalled`]);
    assertEquals(await watch.look(120), []);
    const stalled = world.wakes("anvil")[1]!;
    assertMatch(stalled.message, /It last did:\nBash: npm test/);
    assertMatch(section(stalled.message, "AVAILABLE ACTIONS"), /snapshot\n.* esc/);
  }));

Deno.test("watch reports that a session was renamed, and lets its record follow", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await says(world, session, { status: "idle", startedAt: Date.now() + 60_000 });
    const watch = watcher(world).start();
    await watch.look(0);
    await world.tmux("rename-session", "-t", `=${session}`, "mine");
    await watch.look(1);
    assertEquals(await watch.look(6), [`${session} renamed`]);
    const records = allLaunches(world.paths).map((one) => `${one.session} ${one.moved_to}`);
    assertEquals(records.toSorted(), [`${session} mine`, "mine undefined"]);
    assertEquals(await watch.look(6), []);
    const [wake, ...more] = world.wakes("anvil");
    assertEquals(more, []);
    assertMatch(wake!.message, /anvil-main is now called mine/);
    const [action = ""] = section(wake!.message, "AVAILABLE ACTIONS").split("\n");
    assertMatch(action, /^tmux -S \S+ rename-session -t '?=mine'? anvil-main$/);
    await new Deno.Command("/bin/sh", { args: ["-c", action] }).output();
    await world.tmux("has-session", "-t", `=${session}`);
    assertEquals(await watch.look(6), []);
  }));

Deno.test("watch follows Claude's id to another tmux server, and lets its record follow", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await says(world, session, { status: "idle", startedAt: Date.now() + 60_000 });
    const { start } = watcher(world);
    const watch = start();
    await watch.look(0);
    await using other = new TmuxServer(world.variables);
    await other.session(session, `${world.dir}/claude; cat`);
    const pane = Number(await other.tmux("list-panes", "-a", "-F", "#{pane_pid}"));
    const claude = await until(
      "Claude Code on the other server",
      async () => (await allProcesses()).find(({ parent }) => parent === pane)?.pid,
    );
    listAs(world, claude, idOf(world, session));
    const file = `${world.paths.claudeConfig}/sessions/${claude}.json`;
    const entry = { status: "idle", statusUpdatedAt: Date.now(), startedAt: Date.now() + 60_000 };
    Deno.writeTextFileSync(
      file,
      JSON.stringify({
        ...JSON.parse(Deno.readTextFileSync(file)),
        cwd: `${world.dir}/p`,
        ...entry,
      }),
    );
    await world.tmux("new-session", "-d", "-s", "stays");
    await world.tmux("kill-session", "-t", `=${session}`);
    const socket = await other.tmux("display-message", "-p", "#{socket_path}");
    // One look finds the server, another one its panes; a process that begins may be seen later.
    for (let looks = 0; looks < 5; looks++) assertEquals(await watch.look(1), []);
    assertEquals(await watch.look(35), [`${session} moved`]);
    const [wake] = world.wakes("anvil");
    assertMatch(section(wake!.message, "TRIGGER"), /type: session_changed\nchange: moved\n/);
    assertStringIncludes(section(wake!.message, "CONTENT"), `now on the tmux server ${socket}`);
    assertStringIncludes(section(wake!.message, "AVAILABLE ACTIONS"), `--socket ${socket}`);
    assertEquals(allLaunches(world.paths)[0]!.tmux_socket, socket);
    for (const next of [watch, start()]) {
      assertEquals([await next.look(5), await next.look(60)], [[], []]);
    }
    assertEquals(triggers(world), ["session_changed"]);
  }));

Deno.test("watch has wakes delivered that wait, unless the gateway is down", () =>
  inSessionWorld(async (world) => {
    world.registry({ agents: [] });
    put(world.paths, { agent_id: "anvil", session: "anvil-main" });
    const { start, watchWorld } = watcher(world);
    const down = { ...watchWorld, gateway: () => Promise.resolve("down" as const) };
    assertEquals(await main(["--once"], down), 0);
    const watch = start();
    await watch.look(0);
    assertEquals(world.carried, [], "the writer of a wake starts its deliverer");
    await watch.look(20);
    await watch.look(20);
    assertEquals(world.carried, ["anvil"]);
    await watch.look(60);
    assertEquals(world.carried, ["anvil", "anvil"]);
    // What is held would start one in vain, until the hold has ended.
    const until = new Date(watchWorld.now().getTime() + 600_000).toISOString();
    const hold = { kind: "quiet", name: "anvil", agent_id: "anvil", since: "", until } as const;
    writeHold(world.paths, { ...hold, pass: ["budget"] });
    await watch.look(120);
    assertEquals(world.carried.length, 2);
    put(world.paths, { agent_id: "anvil", session: "anvil-main", trigger: "budget" });
    await watch.look(120);
    assertEquals(world.carried.length, 3);
    await watch.look(600);
    assertEquals(world.carried.length, 4);
  }));

Deno.test("watch waits no long pause out where the deliverer of a wake has ended", () =>
  inSessionWorld(async (world) => {
    world.registry({ agents: [] });
    const { start, watchWorld } = watcher(world);
    const now = watchWorld.now().getTime();
    const next_at = new Date(now + 300_000).toISOString();
    const attempts = { count: 13, next_at, last_error: "gateway down" };
    put(world.paths, { agent_id: "anvil", session: "anvil-main", attempts });
    const watch = start();
    await watch.look(20);
    assertEquals(world.carried, []);
    await watch.look(15);
    assertEquals(world.carried, ["anvil"]);
  }));

Deno.test("watch has waiting wakes delivered when the clock was set back", () =>
  inSessionWorld(async (world) => {
    world.registry({ agents: [] });
    put(world.paths, { agent_id: "anvil", session: "anvil-main" });
    const watch = watcher(world).start();
    await watch.look(20);
    assertEquals(world.carried, ["anvil"]);
    await watch.look(-3600);
    assertEquals(world.carried, ["anvil", "anvil"]);
    await watch.look(-3600);
    const next_at = new Date(Date.now() + 300_000).toISOString();
    const attempts = { count: 13, next_at, last_error: "gateway down" };
    put(world.paths, { agent_id: "bellows", session: "bellows-main", attempts });
    await watch.look(1);
    assertEquals(world.carried, ["anvil", "anvil", "anvil", "bellows"]);
  }));

Deno.test("watch runs once per user, ends when it is told to, and --once ends by itself", () =>
  inSessionWorld(async (world) => {
    world.registry({ agents: [] });
    const { watchWorld } = watcher(world);
    const held = holdWatch(world.paths)!;
    assertEquals(await main([], watchWorld), 1);
    assertEquals(await main(["--once"], watchWorld), 0);
    assertMatch(world.warned.join("\n"), /Another watch runs already/);
    held.release();

    const stopping = new AbortController();
    const running = main([], { ...watchWorld, stop: stopping.signal });
    await until("the watch to hold its lock", () => isWatched(world.paths));
    stopping.abort();
    assertEquals(await running, 0);
    assertEquals(isWatched(world.paths), false);
    const ctrlC = AbortSignal.abort("SIGINT");
    assertEquals(await main([], { ...watchWorld, stop: ctrlC }), 130);
    assertEquals(await main(["--wat"], watchWorld), 2);
  }));

Deno.test("watch shows the rows of the trust dialog, and who may answer it", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await world.tmux(
      "respawn-pane",
      "-k",
      "-t",
      `=${session}:`,
      world.standIn("claude", "v197-80-trust.txt"),
    );
    const words = fixturePane("v197-80-trust").split("\n").find((line) =>
      line.includes("I trust")
    )!;
    await until(
      "the dialog",
      async () =>
        (await world.tmux("capture-pane", "-p", "-t", `=${session}:`)).includes(words.trim()),
    );
    const watch = watcher(world).start();
    await watch.look(0);
    assertEquals(await watch.look(25), [`${session} dialog`]);
    const [wake] = world.wakes("anvil");
    assertMatch(section(wake!.message, "TRIGGER"), /dialog: trust\nadvice: .*ask a person/);
    assertStringIncludes(section(wake!.message, "CONTENT"), "Yes, I trust this folder");
    assertEquals(
      section(wake!.message, "AVAILABLE ACTIONS").match(/ (esc|snapshot)$/gm)?.length,
      2,
    );
  }));

Deno.test("watch sends Claude on after a limit where its agent wants that, else wakes the agent", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const { start, typed, failTyping } = watcher(world);
    const watch = start();
    await watch.look(0);
    const text = `5-hour limit reached|${Math.ceil(Date.now() / 1000) + 600}`;
    converse(world, session, {
      ...{ isApiErrorMessage: true, error: "rate_limit" },
      message: { model: "<synthetic>", content: [{ type: "text", text }] },
    });
    await says(world, session, { status: "idle", statusUpdatedAt: Date.now(), startedAt: 1 });
    await watch.look(10);
    assertEquals(await watch.look(20), [`${session} failure`]);
    assertEquals(await watch.look(300), []);
    assertEquals(await watch.look(400), [`${session} limit_over`]);
    assertEquals(await watch.look(60), []);
    assertEquals([triggers(world), typed], [["response_failed", "limited"], []]);

    for (const file of ["watch/told", "outbox/anvil", `journal/${session}.jsonl`]) {
      Deno.removeSync(`${world.paths.state}/${file}`, { recursive: true });
    }
    changeAgent(world, { hook_settings: { resume_after_limit: true } });
    const second = start();
    await second.look(1);
    await second.look(60);
    await second.look(60);
    assertEquals(typed, [`${session} continue`]);
    assertEquals(triggers(world).includes("limited"), false);

    Deno.removeSync(`${world.paths.state}/watch/told`, { recursive: true });
    failTyping("a draft is in the box");
    const third = start();
    await third.look(60);
    await third.look(60);
    assertEquals([typed.length, triggers(world).at(-1)], [2, "limited"]);
  }));
