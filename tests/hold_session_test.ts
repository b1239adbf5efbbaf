import { assertEquals, assertMatch } from "@std/assert";
import { main as give } from "../commands/give.ts";
import { main as pause } from "../commands/pause.ts";
import { main as remove } from "../commands/remove.ts";
import { main as resume } from "../commands/resume.ts";
import { main as take } from "../commands/take.ts";
import { listHolds, readHold } from "../lib/doors/holds.ts";
import { readJournal } from "../lib/journal_read.ts";
import { durationIn } from "../lib/sessions/hold_session.ts";
import { spawned } from "./support/recovering.ts";
import { inSessionWorld } from "./support/session_world.ts";

const TERMINAL = () => Promise.resolve("tmux pane %1 > bash > menu-driver");
const OPENCLAW = () => Promise.resolve("systemd > openclaw > sh > menu-driver");

Deno.test("pause holds an agent or a session, for a time or until resume, which starts the deliverer", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const { paths } = world;
    assertEquals(await pause([session, "--dry-run"], world), 0, world.warned.join("\n"));
    assertEquals(listHolds(paths), []);
    assertEquals(await pause([session, "--for", "2h", "--json"], world), 0);
    const paused = JSON.parse(world.said.at(-1)!);
    assertEquals([paused.kind, paused.name, paused.agent_id], ["session", session, "anvil"]);
    const ms = Date.parse(paused.until) - Date.parse(paused.since);
    assertEquals(ms, 2 * 3_600_000);
    // A second one changes the time, and not the beginning.
    assertEquals(await pause([session], world), 0);
    const { since, until } = readHold(paths, "session", session)!;
    assertEquals([since, until], [paused.since, undefined]);
    assertEquals(await pause(["anvil"], world), 0);
    assertMatch(world.said.at(-1)!, /^The agent anvil is paused until gsd-code resume: its wakes/);

    world.carried.length = 0;
    assertEquals(await resume(["anvil", "--dry-run"], world), 0);
    assertEquals(world.carried, []);
    assertEquals(await resume(["anvil"], world), 0);
    assertEquals(world.carried, ["anvil"]);
    // The deliverer ends it: until then it is over, and not yet gone.
    assertEquals(typeof readHold(paths, "agent", "anvil")?.until, "string");
    assertEquals(await pause(["anvil"], world), 1);
    assertMatch(world.warned.at(-1)!, /the last one is just ending: try again in a moment$/);
    assertEquals(await resume(["anvil"], world), 1);
    assertMatch(world.warned.at(-1)!, /^Cannot resume "anvil": the agent is not paused$/);
    assertEquals(await resume([session], world), 0);
  }));

Deno.test("resume and give say what still holds the wakes", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    assertEquals(await pause([session], world), 0, world.warned.join("\n"));
    assertEquals(await pause(["anvil"], world), 0);
    assertEquals(await take([session], world), 0);
    const agentIs = "the agent anvil is paused (gsd-code resume anvil)";
    const personHas = `a person has ${session} (gsd-code give ${session})`;
    assertEquals(await resume([session], world), 0);
    const still = "is resumed, but wakes are still held:";
    assertEquals(world.said.at(-1), `The session ${session} ${still} ${agentIs}; ${personHas}`);
    assertEquals(await give([session], world, TERMINAL), 0);
    const given = `${session} is given back to anvil, with a wake that says what happened`;
    assertEquals(world.said.at(-1), `${given}; wakes are still held: ${agentIs}`);
    assertEquals(await resume(["anvil"], world), 0);
    assertMatch(
      world.said.at(-1)!,
      /^The agent anvil is resumed: what was held since .* is sent now$/,
    );
  }));

Deno.test("take and remove record who has called them", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    assertEquals(await take([session], world), 0, world.warned.join("\n"));
    await world.tmux("kill-session", "-t", `=${session}`);
    assertEquals(await remove([session, "--drop-wakes"], world), 0, world.warned.join("\n"));
    const lines = [...readJournal(world.paths, session)];
    for (const reason of ["taken", "removed"]) {
      const { by, by_kind, caller } = lines.find((line) => line.reason === reason)!;
      assertEquals([typeof by, ["agent", "person"].includes(`${by_kind}`)], ["string", true]);
      assertMatch(`${caller}`, / > gsd-code$/);
    }
  }));

Deno.test("take and give are for a session and a person", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    assertEquals(await give([session], world, TERMINAL), 1);
    assertMatch(world.warned.at(-1)!, /it is not taken$/);
    assertEquals(await take([session], world), 0, world.warned.join("\n"));
    assertMatch(world.said.at(-2)!, /is yours: anvil does nothing in it, and is not woken$/);
    assertEquals(await give([session, "did it"], world, OPENCLAW), 1);
    assertMatch(world.warned.at(-1)!, /only a person gives it back$/);
    assertEquals(readHold(world.paths, "taken", session)?.until, undefined);
    assertEquals(await give([session, "did", "it", "--json"], world, TERMINAL), 0);
    assertEquals(JSON.parse(world.said.at(-1)!).state, "given back");
    assertEquals(readHold(world.paths, "taken", session)?.said, "did it");
    assertEquals(world.carried, ["anvil"]);
  }));

Deno.test("pause and take refuse what they do not know, and change nothing", () =>
  inSessionWorld(async (world) => {
    await spawned(world, "anvil");
    await world.tmux("new-session", "-d", "-s", "mine", "cat");
    for (
      const [command, words, code, reason] of [
        [pause, ["anvl"], 1, /there is no session "anvl"; did you mean the agent anvil\?$/],
        [pause, ["nope"], 1, /there is no session "nope", and no agent of that id$/],
        [pause, ["mine"], 1, /the tmux session "mine" has no agent; gsd-code adopt gives it one$/],
        [pause, ["anvil", "--for", "soon"], 2, /--for needs a time such as .*, not "soon"/],
        [pause, [], 2, /pause needs an agent or a session/],
        [take, ["anvil"], 1, /there is no session "anvil"; did you mean anvil-main\?$/],
        [take, [], 2, /take needs a session/],
        [resume, [], 2, /resume needs an agent or a session/],
        [give, [], 2, /give needs a session/],
      ] as const
    ) {
      assertEquals(await command([...words], world), code, words.join(" "));
      assertMatch(world.warned.at(-1)!, reason);
    }
    assertEquals(listHolds(world.paths), []);
  }));

Deno.test("durationIn() reads times", () => {
  const times: Record<string, number | undefined> = {
    ...{ "90s": 90_000, "30m": 1_800_000, "2h": 7_200_000, "1d": 86_400_000, "1h30m": 5_400_000 },
    ...{ "": undefined, "2": undefined, "0m": undefined, "h": undefined, "2 h": undefined },
    ...{ "-2h": undefined, "999999d": undefined },
  };
  for (const [text, ms] of Object.entries(times)) assertEquals(durationIn(text), ms, text);
});
