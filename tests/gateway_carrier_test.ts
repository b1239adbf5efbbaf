import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { GatewayCarrier, isNotBegun } from "../lib/delivery/gateway_carrier.ts";
import { newReach } from "../lib/delivery/reach.ts";
import { placeOfWake, replyInHistory } from "../lib/delivery/session_history.ts";
import type { TryOutcome } from "../lib/delivery/delivery.ts";
import { onPath } from "../lib/doors/programs.ts";
import type { QueuedWake } from "../lib/outbox.ts";
import { makeCertificate } from "./support/certificate.ts";
import { aWake } from "./support/delivery_home.ts";
import { until } from "./support/until.ts";
import {
  type FakeGateway,
  type FakeOptions,
  type Mishap,
  startFakeGateway,
} from "./support/fake_gateway.ts";

const SESSIONS = { "agent:warden:main": "id-1" };

async function withGateway(
  options: FakeOptions,
  test: (gateway: FakeGateway, deliver: (wake: QueuedWake) => Promise<TryOutcome>) => Promise<void>,
  token = "fake-token",
) {
  const gateway = await startFakeGateway({ sessions: SESSIONS, ...options });
  const carrier = new GatewayCarrier({ url: gateway.url, token, source: "/c.json" }, Date.now);
  try {
    await test(gateway, (wake) => carrier.deliver(wake));
  } finally {
    carrier.close();
    await gateway.stop();
  }
}

Deno.test("GatewayCarrier carries several wakes over one connection, in order and whole", async () => {
  await withGateway({}, async (gateway, deliver) => {
    const message = "[SESSION IDENTITY]\n" + "žluťoučký 😀 \u202e\u0007".repeat(12_000);
    const wakes = [aWake(), aWake({ message }), aWake()];
    for (const wake of wakes) {
      assertEquals(await deliver(wake), { kind: "delivered", detail: "accepted" });
    }
    assertEquals(gateway.taken.map(({ key }) => key), wakes.map((wake) => wake.wake_id));
    assertEquals(gateway.taken[1]!.message, message);
    assertEquals(gateway.connections.all, 1);
  });
});

Deno.test("GatewayCarrier finds the session by its id where only that is known", async () => {
  await withGateway({}, async (gateway, deliver) => {
    const wake = aWake({ openclaw_session_key: "", openclaw_session_id: "id-1" });
    assertEquals((await deliver(wake)).kind, "delivered");
    assertEquals(gateway.taken[0]!.session, "agent:warden:main");
  });
});

Deno.test("GatewayCarrier names an unknown session and makes none of it", async () => {
  await withGateway({}, async (gateway, deliver) => {
    for (
      const more of [
        { openclaw_session_key: "agent:warden:nope" },
        { openclaw_session_key: "", openclaw_session_id: "no-such-id" },
      ]
    ) {
      const outcome = await deliver(aWake(more));
      assert(outcome.kind === "later" && outcome.scope === "target");
      assertStringIncludes(outcome.reason, more.openclaw_session_id ?? more.openclaw_session_key);
    }
    assertEquals(gateway.taken, []);
  });
});

Deno.test("GatewayCarrier counts a key the gateway already has as delivered", async () => {
  await withGateway({}, async (gateway, deliver) => {
    const wake = aWake();
    await deliver(wake);
    assertEquals(await deliver(wake), { kind: "delivered", detail: "in_flight" });
    assertEquals(gateway.taken.length, 1);
  });
});

Deno.test("GatewayCarrier sends again what a freshly started gateway took and let go", async () => {
  await withGateway({}, async (gateway, deliver) => {
    await gateway.restart(1);
    gateway.faults.revoke = 1;
    const outcome = await deliver(aWake());
    assert(outcome.kind === "later" && outcome.newKey === true, JSON.stringify(outcome));
    assertStringIncludes(outcome.reason, "let it go again");
    gateway.faults.revoke = 0;
    assertEquals((await deliver(aWake())).kind, "delivered");
  });
});

