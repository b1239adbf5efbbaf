import { assertEquals } from "@std/assert";
import { namesIn, writeAtomic } from "../lib/files.ts";
import { currentName, launchesDir, memoryFile, ownerOf } from "../lib/known_sessions.ts";
import type { Paths } from "../lib/paths.ts";
import { findAgent, readRegistry } from "../lib/registry.ts";
import { fixtureEvent } from "./support/fixtures.ts";
import { TestHome } from "./support/home.ts";
import { HookWorld, WARDEN } from "./support/hook_world.ts";

const STOP = fixtureEvent("stop-plain");
const FORGE = { ...WARDEN, agent_id: "forge", tmux_session_name: "forge-main" };

function putRecord(paths: Paths, session: string, fields: Record<string, unknown>): void {
  const text = JSON.stringify({ session, ...fields });
  writeAtomic(`${launchesDir(paths)}/${session}.json`, text);
}

Deno.test("a session with a record wakes the agent of its record, whatever its name is", async () => {
  await using world = await HookWorld.create({ registry: { agents: [WARDEN, FORGE] } });
  await world.hook("stop.ts", STOP, { session: "docs" });
  assertEquals(world.wakes().length, 0);
  putRecord(world.paths, "docs", { agent_id: "warden" });
  await world.hook("stop.ts", STOP, { session: "docs" });
  assertEquals(world.wakes().length, 1);
  // Also where another agent has that name.
  putRecord(world.paths, "forge-main", { agent_id: "warden" });
  await world.hook("stop.ts", { ...STOP, session_id: "2" }, { session: "forge-main" });
  assertEquals([world.wakes("forge").length, world.wakes().length], [0, 2]);
  await world.hook("stop.ts", { ...STOP, session_id: "3" }, { session: "forge-main-2" });
  assertEquals(world.wakes("forge").length, 1);
});

Deno.test("a session on another tmux server than its record's reaches no agent, unless it has moved", async () => {
  await using world = await HookWorld.create();
  const own = "/tmp/tmux-1/default";
  putRecord(world.paths, "docs", {
    agent_id: "warden",
    tmux_socket: own,
    claude_session_id: "own",
  });
  let turns = 0;
  const isWoken = async (session_id: string) => {
    const before = world.wakes().length;
    const event = { ...STOP, session_id, prompt_id: `p-${turns++}` };
    await world.hook("stop.ts", event, { session: "docs" });
    return world.wakes().length > before;
  };
  assertEquals(await isWoken("a person's"), false);
  assertEquals(namesIn(`${world.dir}/state`), []);
  // The same conversation as in the record, or as in the last event.
  assertEquals(await isWoken("own"), true);
  const memory = memoryFile(world.paths, "docs");
  writeAtomic(memory, JSON.stringify({ said: [], claude_session_id: "after /clear" }));
  assertEquals(await isWoken("after /clear"), true);
  assertEquals(await isWoken("a person's"), false);
  // A `/clear` in it begins a conversation that neither knows, in the pane of its last event.
  const during = async (hook: string, event: string, session_id: string) => {
    const fields = { ...fixtureEvent(event), session_id, prompt_id: "p-clear" };
    await world.hook(hook, fields, { session: "docs" });
  };
  await during("session_start.ts", "session_start-resume", "after /clear");
  await during("session_end.ts", "session_end-clear", "after /clear");
  await during("session_start.ts", "session_start-clear", "new");
  assertEquals(await isWoken("new"), true);
  // The record has followed.
  const socket = await world.server.tmux("display-message", "-p", "#{socket_path}");
  putRecord(world.paths, "docs", { agent_id: "warden", tmux_socket: socket });
  assertEquals(await isWoken("a person's"), true);
});

Deno.test("a session that its name gives to an agent is the agent's on every tmux server", async () => {
  await using world = await HookWorld.create({ registry: { agents: [WARDEN, FORGE] } });
  putRecord(world.paths, "warden-main", { agent_id: "forge", tmux_socket: "/tmp/tmux-1/default" });
  await world.hook("stop.ts", STOP);
  assertEquals([world.wakes("forge").length, world.wakes().length], [0, 1]);
});

