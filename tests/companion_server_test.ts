import { assertEquals } from "@std/assert";
import { companionServer } from "../lib/companion/companion_server.ts";
import type { ModEvent, ModOrder } from "../lib/companion/mod_messages.ts";

const TOKEN = "the mod's token";

function serverOf() {
  const said: string[] = [];
  const events: ModEvent[] = [];
  const orders: ModOrder[] = [];
  const server = companionServer({
    token: TOKEN,
    say: (line) => said.push(line),
    onEvent: (event) => events.push(event),
    onOrder: (order) => orders.push(order),
    state: () => ({ n: 7 }),
  });
  const send = async (path: string, body: string, headers: Record<string, string> = {}) => {
    const request = new Request(`http://companion${path}`, { method: "POST", body, headers });
    const response = await server.handle(request);
    return { status: response.status, text: await response.text() };
  };
  const report = (event: unknown, token = TOKEN) =>
    send("/event", JSON.stringify(event), { "x-gsd-token": token });
  return { said, events, orders, server, send, report };
}

Deno.test("companionServer() gives an order to the mod and its result to the caller", async () => {
  const { said, orders, send, report } = serverOf();
  const answering = send("/order", JSON.stringify({ op: "submit", text: "-x /y\n!z" }));
  await Promise.resolve();
  while (said.length === 0) await new Promise((resolve) => queueMicrotask(() => resolve(0)));
  assertEquals(JSON.parse(said[0]!), { id: "1", op: "submit", text: "-x /y\n!z", asUser: true });
  assertEquals(orders.map(({ op }) => op), ["submit"]);
  await report({ n: 1, kind: "result", data: { id: "1", value: { text: "-x /y\n!z" } } });
  assertEquals(await answering, { status: 200, text: '{"value":{"text":"-x /y\\n!z"}}' });
});

Deno.test("companionServer() says when the mod does not answer in time", async () => {
  const { send } = serverOf();
  const alive = setInterval(() => {}, 1000); // the wait alone does not keep a process alive
  const answer = await send("/order", JSON.stringify({ op: "draft", waitMs: 1 }));
  clearInterval(alive);
  assertEquals(answer.status, 504);
});

Deno.test("companionServer() takes an event that comes twice once", async () => {
  const { events, report } = serverOf();
  const event = { n: 1, kind: "turn.start", data: { turnId: "a" } };
  assertEquals([(await report(event)).status, (await report(event)).status], [200, 200]);
  assertEquals(events, [event]);
});

const refused: [name: string, path: string, body: string, token: string, status: number][] = [
  ["an event without the mod's token", "/event", '{"n":1,"kind":"x"}', "another", 403],
  ["an event that is not JSON", "/event", "garbage", TOKEN, 400],
  ["an event without a number", "/event", '{"kind":"x"}', TOKEN, 400],
  ["an order that is not JSON", "/order", "garbage", "", 400],
  ["an unknown order", "/order", '{"op":"eval"}', "", 400],
  ["a text that is empty", "/order", '{"op":"submit","text":"  "}', "", 400],
  ["a command with its slash", "/order", '{"op":"command","command":"/clear"}', "", 400],
  ["another place", "/etc/passwd", "{}", TOKEN, 404],
];
for (const [name, path, body, token, status] of refused) {
  Deno.test(`companionServer() refuses ${name}, and nothing happens`, async () => {
    const { said, events, send } = serverOf();
    assertEquals((await send(path, body, { "x-gsd-token": token })).status, status);
    assertEquals([said, events], [[], []]);
  });
}
