/** Which agent an event reaches: real hooks, a real tmux server. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { namesIn } from "../lib/files.ts";
import { readMemory } from "../lib/session_memory.ts";
import { fixtureEvent } from "./support/fixtures.ts";
import { HookWorld, section, WARDEN } from "./support/hook_world.ts";
import { TmuxServer } from "./support/tmux_server.ts";
import { until } from "./support/until.ts";
import { writeExecutable } from "./support/executable.ts";

const STOP = fixtureEvent("stop-plain");
const SILENT = { code: 0, stdout: "", stderr: "" };

const FORGES = {
  agents: ["forge", "forge-x"].map((agent_id) => ({
    agent_id,
    tmux_session_name: `${agent_id}-main`,
    openclaw_session_key: `agent:${agent_id}:main`,
  })),
};

function wokenAgents(world: HookWorld): string[] {
  return namesIn(`${world.dir}/state/outbox`);
}

// deno-fmt-ignore
const OWNERS: Record<string, string[]> = {
  "forge-main": ["forge"], "forge-main-2": ["forge"], "forge-x-main": ["forge-x"],
  "my forge/main": [], "../../etc/x": [], "forge": [],
};
for (const [session, agents] of Object.entries(OWNERS)) {
  Deno.test(`a hook in session "${session}" reaches ${agents[0] ?? "no agent"}`, async () => {
    await using world = await HookWorld.create({ registry: FORGES });
    const { ms: _, ...result } = await world.hook("stop.ts", STOP, { session });
    assertEquals(result, SILENT);
    assertEquals(wokenAgents(world), agents);
    if (agents.length === 0) assertEquals(namesIn(`${world.dir}/state`), []);
  });
}

Deno.test("a hook in a session with a strange name reaches its own agent, in files of its own", async () => {
  const sessions = ["my forge/main", "my forge_main", "../../etc/x", "ž 🐎 $(x) 'q'"];
  // tmux itself writes "_" for "." and ":" in a name.
  await using world = await HookWorld.create({
    registry: {
      agents: sessions.map((name, index) => ({
        ...WARDEN,
        agent_id: `agent/${index}`,
        tmux_session_name: name,
      })),
    },
  });
  for (const session of sessions) {
    const { ms: _, ...result } = await world.hook("stop.ts", STOP, { session });
    assertEquals(result, SILENT);
  }
  assertEquals(wokenAgents(world), sessions.map((_, index) => `agent%2F${index}`));
  assertEquals(namesIn(`${world.dir}/state/journal`).length, sessions.length);
  assertEquals(namesIn(world.dir), ["data", "home", "registry.json", "state"]);
  const message = world.wakes("agent%2F3")[0]!;
  assertStringIncludes(message, `tmux_session_name: ${sessions[3]}\n`);
  assertStringIncludes(
    section(message, "AVAILABLE ACTIONS"),
    `'ž 🐎 $(x) '\\''q'\\''' type <text>`,
  );
});

Deno.test("a hook knows its own pane, with base-index 1, windows, panes and others attached", async () => {
  await using world = await HookWorld.create();
  const { server } = world;
  await server.session("zzz-other");
  await server.tmux("set-option", "-g", "base-index", "1");
  await server.tmux("set-option", "-g", "pane-base-index", "1");
  await world.pane("warden-main");
  const pane = await server.tmux(
    ...["new-window", "-t", "warden-main", "-P", "-F", "#{pane_id}", "cat"],
  );
  const split = await server.tmux("split-window", "-t", pane, "-P", "-F", "#{pane_id}", "cat");
  await server.tmux("select-window", "-t", "warden-main:1");
  await server.show(split, "the words in the right pane");
  world.panes.set("warden-main", split);
  const { last_assistant_message: _, ...silent } = STOP;
  await world.hook("stop.ts", { ...silent, transcript_path: "" });
  assertEquals(section(world.wakes()[0]!, "CONTENT"), "the words in the right pane");
});

/** A person at a terminal of their own, who looks at a session of the world's server. */
async function lookAt(world: HookWorld, session: string): Promise<TmuxServer> {
  const terminal = new TmuxServer();
  const attach = `env -u TMUX tmux -u -L ${world.server.socket} attach-session -t '=${session}'`;
  await terminal.session("terminal", attach);
  const clients = () => world.server.tmux("list-clients", "-F", "#{session_name}");
  await until("the client to be attached", async () => (await clients()).includes(session));
  return terminal;
}

async function sessionByTmux(world: HookWorld, pane: string): Promise<string> {
  return await world.server.tmux("display-message", "-p", "-t", pane, "#{session_name}");
}

