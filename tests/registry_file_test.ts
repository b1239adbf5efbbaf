import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import {
  checkRegistry,
  editRegistry,
  RegistryError,
  upsertAgent,
} from "../lib/registry/registry_file.ts";
import { setValue } from "../lib/jsonc/set_value.ts";

const COMMENTED = `// who looks after what
{
  "_note": "kept",
  "agents": [
    { "agent_id": "forge", "enabled": true }, // the smith
    {
      "agent_id": "warden",
      /* asked for by ops */ "tmux_session_name": "warden-main", // its door
      "future_field": [1, 2]
    } // last of them
    // more to come
  ],
}
`;

async function inFolder(test: (dir: string) => void | Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await test(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("setValue() keeps comments with the value they follow", () => {
  assertEquals(
    setValue(COMMENTED, ["agents", 2], { agent_id: "scout" }),
    COMMENTED.replace(
      "} // last of them\n",
      `}, // last of them\n    {\n      "agent_id": "scout"\n    }\n`,
    ),
  );
  assertEquals(
    setValue(COMMENTED, ["agents", 0, "topic_id"], 7),
    COMMENTED.replace(`"enabled": true }`, `"enabled": true, "topic_id": 7 }`),
  );
  assertEquals(
    setValue(COMMENTED, ["agents", 1, "enabled"], false),
    COMMENTED.replace("[1, 2]\n", `[1, 2],\n      "enabled": false\n`),
  );
  assertEquals(
    setValue(COMMENTED, ["agents", 1, "tmux_session_name"], "w"),
    COMMENTED.replace(`"warden-main"`, `"w"`),
  );
});

const LAYOUTS: [name: string, before: string, after: string][] = [
  ["an empty list on one line", `{"agents":[]}`, `{"agents":[\n  {\n    "agent_id": "a"\n  }\n]}`],
  ["a comma after the last", `{"agents": [{}, ]}`, `{"agents": [{}, {"agent_id":"a"}, ]}`],
  [
    "tabs",
    `{\n\t"agents": [\n\t]\n}`,
    `{\n\t"agents": [\n\t\t{\n\t\t\t"agent_id": "a"\n\t\t}\n\t]\n}`,
  ],
  [
    "Windows lines",
    `{\r\n "agents": []\r\n}`,
    `{\r\n "agents": [\r\n  {\r\n   "agent_id": "a"\r\n  }\r\n ]\r\n}`,
  ],
];
for (const [name, before, after] of LAYOUTS) {
  Deno.test(`setValue() appends to ${name}`, () => {
    const at = before.includes("{}") ? 1 : 0;
    assertEquals(setValue(before, ["agents", at], { agent_id: "a" }).replace(/ +\n/g, "\n"), after);
  });
}

Deno.test("checkRegistry() accepts comments, unknown fields and a byte order mark", () => {
  assertEquals(checkRegistry("\uFEFF" + COMMENTED), []);
});

Deno.test("checkRegistry() wants every agent_id once", () => {
  const text = `{"agents": [\n{"agent_id": "a"},\n{"agent_id": "b"},\n{"agent_id": "a"}]}`;
  const problem = `the agent_id "a" is there already, at agents[0]`;
  assertEquals(checkRegistry(text), [{ line: 4, field: "agents[2].agent_id", problem }]);
});

Deno.test("checkRegistry() names line and field of what is wrong", () => {
  const text =
    `{\n  "agents": [\n    { "agent_id": "a" },\n    {\n      "enabled": "yes"\n    }\n  ]\n}`;
  assertEquals(
    checkRegistry(text).map(({ line, field }) => [line, field]),
    [[4, "agents[1].agent_id"], [5, "agents[1].enabled"]],
  );
  const [broken] = checkRegistry(`{\n  "agents": [\n    {"agent_id" "a"}\n  ]\n}`);
  assertEquals([broken?.line, broken?.field], [3, ""]);
  assertMatch(broken!.problem, /not JSON: colon expected/);
  assertEquals(checkRegistry("")[0]?.line, 1);
});

Deno.test("upsertAgent() creates a missing registry with a comment in it", () =>
  inFolder((dir) => {
    const path = `${dir}/new/registry.json`;
    assertEquals(upsertAgent(path, { agent_id: "warden", enabled: true }).kind, "created");
    const text = Deno.readTextFileSync(path);
    assertStringIncludes(text, "// The agents");
    assertStringIncludes(text, `"agent_id": "warden"`);
    assertEquals(Deno.statSync(path).mode! & 0o777, 0o600);
    assertEquals(upsertAgent(path, { agent_id: "warden", enabled: true }).kind, "unchanged");
    assertEquals(Deno.readTextFileSync(path), text);
    assertEquals(Array.from(Deno.readDirSync(`${dir}/new`), (e) => e.name), ["registry.json"]);
  }));

Deno.test("editRegistry() writes through a symlink and keeps the mode", () =>
  inFolder((dir) => {
    Deno.mkdirSync(`${dir}/real`);
    Deno.writeTextFileSync(`${dir}/real/r.json`, COMMENTED);
    Deno.chmodSync(`${dir}/real/r.json`, 0o664);
    Deno.symlinkSync("real/r.json", `${dir}/link.json`);
    upsertAgent(`${dir}/link.json`, {
      agent_id: "warden",
      openclaw_session_key: "agent:warden:main",
    });
    assertEquals(Deno.lstatSync(`${dir}/link.json`).isSymlink, true);
    assertEquals(Deno.statSync(`${dir}/real/r.json`).mode! & 0o777, 0o664);
    assertStringIncludes(Deno.readTextFileSync(`${dir}/real/r.json`), "agent:warden:main");
  }));

const BROKEN: [name: string, text: string, where: RegExp][] = [
  ["cut off", `{\n  "agents": [\n    {"agent_id": "a"`, /broken at line 3: not JSON/],
  ["of another form", `{\n  "agents": {}\n}`, /broken at line 2, field agents: /],
  ["empty", ``, /broken at line 1: not JSON/],
];
for (const [name, text, where] of BROKEN) {
  Deno.test(`upsertAgent() leaves a registry alone that is ${name}`, () =>
    inFolder((dir) => {
      const path = `${dir}/r.json`;
      Deno.writeTextFileSync(path, text);
      const before = Deno.statSync(path);
      const error = assertThrows(() => upsertAgent(path, { agent_id: "b" }), RegistryError);
      assertMatch(error.message, where);
      assertStringIncludes(error.message, path);
      assertEquals(Deno.readTextFileSync(path), text);
      assertEquals(Deno.statSync(path).ino, before.ino);
    }));
}

Deno.test("editRegistry() does not make a change that would break the registry", () =>
  inFolder((dir) => {
    const path = `${dir}/r.json`;
    Deno.writeTextFileSync(path, COMMENTED);
    assertThrows(
      () => editRegistry(path, () => [{ path: ["agents", 0, "enabled"], value: "maybe" }]),
      RegistryError,
      "field agents[0].enabled",
    );
    assertEquals(Deno.readTextFileSync(path), COMMENTED);
  }));

Deno.test("editRegistry() with dryRun returns the changes and writes nothing", () =>
  inFolder((dir) => {
    const path = `${dir}/none/r.json`;
    assertEquals(upsertAgent(path, { agent_id: "a" }, { dryRun: true }).kind, "created");
    assertEquals(Array.from(Deno.readDirSync(dir)), []);
  }));

Deno.test("upsertAgent() loses nothing when ten processes write at once", () =>
  inFolder(async (dir) => {
    const path = `${dir}/r.json`;
    Deno.writeTextFileSync(path, COMMENTED);
    const script = `
      import { upsertAgent } from ${
      JSON.stringify(import.meta.resolve("../lib/registry/registry_file.ts"))
    };
      for (let i = 0; i < 5; i++) upsertAgent(${
      JSON.stringify(path)
    }, { agent_id: Deno.args[0] + "-" + i });`;
    Deno.writeTextFileSync(`${dir}/writer.ts`, script);
    const config = new URL("../deno.json", import.meta.url).pathname;
    const writers = Array.from({ length: 10 }, (_, n) =>
      new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          "--quiet",
          "--no-check",
          "--config",
          config,
          `${dir}/writer.ts`,
          `w${n}`,
        ],
      }).output());
    for (const { code, stderr } of await Promise.all(writers)) {
      assertEquals(code, 0, new TextDecoder().decode(stderr));
    }
    const text = Deno.readTextFileSync(path);
    assertEquals(checkRegistry(text), []);
    for (let n = 0; n < 10; n++) {
      for (let i = 0; i < 5; i++) assertStringIncludes(text, `"w${n}-${i}"`);
    }
    assertStringIncludes(text, "// more to come");
  }));

Deno.test("editRegistry() keeps what the registry was, the last five times", () =>
  inFolder((dir) => {
    const path = `${dir}/registry.json`;
    Deno.writeTextFileSync(path, COMMENTED);
    const backups = () =>
      Array.from(Deno.readDirSync(dir), ({ name }) => name)
        .filter((name) => /^registry\.json\.gsd-backup-/.test(name)).sort();
    const set = (value: unknown) => editRegistry(path, () => [{ path: ["_note"], value }]);
    set("new");
    assertEquals(backups().map((name) => Deno.readTextFileSync(`${dir}/${name}`)), [COMMENTED]);
    for (let n = 0; n < 8; n++) {
      const before = backups().at(-1)!;
      while (new Date().toISOString().replace(/[-:]/g, "").replace(".", "-") <= before.slice(-20));
      set(`note ${n}`);
    }
    assertEquals(backups().length, 5);
    editRegistry(path, () => []);
    assertEquals(backups().length, 5, "nothing changed, nothing kept");
  }));
