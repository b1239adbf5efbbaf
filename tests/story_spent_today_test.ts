import { assertEquals } from "@std/assert";
import { writeAtomic } from "../lib/files.ts";
import { type JournalRecord, record } from "../lib/journal.ts";
import { changeMemory } from "../lib/session_memory.ts";
import { SpentToday } from "../lib/story/spent_today.ts";
import { USAGE_ENDINGS } from "../lib/usage.ts";
import { TestHome } from "./support/home.ts";

Deno.test("SpentToday sums up the turns since midnight, and looks again after a while only", async () => {
  await using home = new TestHome();
  const { paths } = home;
  const at = (hour: number, second = 0) => new Date(2026, 10, 17, hour, 0, second);
  const turn = (session: string, cost_usd: number, when: Date) => {
    const about = { session, agent_id: "forge", event: "Stop", wake_id: "W" };
    record(
      paths,
      { kind: "queued", ...about, trigger: "response_complete", cost_usd },
      when,
    );
  };
  const spent = new SpentToday(paths);
  assertEquals(spent.usd(at(8)), undefined);
  turn("docs", 4, at(-1));
  turn("docs", 0.25, at(1));
  turn("shop", 0.5, at(9));
  assertEquals(spent.usd(at(8, 10)), undefined, "it was read ten seconds ago");
  assertEquals(spent.usd(at(9, 1)), 0.75);
  assertEquals(spent.usd(at(25)), undefined, "another day");
});

const at = (hour: number, minute = 0, second = 0) => new Date(2026, 10, 17, hour, minute, second);
const about = { session: "docs", agent_id: "forge" };
const prompt = (prompt_id: string, total_usd: number): JournalRecord => ({
  ...{ kind: "prompt", ...about, prompt_id, by: "forge", by_kind: "agent", total_usd },
});
const end = (prompt_id: string): JournalRecord => ({
  ...{ kind: "queued", ...about, event: "Stop", wake_id: "W", trigger: "response_complete" },
  prompt_id,
});

Deno.test("SpentToday knows the cost of a turn that began before midnight", async () => {
  await using home = new TestHome();
  const { paths } = home;
  record(paths, prompt("a", 0), at(-1, 1));
  record(paths, end("a"), at(0, 40));
  record(paths, prompt("b", 12), at(1));
  assertEquals(new SpentToday(paths).usd(at(1, 5)), 12);
});

Deno.test("SpentToday sees what a status line reports after the last record", async () => {
  await using home = new TestHome();
  const { paths } = home;
  record(paths, prompt("a", 0), at(1));
  record(paths, end("a"), at(2));
  changeMemory(paths, "docs", (memory) => ({
    memory: { ...memory, claude_session_id: "c1" },
    value: undefined,
  }));
  const spent = new SpentToday(paths);
  assertEquals(spent.usd(at(3)), undefined);
  for (const [minute, usd] of [[1, 0.25], [2, 0.42]] as const) {
    const status = { session_id: "c1", prompt_id: "a", cost: { total_cost_usd: usd } };
    const file = `${paths.state}/managed/tmp/tmux-0/default,12,0/%3${USAGE_ENDINGS.statusLine}`;
    writeAtomic(file, JSON.stringify({ ...status, context_window: {} }));
    assertEquals(spent.usd(at(3, minute)), usd);
  }
});

Deno.test("SpentToday looks for the words of status lines once, however many sessions there are", async () => {
  await using home = new TestHome();
  const { paths } = home;
  for (let number = 0; number < 20; number++) {
    const session = `docs-${number}`;
    record(paths, { ...prompt("a", 0), session }, at(1));
    record(paths, { ...end("a"), session }, at(2));
  }
  Deno.mkdirSync(`${paths.state}/managed`, { recursive: true });
  const readDir = Deno.readDirSync;
  let looks = 0;
  Deno.readDirSync = (path) => {
    if (String(path).endsWith("/managed")) looks++;
    return readDir(path);
  };
  try {
    new SpentToday(paths).usd(at(3));
  } finally {
    Deno.readDirSync = readDir;
  }
  assertEquals(looks, 1);
});