Deno.test("GatewayCarrier takes a gateway for young that could not be reached a moment ago", async () => {
  const gateway = await startFakeGateway({ sessions: SESSIONS });
  const target = { url: gateway.url, token: "fake-token", source: "" };
  const reach = newReach();
  const carrier = () => new GatewayCarrier(target, Date.now, undefined, reach);
  const first = carrier();
  const back = carrier();
  try {
    await gateway.stop();
    assertEquals((await first.deliver(aWake())).kind, "later");
    // Its process has needed long for its start.
    await gateway.restart(1, { forget: false, upMs: 3_600_000 });
    gateway.faults.revoke = 1;
    const outcome = await back.deliver(aWake());
    assert(outcome.kind === "later" && outcome.newKey === true, JSON.stringify(outcome));
  } finally {
    first.close();
    back.close();
    await gateway.stop();
  }
});

Deno.test("GatewayCarrier looks into the session when the gateway has forgotten its keys", async () => {
  await withGateway({}, async (gateway, deliver) => {
    const wake = aWake();
    await deliver(wake);
    await gateway.restart(1, { forget: true });
    // The old connection may notice the restart only when it is used.
    const outcome = await until("the new connection", async () => {
      const tried = await deliver(wake);
      return tried.kind === "later" ? undefined : tried;
    });
    assertEquals(outcome, { kind: "delivered", detail: "it was in the session already" });
    assertEquals(gateway.taken.length, 1);
    assertEquals((await deliver(aWake())).kind, "delivered");
    assertEquals(gateway.taken.length, 2);
  });
});

Deno.test("GatewayCarrier tries again what a young gateway took before the connection broke", async () => {
  for (const kept of [true, false]) {
    await withGateway({ upMs: 1000 }, async (gateway, deliver) => {
      const wake = aWake();
      gateway.faults.decide = ({ method }) =>
        method === "agent" ? { kind: "break", afterMs: 1, kept, forgotten: true } : undefined;
      const outcome = await deliver(wake);
      assert(outcome.kind === "later" && !outcome.newKey, JSON.stringify(outcome));
      assertStringIncludes(outcome.reason, "took the wake for agent:warden:main and broke off");
      gateway.faults.decide = undefined;
      const attempts = { count: 1, next_at: "", last_error: outcome.reason };
      assertEquals((await deliver({ ...wake, attempts })).kind, "delivered");
      assertEquals(gateway.taken.map(({ key }) => key), [wake.wake_id]);
    });
  }
});

Deno.test("GatewayCarrier sends nothing while the history does not show whether it is there", async () => {
  const cases = [
    { kind: "error" },
    { kind: "dropBefore" },
    { kind: "answer", payload: {} },
    { kind: "answer", payload: { messages: null } },
  ] as const;
  for (const mishap of cases) {
    await withGateway({}, async (gateway, deliver) => {
      const attempts = { count: 1, next_at: "", last_error: "no answer" };
      gateway.faults.decide = ({ method }) => method === "chat.history" ? mishap : undefined;
      const outcome = await deliver(aWake({ attempts }));
      assert(outcome.kind === "later" && outcome.scope === "all" && !outcome.newKey);
      assertStringIncludes(outcome.reason, "Cannot tell whether session agent:warden:main has");
      assertEquals(gateway.taken, []);
    });
  }
});