Deno.test("a hook reaches its agent although a person watches in a session of their own", async () => {
  await using world = await HookWorld.create();
  const pane = await world.pane("warden-main");
  await world.server.tmux("new-session", "-d", "-t", "warden-main", "-s", "human-view");
  await world.server.tmux("new-session", "-d", "-t", "warden-main");
  await using _terminal = await lookAt(world, "human-view");
  assertEquals(await sessionByTmux(world, pane), "human-view");
  for (const permissions of ["registered", "all"] as const) {
    const { ms: _, ...result } = await world.hook("stop.ts", { ...STOP, prompt_id: permissions });
    assertEquals(result, SILENT);
  }
  for (const wake of world.wakes()) assertStringIncludes(wake, "tmux_session_name: warden-main\n");
  assertEquals(world.wakes().length, 2);
});

Deno.test("a hook in a spawned session reaches its agent although a person watches", async () => {
  await using world = await HookWorld.create({ registry: FORGES });
  const pane = await world.pane("forge-main-2");
  await world.server.tmux("new-session", "-d", "-t", "forge-main-2", "-s", "viewer");
  await using _terminal = await lookAt(world, "viewer");
  assertEquals(await sessionByTmux(world, pane), "viewer");
  await world.hook("stop.ts", STOP, { session: "forge-main-2" });
  assertEquals(wokenAgents(world), ["forge"]);
  assertStringIncludes(world.wakes("forge")[0]!, "tmux_session_name: forge-main-2\n");
});

for (const permissions of ["registered", "all"] as const) {
  Deno.test(`a comma in a session's name reaches no agent, with ${permissions} permissions`, async () => {
    await using world = await HookWorld.create({ permissions });
    await world.pane("scratch,warden-main");
    await world.hook("stop.ts", STOP, { session: "scratch,warden-main" });
    await world.server.tmux(
      "new-session",
      "-d",
      "-t",
      "scratch,warden-main",
      "-s",
      "x,warden-main",
    );
    await world.hook("stop.ts", STOP, { session: "scratch,warden-main" });
    assertEquals(namesIn(`${world.dir}/state`), []);
  });

  Deno.test(`a window of two managed sessions belongs where it was made, with ${permissions} permissions`, async () => {
    await using world = await HookWorld.create({ registry: FORGES, permissions });
    const { server } = world;
    await world.pane("forge-main");
    const pane = await world.pane("forge-x-main");
    await server.tmux("link-window", "-d", "-s", "forge-x-main:0", "-t", "forge-main:7");
    await using _terminal = await lookAt(world, "forge-main");
    assertEquals(await sessionByTmux(world, pane), "forge-main");
    const id = await server.tmux("display-message", "-p", "-t", "=forge-x-main:", "#{session_id}");
    const madeIn = async (number: string) => ({
      TMUX: (await server.env(pane)).TMUX.replace(/,\d+$/, `,${number}`),
    });
    const session = "forge-x-main";
    await world.hook("stop.ts", STOP, { session, env: await madeIn(id.slice(1)) });
    assertEquals(wokenAgents(world), ["forge-x"]);
    assertStringIncludes(world.wakes("forge-x")[0]!, "tmux_session_name: forge-x-main\n");

    const later = { ...STOP, prompt_id: "later" };
    await world.hook("stop.ts", later, { session, env: await madeIn("99") });
    assertEquals([world.wakes("forge").length, world.wakes("forge-x").length], [0, 1]);
    const [problem] = world.journal("forge-main");
    assertStringIncludes(String(problem?.reason), '"forge-main" and "forge-x-main"');
  });
}

Deno.test("a hook outside tmux asks no server, though one runs", async () => {
  await using world = await HookWorld.create();
  await world.pane("warden-main");
  for (const env of [{ TMUX: undefined }, { TMUX_PANE: undefined }, { TMUX: "" }]) {
    const { ms: _, ...result } = await world.hook("stop.ts", STOP, { env });
    assertEquals(result, SILENT);
  }
  assertEquals(namesIn(`${world.dir}/state`), []);
});

// By the registered command a server that hangs is waited for until Claude Code's own time limit.
for (
  const [permissions, scripts] of [
    ["all", ["exec sleep 1000", "exit 1", "yes | head -c 100000; exit 1"]],
    ["registered", ["exit 1", "yes | head -c 100000; exit 1", "printf '\\036\\036\\036'"]],
  ] as const
) {
  Deno.test(`a hook with ${permissions} permissions gives up, silent, on a tmux that is none`, async () => {
    await using world = await HookWorld.create({ permissions });
    const fake = `${world.dir}/tmux`;
    for (const script of scripts) {
      writeExecutable(fake, `#!/bin/sh\n${script}\n`);
      const { ms, ...result } = await world.hook("stop.ts", STOP, { env: { GSD_TMUX: fake } });
      assertEquals(result, SILENT);
      assert(ms < 500_000, `${script}: ${ms} ms`);
    }
    assertEquals(namesIn(`${world.dir}/state`), []);
  });
}

