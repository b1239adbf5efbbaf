import { assertEquals, assertMatch } from "@std/assert";
import { unknownAmong } from "../lib/fleet/unknown_agents.ts";
import { section } from "./support/hook_world.ts";
import { agentOf } from "./support/fleet_sessions.ts";
import { inSessionWorld } from "./support/session_world.ts";
import { watcher } from "./support/watching.ts";

const CASES: [name: string, agent: Record<string, unknown>, ids: string[], isUnknown: boolean][] = [
  ["known", {}, ["main", "warden"], false],
  ["in other letters", { openclaw_session_key: "agent:Warden:main" }, ["WARDEN"], false],
  ["unknown", {}, ["main", "forge"], true],
  ["known by its key", { agent_id: "w", openclaw_session_key: "agent:main:x" }, ["main"], false],
  ["unknown by its key", { agent_id: "main", openclaw_session_key: "agent:w:x" }, ["main"], true],
  ["disabled", { enabled: false }, ["main"], false],
  ["with an inbox", { delivery: { transport: "inbox" } }, ["main"], false],
  ["a list without agents", {}, [], false],
];

for (const [name, agent, ids, isUnknown] of CASES) {
  Deno.test(`unknownAmong() ${name}`, () => {
    assertEquals(unknownAmong([agentOf(agent)], ids).length, isUnknown ? 1 : 0);
  });
}

Deno.test("watch reports once to the global status session that OpenClaw does not know an agent", () =>
  inSessionWorld(async (world) => {
    const config = `${world.dir}/openclaw.json`;
    world.variables.OPENCLAW_CONFIG_PATH = config;
    Deno.writeTextFileSync(config, "{}");
    const agent = { agent_id: "anvil", openclaw_session_key: "agent:anvil:main" };
    const global = { global_status_openclaw_session_key: "agent:main:main" };
    world.registry({ ...global, agents: [agent] });
    const { start, listing } = watcher(world);
    const watch = start();
    const wakes = () => world.wakes("global_status");
    listing.ids = ["main", "anvil"];
    await watch.look(0);
    listing.ids = ["main"];
    await watch.look(3600);
    assertEquals(wakes(), [], "it is asked seldom");
    Deno.writeTextFileSync(config, "{ }");
    await watch.look(1);
    const [wake, ...more] = wakes();
    assertEquals([wake?.trigger, more], ["agent_unknown", []]);
    assertMatch(
      section(wake!.message, "CONTENT"),
      /OpenClaw has no agent anvil, so no wake of anvil/,
    );
    assertMatch(
      section(wake!.message, "TRIGGER"),
      /agent: anvil\nadvice: Add the agent to OpenClaw/,
    );
    // Delivered, it is not told again.
    Deno.removeSync(`${world.paths.state}/outbox/global_status`, { recursive: true });
    await watch.look(7 * 3600);
    await start().look(1);
    assertEquals(wakes(), []);
    // Known again, then removed again.
    const third = start();
    listing.ids = ["main", "anvil"];
    await third.look(1);
    listing.ids = ["main"];
    await third.look(7 * 3600);
    assertEquals(wakes().length, 1);
  }));

Deno.test("watch asks OpenClaw for its agents, also when the clock was set back", () =>
  inSessionWorld(async (world) => {
    const config = `${world.dir}/openclaw.json`;
    world.variables.OPENCLAW_CONFIG_PATH = config;
    Deno.writeTextFileSync(config, "{}");
    const agent = { agent_id: "anvil", openclaw_session_key: "agent:anvil:main" };
    const global = { global_status_openclaw_session_key: "agent:main:main" };
    world.registry({ ...global, agents: [agent] });
    const { start, listing } = watcher(world);
    const watch = start();
    listing.ids = ["main", "anvil"];
    await watch.look(0);
    listing.ids = ["main"];
    Deno.writeTextFileSync(config, "{ }");
    await watch.look(-3600);
    assertEquals(world.wakes("global_status").map(({ trigger }) => trigger), ["agent_unknown"]);
  }));
