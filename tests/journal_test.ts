import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ROOT } from "../lib/paths.ts";
import { journalFile, record } from "../lib/journal.ts";
import { journalSessions, readJournal } from "../lib/journal_read.ts";
import { lifeOf, statusOf } from "../lib/delivery/wake_life.ts";
import { main } from "../commands/status.ts";
import { sendToGlobal } from "../lib/sessions/global_status.ts";
import { statusWorld } from "./support/status_world.ts";
import { DeliveryHome } from "./support/delivery_home.ts";
import { ODD } from "./support/odd_files.ts";
import { pause } from "./support/until.ts";

Deno.test("record() stays whole and bounded with many writers at once", async () => {
  await using home = new DeliveryHome();
  home.hasOddRecords = true;
  const code = `
    import { record } from "${ROOT}/lib/journal.ts";
    import { pathsFrom } from "${ROOT}/lib/paths.ts";
    const paths = pathsFrom((name) => Deno.env.get(name), "/");
    const pad = "x".repeat(50_000);
    for (let n = 0; n < 200; n++) record(paths, { kind: "queued", session: "s", by: Deno.args[0], n, pad });`;
  await Deno.writeTextFile(`${home.dir}/writer.ts`, code);
  const writers = Array.from({ length: 6 }, (_, writer) =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", `${home.dir}/writer.ts`, String(writer)],
      env: home.env,
      clearEnv: true,
    }).output());
  let isOver = false;
  const all = Promise.all(writers).then(() => isOver = true);
  const path = journalFile(home.paths, "s");
  const rotated: number[] = [];
  while (!isOver) {
    const size = sizeOf(`${path}.1`);
    if (size > 0) rotated.push(size);
    await pause(1);
  }
  await all;
  // A small one was put in place of a full one: a megabyte of history lost.
  assertEquals(rotated.filter((size) => size < 1_000_000), []);
  assert([path, `${path}.1`].every((file) => sizeOf(file) < 1_500_000));
  const records = [...readJournal(home.paths, "s")];
  assert(records.length >= 20, `${records.length} left`);
  for (let writer = 0; writer < 6; writer++) {
    const own = records.filter((line) => line.by === String(writer)).map((line) => Number(line.n));
    assertEquals(own, own.map((_, index) => own[0]! + index), `writer ${writer} has no gap`);
  }
});

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0;
  }
}

Deno.test("readJournal() passes over half lines and finds what was written after them", async () => {
  await using home = new DeliveryHome();
  record(home.paths, { kind: "queued", session: "s", wake_id: "A" });
  const path = journalFile(home.paths, "s");
  Deno.writeTextFileSync(path, '{"at":"2026-01-01T00:00:00Z","kind":"que', { append: true });
  record(home.paths, { kind: "delivered", session: "s", wake_id: "B" });
  Deno.writeTextFileSync(path, '{"at":"2026', { append: true });
  assertEquals([...readJournal(home.paths, "s")].map((line) => line.wake_id), ["A", "B"]);
});

Deno.test("record() does not throw when there is nowhere to write", async () => {
  await using home = new DeliveryHome();
  Deno.writeTextFileSync(home.paths.state, "a file");
  record(home.paths, { kind: "queued", session: "s" });
  assertEquals([...readJournal(home.paths, "s")], []);
});

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 16, 10, 0, seconds));