Deno.test("a hook cannot write a record, and so cannot give its session to an agent", async () => {
  await using world = await HookWorld.create();
  const { hookScope, isWithin } = await import("../lib/install/scope.ts");
  const install = world.installation((name) => world.env()[name]);
  for (const timeout of [0, "answer", "reply"] as const) {
    const { write } = hookScope(install, { timeout });
    assertEquals(write.some((folder) => isWithin(launchesDir(world.paths), folder)), false);
  }
});

Deno.test("ownerOf() knows only a record of this very session that has not moved", async () => {
  await using home = new TestHome();
  const { paths } = home;
  assertEquals(ownerOf(paths, "docs"), undefined);
  putRecord(paths, "docs", { agent_id: "warden" });
  assertEquals(ownerOf(paths, "docs"), "warden");
  for (const fields of [{ agent_id: "" }, { agent_id: 1 }, { session: "x", agent_id: "warden" }]) {
    putRecord(paths, "docs", fields);
    assertEquals(ownerOf(paths, "docs"), undefined, JSON.stringify(fields));
  }
  writeAtomic(`${launchesDir(paths)}/docs.json`, "{");
  assertEquals(ownerOf(paths, "docs"), undefined);
  putRecord(paths, "docs", { agent_id: "warden", moved_to: "pages" });
  assertEquals(ownerOf(paths, "docs"), undefined);
});

Deno.test("ownerOf() compares sockets as tmux may write them, and needs none in the record", async () => {
  await using home = new TestHome();
  const { paths } = home;
  const env = () => undefined;
  // deno-fmt-ignore
  const cases: [record: unknown, socket: string, owner: string | undefined][] = [
    ["/tmp/tmux-1/default", "/tmp/tmux-1/default", "warden"],
    ["/tmp/tmux-1/default", "/private/tmp/tmux-1/default", "warden"],
    ["/private/tmp/tmux-1/default", "/tmp/tmux-1/default", "warden"],
    ["/private/tmp/tmux-1/default", "/tmp/tmux-1/play", undefined],
    ["/tmp/tmux-1/default", "/home/private/tmp/tmux-1/default", undefined],
    ["", "/tmp/tmux-1/play", "warden"],
    [undefined, "/tmp/tmux-1/play", "warden"],
  ];
  for (const [tmux_socket, socket, owner] of cases) {
    putRecord(paths, "docs", { agent_id: "warden", tmux_socket, claude_session_id: "own" });
    const about = `${tmux_socket}, ${socket}`;
    assertEquals(ownerOf(paths, "docs", { socket, claudeId: "another", env }), owner, about);
    assertEquals(ownerOf(paths, "docs", { socket, claudeId: "own", env }), "warden", about);
    assertEquals(ownerOf(paths, "docs"), "warden", about);
  }
  putRecord(paths, "docs", { agent_id: "warden", tmux_socket: "/a", claude_session_id: "" });
  assertEquals(ownerOf(paths, "docs", { socket: "/b", claudeId: "", env }), undefined);
});

Deno.test("currentName() follows a session through its names, and ends in a loop", async () => {
  await using home = new TestHome();
  const { paths } = home;
  assertEquals(currentName(paths, "docs"), "docs");
  putRecord(paths, "docs", { moved_to: "pages" });
  putRecord(paths, "pages", { moved_to: "site" });
  putRecord(paths, "site", { agent_id: "warden" });
  assertEquals(currentName(paths, "docs"), "site");
  putRecord(paths, "site", { moved_to: "docs" });
  assertEquals(currentName(paths, "docs"), "docs");
});

Deno.test("findAgent() takes the record's agent, and the name where that agent is unknown", () => {
  const agents = [WARDEN, FORGE, { ...FORGE, tmux_session_name: "other" }];
  const reading = readRegistry(JSON.stringify({ agents }), ["docs", "forge-main"], ["warden"]);
  if (reading.kind === "broken") throw new Error(reading.reason);
  const found = (session: string, owner?: string) => {
    const match = findAgent(reading.registry, session, owner);
    return match.kind === "agent" ? match.agent.tmux_session_name : match.kind;
  };
  assertEquals(found("docs", "warden"), "warden-main");
  assertEquals(found("docs", "nobody"), "none");
  assertEquals(found("forge-main", "nobody"), "forge-main");
  assertEquals(found("forge-main", "warden"), "warden-main");
});
