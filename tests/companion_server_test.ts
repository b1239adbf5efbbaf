import { assertEquals } from "@std/assert";
import { companionServer } from "../lib/companion/companion_server.ts";
import type { ModEvent, ModOrder } from "../lib/companion/mod_messages.ts";

const TOKEN = "the mod's token";

function serverOf() {
  const said: string[] = [];
  const events: ModEvent[] = [];
  const orders: ModOrder[] = [];
  const dropped: string[] = [];
  const held: unknown[] = [];
  const server = companionServer({
    token: TOKEN,
    pane: "%3",
    say: (line) => said.push(line),
    onEvent: (event) => events.push(event),
    onOrder: (order) => orders.push(order),
    onDropped: (text, reason) => dropped.push(`${text}: ${reason}`),
    onHold: (id, event) => {
      held.push({ id, event });
      return Promise.resolve({ kind: "wait" });
    },
    state: () => ({ n: 7 }),
  });
  const send = async (path: string, body: string, headers: Record<string, string> = {}) => {
    const request = new Request(`http://companion${path}`, { method: "POST", body, headers });
    const response = await server.handle(request);
    return { status: response.status, text: await response.text() };
  };
  const report = (event: unknown, token = TOKEN) =>
    send("/event", JSON.stringify(event), { "x-gsd-token": token });
  const order = (wanted: object) => send("/order", JSON.stringify({ pane: "%3", ...wanted }));
  /** The number of the order that the mod was given as the n-th. */
  const idOf = async (index: number): Promise<string> => {
    while (said.length <= index) await Promise.resolve();
    return JSON.parse(said[index]!).id;
  };
  return { said, events, orders, dropped, held, server, send, order, idOf, report };
}

Deno.test("companionServer() gives an order to the mod and its result to the caller", async () => {
  const { said, orders, order, idOf, report } = serverOf();
  const answering = order({ op: "submit", text: "-x /y\n!z" });
  const id = await idOf(0);
  const given = { id, op: "submit", text: "-x /y\n!z", asUser: true, queue: false };
  assertEquals(JSON.parse(said[0]!), given);
  assertEquals(orders.map(({ op }) => op), ["submit"]);
  await report({ n: 1, kind: "result", data: { id, value: 5 } });
  assertEquals(await answering, { status: 200, text: '{"value":5,"state":{"n":7}}' });
});

Deno.test("companionServer() says when the mod does not answer in time", async () => {
  const { order } = serverOf();
  assertEquals((await whileAlive(() => order({ op: "draft", waitMs: 1 }))).status, 504);
});

Deno.test("companionServer() says queued when the mod has gone on to a later order", async () => {
  const { order, idOf, report, dropped } = serverOf();
  const answering = order({ op: "submit", text: "later", queue: true });
  const [submit, draft] = [await idOf(0), await idOf(1)];
  await report({ n: 1, kind: "result", data: { id: draft, value: {} } });
  const { status, text } = await whileAlive(() => answering);
  assertEquals([status, JSON.parse(text).value], [200, { queued: true }]);
  // Its caller has gone: now the agent has to be notified.
  await report({ n: 2, kind: "result", data: { id: submit, text: "later", error: "removed" } });
  assertEquals(dropped, ["later: removed"]);
});

Deno.test("companionServer() answers at once about what is not even queued", async () => {
  const { order, idOf, report, dropped } = serverOf();
  const answering = order({ op: "submit", text: "later", queue: true });
  const id = await idOf(0);
  await report({ n: 1, kind: "result", data: { id, text: "later", error: "stopped" } });
  assertEquals(JSON.parse((await answering).text).error, "stopped");
  assertEquals(dropped, []);
});

Deno.test("companionServer() reports what an earlier companion had queued", async () => {
  const { report, dropped } = serverOf();
  const data = { id: "earlier-1", text: "old", error: "removed" };
  await report({ n: 900, kind: "result", data });
  await report({ n: 901, kind: "result", data: { id: "earlier-2", value: {} } });
  assertEquals(dropped, ["old: removed"]);
});

/** The wait for an answer alone does not keep a process alive. */
async function whileAlive<T>(work: () => Promise<T>): Promise<T> {
  const alive = setInterval(() => {}, 1000);
  try {
    return await work();
  } finally {
    clearInterval(alive);
  }
}

Deno.test("companionServer() takes an event that comes twice once", async () => {
  const { events, report } = serverOf();
  const event = { n: 1, kind: "turn.start", data: { turnId: "a" } };
  assertEquals([(await report(event)).status, (await report(event)).status], [200, 200]);
  assertEquals(events, [event]);
});

Deno.test("companionServer() passes on what the mod asks for a dialog", async () => {
  const { held, send } = serverOf();
  const asked = { id: "h1", event: { tool_name: "Bash" } };
  const answer = await send("/hold", JSON.stringify(asked), { "x-gsd-token": TOKEN });
  assertEquals([answer, held], [{ status: 200, text: '{"kind":"wait"}' }, [asked]]);
});

const refused: [name: string, path: string, body: string, token: string, status: number][] = [
  ["an event without the mod's token", "/event", '{"n":1,"kind":"x"}', "another", 403],
  ["an event that is not JSON", "/event", "garbage", TOKEN, 400],
  ["an event without a number", "/event", '{"kind":"x"}', TOKEN, 400],
  ["a dialog's question without the mod's token", "/hold", '{"id":"h","event":{}}', "x", 403],
  ["a dialog's question without an event", "/hold", '{"id":"h"}', TOKEN, 400],
  ["an order that is not JSON", "/order", "garbage", "", 400],
  ["an order for another pane", "/order", '{"op":"abort","pane":"%4"}', "", 409],
  ["an order for no pane", "/order", '{"op":"abort"}', "", 409],
  ["an unknown order", "/order", '{"op":"eval"}', "", 400],
  ["a text that is empty", "/order", '{"op":"submit","text":"  "}', "", 400],
  ["a command with its slash", "/order", '{"op":"command","command":"/clear"}', "", 400],
  ["another place", "/etc/passwd", "{}", TOKEN, 404],
];
for (const [name, path, body, token, status] of refused) {
  Deno.test(`companionServer() refuses ${name}, and nothing happens`, async () => {
    const { said, events, held, send } = serverOf();
    assertEquals((await send(path, body, { "x-gsd-token": token })).status, status);
    assertEquals([said, events, held], [[], [], []]);
  });
}
