/** A Claude that answers its own question or request by our driver. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { main as menuDriver } from "../../commands/menu_driver.ts";
import { callerFrom, type CallerSigns } from "../../lib/driver/caller.ts";
import { contextFor } from "../../lib/driver/driver_world.ts";
import { readTextIfThere } from "../../lib/files.ts";
import type { ProcessInfo } from "../../lib/doors/process_tree.ts";
import { ROOT } from "../../lib/paths.ts";
import { driverWorld, menuOptions } from "../support/driver_context.ts";
import { FakePane } from "../support/fake_pane.ts";
import { fixturePane } from "../support/fixtures.ts";
import { TestHome } from "../support/home.ts";
import { TmuxServer } from "../support/tmux_server.ts";
import { until } from "../support/until.ts";

function process(pid: number, parent: number, ...args: string[]): ProcessInfo {
  return { pid, parent, args, foreground: false, hasTerminal: false };
}

const PROCESSES = [
  process(1, 0, "/sbin/init"),
  process(50, 1, "/usr/bin/node", "/opt/openclaw/openclaw.mjs", "gateway"),
  process(51, 50, "/bin/sh", "-c", "gsd-code menu-driver --token=x"),
  process(100, 1, "tmux", "new-session"),
  process(110, 100, "-bash"),
  process(111, 110, "claude"),
  process(112, 111, "/bin/bash", "-c", "menu-driver w allow"),
  process(120, 100, "-zsh"),
];
const SIGNS: CallerSigns = {
  processes: PROCESSES,
  parent: 51,
  pane: { id: "%0", pid: 110 },
  panes: [{ id: "%0", pid: 110 }, { id: "%1", pid: 120 }],
  env: () => undefined,
};

Deno.test("callerFrom() knows who is below the pane, and names programs without arguments", () => {
  assertEquals(callerFrom(SIGNS), { kind: "outside", chain: "openclaw.mjs > sh > menu-driver" });
  assertEquals(callerFrom({ ...SIGNS, parent: 112 }), {
    kind: "inside",
    chain: "tmux pane %0 > bash > claude > bash > menu-driver",
  });
  // Another pane of the same session is a person's.
  assertEquals(callerFrom({ ...SIGNS, parent: 120 }), {
    kind: "outside",
    chain: "tmux pane %1 > zsh > menu-driver",
  });
  const deep = Array.from({ length: 20 }, (_, index) => process(200 + index, 199 + index, "sh"));
  const { chain } = callerFrom({ ...SIGNS, processes: [...PROCESSES, ...deep], parent: 219 });
  assertEquals(chain, `… > ${"sh > ".repeat(8)}menu-driver`);
});

Deno.test("callerFrom() knows the pane's variables, which are no proof of another place", () => {
  const env = (TMUX: string, TMUX_PANE: string) => (name: string) =>
    ({ TMUX, TMUX_PANE })[name as "TMUX"];
  const kind = (variables: CallerSigns["env"]) =>
    callerFrom({ ...SIGNS, parent: 1, env: variables }).kind;
  assertEquals(kind(env("/tmp/tmux-0/default,100,0", "%0")), "inside");
  assertEquals(kind(env("/tmp/tmux-0/default,100,0", "%1")), "outside");
  assertEquals(kind(env("/tmp/tmux-0/other,77,0", "%0")), "outside");
});

Deno.test("where processes cannot be read, permissions are not decided", async () => {
  const unknown = callerFrom({ ...SIGNS, processes: [] });
  assertEquals(unknown.kind, "unknown");
  await using home = new TestHome();
  const hook_settings = { answer_permissions: true };
  home.writeRegistry({
    agents: [{ agent_id: "warden", tmux_session_name: "warden-main", hook_settings }],
  });
  const pane = new FakePane(() => "");
  const context = await contextFor(
    driverWorld(home),
    "warden-main",
    menuOptions(),
    pane,
    unknown,
  );
  assertStringIncludes(context.whyNoDecision!, "the processes of this machine cannot be read");
});

Deno.test("the driver refuses what runs below the pane that it would answer", async () => {
  await using home = new TestHome();
  await using server = new TmuxServer(home.env);
  const deno = `${Deno.execPath()} run -A --quiet --no-lock`;
  const drive = (out: string, ...words: string[]) =>
    `${deno} ${ROOT}/commands/menu_driver.ts --socket ${server.socket} --wait 0 warden-main ` +
    `${words.join(" ")} >${home.dir}/${out}.part 2>&1; echo "exit $?" >>${home.dir}/${out}.part; ` +
    `mv ${home.dir}/${out}.part ${home.dir}/${out}`;
  const said = (out: string) => until(out, () => readTextIfThere(`${home.dir}/${out}`));
  const screen = `cat ${ROOT}/tests/fixtures/panes/10-ask-single.txt`;
  const script = [
    screen,
    drive("child", "choose", "2"),
    `( setsid sh -c '${drive("orphan", "type", "x")}' & )`,
    drive("look", "snapshot"),
    "sleep 1000",
  ].join("\n");
  Deno.writeTextFileSync(`${home.dir}/inside.sh`, script);
  await server.session("warden-main", `sh ${home.dir}/inside.sh`);
  for (const out of ["child", "orphan"]) {
    const text = await said(out);
    assertStringIncludes(text, "this command runs inside the session that it would answer");
    assertStringIncludes(text, "exit 1");
  }
  assertStringIncludes(await said("look"), "exit 0");

  // A person in another pane of the same session may.
  const beside = `${drive("beside", "--dry-run", "choose", "2")}; sleep 1000`;
  await server.tmux("split-window", "-t", "=warden-main:", beside);
  assertStringIncludes(await said("beside"), "Would press keys");
});

const EVERY_ACTION = [
  ...[["choose", "2"], ["answer", "2"], ["type", "x"], ["clear_then", "x"], ["clear"], ["enter"]],
  ...[["esc"], ["submit"], ["allow"], ["deny", "x"], ["deny"]],
  ...[["choose", "2", "--question", "q-1.secret"], ["allow", "--question", "p-1.secret"]],
  ...[["type", "x", "--queue"], ["type", "x", "--now"], ["type", "x", "--road", "mod"]],
];

Deno.test("the driver refuses a caller below the pane for every action, with and without an id", async () => {
  await using home = new TestHome();
  await using server = new TmuxServer();
  const pane = await server.session("warden-main", "cat");
  await server.show(pane, fixturePane("10-ask-single"));
  const [pid, panePid] =
    (await server.tmux("display-message", "-p", "-t", pane, "#{pid} #{pane_pid}"))
      .split(" ");
  const env = { TMUX: `/tmp/x,${pid},0`, TMUX_PANE: pane } as Record<string, string>;
  const callers = [
    { parent: () => Number(panePid) },
    { env: (name: string) => env[name] ?? home.variable(name) },
  ];
  for (const caller of callers) {
    for (const words of EVERY_ACTION) {
      const said: string[] = [];
      const say = (line: string) => void said.push(line);
      const world = driverWorld(home, { say, warn: say, ...caller });
      const args = ["--socket", server.socket, "--wait", "0", "warden-main", ...words];
      assertEquals(await menuDriver(args, world), 1, words.join(" "));
      assertStringIncludes(said.join("\n"), "runs inside the session that it would answer");
    }
  }
});