Deno.test("the end of a killed tmux session still reaches its agent", async () => {
  await using world = await HookWorld.create();
  await world.pane("zzz-keeps-the-server");
  const start = { ...fixtureEvent("session_start-startup"), session_id: "claude-1" };
  await world.hook("session_start.ts", start);
  const pane = await world.pane("warden-main");
  const env = await world.server.env(pane);
  await world.server.tmux("kill-session", "-t", "warden-main");
  world.panes.set("gone", "%0");
  const end = { ...fixtureEvent("session_end-other"), session_id: "claude-1" };
  const { ms: _, ...result } = await world.hook("session_end.ts", end, { session: "gone", env });
  assertEquals(result, SILENT);
  assertEquals(section(world.wakes()[0]!, "STATE HINT"), "state: terminated");
});

Deno.test("the end of a conversation in a pane of no agent ends no agent's session", async () => {
  await using world = await HookWorld.create();
  const start = { ...fixtureEvent("session_start-startup"), session_id: "claude-1" };
  await world.hook("session_start.ts", start);
  const pane = await world.pane("other");
  const env = await world.server.env(pane);
  await world.server.tmux("kill-session", "-t", "other");
  world.panes.set("gone", pane);
  const end = { ...fixtureEvent("session_end-other"), session_id: "claude-1" };
  const { ms: _, ...result } = await world.hook("session_end.ts", end, { session: "gone", env });
  assertEquals(result, SILENT);
  assertEquals(world.wakes(), []);
  assertEquals(readMemory(world.paths, "warden-main").ended, "");
});

// deno-fmt-ignore
const PROBLEMS: Record<string, { registry: unknown; says: string }> = {
  "is empty": { registry: "", says: "is not JSON" },
  "is broken": { registry: '{"agents": [', says: "is not JSON" },
  "has no list of agents": { registry: { agents: 1 }, says: '"agents" is not a list' },
  "has the agent disabled": { registry: { agents: [{ ...WARDEN, enabled: false }] }, says: "disabled" },
  "has a wrong type in the agent": { registry: { agents: [{ ...WARDEN, agent_id: 5 }] }, says: "agent_id is not a text" },
  "has no session for the agent": { registry: { agents: [{ ...WARDEN, openclaw_session_key: "" }] }, says: "neither openclaw_session_key" },
};
for (const [title, { registry, says }] of Object.entries(PROBLEMS)) {
  Deno.test(`a hook is silent and the journal says why when the registry ${title}`, async () => {
    await using world = await HookWorld.create();
    await world.hook("session_start.ts", fixtureEvent("session_start-startup"));
    await world.writeRegistry(registry);
    const { ms: _, ...result } = await world.hook("stop.ts", { ...STOP, session_id: "another" });
    assertEquals(result, SILENT);
    assertEquals(wokenAgents(world), []);
    const entry = world.journal().at(-1);
    assertEquals(entry?.kind, "problem");
    assertStringIncludes(String(entry?.reason), says);
  });
}

Deno.test("a session that was never managed leaves no trace when the registry is broken", async () => {
  await using world = await HookWorld.create();
  await world.hook("session_start.ts", fixtureEvent("session_start-startup"));
  await world.writeRegistry('{"agents": [');
  await world.hook("stop.ts", { ...STOP, session_id: "another" }, { session: "private" });
  assertEquals(namesIn(`${world.dir}/state/journal`), ["warden-main.jsonl"]);
  assertEquals(world.journal().length, 1);
});

Deno.test("a hook leaves no trace when there is no registry", async () => {
  await using world = await HookWorld.create({ registry: undefined });
  const { ms: _, ...result } = await world.hook("stop.ts", STOP);
  assertEquals(result, SILENT);
  assertEquals(namesIn(world.dir), ["data", "home"]);
});

Deno.test("a hook works with comments, unknown fields and a wrong neighbour in the registry", async () => {
  const text = `// agents\n{"agents": [{"agent_id": 3}, ${JSON.stringify(WARDEN)},], "new": {},}`;
  await using world = await HookWorld.create({ registry: text });
  await world.hook("stop.ts", STOP);
  assertEquals(world.wakes().length, 1);
});

Deno.test("an unmanaged session leaves no trace, whatever the event", async () => {
  await using world = await HookWorld.create();
  const hooks = namesIn(new URL("../hooks", import.meta.url).pathname);
  for (const hook of hooks) {
    const { ms: _, ...result } = await world.hook(hook, STOP, { session: "somebody-else" });
    assertEquals(result, SILENT);
  }
  assertEquals(namesIn(world.dir), ["data", "home", "registry.json"]);
  assertEquals(namesIn(`${world.dir}/home`), [".claude"]);
});
