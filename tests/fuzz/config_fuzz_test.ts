import { assert, assertEquals } from "@std/assert";
import { parse } from "@std/jsonc";
import { parseJson5 } from "../../lib/delivery/json5.ts";
import { gatewayTarget } from "../../lib/delivery/openclaw_config.ts";
import { parseJsonWithComments, stripJsonComments } from "../../lib/json.ts";
import { findAgent, LIMITS, readRegistry } from "../../lib/registry.ts";
import { cpuMs, TOO_LONG_MS } from "../support/cpu_time.ts";
import {
  type Dice,
  EVENTS,
  forSeeds,
  parsedOrUndefined,
  spoil,
  spoilValue,
} from "../support/fuzz.ts";

const REGISTRY = `{
  // the agents of this machine
  "global_status_openclaw_session_key": "agent:main:main",
  "hook_settings": { "pane_capture_lines": 80, "hook_mode": "async", },
  "delivery": { "transport": "auto" },
  "agents": [
    { "agent_id": "warden", "tmux_session_name": "warden-main", "openclaw_session_key": "agent:warden:main",
      "hook_settings": { "answer_timeout_s": 60, "answer_permissions": true } },
    { "agent_id": "forge", "enabled": false, "tmux_session_name": "forge", /* off */
      "openclaw_session_id": "c1", "system_prompt": "Be \\"brief\\" // really" },
    { "agent_id": "scout", "enabled": true, "tmux_session_name": "scout-2", "delivery": { "transport": "inbox" } }
  ]
}`;

Deno.test("stripJsonComments() keeps length and lines of anything, and the value of JSON", () => {
  const texts = [REGISTRY, ...EVENTS];
  forSeeds(2000, (dice) => {
    const text = spoil(dice.pick(texts), dice, texts);
    const stripped = stripJsonComments(text);
    assertEquals(stripped.length, text.length);
    assertEquals(stripped.split("\n").length, text.split("\n").length);
    const value = parsedOrUndefined(text);
    if (value !== undefined) assertEquals(JSON.parse(stripped), value);
  });
});

Deno.test("stripJsonComments() agrees with @std/jsonc on every registry that both can read", () => {
  let agreed = 0;
  forSeeds(3000, (dice) => {
    const text = spoil(REGISTRY, dice, [REGISTRY]);
    let [ours, theirs]: unknown[] = [];
    try {
      [ours, theirs] = [JSON.parse(stripJsonComments(text)), parse(text)];
    } catch {
      return;
    }
    assertEquals(ours, theirs);
    agreed++;
  });
  assert(agreed > 200, `only ${agreed} could be compared`);
});

/** The value, or the words of the failure. */
function outcomeOf(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

// deno-fmt-ignore
const BITS = [
  '"', '"', "\\", "/", "*", "//", "/*", "*/", ",", ",", "[", "]", "{", "}", "1", "2", " ", "\n", "\r", "\t",
  '"a"', '"b":', '"c": 1', '"//"', '"/*"', '"\\""', '"x,]"', "/* c */", "// c\n", "null", "\u00a0", "\ufeff",
];

const TOKENS = ["[", '{"k": [', "1", "2", ",", '"a"', "null", "]", "]}", "{}", "[]", '"b, ]"'];

/** A list of a few values, with odd bits between its tokens and sometimes inside one. */
function oddList(dice: Dice): string {
  const tokens = ["["];
  for (let count = dice.next(4); count > 0; count--) {
    tokens.push(dice.pick(TOKENS), dice.pick([",", ",", ",", "/**/", "//\n"]));
  }
  tokens.push("]");
  for (let count = dice.next(5); count > 0; count--) {
    tokens.splice(dice.next(tokens.length + 1), 0, dice.pick(BITS));
  }
  const text = tokens.join("");
  const at = dice.next(text.length + 1);
  return dice.next(3) > 0 ? text : text.slice(0, at) + dice.pick(BITS) + text.slice(at);
}

Deno.test("parseJsonWithComments() reads every text as stripJsonComments() and JSON.parse() do", () => {
  let read = 0;
  const texts = [REGISTRY, ...EVENTS];
  forSeeds(20_000, (dice) => {
    const text = dice.next(5) > 0 ? oddList(dice) : spoil(dice.pick(texts), dice, texts);
    const expected = outcomeOf(() => JSON.parse(stripJsonComments(text)));
    assertEquals(outcomeOf(() => parseJsonWithComments(text)), expected, JSON.stringify(text));
    if (typeof expected !== "string") read++;
  });
  assert(read > 2000, `only ${read} of the texts are JSON`);
});

// Pieces that make a careless pattern look at the rest of the text again and again.
for (
  const piece of [",", '"', '\\"', "/*", ",/*", ",//", "// \n", ", /**/", "*/", '"\\', " ", "[,"]
) {
  Deno.test(`parseJsonWithComments() is done soon with 200,000 times ${JSON.stringify(piece)}`, () => {
    for (const text of [piece.repeat(200_000), `["${piece.repeat(200_000)}`]) {
      const took = cpuMs(() => outcomeOf(() => parseJsonWithComments(text)));
      assert(took < TOO_LONG_MS, `${took} ms`);
    }
  });
}

Deno.test("readRegistry() never gives a session to an agent that did not claim it", () => {
  forSeeds(4000, (dice) => {
    const text = dice.next(2) === 0
      ? spoil(REGISTRY, dice, EVENTS)
      : JSON.stringify(spoilValue(JSON.parse(stripJsonComments(REGISTRY)), dice));
    const reading = readRegistry(text);
    if (reading.kind === "broken") return assert(reading.reason !== "");
    for (const { settings, transport } of reading.registry.agents) {
      for (const [name, [least, most]] of Object.entries(LIMITS)) {
        const value = settings[name as keyof typeof LIMITS];
        assert(value >= least && value <= most, `${name} is ${value}`);
      }
      assert(["auto", "gateway", "cli", "inbox"].includes(transport));
    }
    for (const session of ["warden-main", "warden-main-2", "forge", "forge-x", "scout", ""]) {
      const match = findAgent(reading.registry, session);
      if (match.kind !== "agent") continue;
      const { enabled, unusable, tmux_session_name } = match.agent;
      assert(enabled && !unusable && tmux_session_name !== "");
      assert(session === tmux_session_name || session.replace(/-\d+$/, "") === tmux_session_name);
    }
  });
});

Deno.test("gatewayTarget() takes any config without a throw and shows no credential", () => {
  const config = {
    gateway: {
      mode: "local",
      port: 18789,
      bind: "loopback",
      auth: { mode: "token", token: "s3cret-token" },
      remote: { url: "wss://example.org", token: "s3cret-remote" },
      tls: { enabled: true },
    },
  };
  forSeeds(2000, (dice) => {
    const reading = gatewayTarget(spoilValue(config, dice), () => undefined, "/c/openclaw.json");
    if (reading.kind === "unreadable") return assert(!reading.reason.includes("s3cret"));
    assert(/^wss?:\/\//.test(reading.target.url), reading.target.url);
    assert(!reading.target.source.includes("s3cret"));
  });
});

Deno.test("parseJson5() reads what JSON.parse() reads, and throws sentences at the rest", () => {
  forSeeds(1500, (dice) => {
    const text = spoil(dice.pick(EVENTS).slice(0, 3000), dice, EVENTS);
    const value = parsedOrUndefined(text);
    if (value !== undefined) return assertEquals(parseJson5(text), value);
    try {
      parseJson5(text);
    } catch (error) {
      assert(error instanceof Error && error.message !== "");
    }
  });
});
