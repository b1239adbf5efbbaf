import { assertEquals, assertMatch } from "@std/assert";
import { main } from "../commands/spawn.ts";
import { readTextIfThere } from "../lib/files.ts";
import { parseAgents } from "../lib/sessions/openclaw_sessions.ts";
import { agents, inSessionWorld, project, type SessionWorld } from "./support/session_world.ts";
import { writeExecutable } from "./support/executable.ts";

const IDLE = "01-idle-fresh.txt";

/** An openclaw that has these agents; it writes down what it was asked. */
function openclaw(world: SessionWorld, ids: string[]): () => string {
  const list = JSON.stringify(ids.map((id) => ({ id, workspace: "/w" })));
  const script = `#!/bin/sh\necho "$*" >> '${world.dir}/asked'\n` +
    `[ "$1" = agents ] || { echo no gateway >&2; exit 1; }\necho 'a warning'\necho '${list}'\n`;
  writeExecutable(world.variables.GSD_OPENCLAW!, script);
  return () => readTextIfThere(`${world.dir}/asked`) ?? "";
}

Deno.test("spawn refuses an unknown agent, names the nearest one, and adds it with --new", () =>
  inSessionWorld(async (world) => {
    const claude_launch_command = world.standIn("claude", IDLE);
    world.variables.GSD_CLAUDE = claude_launch_command;
    openclaw(world, ["main", "warden"]);
    world.registry({ agents: [{ agent_id: "forge", claude_launch_command }] });
    const registry = Deno.readTextFileSync(world.paths.registry);
    const dir = project(world);
    const none = "neither the registry nor OpenClaw has an agent";
    const cases = [
      ["wardn", `${none} "wardn"; did you mean warden? --new adds it nevertheless`],
      ["froge", `${none} "froge"; did you mean forge? --new adds it nevertheless`],
      ["somebody", `${none} "somebody"; --new adds it nevertheless`],
    ] as const;
    for (const [agent, reason] of cases) {
      for (const more of [[], ["--dry-run"]]) {
        assertEquals(await main([agent, dir, "", ...more], world), 1);
        assertEquals(world.warned.at(-1), `Cannot start ${agent}: ${reason}`);
      }
    }
    assertEquals(Deno.readTextFileSync(world.paths.registry), registry);
    assertEquals(await world.tmux("list-sessions").catch(() => "none"), "none");
    assertEquals(await main(["warden", dir, ""], world), 0, world.warned.join("\n"));
    assertEquals(await main(["somebody", dir, "", "--new"], world), 0, world.warned.join("\n"));
    assertEquals(agents(world).map(({ agent_id }) => agent_id), ["forge", "warden", "somebody"]);
  }));

Deno.test("spawn does not ask OpenClaw for an agent of the registry", () =>
  inSessionWorld(async (world) => {
    const claude_launch_command = world.standIn("claude", IDLE);
    const asked = openclaw(world, []);
    const agent = { agent_id: "w", openclaw_session_key: "agent:w:main", claude_launch_command };
    world.registry({ agents: [agent] });
    assertEquals(await main(["w", project(world), ""], world), 0, world.warned.join("\n"));
    assertEquals(asked(), "");
  }));

Deno.test("spawn takes only what resembles an agent for a slip where OpenClaw cannot be asked", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
    world.registry({ agents: [{ agent_id: "warden" }, { agent_id: "worker1" }] });
    const dir = project(world);
    assertEquals(await main(["wardn", dir, "", "--dry-run"], world), 1);
    const [, why, refusal] = world.warned;
    assertEquals(why, "OpenClaw could not be asked: openclaw agents failed: no gateway");
    assertMatch(refusal!, /: the registry has no agent "wardn"; did you mean warden\? --new adds/);
    assertEquals(await main(["worker2", dir, "", "--dry-run"], world), 0, world.warned.join("\n"));
    world.registry({ agents: [], delivery: { transport: "inbox" } });
    world.warned.length = 0;
    assertEquals(await main(["anybody", dir, "", "--dry-run"], world), 0);
    assertEquals(world.warned, [], "wakes go to files: OpenClaw is not needed");
  }));

Deno.test("spawn says when the agent is disabled and will not be woken", () =>
  inSessionWorld(async (world) => {
    const claude_launch_command = world.standIn("claude", IDLE);
    const key = { openclaw_session_key: "agent:w:main" };
    world.registry({ agents: [{ agent_id: "w", enabled: false, claude_launch_command, ...key }] });
    assertEquals(await main(["w", project(world), ""], world), 0, world.warned.join("\n"));
    assertEquals(world.warned, ["w cannot be woken: it is disabled in the registry"]);
  }));

Deno.test("parseAgents() passes over lines before the list, and refuses what is none", () => {
  assertEquals(parseAgents('[warn] x\n[{"id":"main"},{"id":5},7]'), ["main"]);
  assertEquals(parseAgents('[\n {"id":"main"}\n]\n'), ["main"]);
  assertEquals(parseAgents("{}"), undefined);
  assertEquals(parseAgents(""), undefined);
});