Deno.test("GatewayCarrier waits until the agent reads what a young gateway has only queued", async () => {
  const gateway = await startFakeGateway({ sessions: SESSIONS, upMs: 1000 });
  const target = { url: gateway.url, token: "fake-token", source: "" };
  const carrier = new GatewayCarrier(target, Date.now, 20);
  try {
    const wake = aWake();
    gateway.faults.decide = ({ method }) => method === "agent" ? { kind: "queue" } : undefined;
    const attempts = { count: 1, next_at: "", last_error: "" };
    for (const again of [wake, { ...wake, attempts }]) {
      const outcome = await carrier.deliver(again);
      assert(outcome.kind === "later" && !outcome.newKey && outcome.soon, JSON.stringify(outcome));
      assertMatch(outcome.reason, /^The gateway has just started .*has not begun to read the wake/);
    }
    gateway.queued = []; // dropped: it was never read
    gateway.faults.decide = undefined;
    assertEquals((await carrier.deliver({ ...wake, attempts })).kind, "delivered");
    assertEquals(gateway.taken.map(({ key }) => key), [wake.wake_id]);
  } finally {
    carrier.close();
    await gateway.stop();
  }
});

Deno.test("GatewayCarrier wants no long pause while the gateway is starting", async () => {
  const gateway = await startFakeGateway({ sessions: SESSIONS, isStarting: true });
  const target = { url: gateway.url, token: "fake-token", source: "" };
  const carrier = new GatewayCarrier(target, Date.now);
  try {
    const starting = await carrier.deliver(aWake());
    assert(starting.kind === "later" && starting.soon, JSON.stringify(starting));
    assertMatch(starting.reason, /is not ready: gateway starting/);
    await gateway.stop();
    const away = await carrier.deliver(aWake());
    assert(away.kind === "later" && !away.soon, JSON.stringify(away));
  } finally {
    carrier.close();
    await gateway.stop();
  }
});

Deno.test("GatewayCarrier does not take a wake for read while it cannot look after the watch", async () => {
  const gateway = await startFakeGateway({ sessions: SESSIONS, upMs: 1000 });
  const target = { url: gateway.url, token: "fake-token", source: "" };
  const carrier = new GatewayCarrier(target, Date.now, 20);
  try {
    gateway.faults.decide = ({ method }) => {
      if (method === "agent") return { kind: "queue" };
      return method === "chat.history" && gateway.queued.length > 0 ? { kind: "error" } : undefined;
    };
    const outcome = await carrier.deliver(aWake());
    assertEquals(gateway.queued.length, 1);
    assert(outcome.kind === "later" && !outcome.newKey, JSON.stringify(outcome));
    assertStringIncludes(outcome.reason, "Cannot tell whether session agent:warden:main has");
  } finally {
    carrier.close();
    await gateway.stop();
  }
});

Deno.test("GatewayCarrier looks for a wake whose run failed in a young gateway", async () => {
  for (const kept of [true, false]) {
    await withGateway({ upMs: 1000 }, async (gateway, deliver) => {
      const wake = aWake();
      gateway.faults.decide = ({ method }) =>
        method === "agent" ? { kind: "fail", kept } : undefined;
      const outcome = await deliver(wake);
      assertEquals(outcome.kind, kept ? "delivered" : "later", JSON.stringify(outcome));
      if (outcome.kind !== "later") return;
      assertEquals([outcome.scope, outcome.newKey], ["all", true]);
      assertStringIncludes(outcome.reason, "let it go again: the run could not begin");
      gateway.faults.decide = undefined;
      const key = `${wake.wake_id}~2`;
      const attempts = { count: 1, next_at: "", last_error: outcome.reason, key };
      assertEquals((await deliver({ ...wake, attempts })).kind, "delivered");
      assertEquals(gateway.taken.map((taken) => taken.key), [key]);
    });
  }
});

Deno.test("GatewayCarrier looks for a wake whose run was stopped in a young gateway", async () => {
  for (const kept of [true, false]) {
    await withGateway({ upMs: 1000 }, async (gateway, deliver) => {
      const wake = aWake();
      gateway.faults.decide = ({ method }) =>
        method === "agent" ? { kind: "abort", kept } : undefined;
      const outcome = await deliver(wake);
      assertEquals(outcome.kind, kept ? "delivered" : "later");
      if (outcome.kind !== "later") return;
      assertEquals([outcome.scope, outcome.newKey], ["all", true]);
      assertStringIncludes(outcome.reason, 'let it go again: the run ended as "timeout"');
    });
  }
});

