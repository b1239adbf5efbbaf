/** A tmux that does not tell has not lost its sessions. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { main as adopt } from "../commands/adopt.ts";
import { main as remove } from "../commands/remove.ts";
import { main as rename } from "../commands/rename.ts";
import { main as spawn } from "../commands/spawn.ts";
import { main as stop } from "../commands/stop.ts";
import { main as take } from "../commands/take.ts";
import { panesOf, runsNoServer } from "../lib/doors/tmux_sessions.ts";
import { isThere } from "../lib/files.ts";
import { launchFiles, writeLaunch } from "../lib/sessions/launch_files.ts";
import { factsOf } from "../lib/sessions/tmux_servers.ts";
import { tmuxFrom } from "../lib/tmux.ts";
import { TestHome } from "./support/home.ts";
import { readLaunch, remember, spawned, tmuxThat } from "./support/recovering.ts";
import { inSessionWorld } from "./support/session_world.ts";

const SAYS: [reason: string, isNoServer: boolean][] = [
  ["tmux list-panes: no server running on /tmp/tmux-1000/default", true],
  ["tmux list-panes: error connecting to /tmp/tmux-1000/x (No such file or directory)", true],
  ["tmux list-panes: error connecting to /tmp/tmux-1000/x (Permission denied)", false],
  ["tmux list-panes: fork failed", false],
  ["Cannot run /nonexistent: install tmux, or set GSD_TMUX to its path (No such file)", false],
];

for (const [reason, isNoServer] of SAYS) {
  Deno.test(`runsNoServer() is ${isNoServer} for ${reason}`, () => {
    assertEquals(runsNoServer(reason), isNoServer);
  });
}

Deno.test("factsOf() and panesOf() know nothing where tmux hangs", async () => {
  await using home = new TestHome();
  home.env.GSD_TMUX = home.writeProgram("tmux", "exec sleep 600");
  const tmux = tmuxFrom(home.variable, { timeoutMs: 20 });
  const { unseen } = await factsOf(tmux);
  assertEquals(unseen, "tmux list-sessions did not answer in 20 ms");
  await assertRejects(() => panesOf(tmux, "docs"), Error, "did not answer in 20 ms");
});

Deno.test("stop, remove, rename and adopt write nothing where tmux does not tell", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const { record, prompt } = launchFiles(world.paths, session);
    const before = [record, prompt].map((file) => Deno.readTextFileSync(file));
    const tmux = world.variables.GSD_TMUX!;
    const denied = "error connecting to /tmp/tmux-0/x (Permission denied)";
    const failures: [program: () => string, reason: RegExp][] = [
      [() => "/nonexistent", /: Cannot run \/nonexistent: install tmux, /],
      [() => tmuxThat(world, tmux, '*) echo "fork failed" >&2; exit 1;;'), /: fork failed$/],
      [() => tmuxThat(world, tmux, "*) exit 3;;"), /: tmux list-sessions: exit code 3$/],
      [() => tmuxThat(world, tmux, `*) echo "${denied}" >&2; exit 1;;`), /Permission denied\)$/],
      [
        () => tmuxThat(world, tmux, '*list-panes*) echo "fork failed" >&2; exit 1;;'),
        /: tmux list-panes: fork failed$/,
      ],
    ];
    for (const [program, reason] of failures) {
      world.variables.GSD_TMUX = program();
      for (
        const [what, outcome] of [
          ["stop", await stop([session, "--now"], world)],
          ["remove", await remove([session], world)],
          ["rename", await rename([session, "docs", "--dry-run"], world)],
          ["rename", await rename([session, "docs"], world)],
          ["adopt", await adopt([session, "anvil"], world)],
        ] as const
      ) {
        assertEquals(outcome, 1, what);
        assertMatch(world.warned.shift()!, new RegExp(`^Cannot ${what} "anvil-main"`));
      }
      assertEquals([record, prompt].map((file) => Deno.readTextFileSync(file)), before);
      assertEquals(await stop([session], world), 1);
      assertMatch(world.warned.pop()!, reason);
      assertEquals(await take([session, "--dry-run"], world), 0, "a hold needs no tmux");
      world.warned.length = 0;
    }
  }));

for (const [times, again] of [["once", '[ ! -e "$0.failed" ] &&'], ["always", ""]] as const) {
  Deno.test(`stop keeps its mark where Claude Code has ended and tmux fails ${times}`, () =>
    inSessionWorld(async (world) => {
      const session = await spawned(world, "anvil");
      const { record } = launchFiles(world.paths, session);
      const fails = 'touch "$0.failed"; echo "fork failed" >&2; exit 1';
      const does = `*list-panes*) grep -q stopped_at '${record}' && ${again} { ${fails}; };;`;
      const tmux = tmuxThat(world, world.variables.GSD_TMUX!, does);
      world.variables.GSD_TMUX = tmux;
      const { now } = performance;
      // Where tmux does not tell, all the time for the end is over.
      const isLate = () => times === "always" && isThere(`${tmux}.failed`);
      performance.now = () => now.call(performance) + (isLate() ? 3_600_000 : 0);
      try {
        assertEquals(await stop([session], world), 0, world.warned.join("\n"));
      } finally {
        performance.now = now;
      }
      assert(isThere(`${tmux}.failed`));
      assertEquals(typeof readLaunch(world.paths, session).stopped_at, "string");
    }));
}

Deno.test("stop takes its mark back where it cannot end Claude Code", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const { kill } = Deno;
    Deno.kill = () => {
      throw new Deno.errors.PermissionDenied("not permitted");
    };
    try {
      assertEquals(await stop([session], world), 1);
    } finally {
      Deno.kill = kill;
    }
    assertMatch(world.warned.at(-1)!, /^Cannot stop "anvil-main": not permitted$/);
    assertEquals(readLaunch(world.paths, session).stopped_at, undefined);
  }));

Deno.test("spawn keeps the name of a session whose tmux server does not tell", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const launch = readLaunch(world.paths, session);
    await world.tmux("rename-session", "-t", `=${session}`, "other");
    writeLaunch(world.paths, { ...launch, tmux_socket: "/x/other" });
    remember(world, session, { agent_id: "anvil", ended: "prompt_input_exit" });
    const hangs = '*) case "$TMUX" in /x/*) echo "fork failed" >&2; exit 1;; esac;;';
    world.variables.GSD_TMUX = tmuxThat(world, world.variables.GSD_TMUX!, hangs);
    world.said.length = 0;
    assertEquals(await spawn(["anvil", "p", "", "--json"], world), 0, world.warned.join("\n"));
    assertEquals(JSON.parse(world.said[0]!).session, "anvil-main-2");
  }));
