/** Sessions of one name on two tmux servers: which of them is the agent's. */

import { assertEquals } from "@std/assert";
import { main as stop } from "../commands/stop.ts";
import { allProcesses } from "../lib/doors/process_tree.ts";
import { isServerThere } from "../lib/fleet/session_files.ts";
import { movedTo } from "../lib/fleet/whereabouts.ts";
import { noteSession } from "../lib/known_sessions.ts";
import { readScreen } from "../lib/pane.ts";
import { paneEnv } from "../lib/sessions/tmux_servers.ts";
import {
  idOf,
  launchOf,
  listAs,
  readLaunch,
  recover,
  remember,
  spawned,
} from "./support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";
import { until } from "./support/until.ts";
import { watcher } from "./support/watching.ts";

interface Servers {
  /** The socket of `work`, a server on which the agent's session was lost. */
  socket: string;
  work(...args: string[]): Promise<string>;
  /** Starts Claude Code in a session of that name on the server in reach; its process. */
  begin(session: string): Promise<number>;
  /** What programs in that session have in their environment. */
  envOf(session: string): Promise<ReturnType<typeof paneEnv>>;
}

function onTwoServers(
  name: string,
  test: (world: SessionWorld, servers: Servers) => Promise<void>,
): Promise<void> {
  return inSessionWorld(async (world) => {
    const real = /exec (\S+)/.exec(Deno.readTextFileSync(world.variables.GSD_TMUX!))![1]!;
    Deno.writeTextFileSync(
      world.variables.GSD_TMUX!,
      `#!/bin/sh\nexec ${real} -f /dev/null "$@"\n`,
    );
    world.variables.TMUX_TMPDIR = world.dir;
    const work = (...args: string[]) => world.tmux("-L", "work", ...args);
    const near = (...args: string[]) => world.tmux("-L", "default", ...args);
    const size = ["-x", "200", "-y", "50"];
    const begin = async (session: string) => {
      const program = ["/bin/sh", `${world.dir}/claude`];
      const made = ["new-session", "-d", "-P", "-F", "#{pane_pid}", ...size, "-s", session];
      const pid = Number(await near(...made, ...program));
      await until("its screen", async () => {
        const shown = await near("capture-pane", "-p", "-t", `=${session}:`);
        return readScreen(shown).state === "idle";
      });
      return pid;
    };
    const envOf = async (session: string) => {
      const format = "#{socket_path},#{pid},0 #{pane_id}";
      const shown = await near("display-message", "-p", "-t", `=${session}:`, format);
      const [variable, pane] = shown.split(" ");
      return paneEnv(variable, pane);
    };
    try {
      await work("new-session", "-d", "-s", "desk", "sleep 1000");
      const socket = await work("display-message", "-p", "#{socket_path}");
      world.variables.TMUX = `${socket},0,0`;
      await spawned(world, "anvil", {}, "--name", name);
      delete world.variables.TMUX;
      await work("kill-server");
      await until("the server to be gone", () => work("ls").then(() => false, () => true));
      await test(world, { socket, work, begin, envOf });
    } finally {
      for (const server of [work, near]) await server("kill-server").catch(() => {});
    }
  });
}

async function runs(pid: number): Promise<boolean> {
  return (await allProcesses()).some((process) => process.pid === pid);
}

Deno.test("watch and recover leave a person's session alone that has the name of a lost one", () =>
  onTwoServers("docs", async (world, { socket, work, begin }) => {
    const person = await begin("docs");
    listAs(world, person, crypto.randomUUID());
    remember(world, "docs", { agent_id: "anvil", claude_session_id: idOf(world, "docs") });
    const { start } = watcher(world);
    const watch = start();
    assertEquals(await watch.look(0), []);
    assertEquals(await watch.look(60), ["docs lost"]);
    await watch.settled();
    assertEquals(await watch.look(60), []);
    assertEquals(readLaunch(world.paths, "docs").tmux_socket, socket);
    assertEquals(await work("list-sessions", "-F", "#S"), "docs");
    assertEquals(await runs(person), true);
    assertEquals((await recover(world)).outcomes, { anvil: "alive" });
  }));

for (const isListed of [true, false]) {
  const list = isListed ? "with another conversation" : "whose conversation is not known";
  Deno.test(`stop leaves a person's session alone that has the name of a lost one, ${list}`, () =>
    onTwoServers("docs", async (world, { begin }) => {
      const person = await begin("docs");
      if (isListed) listAs(world, person, crypto.randomUUID());
      assertEquals(await stop(["docs", "--now", "--json"], world), 0, world.warned.join("\n"));
      assertEquals(JSON.parse(world.said.at(-1)!).state, "not running");
      assertEquals(await runs(person), true);
    }));
}

Deno.test("recover and stop follow a session to another tmux server, also after /clear", () =>
  onTwoServers("docs", async (world, { begin, envOf }) => {
    const id = idOf(world, "docs");
    const pid = await begin("docs");
    listAs(world, pid, id);
    assertEquals((await recover(world)).outcomes, { anvil: "alive" });
    assertEquals(await stop(["docs", "--dry-run"], world), 0);
    listAs(world, pid, crypto.randomUUID());
    assertEquals((await recover(world, "--dry-run")).outcomes, { anvil: "would recover" });
    remember(world, "docs", { agent_id: "anvil", claude_session_id: id });
    noteSession(world.paths, id, "docs", await envOf("docs"));
    assertEquals((await recover(world)).outcomes, { anvil: "alive" });
    assertEquals(await stop(["docs", "--now", "--json"], world), 0, world.warned.join("\n"));
    assertEquals(JSON.parse(world.said.at(-1)!).state, "stopped");
    assertEquals(await runs(pid), false);
  }));

Deno.test("a session with its agent's name is the agent's on every server, for recover and stop", () =>
  onTwoServers("anvil-main", async (world, { begin }) => {
    const pid = await begin("anvil-main");
    listAs(world, pid, crypto.randomUUID());
    assertEquals((await recover(world)).outcomes, { anvil: "alive" });
    assertEquals(await stop(["anvil-main", "--now"], world), 0, world.warned.join("\n"));
    assertEquals(await runs(pid), false);
  }));

Deno.test("movedTo() and isServerThere() compare sockets as tmux may write them", () => {
  const launch = launchOf({ tmux_socket: "/tmp/tmux-1/default", tmux_server: "1-1" });
  assertEquals(movedTo(launch, "alive", "/private/tmp/tmux-1/default"), undefined);
  assertEquals(movedTo(launch, "alive", "/tmp/tmux-1/play"), "/tmp/tmux-1/play");
  const at = (socket: string) => [{ socket, run: "1-1" }] as Parameters<typeof isServerThere>[0];
  assertEquals(isServerThere(at("/private/tmp/tmux-1/default"), launch), true);
  assertEquals(isServerThere(at("/tmp/tmux-1/play"), launch), false);
});
