import { assert, assertEquals } from "@std/assert";
import { replyFrom } from "../lib/delivery/delivery.ts";
import { readEvent } from "../lib/events.ts";
import { connect } from "../lib/delivery/gateway.ts";
import { holdsWake } from "../lib/delivery/session_history.ts";
import { isObject, stripJsonComments } from "../lib/json.ts";
import { parseJson5 } from "../lib/delivery/json5.ts";
import { gatewayTarget } from "../lib/delivery/openclaw_config.ts";
import { readScreen } from "../lib/pane.ts";
import { formatAnswers, formatQuestions, readAnswers, readQuestions } from "../lib/questions.ts";
import { findAgent, LIMITS, readRegistry } from "../lib/registry.ts";
import { decisionIn } from "../lib/replies.ts";
import { type Line, readLastTurn, withEarlierBlocks } from "../lib/transcript.ts";
import { renderWake } from "../lib/wake.ts";
import { Dice, forSeeds, recordings, spoil, spoilValue } from "./support/fuzz.ts";

const EVENTS = recordings("events").filter((text) => text.length < 20_000);
const PANES = recordings("panes");
const TRANSCRIPTS = recordings("transcripts").map((text) =>
  text.split("\n").filter((line) => line !== "" && line.length < 8_000)
);

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

Deno.test("readEvent() claims nothing that a spoiled payload does not say", () => {
  forSeeds(3000, (dice) => {
    const text = spoiledJson(dice.pick(EVENTS), dice, EVENTS);
    const reading = readEvent(text);
    if (reading.kind === "unusable") return;
    const { name, sessionId, transcriptPath, cwd, promptId, fields } = reading.event;
    const said = new Set(Object.values(fields));
    for (const claim of [name, sessionId, transcriptPath, cwd, promptId]) {
      assert(claim === "" || said.has(claim), `It claims ${JSON.stringify(claim)}`);
    }
  });
});

Deno.test("readQuestions() and readAnswers() take any tool input", () => {
  const asked = EVENTS.filter((text) => text.includes('"questions"'));
  forSeeds(3000, (dice) => {
    const payload: unknown = JSON.parse(dice.pick(asked));
    const fields = spoilValue(spoilValue(payload, dice), dice);
    if (!isObject(fields)) return;
    const questions = readQuestions(fields.tool_input);
    assertEquals(typeof formatQuestions(questions), "string");
    for (const { question, options } of questions) {
      assert(question !== "" && options.every((option) => typeof option.label === "string"));
    }
    for (const { answer } of readAnswers(fields)) assertEquals(typeof answer, "string");
    formatAnswers(readAnswers(fields));
  });
});

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

Deno.test("readLastTurn() says only what Claude said in this turn", () => {
  forSeeds(2500, (dice) => {
    const whole = dice.pick(TRANSCRIPTS);
    const start = dice.next(whole.length);
    const lines = whole.slice(start, start + 1 + dice.next(40));
    const spoiled = spoil(lines.join("\n"), dice, lines).split("\n");
    const entries = spoiled.map(parsedOrUndefined).filter(isObject);
    const prompts = entries.map((entry) => entry.promptId).filter((id) => typeof id === "string");
    const promptId = prompts.length > 0 && dice.next(3) > 0 ? dice.pick(prompts) : "";
    const backwards: Line[] = spoiled.toReversed().map((text) => ({ text, partial: false }));
    const turn = readLastTurn(backwards, promptId);
    const spoken = new Set(ofTurn(entries, promptId).flatMap(textsOf));
    for (const block of turn.blocks) {
      const known = spoken.has(block) ||
        block.split("\n\n").every((part) => [...spoken].some((text) => text.includes(part)));
      assert(known, `It says ${JSON.stringify(block.slice(0, 80))}`);
    }
    assert(turn.tokens === undefined || typeof turn.tokens === "number");
    assert(withEarlierBlocks("The last words.", turn).endsWith("The last words."));
  });
});