Deno.test("GatewayCarrier takes a new key where the run of the last one was stopped", async () => {
  await withGateway({}, async (gateway, deliver) => {
    const wake = aWake();
    gateway.faults.decide = ({ method }) =>
      method === "agent" ? { kind: "abort", kept: false } : undefined;
    assertEquals((await deliver(wake)).kind, "delivered", "a steady gateway is not watched");
    gateway.faults.decide = undefined;
    // The deliverer has missed that answer.
    const attempts = { count: 1, next_at: "", last_error: "no answer" };
    const outcome = await deliver({ ...wake, attempts });
    assert(outcome.kind === "later" && outcome.newKey === true, JSON.stringify(outcome));
    const key = `${wake.wake_id}~2`;
    assertEquals((await deliver({ ...wake, attempts: { ...attempts, key } })).kind, "delivered");
    assertEquals(gateway.taken.map((taken) => taken.key), [key]);
  });
});

Deno.test("GatewayCarrier takes a new key where it cannot look for a wake whose run failed", async () => {
  await withGateway({ upMs: 1000 }, async (gateway, deliver) => {
    const wake = aWake();
    gateway.faults.decide = ({ method }) =>
      method === "agent"
        ? { kind: "fail", kept: false }
        : method === "chat.history"
        ? { kind: "error" }
        : undefined;
    const outcome = await deliver(wake);
    assert(outcome.kind === "later" && outcome.newKey === true, JSON.stringify(outcome));
    assertStringIncludes(outcome.reason, "Cannot tell whether session agent:warden:main has");
  });
});

Deno.test("GatewayCarrier waits as well for a gateway that was slow to take a wake", async () => {
  const gateway = await startFakeGateway({ sessions: SESSIONS });
  const target = { url: gateway.url, token: "fake-token", source: "" };
  let now = Date.now();
  const carrier = new GatewayCarrier(target, () => now, 20);
  try {
    const wake = aWake();
    gateway.faults.decide = ({ method }) => {
      if (method !== "agent") return undefined;
      now += 6000;
      return { kind: "queue" };
    };
    const attempts = { count: 1, next_at: "", last_error: "" };
    for (const again of [wake, { ...wake, attempts }]) {
      const outcome = await carrier.deliver(again);
      assert(outcome.kind === "later" && !outcome.newKey, JSON.stringify(outcome));
      assertMatch(outcome.reason, /^The gateway is slow or .*has not begun to read the wake/);
      assert(isNotBegun(outcome.reason));
    }
    now += 121_000;
    const detail = "it was in the session already";
    assertEquals(await carrier.deliver({ ...wake, attempts }), { kind: "delivered", detail });
  } finally {
    carrier.close();
    await gateway.stop();
  }
});

Deno.test("GatewayCarrier says that a gateway has just started, whatever it did hours ago", async () => {
  const gateway = await startFakeGateway({ sessions: SESSIONS, upMs: 1000 });
  const target = { url: gateway.url, token: "fake-token", source: "" };
  const reach = { ...newReach(), unsteadyAt: Date.now() - 3_600_000 };
  const carrier = new GatewayCarrier(target, Date.now, 20, reach);
  try {
    gateway.faults.decide = ({ method }) => method === "agent" ? { kind: "queue" } : undefined;
    const outcome = await carrier.deliver(aWake());
    assert(outcome.kind === "later", JSON.stringify(outcome));
    assertMatch(outcome.reason, /^The gateway has just started and the agent has not begun/);
  } finally {
    carrier.close();
    await gateway.stop();
  }
});

const LET_GO: Mishap[] = [
  { kind: "unavailable" },
  { kind: "revoke", afterMs: 1 },
  { kind: "fail", kept: false },
];

