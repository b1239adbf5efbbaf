import { assert, assertEquals } from "@std/assert";
import {
  DEFAULT_SETTINGS,
  findAgent,
  LIMITS,
  readRegistry,
  type Registry,
} from "../lib/registry.ts";
import { hookSettingsSchema, registrySchema } from "../lib/registry/registry_schema.ts";

function registryOf(value: unknown): Registry {
  const reading = readRegistry(typeof value === "string" ? value : JSON.stringify(value));
  assert(reading.kind === "registry", JSON.stringify(reading));
  return reading.registry;
}

const agent = (agent_id: string, tmux_session_name: string, more = {}) => ({
  agent_id,
  tmux_session_name,
  openclaw_session_key: `agent:${agent_id}:main`,
  ...more,
});

const TWO = { agents: [agent("forge", "forge-main"), agent("forge-x", "forge-x-main")] };

// deno-fmt-ignore
const OWNERS: Record<string, string> = {
  "forge-main": "forge", "forge-main-2": "forge", "forge-main-17": "forge", "forge-x-main": "forge-x",
  "forge-x-main-2": "forge-x", "forge": "none", "forge-x": "none", "forge-mainx": "none", "forge-main-": "none",
  "forge-main-2-3": "none", "my forge/main": "none", "../../etc/x": "none", "FORGE-MAIN": "none", "": "none",
};
for (const [session, owner] of Object.entries(OWNERS)) {
  Deno.test(`findAgent() gives session "${session}" to ${owner}`, () => {
    const match = findAgent(registryOf(TWO), session);
    assertEquals(match.kind === "agent" ? match.agent.agent_id : match.kind, owner);
  });
}

Deno.test('findAgent() knows a name with "$" as it was asked for, and as tmux writes it', () => {
  for (const name of ["x$y", "x\\$y"]) {
    const text = JSON.stringify({ agents: [agent("dollar", name)] });
    for (const session of ["x\\$y", "x\\$y-2"]) {
      const reading = readRegistry(text, [session]);
      const match = reading.kind === "registry" ? findAgent(reading.registry, session) : reading;
      assertEquals(match.kind, "agent", `${name}: ${session}`);
    }
  }
});

Deno.test("findAgent() prefers the exact name to a suffix, even of a disabled agent", () => {
  const registry = registryOf({
    agents: [agent("forge", "forge-main"), agent("second", "forge-main-2", { enabled: false })],
  });
  assertEquals(findAgent(registry, "forge-main-2").kind, "refused");
});

Deno.test("readRegistry() for some sessions finds for each of them what it finds in the whole", () => {
  const agents = [
    agent("forge", "forge-main"),
    agent("dotted", "for.ge:1"),
    agent("twin", "forge-main", { enabled: false }),
    agent("second", "forge-main-2", { hook_settings: { pane_capture_lines: 5 } }),
    agent("digits", "x-1-2"),
    agent("nameless", ""),
    7,
    { agent_id: "wrong", tmux_session_name: 5 },
    agent("number", "forge-main-3", { agent_id: 3 }),
  ];
  const text = JSON.stringify({ agents, hook_settings: { hook_mode: "bidirectional" } });
  const sessions = [
    ...["forge-main", "forge-main-2", "forge-main-3", "forge-main-9", "forge", "for_ge_1"],
    ...["for_ge_1-4", "for.ge:1", "x-1-2", "x-1-2-3", "x-1", "", "5", "-1"],
  ];
  for (const session of sessions) {
    for (const asked of [[session], ["another", session], sessions]) {
      const reading = readRegistry(text, asked);
      assert(reading.kind === "registry");
      assertEquals(findAgent(reading.registry, session), findAgent(registryOf(text), session));
    }
  }
  const some = readRegistry(text, ["x-1-2-3"]);
  assert(some.kind === "registry");
  assertEquals(some.registry.agents.map(({ agent_id }) => agent_id), ["digits"]);
});

Deno.test("findAgent() refuses a session that two agents claim", () => {
  const registry = registryOf({ agents: [agent("a", "s"), agent("b", "s")] });
  const match = findAgent(registry, "s");
  assert(match.kind === "refused");
  assertEquals(match.reason, "several agents claim this session: a, b");
});

Deno.test("readRegistry() takes comments, trailing commas and a byte order mark", () => {
  const text = `\uFEFF// ours\n{ /* list */ "agents": [{"agent_id": "a // not a comment",},],\n}`;
  assertEquals(registryOf(text).agents[0]?.agent_id, "a // not a comment");
});

// deno-fmt-ignore
const BROKEN: Record<string, string> = {
  "is empty": "", "is cut off": '{"agents": [', "is a list": "[]", "has no agents": "{}",
  "has agents that are no list": '{"agents": {}}', "is binary": "\0\x01",
};
for (const [title, text] of Object.entries(BROKEN)) {
  Deno.test(`readRegistry() says why when the file ${title}`, () => {
    const reading = readRegistry(text);
    assert(reading.kind === "broken" && reading.reason.length > 10);
  });
}

Deno.test("readRegistry() spoils nothing else when one agent is wrong", () => {
  const registry = registryOf({
    agents: [agent("bad", "bad-main", { enabled: "yes" }), 7, agent("good", "good-main")],
  });
  assertEquals(findAgent(registry, "bad-main"), {
    kind: "refused",
    agent_id: "bad",
    reason: "enabled is not true or false",
  });
  assertEquals(findAgent(registry, "good-main").kind, "agent");
});

Deno.test("readRegistry() decides each setting on its own: agent, global, default", () => {
  const registry = registryOf({
    hook_settings: { pane_capture_lines: 150, dedup_mode: "off", hook_mode: "nonsense" },
    agents: [
      agent("a", "s", { hook_settings: { pane_capture_lines: 200, min_context_lines: "9" } }),
    ],
  });
  const { settings, problems, unusable } = registry.agents[0]!;
  assertEquals(settings, { ...DEFAULT_SETTINGS, pane_capture_lines: 200, dedup_mode: "off" });
  assertEquals(problems.length, 2);
  assertEquals(unusable, false);
});

Deno.test("readRegistry() and the schema know the same settings and limits", () => {
  const shape = hookSettingsSchema.shape;
  assertEquals(Object.keys(shape).sort(), Object.keys(DEFAULT_SETTINGS).sort());
  for (const [name, [least, most]] of Object.entries(LIMITS)) {
    const isWhole = !hookSettingsSchema.safeParse({ [name]: least + 0.5 }).success;
    const values: [number, boolean][] = [
      [least, true],
      [most, true],
      [least - 1, false],
      [most + 1, false],
      [least + 0.5, !isWhole],
    ];
    for (const [value, ok] of values) {
      const settings = { [name]: value };
      assertEquals(hookSettingsSchema.safeParse(settings).success, ok, `${name} ${value}`);
      const read = registryOf({ agents: [agent("a", "s", { hook_settings: settings })] });
      assertEquals(read.agents[0]!.problems.length === 0, ok, `${name} ${value}`);
    }
  }
  assert(registrySchema.safeParse(TWO).success);
});
