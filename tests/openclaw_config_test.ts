import { assertEquals, assertStringIncludes } from "@std/assert";
import { parseJson5 } from "../lib/delivery/json5.ts";
import {
  gatewayTarget,
  isSafeUrl,
  openclawPlaces,
  readGatewayTarget,
} from "../lib/delivery/openclaw_config.ts";

const env = (values: Record<string, string> = {}) => (name: string) => values[name];
const target = (config: unknown, values: Record<string, string> = {}) => {
  const reading = gatewayTarget(config, env(values), "/c.json");
  if (reading.kind === "unreadable") return reading.reason;
  const { url, token, password } = reading.target;
  return { url, ...(token ? { token } : {}), ...(password ? { password } : {}) };
};

Deno.test("parseJson5() reads what people write into OpenClaw's config", () => {
  const text = `// mine
  {
    gateway: { port: 18_0, /* no */ },
  }`.replace("18_0", "18901");
  assertEquals(parseJson5(text), { gateway: { port: 18901 } });
  assertEquals(
    parseJson5(
      `{'a': 'it\\'s', "b": [1, -2.5e3, .5, 0xff, +1,], c: null, $d: true, "e//f": "/* x */"}`,
    ),
    { a: "it's", b: [1, -2500, 0.5, 255, 1], c: null, $d: true, "e//f": "/* x */" },
  );
  assertEquals(parseJson5('"a\\u00e9\\x41\\\nb"'), "aéAb");
});

Deno.test("parseJson5() names the line and never the text of what is wrong", () => {
  for (const text of ["{", '{\n"token": "s3cret', "{a:1 b:2}", "{a}", "[1", "nope", "{} {}", ""]) {
    try {
      parseJson5(text);
      throw new Error(`accepted ${text}`);
    } catch (error) {
      const { message, name } = error as Error;
      assertEquals(name, "SyntaxError", text);
      assertStringIncludes(message, "line ");
      assertEquals(message.includes("s3cret"), false);
    }
  }
});

Deno.test("parseJson5() reads __proto__ as a name like any other", () => {
  assertEquals(Object.keys(parseJson5('{"__proto__": {"x": 1}}') as object), ["__proto__"]);
});

Deno.test("gatewayTarget() follows OpenClaw's rules of who wins", () => {
  const local = { gateway: { port: 1234, auth: { token: "own" } } };
  assertEquals(target(local), { url: "ws://127.0.0.1:1234", token: "own" });
  assertEquals(target(local, { OPENCLAW_GATEWAY_TOKEN: "env", OPENCLAW_GATEWAY_PORT: "99" }), {
    url: "ws://127.0.0.1:99",
    token: "own",
  });
  assertEquals(target({}, { OPENCLAW_GATEWAY_TOKEN: "env" }), {
    url: "ws://127.0.0.1:18789",
    token: "env",
  });
  assertEquals(target({ gateway: { tls: { enabled: true }, auth: { password: "p" } } }), {
    url: "wss://127.0.0.1:18789",
    password: "p",
  });
  const remote = { gateway: { mode: "remote", remote: { url: "wss://gw.example", token: "far" } } };
  assertEquals(target(remote, { OPENCLAW_GATEWAY_TOKEN: "env" }), {
    url: "wss://gw.example",
    token: "far",
  });
  assertEquals(target(local, { OPENCLAW_GATEWAY_URL: "ws://127.0.0.1:5" }), {
    url: "ws://127.0.0.1:5",
  });
  assertEquals(target({ gateway: { auth: { token: "${T}" } } }, { T: "filled" }), {
    url: "ws://127.0.0.1:18789",
    token: "filled",
  });
  const ref = { source: "env", provider: "default", id: "T" };
  assertEquals(target({ gateway: { auth: { token: ref } } }, { T: "filled" }), {
    url: "ws://127.0.0.1:18789",
    token: "filled",
  });
});

Deno.test("gatewayTarget() says why the gateway cannot be used directly", () => {
  const wanted: [unknown, string][] = [
    [{ gateway: { auth: { token: { source: "exec", id: "x" } } } }, "only OpenClaw can read"],
    [{ gateway: { auth: { token: "${MISSING}" } } }, "only OpenClaw can read"],
    [{ gateway: { mode: "remote" } }, "gateway.remote.url is not set"],
    [{ gateway: { mode: "remote", remote: { url: "ws://8.8.8.8:1" } } }, "not a wss:// url"],
    [
      { gateway: { mode: "remote", remote: { url: "wss://g", tlsFingerprint: "ab" } } },
      "own client",
    ],
    [{ $include: "./other.json" }, "included file"],
  ];
  for (const [config, reason] of wanted) assertStringIncludes(String(target(config)), reason);
});

Deno.test("isSafeUrl() lets plain text stay on this machine and its networks", () => {
  const safe = [
    "ws://127.0.0.1:1",
    "ws://localhost",
    "ws://[::1]:2",
    "ws://192.168.1.2",
    "ws://10.0.0.1",
  ];
  const more = [
    "ws://100.64.0.1",
    "ws://box.local",
    "ws://box.tail.ts.net",
    "wss://anywhere.example",
  ];
  const unsafe = [
    "ws://8.8.8.8",
    "ws://gw.example",
    "http://127.0.0.1",
    "nonsense",
    "ws://10.evil.example",
  ];
  assertEquals([...safe, ...more].filter((url) => !isSafeUrl(url, env())), []);
  assertEquals(unsafe.filter((url) => isSafeUrl(url, env())), []);
});

Deno.test("openclawPlaces() looks where OpenClaw looks", () => {
  assertEquals(openclawPlaces(env({ HOME: "/h" })).config, "/h/.openclaw/openclaw.json");
  assertEquals(
    openclawPlaces(env({ HOME: "/h", OPENCLAW_HOME: "/o" })).config,
    "/o/.openclaw/openclaw.json",
  );
  assertEquals(
    openclawPlaces(env({ HOME: "/h", OPENCLAW_STATE_DIR: "~/s" })).config,
    "/h/s/openclaw.json",
  );
  assertEquals(
    openclawPlaces(env({ HOME: "/h", OPENCLAW_CONFIG_PATH: "/c.json" })).config,
    "/c.json",
  );
  assertEquals(
    openclawPlaces(env({ HOME: "/h", OPENCLAW_PROFILE: "work" })).config,
    "/h/.openclaw-work/openclaw.json",
  );
  const elsewhere = openclawPlaces(env({ HOME: "/h", OPENCLAW_CONFIG_PATH: "/etc/oc.json" }));
  assertEquals([elsewhere.state, elsewhere.dotenv], ["/h/.openclaw", "/h/.openclaw/.env"]);
});

Deno.test("readGatewayTarget() names a config that is missing or broken, and reads .env", async () => {
  const home = await Deno.makeTempDir();
  try {
    const read = () => readGatewayTarget(env({ HOME: home }));
    assertStringIncludes(JSON.stringify(read()), "is not there");
    await Deno.mkdir(`${home}/.openclaw`);
    await Deno.writeTextFile(`${home}/.openclaw/openclaw.json`, "{ gateway: ");
    assertStringIncludes(JSON.stringify(read()), "cannot be read: line 1");
    await Deno.writeTextFile(`${home}/.openclaw/openclaw.json`, "{ gateway: { port: 7, }, }");
    await Deno.writeTextFile(
      `${home}/.openclaw/.env`,
      '# x\nOPENCLAW_GATEWAY_TOKEN="from env file"\n',
    );
    const reading = read();
    assertEquals(reading.kind === "target" && reading.target.token, "from env file");
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
