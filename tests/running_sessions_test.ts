import { assertEquals, assertMatch } from "@std/assert";
import { main as send } from "../commands/send.ts";
import { runningSessions } from "../lib/fleet/running_sessions.ts";
import { realClock } from "../lib/time.ts";
import { driverWorld } from "./support/driver_context.ts";
import { another, spawned } from "./support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";
import { TestHome } from "./support/home.ts";

async function sendIn(world: SessionWorld, ...args: string[]) {
  await using home = new TestHome();
  const said: string[] = [];
  const warned: string[] = [];
  const driver = driverWorld(home, {
    env: world.env,
    paths: world.paths,
    say: (line) => void said.push(line),
    warn: (line) => void warned.push(line),
    clock: realClock,
  });
  const code = await send(["--wait", "1", ...args], driver, () => world);
  return { code, said, warned };
}

Deno.test("send --agent says that there is no registry", () =>
  inSessionWorld(async (world) => {
    const { code, warned } = await sendIn(world, "--agent", "anvil", "hello");
    assertEquals(code, 1);
    assertMatch(
      warned.join(),
      /^Cannot send: there is no registry at \S+; deno task spawn makes one/,
    );
  }));

Deno.test("send types into each session of an agent, or of all, in which Claude Code runs", () =>
  inSessionWorld(async (world) => {
    const first = await spawned(world, "anvil");
    const second = await another(world, "anvil");
    const gone = await another(world, "anvil");
    await world.killClaude(gone);
    await world.tmux("kill-session", "-t", `=${gone}`);
    const running = await runningSessions(world);
    assertEquals(running.map(({ session }) => session).sort(), [first, second]);
    for (const which of [["--all"], ["--agent", "anvil"]]) {
      const { code, said, warned } = await sendIn(world, ...which, "--dry-run", "hello");
      assertEquals([code, said.sort(), warned], [
        0,
        [first, second].map((session) => `${session}: Would type "hello"`).sort(),
        [],
      ]);
    }
    const { said } = await sendIn(world, "--all", "--dry-run", "--json", "hello");
    const results = JSON.parse(said[0]!);
    assertEquals(results.map((one: { done: string }) => one.done), [
      ...['Would type "hello"', 'Would type "hello"'],
    ]);
  }));

Deno.test("send to many refuses what makes no sense, and says where nothing runs", () =>
  inSessionWorld(async (world) => {
    world.registry({ agents: [{ agent_id: "anvil", tmux_session_name: "anvil-main" }] });
    for (
      const [words, code, reason] of [
        [["--all", "--agent", "anvil", "x"], 2, /--all does not go with --agent/],
        [["--all"], 2, /send needs a text/],
        [["--all", "--pane", "%1", "x"], 2, /--pane and --socket go with one session/],
        [["--all", "-"], 2, /a text for several sessions is not read from -/],
        [["--agent", "anvl", "x"], 1, /has no agent "anvl"; did you mean anvil\?$/],
        [["--agent", "anvil", "x"], 1, /Claude Code runs in no session of anvil$/],
      ] as const
    ) {
      const result = await sendIn(world, ...words);
      assertEquals(result.code, code, words.join(" "));
      assertMatch(result.warned.at(-1)!, reason);
    }
  }));