for (const mishap of LET_GO) {
  Deno.test(`GatewayCarrier goes on watching a gateway that has let a wake go: ${mishap.kind}`, async () => {
    const gateway = await startFakeGateway({ sessions: SESSIONS });
    const target = { url: gateway.url, token: "fake-token", source: "" };
    let now = Date.now();
    const reach = { failedAt: now - 60_000, unsteadyAt: -Infinity }; // it has just started
    const carrier = new GatewayCarrier(target, () => now, 500, reach);
    try {
      let next = mishap;
      gateway.faults.decide = ({ method }) => method === "agent" ? next : undefined;
      const first = await carrier.deliver(aWake());
      assert(first.kind === "later" && first.newKey === true, JSON.stringify(first));
      now += 100_000;
      next = { kind: "revoke", afterMs: 1 };
      const second = await carrier.deliver(aWake());
      assert(second.kind === "later" && second.newKey === true, JSON.stringify(second));
      now += 121_000;
      assertEquals((await carrier.deliver(aWake())).kind, "delivered", "it is steady again");
    } finally {
      carrier.close();
      await gateway.stop();
    }
  });
}

Deno.test("GatewayCarrier counts what an old gateway has queued as delivered", async () => {
  await withGateway({}, async (gateway, deliver) => {
    const wake = aWake({ attempts: { count: 1, next_at: "", last_error: "no answer" } });
    gateway.queued = [wake.wake_id];
    assertEquals(await deliver(wake), {
      kind: "delivered",
      detail: "it was in the session already",
    });
    assertEquals(gateway.taken, []);
  });
});

Deno.test("GatewayCarrier waits for a reply as long as the hook does", async () => {
  await withGateway({}, async (gateway, deliver) => {
    gateway.faults.decide = ({ method }) =>
      method === "agent" ? { kind: "slow", afterMs: 50 } : undefined;
    const reply_until = new Date(Date.now() - 1).toISOString();
    const outcome = await deliver(aWake({ expects_reply: true, reply_until }));
    assert(outcome.kind === "delivered" && outcome.reply);
    assertEquals(await outcome.reply, { status: "failed", reason: "no reply in time" });
  });
});

Deno.test("GatewayCarrier tries a lost ack again with the same key, UNAVAILABLE with a new one", async () => {
  await withGateway({ faults: { dropAfter: 1 } }, async (gateway, deliver) => {
    const lost = await deliver(aWake());
    assert(lost.kind === "later" && lost.scope === "all" && !lost.newKey, JSON.stringify(lost));
    gateway.faults = { unavailable: 1 };
    const refused = await deliver(aWake());
    assert(refused.kind === "later" && refused.newKey === true, JSON.stringify(refused));
    assertStringIncludes(refused.reason, "cannot take it now");
  });
});

Deno.test("GatewayCarrier never says the token when it is refused", async () => {
  await withGateway({}, async (_, deliver) => {
    const outcome = await deliver(aWake());
    assert(outcome.kind === "unfit");
    assertStringIncludes(outcome.reason, "AUTH_TOKEN_MISMATCH");
    assertStringIncludes(outcome.reason, "/c.json");
    assertEquals(outcome.reason.includes("wrong-token-1"), false);
  }, "wrong-token-1");
});

Deno.test("GatewayCarrier is unfit where the gateway gives it no right to write", async () => {
  await withGateway({ scopes: false }, async (_, deliver) => {
    const outcome = await deliver(aWake());
    assert(outcome.kind === "unfit");
    assertStringIncludes(outcome.reason, "missing scope");
  });
});

Deno.test("GatewayCarrier says where it could not reach the gateway", async () => {
  const carrier = new GatewayCarrier(
    { url: "ws://u:pw@127.0.0.1:1/x?token=t", source: "" },
    Date.now,
  );
  const outcome = await carrier.deliver(aWake());
  assert(outcome.kind === "later" && outcome.scope === "all");
  assertStringIncludes(outcome.reason, "Cannot reach the gateway at ws://127.0.0.1:1: ");
  assertEquals(/pw|token/.test(outcome.reason), false);
});

