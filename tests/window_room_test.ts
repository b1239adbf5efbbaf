import { assert, assertEquals } from "@std/assert";
import { findPane } from "../lib/driver/claude_pane.ts";
import { paneWorld } from "../lib/driver/driver_world.ts";
import { lookWithRoom, makeRoom, needsRoom } from "../lib/driver/window_room.ts";
import { holdLock } from "../lib/doors/held_lock.ts";
import { realClock } from "../lib/time.ts";
import { readScreen } from "../lib/pane.ts";
import { driverWorld, menuOptions } from "./support/driver_context.ts";
import { fixturePane } from "./support/fixtures.ts";
import { TestHome } from "./support/home.ts";
import { TmuxServer } from "./support/tmux_server.ts";
import { until } from "./support/until.ts";

const [LOW, WHOLE] = ["v325-99-permission-low-80x11", "v325-93-permission-bash-120x40"];

/** A window of 11 rows with a program that draws what Claude Code draws for its height. */
async function lowWindow(server: TmuxServer, home: TestHome) {
  for (const name of [LOW, WHOLE]) {
    Deno.writeTextFileSync(`${home.dir}/${name}`, fixturePane(name).trimEnd());
  }
  const draw = [
    `rows=$(stty size | cut -d " " -f 1)`,
    `if [ "$rows" -lt 40 ]; then name=${LOW}; else name=${WHOLE}; fi`,
    `printf "\\033[H\\033[2J"; cat "${home.dir}/$name"; sleep 0.1`,
  ].join("; ");
  Deno.writeTextFileSync(`${home.dir}/draw.sh`, `while :; do ${draw}; done`);
  const id = await server.session("s", "cat");
  await server.tmux("resize-window", "-t", id, "-x", "120", "-y", "11");
  await server.tmux("set-option", "-w", "-u", "-t", id, "window-size");
  await server.tmux("respawn-pane", "-k", "-t", id, `exec sh ${home.dir}/draw.sh`);
  const world = paneWorld(
    driverWorld(home, { clock: realClock }),
    menuOptions("--socket", server.socket),
  );
  const found = await until("the low dialog", async () => {
    const one = await findPane(world, "s", id, "any");
    return one.kind === "pane" && one.screen.dialog !== undefined && one;
  });
  return { world, pane: found.pane, screen: found.screen, id };
}

/** All that a look may have changed. */
async function stateOf(server: TmuxServer, id: string) {
  const format = "#{window_width}x#{window_height} #{window_layout} #{window_zoomed_flag}";
  return {
    size: await server.tmux("display-message", "-p", "-t", id, format),
    options: await server.tmux("show-options", "-w", "-t", id),
  };
}

Deno.test("needsRoom() is true of dialogs that are cut, and of screens that cannot be read", () => {
  const cases: [string, boolean][] = [
    [LOW, true],
    ["v197-99-permission-low-80x10", true],
    ["v325-99b-permission-long-row-80x11", true],
    ["v325-99h-stats", false],
    ["v325-99f-permissions", false],
    ["v197-99h-draft-higher-than-window", true],
    [WHOLE, false],
    ["10-ask-single", false],
    ["04-idle-default-mode", false],
    ["02-working", false],
    ["05-slash-menu", false],
    ["55-resume-picker", false],
  ];
  for (const [name, expected] of cases) {
    const text = fixturePane(name);
    assertEquals(needsRoom({ ...readScreen(text), text }), expected, name);
  }
  assertEquals(needsRoom({ ...readScreen("? ? ?"), text: "? ? ?" }), true);
});

Deno.test("makeRoom() shows the whole dialog, and restore() leaves the window as it was", async () => {
  for (const kind of ["plain", "manual", "split", "zoomed"]) {
    await using home = new TestHome();
    await using server = new TmuxServer();
    const { world, pane, screen, id } = await lowWindow(server, home);
    assertEquals(screen.dialog?.whole, false);
    if (kind === "manual") {
      await server.tmux("set-option", "-w", "-t", id, "window-size", "manual");
    }
    if (kind === "split" || kind === "zoomed") {
      await server.tmux("split-window", "-d", "-v", "-l", "3", "-t", id, "cat");
      await server.tmux("split-window", "-d", "-h", "-l", "33", "-t", id, "cat");
    }
    if (kind === "zoomed") await server.tmux("resize-pane", "-Z", "-t", id);
    const before = await stateOf(server, id);
    const room = await makeRoom(world, pane);
    assert(room !== undefined, kind);
    assertEquals(room.screen.dialog?.whole, true, kind);
    // A second look does not take the larger size for the window's own.
    assertEquals(await makeRoom(world, pane), undefined, kind);
    await room.restore();
    assertEquals(await stateOf(server, id), before, kind);
    await room.restore();
    assertEquals(await stateOf(server, id), before, kind);
  }
});

Deno.test("makeRoom() leaves a window alone to which somebody is attached", async () => {
  await using home = new TestHome();
  await using server = new TmuxServer();
  const { world, pane, id } = await lowWindow(server, home);
  // Also where it is attached to another session that has the window.
  await server.tmux("new-session", "-d", "-s", "viewer", "cat");
  await server.tmux("link-window", "-s", id, "-t", "viewer:9");
  const client = new Deno.Command("tmux", {
    args: ["-L", server.socket, "-C", "attach-session", "-t", "viewer"],
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  await until("the client", async () => {
    const format = ["list-sessions", "-F", "#{session_name} #{session_attached}"];
    return (await server.tmux(...format)).includes("viewer 1");
  });
  const before = await stateOf(server, id);
  assertEquals(await makeRoom(world, pane), undefined);
  assertEquals(await stateOf(server, id), before);
  await client.stdin.close();
  await client.status;
});

Deno.test("makeRoom() has tmux restore the window of a driver that was killed", async () => {
  await using home = new TestHome();
  await using server = new TmuxServer();
  const { world, pane, id } = await lowWindow(server, home);
  const before = await stateOf(server, id);
  const room = await makeRoom(world, pane, 1);
  assert(room !== undefined);
  await until("tmux to restore it", async () => {
    const now = await stateOf(server, id);
    return now.size === before.size && now.options === before.options;
  });
  // An order of a look that is over does nothing to a later one.
  await (await makeRoom(world, pane, 1))?.restore();
  const later = await makeRoom(world, pane);
  const larger = await stateOf(server, id);
  await server.tmux("run-shell", "-d", "1.5", "true");
  assertEquals(await stateOf(server, id), larger);
  await later?.restore();
});

Deno.test("lookWithRoom() changes nothing while another driver works there", async () => {
  await using home = new TestHome();
  await using server = new TmuxServer();
  const { world, pane, id } = await lowWindow(server, home);
  const file = `${home.paths.state}/locks/keys-s`;
  const before = await stateOf(server, id);
  const lock = holdLock(file)!;
  assertEquals(await lookWithRoom(world, pane, holdLock(file)), undefined);
  lock.release();
  assertEquals((await lookWithRoom(world, pane, holdLock(file)))?.dialog?.whole, true);
  assertEquals(await stateOf(server, id), before);
});
