/** What changes a queue: on a tmux server of its own, and while it waits for the end of a limit. */

import {
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { main } from "../commands/queue.ts";
import { writeHold } from "../lib/doors/holds.ts";
import { carryOutAction, whyTakenByPerson } from "../lib/queue/change_queue.ts";
import type { QueueAction } from "../lib/queue/queue_args.ts";
import { targetOf } from "../lib/queue/queue_target.ts";
import { added } from "../lib/queue/step_list.ts";
import { turnStopped } from "../lib/queue_turns.ts";
import type { Agent } from "../lib/registry.ts";
import type { Pause, Queue } from "../lib/steps.ts";
import { changeQueue, readQueue } from "../lib/steps_file.ts";
import { writeAtomic } from "../lib/files.ts";
import { memoryFile } from "../lib/session_memory.ts";
import { driverWorld } from "./support/driver_context.ts";
import { fixturePane } from "./support/fixtures.ts";
import { TestHome } from "./support/home.ts";
import { TmuxServer } from "./support/tmux_server.ts";

const SESSION = "warden-main";
const NOW = new Date("2026-11-17T12:00:00Z");
const BY = { by: "warden", by_kind: "agent" } as const;
const LIMIT: Pause = {
  ...{ why: "limit", reason: "a limit", at: "", told: true, wake_id: "W" },
  until: "2026-11-17T13:00:00Z",
};

function write(home: TestHome): void {
  const at = { session: SESSION, agent_id: "warden" };
  const { queue } = added(undefined, at, [{ text: "first" }, { text: "second" }], BY, NOW);
  const steps = queue.steps.map((step): Queue["steps"][number] =>
    step.n === 1 ? { ...step, state: "begun", cut: "limit" } : step
  );
  const value = { ...queue, steps, paused: LIMIT };
  changeQueue(home.paths, SESSION, () => ({ queue: value, value: undefined }));
}

const REGISTRIES: [what: string, write: (home: TestHome) => void, says: RegExp][] = [
  [
    "that is missing",
    () => {},
    /^there is no registry at \S+; deno task spawn makes one, or copy /,
  ],
  ["that is broken", (home) => home.writeRegistry("{"), /cannot be used: it is not JSON: .*doctor/],
  ["that is empty", (home) => home.writeRegistry(""), /cannot be used: it is not JSON: .*doctor/],
  ["of another form", (home) => home.writeRegistry("[]"), /it is not a JSON object; .*doctor/],
  [
    "that is a folder",
    (home) => Deno.mkdirSync(home.paths.registry),
    /is a folder, not a file; .*doctor/,
  ],
];

for (const [what, write, says] of REGISTRIES) {
  Deno.test(`targetOf() says why it cannot use a registry ${what}`, async () => {
    await using home = new TestHome();
    home.env.GSD_TMUX = home.writeProgram("tmux", "exit 1");
    write(home);
    const error = await assertRejects(() => targetOf(driverWorld(home, {}), SESSION, {}), Error);
    assertMatch(error.message, says);
  });
}

Deno.test("queue pause replaces a pause that ends by itself, and no other one", async () => {
  await using home = new TestHome();
  write(home);
  const world = { paths: home.paths, now: () => NOW };
  const target = { session: SESSION, agent: { agent_id: "warden" } as Agent };
  const pause = () =>
    carryOutAction(world, target, { kind: "pause", reason: "for lunch" }, BY, false);
  const { paused } = pause().queue!;
  assertEquals([paused?.why, paused?.reason, paused?.until], ["asked", "for lunch", undefined]);
  assertThrows(pause, Error, "it is paused: for lunch");
});

Deno.test("a person's Esc during a limit pauses the queue and does not fail the step that waits", async () => {
  await using home = new TestHome();
  write(home);
  turnStopped(home.paths, SESSION, NOW);
  const { paused, steps } = readQueue(home.paths, SESSION)!;
  assertEquals([paused?.why, paused?.until], ["esc", undefined]);
  assertEquals([steps[0]?.state, steps[0]?.cut], ["begun", "limit"]);
});

Deno.test("queue resume of a person is noted: that person may be past an Esc", async () => {
  await using home = new TestHome();
  const world = { paths: home.paths, now: () => NOW };
  const target = { session: SESSION, agent: { agent_id: "warden" } as Agent };
  const resume = { kind: "resume", isAgain: false } as const;
  write(home);
  const person = { by: "ann", by_kind: "person" } as const;
  assertEquals(carryOutAction(world, target, resume, BY, true).queue?.by_person, undefined);
  assertEquals(carryOutAction(world, target, resume, person, true).queue?.by_person, true);
});

Deno.test("whyTakenByPerson() refuses an agent's change of the queue, and no person's", async () => {
  await using home = new TestHome();
  const why = (kind: "add" | "resume" | "pause" | "list", by_kind: "agent" | "person") => {
    const action = { kind, steps: [], isAgain: false, reason: "" } as QueueAction;
    return whyTakenByPerson(home.paths, SESSION, action, { by: "x", by_kind })?.slice(0, 36);
  };
  assertEquals(why("add", "agent"), undefined);
  writeHold(home.paths, { kind: "taken", name: SESSION, agent_id: "warden", since: "" });
  const taken = "a person has taken this session: no ";
  assertEquals([why("add", "agent"), why("resume", "agent")], [taken, taken]);
  assertEquals([why("pause", "agent"), why("list", "agent"), why("add", "person")], [
    ...[undefined, undefined, undefined],
  ]);
});

Deno.test("queue add keeps the server that the caller's variables lead to, and list says who is missing", async () => {
  await using home = new TestHome();
  await using server = new TmuxServer();
  const pane = await server.session(SESSION);
  const [path = ""] = (await server.env(pane)).TMUX.split(",");
  home.env.GSD_TMUX_SOCKET = server.socket;
  const agent = { agent_id: "warden", tmux_session_name: SESSION, working_directory: "/tmp" };
  home.writeRegistry({ agents: [{ ...agent, enabled: true }] });
  const [said, started]: [string[], string[]] = [[], []];
  const words = (line: string) => void said.push(line);
  const world = driverWorld(home, { say: words, warn: words });
  const call = (...args: string[]) => main(args, world, (name) => void started.push(name));
  assertEquals([await call(SESSION, "add", "Go"), said.length, started], [0, 1, [SESSION]]);
  assertEquals(readQueue(home.paths, SESSION)?.socket, path);
  await call(SESSION, "list");
  assertStringIncludes(
    said[1]!,
    "1 step waits, 0 done; no Claude Code runs in the session: steps wait until one does",
  );
});

const ANSWERS: [name: string, tmux: string, listPanes: string][] = [
  ["outside tmux", "", "print"],
  ["in a session of another tmux server", "/tmp/tmux-0/play,77,0", "print"],
  ["while tmux does not tell", "", "fail"],
];

for (const [name, tmux, listPanes] of ANSWERS) {
  Deno.test(`queue list misses no Claude Code that is there: ${name}`, async () => {
    await using home = new TestHome();
    const at = { session: SESSION, agent_id: "warden" };
    const { queue } = added(undefined, at, [{ text: "Go" }], BY, NOW); // on the default server
    changeQueue(home.paths, SESSION, () => ({ queue, value: 0 }));
    writeAtomic(`${home.dir}/screen`, fixturePane("04-idle-default-mode"));
    home.env.GSD_TMUX = home.writeProgram(
      "tmux",
      `case "$TMUX $* ${listPanes}" in
*play*) echo "can't find session" >&2; exit 1 ;;
*list-panes*fail) echo "server busy" >&2; exit 1 ;;
*list-panes*) printf '%%1 999999 0 ${SESSION}\\tclaude\\n' ;;
*capture-pane*) cat '${home.dir}/screen' ;;
*list-sessions*) echo ${SESSION} ;;
esac`,
    );
    if (tmux !== "") home.env.TMUX = tmux;
    const agent = { agent_id: "warden", tmux_session_name: SESSION, working_directory: "/tmp" };
    home.writeRegistry({ agents: [{ ...agent, enabled: true }] });
    const said: string[] = [];
    const world = driverWorld(home, { say: (line) => void said.push(line) });
    assertEquals(await main([SESSION, "list"], world, () => {}), 0);
    assertEquals(said[0]?.includes("no Claude Code runs"), false, said[0]);
  });
}

/** The server in reach has a session of that name. */
async function withNamesake(work: (home: TestHome, socket: () => Promise<unknown>) => unknown) {
  await using home = new TestHome();
  await using server = new TmuxServer();
  await server.session(SESSION);
  home.env.GSD_TMUX_SOCKET = server.socket;
  const agent = { agent_id: "warden", tmux_session_name: SESSION, working_directory: "/tmp" };
  home.writeRegistry({ agents: [{ ...agent, enabled: true }] });
  await work(home, async () => (await targetOf(driverWorld(home, {}), SESSION, {})).socket);
}

Deno.test("targetOf() leaves a session of the same name on another server alone", () =>
  withNamesake(async (home, socket) => {
    for (
      const [tmux_socket, expected] of [
        ["/tmp/tmux-0/work", "/tmp/tmux-0/work"],
        ["/tmp/tmux-0/default", undefined],
      ]
    ) {
      const record = { session: SESSION, agent_id: "warden", tmux_socket };
      writeAtomic(`${home.paths.data}/launches/${SESSION}.json`, JSON.stringify(record));
      assertEquals(await socket(), expected);
    }
  }));

Deno.test("targetOf() leaves the server of a queue as it is", () =>
  withNamesake(async (home, socket) => {
    write(home); // on the default server
    assertEquals(await socket(), undefined);
  }));

Deno.test("queue add finds its caller, and the session, past a server that does not have it", async () => {
  await using home = new TestHome();
  await using server = new TmuxServer();
  const pane = await server.session(SESSION);
  const { TMUX, TMUX_PANE } = await server.env(pane);
  const [path = ""] = TMUX.split(",");
  const agent = { agent_id: "warden", tmux_session_name: SESSION, working_directory: "/tmp" };
  home.writeRegistry({ agents: [{ ...agent, enabled: true }] });
  const record = { session: SESSION, agent_id: "warden", tmux_socket: path };
  writeAtomic(`${home.paths.data}/launches/${SESSION}.json`, JSON.stringify(record));
  writeAtomic(memoryFile(home.paths, SESSION), "{}");
  const said: string[] = [];
  const add = () => {
    const words = (line: string) => void said.push(line);
    const world = driverWorld(home, { say: words, warn: words });
    return main(["--socket", "another", SESSION, "add", "Go"], world, () => {});
  };
  Object.assign(home.env, { TMUX, TMUX_PANE });
  assertEquals(await add(), 1);
  assertStringIncludes(said[0]!, "this command runs inside the session");
  home.env.TMUX_PANE = "%99";
  assertEquals([await add(), readQueue(home.paths, SESSION)?.socket], [0, path]);
});
