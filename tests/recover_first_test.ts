import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main as spawn } from "../commands/spawn.ts";
import { readLaunch } from "../lib/sessions/launch_files.ts";
import { IDLE, recover, remember } from "./support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";

const FIRST = "Fix the failing tests";
const wordsOf = (world: SessionWorld) =>
  Deno.readTextFileSync(`${world.dir}/claude.args`).trimEnd().split("\n");

/** A session that stands before the trust dialog with its first command. */
async function untrusted(world: SessionWorld, settings: Record<string, unknown> = {}) {
  Deno.mkdirSync(`${world.dir}/new`);
  const agent = { agent_id: "w", openclaw_session_key: "agent:w:main", hook_settings: settings };
  const claude_launch_command = world.standIn("claude", "v325-80-trust.txt");
  world.registry({ agents: [{ ...agent, claude_launch_command }] });
  assertEquals(await spawn(["w", "new", FIRST], world), 1);
}

Deno.test("recover gives the first command again while Claude Code has not come to it", () =>
  inSessionWorld(async (world) => {
    await untrusted(world);
    const id = readLaunch(world.paths, "w-main")!.claude_session_id;
    for (const pane of ["v325-80-trust.txt", IDLE]) {
      await world.killClaude("w-main");
      world.standIn("claude", pane);
      assertEquals((await recover(world)).outcomes, { w: "recovered" });
      assertEquals(wordsOf(world).slice(-3), ["--session-id", id, FIRST]);
    }
    const [waiting, ready] = world.wakes("w").map(({ message }) => message);
    assertStringIncludes(waiting!, `begins by itself with its first command: ${FIRST}`);
    assertMatch(ready!, /Wait for its wake\.\nIt begins by itself/);

    // A hook has run: it was said, also where its transcript is gone by now.
    remember(world, "w-main", { claude_session_id: id });
    await world.killClaude("w-main");
    assertEquals((await recover(world)).outcomes, { w: "recovered" });
    assertEquals(wordsOf(world).slice(-2), ["--session-id", id]);
    assertStringIncludes(world.wakes("w").at(-1)!.message, "Tell it what to work on.");
  }));

Deno.test("spawn tells an agent that may decide how it says yes to the trust dialog", () =>
  inSessionWorld(async (world) => {
    await untrusted(world, { answer_permissions: true });
    const yes =
      / say yes with: \S+\/menu-driver --socket \S+ w-main choose 2; its first command is/;
    assertMatch(world.warned.join("\n"), yes);
  }));

Deno.test("spawn tells no other agent so", () =>
  inSessionWorld(async (world) => {
    await untrusted(world);
    assertEquals(world.warned.join("\n").includes("say yes with"), false);
  }));
