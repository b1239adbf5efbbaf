import { assertEquals } from "@std/assert";
import "../lib/cli/load_guards.ts";
import { keepText, wholeText } from "../lib/doors/kept_texts.ts";
import { MOST_TEXT, record } from "../lib/journal.ts";
import { readJournal, readStory } from "../lib/journal_read.ts";
import { newWakeId, timeOfWake } from "../lib/new_wake.ts";
import { answer, instruction, queuedRecord } from "../lib/records.ts";
import { RECORD_FIELDS, RECORD_KINDS, whyNoRecord } from "../lib/story/journal_schema.ts";
import { ROOT } from "../lib/paths.ts";
import { TestHome } from "./support/home.ts";
import { put } from "./support/delivery_home.ts";

const GIVER = { by: "warden", by_kind: "agent" } as const;
const NOW = new Date("2026-11-16T10:00:00Z");

function kept(home: TestHome): Record<string, unknown>[] {
  return [...readJournal(home.paths, "warden-main")];
}

Deno.test("instruction() has its text masked and cut for every giver", async () => {
  await using home = new TestHome();
  const facts = { session: "warden-main", instruction_id: "I1", action: "type", via: "keys" };
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  record(home.paths, instruction({ ...facts, ...GIVER, text: `use ${secret} and go on` }));
  record(home.paths, instruction({ ...facts, ...GIVER, text: "x ".repeat(50_000) }));
  record(home.paths, instruction({ ...facts, ...GIVER, refused: "Claude is still working" }));
  const [first, long, refused] = kept(home);
  assertEquals(String(first?.text).includes(secret), false);
  assertEquals([first?.outcome, first?.by, first?.by_kind], ["done", "warden", "agent"]);
  assertEquals([String(long?.text).length, long?.text_chars], [MOST_TEXT, 100_000]);
  assertEquals([refused?.outcome, refused?.reason], ["refused", "Claude is still working"]);
});

Deno.test("a secret that ends where a long text is cut is not shown in part", async () => {
  await using home = new TestHome();
  const key = ["-----BEGIN PRIVATE KEY-----", ..."x".repeat(30).split(""), "A".repeat(64)];
  const text = `${"B".repeat(1900)} ${key.join("\n")}${`\n${"C".repeat(64)}`.repeat(400)}`;
  const facts = { session: "warden-main", instruction_id: "I1", action: "type", via: "keys" };
  record(home.paths, instruction({ ...facts, ...GIVER, text }));
  assertEquals(/C{10}/.test(String(kept(home)[0]?.text)), false);
});

Deno.test("answer() says who answered and after how long", () => {
  const about = { session: "s", agent_id: "warden", now: NOW, asked_at: "2026-11-16T09:59:32Z" };
  const given = answer({ what: "question", ...about, ...GIVER });
  assertEquals([given.kind, given.after_ms, given.outcome], ["answered", 28_000, "given"]);
  const wake_id = newWakeId(NOW.getTime() - 29_000);
  assertEquals(answer({ what: "question", ...about, ...GIVER, wake_id }).after_ms, 29_000);
  const left = answer({ what: "permission", ...about, outcome: "unknown", asked_at: undefined });
  assertEquals([left.kind, left.after_ms, left.outcome], ["decided", undefined, "unknown"]);
});

Deno.test("queuedRecord() has the words of the wake, from its body on", async () => {
  await using home = new TestHome();
  const fence = (text: string) =>
    `[CONTENT]\n<<<EXTERNAL_UNTRUSTED_CONTENT id="1">>>\n${text}\n` +
    `<<<END_EXTERNAL_UNTRUSTED_CONTENT id="1">>>\n\n[STATE HINT]\nstate: idle\n`;
  const wake = { ...put(home.paths), message: fence("Said before:\nhm\n\nWhich database?\n1. A") };
  assertEquals(queuedRecord(wake).text, "Said before:\nhm\n\nWhich database?\n1. A");
  assertEquals(
    queuedRecord(wake, { begins: "Which database?\n1. A" }).text,
    "Which database?\n1. A",
  );
  assertEquals(queuedRecord({ ...wake, message: "no fence" }).text, undefined);
});

Deno.test("timeOfWake() reads the time in an id, and nothing in what is none", () => {
  assertEquals(timeOfWake(newWakeId(NOW.getTime())), NOW.toISOString());
  for (const id of [undefined, "", "W1", "q-0123456789ABCDEF"]) {
    assertEquals(timeOfWake(id), undefined);
  }
});

Deno.test("keepText() keeps no secret that answers a question", async () => {
  await using home = new TestHome();
  const line = "choose <n> --question q-0123456789ABCDEF.0123456789ABCDEFGHJK";
  keepText(home.paths, "warden main", "W1", `[AVAILABLE ACTIONS]\n${line}\n`);
  assertEquals(
    wholeText(home.paths, "W1"),
    "[AVAILABLE ACTIONS]\nchoose <n> --question q-0123456789ABCDEF\n",
  );
  assertEquals(wholeText(home.paths, "W2"), undefined);
});

Deno.test("readStory() goes back further than the last two files, and only as far as asked", async () => {
  await using home = new TestHome();
  const reason = "r".repeat(1900);
  for (let number = 0; number < 2000; number++) {
    record(home.paths, { kind: "problem", session: "warden-main", reason, tries: number });
  }
  const numbers = (records: Iterable<Record<string, unknown>>) =>
    Array.from(records, ({ tries }) => Number(tries));
  assertEquals(numbers(readStory(home.paths, "warden-main")), [...Array(2000).keys()]);
  assertEquals(numbers(readJournal(home.paths, "warden-main")).length < 1200, true);
  assertEquals([...readStory(home.paths, "warden-main", Date.now() + 60_000)], []);
});

Deno.test("whyNoRecord() refuses what the schema does not have", () => {
  const record = { at: NOW.toISOString(), kind: "problem", session: "s", reason: "r" };
  assertEquals(whyNoRecord(record), undefined);
  const wrong = [
    { ...record, kind: "odd" },
    { ...record, reason: undefined },
    { ...record, new_field: 1 },
    { ...record, at: "yesterday" },
    { ...record, by_kind: "somebody" },
  ];
  assertEquals(wrong.filter((one) => whyNoRecord(one) === undefined), []);
});

Deno.test("docs/journal.md names every kind and every field of the journal, and no other", () => {
  const page = Deno.readTextFileSync(`${ROOT}/docs/journal.md`);
  const rows = Array.from(page.matchAll(/^\| `([a-z_]+)`/gm), ([, name]) => name!);
  assertEquals(rows.toSorted(), [...RECORD_KINDS, "kind", ...RECORD_FIELDS].toSorted());
});