Deno.test({
  name: "GatewayCarrier goes over wss:// where it can check the certificate, and only there",
  ignore: onPath((name) => Deno.env.get(name), "openssl") === undefined,
  async fn() {
    const folder = await Deno.makeTempDir();
    const made = await makeCertificate(folder);
    const gateway = await startFakeGateway({ sessions: SESSIONS, tls: made });
    const target = { url: gateway.url, token: "fake-token", source: "" };
    const certificateFile = made.authorityFile;
    const trusting = new GatewayCarrier({ ...target, certificateFile }, Date.now);
    try {
      assertEquals((await trusting.deliver(aWake())).kind, "delivered");
      const refused = await new GatewayCarrier(target, Date.now).deliver(aWake());
      assert(refused.kind === "unfit", JSON.stringify(refused));
      assertStringIncludes(refused.reason, "Cannot check the certificate of the gateway");
      assertEquals(gateway.taken.length, 1);
    } finally {
      trusting.close();
      await gateway.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("GatewayCarrier brings the agent's reply without holding up the next wake", async () => {
  await withGateway({}, async (gateway, deliver) => {
    gateway.reply = () => 'I say {"decision":"block","reason":"go on"}';
    const outcome = await deliver(aWake({ expects_reply: true }));
    assertEquals((await deliver(aWake())).kind, "delivered");
    assert(outcome.kind === "delivered" && outcome.reply);
    assertEquals(await outcome.reply, { status: "ok", text: gateway.reply("") });
  });
});

Deno.test("GatewayCarrier asks how a run ended when another connection began it", async () => {
  await withGateway({}, async (gateway, deliver) => {
    const wake = aWake({ expects_reply: true });
    await deliver(wake);
    gateway.reply = () => "later";
    const again = await deliver(wake);
    assert(again.kind === "delivered" && again.reply);
    assertEquals(await again.reply, { status: "ok", text: "later" });
  });
});

Deno.test("placeOfWake() knows a wake by key or by text, and one that never runs as not there", () => {
  const id = aWake().wake_id;
  const user = (more: Record<string, unknown>) => ({ messages: [{ role: "user", ...more }] });
  assertEquals(placeOfWake(user({ idempotencyKey: `${id}:user` }), id), "read");
  assertEquals(placeOfWake(user({ idempotencyKey: `${id}~2:user` }), id), "read");
  assertEquals(placeOfWake(user({ idempotencyKey: `${id}X:user` }), id), undefined);
  assertEquals(placeOfWake(user({ content: `a\nwake_id: ${id}\nb` }), id), "read");
  assertEquals(
    placeOfWake(user({ content: [{ type: "text", text: `\nwake_id: ${id}\n` }] }), id),
    "read",
  );
  const pending = (state: string) => ({ pendingInputs: { items: [{ state, runId: id }] } });
  assertEquals(placeOfWake(pending("queued"), id), "pending");
  for (const state of ["interrupted", "cancelled"]) {
    assertEquals(placeOfWake(pending(state), id), undefined);
  }
  assertEquals(
    placeOfWake({ messages: [{ role: "assistant", idempotencyKey: id }] }, id),
    undefined,
  );
});

Deno.test("replyInHistory() takes the agent's last words before the next message", () => {
  const id = aWake().wake_id;
  const messages = [
    { role: "user", content: `x\nwake_id: ${id}\ny` },
    { role: "assistant", content: [{ type: "text", text: "thinking" }] },
    { role: "assistant", content: [{ type: "text", text: "go on" }] },
    { role: "user", content: "other" },
    { role: "assistant", content: "not this" },
  ];
  assertEquals(replyInHistory({ messages }, id), "go on");
  assertEquals(replyInHistory({ messages: [] }, id), "");
});
