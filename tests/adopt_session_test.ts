import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main as adopt } from "../commands/adopt.ts";
import { isFile } from "../lib/files.ts";
import { ownerOf } from "../lib/known_sessions.ts";
import { readScreen } from "../lib/pane.ts";
import { launchFiles, writeLaunch } from "../lib/sessions/launch_files.ts";
import {
  IDLE,
  killServer,
  listAs,
  readLaunch,
  recover,
  writeTranscript,
} from "./support/recovering.ts";
import { inSessionWorld, project, type SessionWorld } from "./support/session_world.ts";
import { until } from "./support/until.ts";

/** A session with a recorded screen, as somebody has started it by hand. */
async function startedByHand(world: SessionWorld, session: string): Promise<void> {
  const claude = world.standIn("claude", IDLE);
  const dir = project(world);
  await world.tmux(...[
    "new-session",
    "-d",
    "-s",
    session,
    "-x",
    "200",
    "-y",
    "50",
    "-c",
    dir,
    claude,
  ]);
  const shown = () => world.tmux("capture-pane", "-p", "-t", `=${session}:`);
  await until("its screen", async () => readScreen(await shown()).state === "idle");
  world.registry({
    agents: [
      {
        agent_id: "warden",
        openclaw_session_key: "agent:warden:main",
        claude_launch_command: claude,
      },
      { agent_id: "forge", tmux_session_name: "forge-main", openclaw_session_key: "agent:f:main" },
    ],
  });
}

Deno.test("adopt gives a session to an agent, says what is missing, and recover brings it back", () =>
  inSessionWorld(async (world) => {
    await startedByHand(world, "docs");
    const pid = Number(await world.tmux("list-panes", "-t", "=docs:", "-F", "#{pane_pid}"));
    const id = crypto.randomUUID();
    listAs(world, pid, id);
    writeTranscript(world, id);

    assertEquals(await adopt(["docs", "warden", "--dry-run"], world), 1);
    assertEquals(ownerOf(world.paths, "docs"), undefined);
    assertStringIncludes(world.said[0]!, `docs in ${project(world)} would be given to warden`);

    assertEquals(await adopt(["docs", "warden", "--json"], world), 1);
    const result = JSON.parse(world.said.at(-1)!);
    assertEquals([result.state, result.hooks, result.problem], ["adopted", "missing", ""]);
    assertMatch(world.warned.at(-1)!, /none of our hooks: .* register adds them at once$/);
    assertEquals(ownerOf(world.paths, "docs"), "warden");
    const launch = readLaunch(world.paths, "docs");
    assertEquals([launch.claude_session_id, launch.working_directory], [id, project(world)]);

    // With hooks in the user's settings nothing is missing.
    Deno.mkdirSync(world.paths.claudeConfig, { recursive: true });
    Deno.copyFileSync(
      launchFiles(world.paths, "docs").settings,
      `${world.paths.claudeConfig}/settings.json`,
    );
    assertEquals(await adopt(["docs", "warden", "--json"], world), 0, world.warned.join("\n"));
    assertEquals(JSON.parse(world.said.at(-1)!).state, "already");

    await killServer(world);
    const { agents } = await recover(world, "--agent", "warden");
    assertEquals(
      agents.map(({ session, outcome, conversation }) => [session, outcome, conversation]),
      [
        ["docs", "recovered", `resume ${id}`],
      ],
    );
  }));

Deno.test("adopt writes a new record where the one of that name is of another tmux server", () =>
  inSessionWorld(async (world) => {
    await startedByHand(world, "docs");
    await adopt(["docs", "warden"], world);
    const { tmux_socket, ...launch } = readLaunch(world.paths, "docs");
    writeLaunch(world.paths, { ...launch, tmux_socket: `${world.dir}/gone` });
    for (const state of ["adopted", "already"]) {
      await adopt(["docs", "warden", "--json"], world);
      assertEquals(JSON.parse(world.said.at(-1)!).state, state);
      assertEquals(readLaunch(world.paths, "docs").tmux_socket, tmux_socket);
    }
  }));

Deno.test("adopt records neither of two conversations in a session", () =>
  inSessionWorld(async (world) => {
    await startedByHand(world, "docs");
    await world.tmux("split-window", "-t", "=docs:", `${world.dir}/claude`);
    const format = "#{pane_pid}";
    const panes = (await world.tmux("list-panes", "-t", "=docs:", "-F", format)).split("\n");
    for (const pid of panes) listAs(world, Number(pid), crypto.randomUUID());
    assertEquals(await adopt(["docs", "warden"], world), 1);
    assertMatch(world.warned.at(-1)!, /several panes of it run Claude Code/);
    assertEquals(isFile(launchFiles(world.paths, "docs").record), false);
  }));

Deno.test("adopt refuses what it cannot give, in one sentence, and writes nothing", () =>
  inSessionWorld(async (world) => {
    await startedByHand(world, "docs");
    await world.tmux("new-session", "-d", "-s", "shell");
    await world.tmux("new-session", "-d", "-s", "forge-main", "cat");
    for (
      const [words, reason] of [
        [["docs", "wardn"], /has no agent "wardn"; did you mean warden\?$/],
        [["nothing", "warden"], /: there is no tmux session of that name in reach$/],
        [["shell", "warden"], /: Claude Code does not run in it: start it there, or /],
        [["forge-main", "warden"], /: it belongs to forge: gsd-code remove ends that$/],
      ] as const
    ) {
      assertEquals(await adopt([...words], world), 1);
      assertMatch(world.warned.at(-1)!, reason);
      assertEquals(isFile(launchFiles(world.paths, words[0]).record), false);
    }
    assertEquals(await adopt(["docs"], world), 2);
  }));

Deno.test("adopt says that there is no registry", () =>
  inSessionWorld(async (world) => {
    assertEquals(await adopt(["mine", "warden"], world), 1);
    assertMatch(world.warned.join(), /there is no registry at \S+; deno task spawn makes one/);
  }));
