import { assert, assertEquals } from "@std/assert";
import { replyFrom } from "../../lib/delivery/delivery.ts";
import { connect } from "../../lib/delivery/gateway.ts";
import { placeOfWake } from "../../lib/delivery/session_history.ts";
import { isObject } from "../../lib/json.ts";
import { decisionIn } from "../../lib/replies.ts";
import { Dice, EVENTS, forSeeds, parsedOrUndefined, spoil, spoilValue } from "../support/fuzz.ts";

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

Deno.test("replyFrom() and placeOfWake() take whatever a gateway sends", () => {
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
  assertEquals(placeOfWake(history, wakeId), "read");
  forSeeds(2000, (dice) => {
    const reply = replyFrom(spoilValue(final, dice));
    assert(reply.status === "ok" ? typeof reply.text === "string" : reply.reason !== "");
    const spoiled = spoilValue(history, dice);
    if (!isObject(spoiled)) return;
    const place = placeOfWake(spoiled, wakeId);
    assert(!place || JSON.stringify(spoiled).includes(wakeId), "It found a wake that is not there");
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