/** Claude's lines behind a user line of that prompt, or of none that is named. */
function ofTurn(entries: Record<string, unknown>[], promptId: string): Record<string, unknown>[] {
  let prompt = "";
  return entries.filter((entry) => {
    if (entry.type === "user" && isObject(entry.message) && entry.isSidechain !== true) {
      prompt = typeof entry.promptId === "string" ? entry.promptId : "";
    }
    return isClaude(entry) && (promptId === "" || prompt === "" || prompt === promptId);
  });
}

Deno.test("readScreen() survives spoiled screens, and never takes one for a prompt with no box", () => {
  forSeeds(3000, (dice) => {
    const text = spoil(dice.pick(PANES), dice, PANES);
    const screen = readScreen(text);
    // deno-lint-ignore no-control-regex
    const drawsBox = /─{10}/.test(text) && /^(\u001b\[[0-9;]*m)*[❯!]/mu.test(text);
    if (screen.ready || screen.draft !== "") assert(drawsBox, "There is no input box");
    if (screen.state === "menu" || screen.state === "permission_prompt") {
      assert(screen.dialog !== undefined, "It claims a dialog and shows none");
      assert(!screen.ready, "A dialog is in the way, and yet it is ready");
    }
    const { pressurePct } = screen;
    assert(pressurePct === undefined || (pressurePct >= 0 && pressurePct <= 100));
  });
});

/** What Claude might quote: each of these is drawn somewhere by a dialog, a footer or a spinner. */
const QUOTED = PANES.flatMap((pane) => pane.split("\n")).map((line) => line.trim())
  .filter((line) => line !== "" && !/^[─▔❯]/.test(line) && line.length < 90);

Deno.test("readScreen() is not moved by what is said above the input box", () => {
  const screens = PANES.filter((pane) => /─{40,}\n❯[\s\u00a0]/.test(pane))
    .filter((pane) => readScreen(pane).state === "idle");
  assert(screens.length > 5);
  forSeeds(2000, (dice) => {
    const pane = dice.pick(screens);
    const lines = pane.split("\n");
    const box = lines.findLastIndex((line, at) =>
      /^─{40,}/.test(line) && (lines[at + 1] ?? "").startsWith("❯")
    );
    const said = Array.from({ length: 1 + dice.next(6) }, () => `  ${dice.pick(QUOTED)}`);
    const mixed = [...lines.slice(0, box), "● Look:", ...said, "", "", "", ...lines.slice(box)];
    const screen = readScreen(mixed.join("\n"));
    assertEquals(screen.state, "idle", said.join("\n"));
    assertEquals(screen.ready, readScreen(pane).ready);
    assertEquals(screen.draft, readScreen(pane).draft);
  });
});

Deno.test("decisionIn() finds no decision that is not there", () => {
  const replies = [
    '{"decision":"block","reason":"Run the tests first"}',
    'Sure:\n```json\n{"decision": "block", "reason": "Fix {this} \\"first\\""}\n```\nThat is all.',
    '{"instructions":"Keep the list of files"}',
    "I have nothing to add. {not json} {}",
    '{"decision":"approve","reason":"fine"}',
  ];
  forSeeds(4000, (dice) => {
    const reply = spoil(dice.pick(replies), dice, [...replies, ...EVENTS.slice(0, 5)]);
    const decision = decisionIn(reply);
    if (decision.kind === "block") assert(/block/.test(reply) && decision.reason.trim() !== "");
    if (decision.kind === "instructions") assert(decision.text.trim() !== "");
    if (!reply.includes('"instructions"') && !reply.includes('"decision"')) {
      assertEquals(decision.kind, "none");
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

Deno.test("replyFrom() and holdsWake() take whatever a gateway sends", () => {
  const wakeId = "01JM0000000000000000000000";
  const final = {
    runId: wakeId,
    status: "ok",
    summary: "completed",
    result: { payloads: [{ text: "Understood", isError: false }], meta: { aborted: false } },
    terminalReply: { disposition: "text", text: "Understood" },
  };
  const history = {
    messages: [{ role: "user", idempotencyKey: `${wakeId}~2:user`, content: [{ text: "x" }] }],
    pendingInputs: { items: [{ runId: wakeId, state: "interrupted" }] },
  };
  assertEquals(replyFrom(final), { status: "ok", text: "Understood" });
  assertEquals(holdsWake(history, wakeId), true);
  forSeeds(2000, (dice) => {
    const reply = replyFrom(spoilValue(final, dice));
    assert(reply.status === "ok" ? typeof reply.text === "string" : reply.reason !== "");
    const spoiled = spoilValue(history, dice);
    if (!isObject(spoiled)) return;
    const holds = holdsWake(spoiled, wakeId);
    assert(!holds || JSON.stringify(spoiled).includes(wakeId), "It found a wake that is not there");
  });
});

Deno.test("connect() trusts no gateway whose hello is spoiled, and waits for none", async () => {
  const challenge = '{"type":"event","event":"connect.challenge","payload":{"nonce":"n"}}';
  const seeds = Array.from({ length: 120 }, (_, seed) => seed);
  const sent = new Map<string, string>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const seed = new URL(request.url).pathname.slice(1);
    const dice = new Dice(Number(seed));
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onopen = () =>
      socket.send(dice.next(3) === 0 ? spoil(challenge, dice, [challenge]) : challenge);
    socket.onmessage = ({ data }) => {
      const { id } = JSON.parse(data);
      const hello = JSON.stringify({
        type: "res",
        id,
        ok: true,
        payload: { type: "hello-ok", protocol: 4, server: { version: "2026.9.6" } },
      });
      const frame = spoil(hello, dice, [hello]);
      sent.set(seed, frame);
      socket.send(frame);
    };
    return response;
  });
  try {
    await Promise.all(seeds.map(async (seed) => {
      const url = `ws://127.0.0.1:${server.addr.port}/${seed}`;
      const outcome = await connect({ url, token: "s3cret", source: "a test" }, 1500);
      if (outcome.kind !== "connected") return assert(!outcome.reason.includes("s3cret"));
      outcome.gateway.close();
      const frame = parsedOrUndefined(sent.get(String(seed)) ?? "");
      assert(isObject(frame) && frame.ok === true && frame.type === "res", `seed ${seed}`);
    }));
  } finally {
    await server.shutdown();
  }
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

Deno.test("renderWake() has each header once, whatever Claude says", () => {
  const headers = ["SESSION IDENTITY", "TRIGGER", "CONTENT", "STATE HINT", "CONTEXT PRESSURE"];
  const words = [...headers.map((name) => `\n[${name}]\n`), "\u001b[31m", "\r", "\u2028", "text\n"];
  forSeeds(2000, (dice) => {
    const body = Array.from({ length: dice.next(20) }, () => dice.pick(words)).join("") +
      spoil(dice.pick(EVENTS).slice(0, 500), dice, EVENTS);
    const { message } = renderWake(
      { agent_id: "warden", tmux_session_name: body, timestamp: "t", wake_id: "w" },
      {
        trigger: "response_complete",
        section: "CONTENT",
        body,
        state: "idle",
        pressure: "unknown",
        actions: ["x"],
      },
      { maxChars: 5000, wholeTextFile: "/f" },
    );
    const lines = message.split(/[\n\r\u2028]/);
    for (const name of headers) {
      assertEquals(lines.filter((line) => line === `[${name}]`).length, 1, name);
    }
    // deno-lint-ignore no-control-regex
    assert(!/[\u0000-\u0008\u000b-\u001f\u007f]/.test(message), "A control character is left");
  });
});

function spoiledJson(text: string, dice: Dice, others: string[]): string {
  return dice.next(2) === 0
    ? spoil(text, dice, others)
    : JSON.stringify(spoilValue(JSON.parse(text), dice));
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isClaude(entry: Record<string, unknown>): boolean {
  return entry.type === "assistant" && entry.isSidechain !== true &&
    entry.isApiErrorMessage !== true;
}

function textsOf(entry: Record<string, unknown>): string[] {
  const content = isObject(entry.message) ? entry.message.content : undefined;
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.filter(isObject).map((block) => block.text)
    .filter((text): text is string => typeof text === "string");
}