Deno.test("status shows each session's state and the life of a wake", async () => {
  await using home = new DeliveryHome();
  const { paths } = home;
  const about = { session: "warden main", agent_id: "warden", wake_id: "W1" };
  record(paths, { kind: "queued", ...about, trigger: "response_complete" }, at(0));
  record(paths, { kind: "failed", ...about, reason: "gateway down", tries: 1 }, at(1));
  const sent = { transport: "gateway", why: "auto", detail: "accepted", duration_ms: 3000 };
  record(paths, { kind: "delivered", ...about, ...sent, tries: 2 }, at(3));
  assertEquals(journalSessions(paths), ["warden main"]);

  const life = lifeOf("W1", [...readJournal(paths, "warden main")]);
  assertEquals(life.map((step) => [step.kind, step.after_ms]), [
    ["queued", 0],
    ["failed", 1000],
    ["delivered", 3000],
  ]);
  const status = statusOf("warden main", readJournal(paths, "warden main"), []);
  assertEquals([status.agent_id, status.delivered, status.waiting], ["warden", 1, 0]);
  assertEquals(status.last_failure?.reason, "gateway down");

  const world = statusWorld(home, () => at(63));
  const shown = () => world.said.splice(0).join("\n");
  assertEquals(await main([], world), 0);
  assertEquals(shown(), "No session runs; deno task status --all shows 1 more");
  assertEquals(await main(["--all"], world), 0);
  assertMatch(shown(), /^warden main +warden +ended /m);
  assertEquals(await main(["warden"], world), 0);
  assertStringIncludes(shown(), "last delivered: 60 s ago, gateway, 3000 ms");
  assertEquals(await main(["--wake", "W1"], world), 0);
  const story = shown();
  assertEquals(story.split("\n")[0], "W1: delivered");
  assertEquals(story.includes("+3000 ms  delivered"), true, story);
  assertEquals(await main(["--wake", "W2"], world), 1);
  assertEquals(await main(["nobody"], world), 1);
  assertEquals(await main(["--wake", "W1", "--json"], world), 0);
  assertEquals(await main(["--what"], world), 2);
  assertEquals(world.warned.length, 3);
});

Deno.test("status takes the pauses of an agent for no session", async () => {
  await using home = new DeliveryHome();
  const { paths } = home;
  for (const reason of ["paused", "to be resumed", "resumed", "quiet hours"]) {
    record(paths, { kind: "session", session: "warden", agent_id: "warden", reason });
  }
  const world = statusWorld(home);
  assertEquals(await main(["--all"], world), 0);
  assertMatch(world.said.at(-1)!, /^No session runs/);
  // A session may be called as its agent is.
  record(paths, { kind: "queued", session: "warden", agent_id: "warden", wake_id: "w" });
  assertEquals(await main(["--all"], world), 0);
  assertMatch(world.said.join("\n"), /^warden +warden +ended /m);
});

Deno.test("status passes over a journal that is no file, shows the rest and warns in one line", async () => {
  await using home = new DeliveryHome();
  const { paths } = home;
  record(paths, { kind: "delivered", session: "warden-main", agent_id: "warden", wake_id: "w" });
  const broken = ["main", "other"].map((session) => journalFile(paths, session));
  for (const file of broken) ODD["a folder"]!(file);
  const world = statusWorld(home);
  for (const args of [["--all"], ["--wake", "w"]]) {
    assertEquals(await main(args, world), 0);
    const said = `Skipped, since it cannot be read: ${
      broken[0]
    } is a folder, not a file; and 1 more`;
    assertEquals(world.warned.splice(0), [said]);
  }
  assertStringIncludes(world.said[0]!, "warden-main");
});

Deno.test("status --all names no session that is none, and the day's cost", async () => {
  await using home = new DeliveryHome();
  const world = statusWorld(home);
  record(home.paths, { kind: "problem", session: "watch", reason: "tmux does not answer" });
  const about = { session: "docs", agent_id: "forge", event: "Stop", wake_id: "W" };
  record(home.paths, {
    kind: "queued",
    ...about,
    trigger: "response_complete",
    cost_usd: 0.25,
  });
  assertEquals(await main(["--all"], world), 0);
  const [table = "", totals = ""] = world.said;
  assertEquals(table.split("\n").map((row) => row.split(" ")[0]), ["SESSION", "docs"]);
  assertStringIncludes(totals, "1 session · $0.25 today · gateway up");
});

Deno.test("status counts reports to the global status session apart, and knows agents without a session", async () => {
  await using home = new DeliveryHome();
  const world = statusWorld(home);
  const agents = [{ agent_id: "forge", tmux_session_name: "forge-main" }];
  const registry = { agents, global_status_openclaw_session_key: "agent:main:main" };
  await Deno.mkdir(home.paths.registry.replace(/\/[^/]*$/, ""), { recursive: true });
  await Deno.writeTextFile(home.paths.registry, JSON.stringify(registry));
  sendToGlobal(world, "report", "All is well");
  assertEquals(await main(["--all"], world), 0);
  assertEquals(world.said, [
    "No session runs. Start one: deno task spawn <agent> <folder>",
    "1 unsent to the global status session",
  ]);
  assertEquals(await main(["forge"], world), 1);
  assertEquals(world.warned.at(-1)?.startsWith('Agent "forge" has no session'), true);
});
