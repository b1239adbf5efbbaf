import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  inboxIn,
  isEnqueued,
  messageLines,
  noteSent,
  readSent,
  sendToInbox,
  type SentMessage,
  whyDropped,
} from "../lib/driver/inbox_road.ts";
import { hash } from "../lib/paths.ts";
import { realClock } from "../lib/time.ts";
import { TestHome } from "./support/home.ts";

const NOW = Date.parse("2026-11-17T14:00:00Z");

/** So many texts, so many milliseconds apart, the last one just now. */
function sent(many: number, apartMs: number): SentMessage[] {
  return Array.from({ length: many }, (_, index) => ({
    at: NOW - (many - 1 - index) * apartMs,
    hash: hash(`text ${index}`),
  }));
}

const limits: [name: string, sent: SentMessage[], text: string, why: string | undefined][] = [
  ["nothing", [], "x", undefined],
  ["29 at once", sent(29, 0), "x", undefined],
  ["30 at once", sent(30, 0), "x", "wait 2 s"],
  ["60, one in two seconds", sent(60, 2000), "x", undefined],
  ["40 in 10 s", sent(40, 250), "x", "then one in 2 s"],
  ["the same text", sent(3, 0), "text 1", "wait 30 s, or change it"],
  ["the same text 29 s ago", sent(2, 29_000), "text 0", "wait 1 s, or change it"],
  ["the same text 30 s ago", sent(2, 30_000), "text 0", undefined],
];
for (const [name, before, text, why] of limits) {
  Deno.test(`whyDropped() after ${name}: ${why ?? "nothing"}`, () => {
    const reason = whyDropped(before, text, NOW);
    if (why === undefined) assertEquals(reason, undefined);
    else assertStringIncludes(reason ?? "", why);
  });
}

Deno.test("noteSent() keeps what still counts, and readSent() survives a broken file", async () => {
  await using home = new TestHome();
  const { paths } = home;
  assertEquals(readSent(paths, "warden-main"), []);
  noteSent(paths, "warden-main", "old", NOW - 61_000);
  noteSent(paths, "warden-main", "new", NOW);
  assertEquals(readSent(paths, "warden-main"), [{ at: NOW, hash: hash("new") }]);
  Deno.writeTextFileSync(`${paths.state}/roads/warden-main.sent.json`, "{");
  assertEquals(readSent(paths, "warden-main"), []);
});

// As 2.1.325 has written them, without what we do not read.
const QUEUED = {
  type: "queue-operation",
  operation: "enqueue",
  timestamp: "2026-11-17T17:07:05.652Z",
  content: "with a draft",
};
const FIRST = "Another Claude session sent a message:\nhello\nthere\n\nThis came from another …";

Deno.test("isEnqueued() knows its own text in Claude Code's queue, and no other", () => {
  const line = JSON.stringify(QUEUED);
  assertEquals(isEnqueued(line, "with a draft"), true);
  assertEquals(isEnqueued(line, "with a"), false);
  assertEquals(
    isEnqueued(JSON.stringify({ ...QUEUED, operation: "remove" }), "with a draft"),
    false,
  );
  assertEquals(isEnqueued('{"type":"queue-operation","content":"with', "with a draft"), false);
  const first = { type: "user", message: { role: "user", content: FIRST } };
  assertEquals(isEnqueued(JSON.stringify(first), "hello\nthere"), true);
  assertEquals(isEnqueued(JSON.stringify(first), "here"), false);
});

Deno.test("messageLines() puts the token first, and each message on a line of its own", () => {
  const lines = messageLines({ token: "t" }, { text: "a\nb", priority: "now" }).split("\n");
  assertEquals(lines.length, 3);
  assertEquals(JSON.parse(lines[0]!), { type: "auth", token: "t" });
  const { type, message, priority } = JSON.parse(lines[1]!);
  assertEquals([type, message.content, priority], ["user", "a\nb", "now"]);
  assertEquals(messageLines({}, { text: "x", priority: "next" }).split("\n").length, 2);
});

/** A Claude Code with the number 77 that says where its inbox is. */
function claudeIn(home: TestHome): string {
  const folder = `${home.paths.claudeConfig}/sessions`;
  Deno.mkdirSync(folder, { recursive: true });
  const socket = `${home.dir}/77.sock`;
  const facts = { pid: 77, sessionId: "abc", messagingSocketPath: socket, status: "busy" };
  Deno.writeTextFileSync(`${folder}/77.json`, JSON.stringify(facts));
  Deno.writeTextFileSync(`${folder}/77.f00.key`, JSON.stringify({ peerToken: "secret" }));
  Deno.writeTextFileSync(`${folder}/78.json`, "broken");
  return socket;
}

Deno.test("inboxIn() finds the inbox of a Claude Code below the pane, and of no other", async () => {
  await using home = new TestHome();
  const socket = claudeIn(home);
  const config = home.paths.claudeConfig;
  const road = { socket, claudeId: "abc", status: "busy", config, token: "secret" };
  assertEquals(inboxIn(home.paths, "warden-main", new Set([76, 77])), road);
  assertEquals(inboxIn(home.paths, "warden-main", new Set([76, 78])), undefined);
});

Deno.test("sendToInbox() waits for the text in the transcript, which may be new", async () => {
  await using home = new TestHome();
  const socket = claudeIn(home);
  const road = inboxIn(home.paths, "warden-main", new Set([77]))!;
  const folder = `${road.config}/projects/-work`;
  Deno.mkdirSync(folder, { recursive: true });
  using listener = Deno.listen({ transport: "unix", path: socket });
  const serve = async () => {
    using connection = await listener.accept();
    const buffer = new Uint8Array(4096);
    const text = new TextDecoder().decode(buffer.subarray(0, await connection.read(buffer) ?? 0));
    const { message } = JSON.parse(text.split("\n")[1]!);
    const queued = { ...QUEUED, content: message.content };
    Deno.writeTextFileSync(`${folder}/abc.jsonl`, `{"type":"mode"}\n${JSON.stringify(queued)}\n`);
    await connection.read(buffer); // until it is closed
  };
  const wait = { clock: realClock, waitMs: 60_000 };
  const [answer] = await Promise.all([
    sendToInbox(road, { text: "žluť\n!x", priority: "next" }, wait),
    serve(),
  ]);
  assertEquals(answer, { kind: "taken" });
});

Deno.test("sendToInbox() says that nothing was sent to a stale socket", async () => {
  await using home = new TestHome();
  claudeIn(home);
  const road = inboxIn(home.paths, "warden-main", new Set([77]))!;
  const wait = { clock: realClock, waitMs: 1000 };
  const answer = await sendToInbox(road, { text: "x", priority: "next" }, wait);
  assertEquals(answer.kind, "closed");
});
