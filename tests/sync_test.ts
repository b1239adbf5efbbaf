import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main as installUnits } from "../commands/install_units.ts";
import { main } from "../commands/sync.ts";
import { type OpenClawSession, parseListing } from "../lib/sessions/openclaw_sessions.ts";
import { planSync } from "../lib/sessions/sync_registry.ts";
import { inSessionWorld } from "./support/session_world.ts";
import { writeExecutable } from "./support/executable.ts";

const session = (key: string, id: string): OpenClawSession => ({
  agentId: key.split(":")[1]!,
  key,
  id,
  updatedAt: 0,
});
const SESSIONS = [
  session("agent:main:main", "m1"),
  session("agent:warden:main", "w1"),
  session("agent:warden:telegram:group:-5:topic:7", "w7"),
  session("agent:forge:telegram:group:-5:topic:7", "f7"),
];

const CASES: [name: string, agent: Record<string, unknown>, changes: string[]][] = [
  ["fills both for an agent with neither", { agent_id: "warden" }, [
    "openclaw_session_id=w1",
    "openclaw_session_key=agent:warden:main",
  ]],
  ["prefers the session of the topic", { agent_id: "warden", topic_id: 7 }, [
    "openclaw_session_id=w7",
    "openclaw_session_key=agent:warden:telegram:group:-5:topic:7",
  ]],
  ["refreshes the id of a key", {
    agent_id: "warden",
    openclaw_session_key: "agent:warden:main",
    openclaw_session_id: "old",
  }, ["openclaw_session_id=w1"]],
  ["finds the key of an id", { agent_id: "warden", openclaw_session_id: "w7" }, [
    "openclaw_session_key=agent:warden:telegram:group:-5:topic:7",
  ]],
  ["lets a key alone that is not listed", {
    agent_id: "warden",
    openclaw_session_key: "agent:warden:gone",
  }, []],
  ["invents nothing", { agent_id: "forge" }, []],
];
for (const [name, agent, expected] of CASES) {
  Deno.test(`planSync() ${name}`, () => {
    const { changes, notes } = planSync(
      { agents: [agent as { agent_id: string }] },
      SESSIONS,
    );
    assertEquals(changes.map(({ path, value }) => `${path.at(-1)}=${value}`), expected);
    assertEquals(notes.length, expected.length === 0 ? 1 : 0, notes.join("\n"));
  });
}

Deno.test("planSync() keeps the global status session in step", () => {
  const { changes } = planSync(
    { agents: [], global_status_openclaw_session_key: "agent:main:main" },
    SESSIONS,
  );
  assertEquals(changes, [{ path: ["global_status_openclaw_session_id"], value: "m1" }]);
});

Deno.test("parseListing() passes over lines before the list, and refuses what is none", () => {
  const text = `warning: x\n{"sessions":[{"key":"agent:a:main","sessionId":"1"},{"key":5}]}`;
  assertEquals(parseListing(text)?.map((one) => [one.agentId, one.id]), [["a", "1"]]);
  assertEquals(parseListing("not json"), undefined);
  assertEquals(parseListing("{}"), undefined);
});

Deno.test("sync takes the old sessions.json where OpenClaw cannot be asked, and keeps comments", () =>
  inSessionWorld(async (world) => {
    const text = `{\n  // mine\n  "agents": [{ "agent_id": "warden" }]\n}\n`;
    Deno.writeTextFileSync(world.paths.registry, text);
    const store = `${world.dir}/home/.openclaw/agents/warden/sessions`;
    Deno.mkdirSync(store, { recursive: true });
    const entry = { "agent:warden:main": { sessionId: "abc", updatedAt: 1 } };
    Deno.writeTextFileSync(`${store}/sessions.json`, JSON.stringify(entry));
    assertEquals(await main(["--dry-run"], world), 0, world.warned.join());
    assertStringIncludes(world.said.join("\n"), "Would set openclaw_session_id of warden to abc");
    assertEquals(Deno.readTextFileSync(world.paths.registry), text);
    assertEquals(await main([], world), 0);
    assertEquals(
      Deno.readTextFileSync(world.paths.registry),
      `{\n  // mine\n  "agents": [{ "agent_id": "warden", "openclaw_session_id": "abc", ` +
        `"openclaw_session_key": "agent:warden:main" }]\n}\n`,
    );
    world.said.length = 0;
    await main(["--json"], world);
    assertEquals(JSON.parse(world.said[0]!).changes, []);
  }));

Deno.test("sync does not call it up to date when a session does not exist", () =>
  inSessionWorld(async (world) => {
    const list = JSON.stringify({ sessions: [{ key: "agent:warden:main", sessionId: "w1" }] });
    const script = `#!/bin/sh\necho '${list}'\n`;
    writeExecutable(world.variables.GSD_OPENCLAW!, script);
    const gone = { agent_id: "warden", openclaw_session_key: "agent:warden:gone" };
    world.registry({ agents: [gone] });
    assertEquals(await main([], world), 1);
    assertEquals(world.said, ["Nothing was changed"]);
    assertEquals(world.warned, [
      'Agent "warden" is registered with agent:warden:gone, a session that OpenClaw does not have; ' +
      "it has agent:warden:main: write one of them into the registry, or take this one out and " +
      "sync again",
    ]);
    assertEquals(await main(["--json"], world), 1);
    assertEquals(JSON.parse(world.said[1]!).notes.length, 1);

    const inbox = { delivery: { transport: "inbox" } };
    world.registry({ agents: [{ ...gone, ...inbox }, { ...gone, agent_id: "x", enabled: false }] });
    assertEquals(await main([], world), 0);
    assertEquals(world.said.at(-1), "Everything is up to date");
  }));

Deno.test("sync says why when there is nothing to ask", () =>
  inSessionWorld(async (world) => {
    assertEquals(await main([], world), 1);
    assertMatch(world.warned[0]!, /there is no registry at/);
    world.registry({ agents: [] });
    assertEquals(await main([], world), 1);
    assertMatch(world.warned[1]!, /openclaw sessions failed: no gateway/);
    assertEquals(await main(["--what"], world), 2);
  }));

Deno.test("install-units writes its units once, switches them on, and removes only its own", () =>
  inSessionWorld(async (world) => {
    const log = `${world.dir}/systemctl.log`;
    world.variables.GSD_SYSTEMCTL = `${world.dir}/systemctl`;
    writeExecutable(`${world.dir}/systemctl`, `#!/bin/sh\necho "$@" >> '${log}'\n`);
    world.variables.TMUX_TMPDIR = "/run/my tmux";
    const units = `${world.dir}/home/.config/systemd/user`;
    assertEquals(await installUnits(["--dry-run"], world), 0, world.warned.join());
    assertEquals(await installUnits([], world), 0, world.warned.join());
    const recover = Deno.readTextFileSync(`${units}/gsd-recover.service`);
    assertMatch(recover, /^ExecStart=\/bin\/sh \S+\/data\/bin\/recover$/m);
    assertStringIncludes(recover, `Environment="GSD_REGISTRY=${world.paths.registry}"`);
    assertStringIncludes(recover, `Environment="TMUX_TMPDIR=/run/my tmux"`);
    assertEquals(/@[A-Z_]+@/.test(recover), false);
    assertEquals(Deno.readTextFileSync(log).split("\n").slice(0, 3), [
      "--user daemon-reload",
      "--user enable gsd-recover.service gsd-watch.service",
      "--user restart gsd-watch.service",
    ]);
    world.said.length = 0;
    await installUnits([], world);
    assertEquals(world.said[0], "The units are as they should be");

    Deno.writeTextFileSync(`${units}/gsd-recover.service`, "[Unit]\n# somebody else's\n");
    assertEquals(await installUnits([], world), 1);
    assertMatch(world.warned.at(-1)!, /gsd-recover.service is not ours/);
    assertEquals(await installUnits(["--remove"], world), 0);
    assertEquals(Array.from(Deno.readDirSync(units), (e) => e.name), ["gsd-recover.service"]);
  }));

Deno.test("install-units says what helps where systemd does not run for the user", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_SYSTEMCTL = `${world.dir}/systemctl`;
    const fails = "#!/bin/sh\necho 'Failed to connect to bus: No medium found' >&2; exit 1\n";
    writeExecutable(`${world.dir}/systemctl`, fails);
    assertEquals(await installUnits([], world), 1);
    const why = /not enabled: .*No medium found; without systemd see docs\/sessions.md for cron$/;
    assertMatch(world.warned.at(-1)!, why);
  }));

Deno.test("install-units takes the units of an earlier version away, and no other", () =>
  inSessionWorld(async (world) => {
    const log = `${world.dir}/systemctl.log`;
    world.variables.GSD_SYSTEMCTL = `${world.dir}/systemctl`;
    writeExecutable(`${world.dir}/systemctl`, `#!/bin/sh\necho "$@" >> '${log}'\n`);
    const units = `${world.dir}/home/.config/systemd/user`;
    Deno.mkdirSync(units, { recursive: true });
    const mark = "# Made by install-units of gsd-code-skill; run it again\n";
    Deno.writeTextFileSync(`${units}/gsd-redeliver.timer`, mark);
    Deno.writeTextFileSync(`${units}/gsd-redeliver.service`, "# somebody else's\n");
    assertEquals(await installUnits(["--dry-run"], world), 0);
    assertMatch(world.said.join("\n"), /Would remove \S+gsd-redeliver\.timer/);
    assertEquals(await installUnits([], world), 0, world.warned.join("\n"));
    assertEquals(Array.from(Deno.readDirSync(units), ({ name }) => name).sort(), [
      "gsd-recover.service",
      "gsd-redeliver.service",
      "gsd-watch.service",
    ]);
    const [first] = Deno.readTextFileSync(log).split("\n");
    assertEquals(first, "--user disable --now gsd-redeliver.timer");
    assertEquals(await installUnits(["--remove"], world), 0);
    assertMatch(Deno.readTextFileSync(log), /^--user disable --now gsd-watch\.service$/m);
  }));
