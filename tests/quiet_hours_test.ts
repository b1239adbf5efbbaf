import { assertEquals, assertMatch } from "@std/assert";
import { keepQuiet, quietWindow } from "../lib/delivery/quiet_hours.ts";
import { serveAgent } from "../lib/delivery/serve_agent.ts";
import { listHolds, readHold } from "../lib/doors/holds.ts";
import { readJournal } from "../lib/journal_read.ts";
import type { QueuedWake } from "../lib/outbox.ts";
import { readRegistry } from "../lib/registry.ts";
import { DeliveryHome, put } from "./support/delivery_home.ts";
import { OK, queueWorld } from "./support/queue_world.ts";
import { SimClock } from "./support/sim_clock.ts";

/** In the local time of a place; the quiet hours as `since until`, both in UTC. */
function windowIn(zone: string, quiet: string, now: string): string {
  const before = Deno.env.get("TZ");
  Deno.env.set("TZ", zone);
  try {
    const [from = "", to = ""] = quiet.split("-");
    const found = quietWindow({ from, to }, new Date(now));
    const at = (date: Date) => date.toISOString().slice(5, 16);
    return found === undefined ? "none" : `${at(found.since)} ${at(found.until)}`;
  } finally {
    if (before === undefined) Deno.env.delete("TZ");
    else Deno.env.set("TZ", before);
  }
}

const WINDOWS: [name: string, zone: string, quiet: string, now: string, found: string][] = [
  ["before", "UTC", "22:00-07:00", "2026-11-17T21:59:59Z", "none"],
  ["begun", "UTC", "22:00-07:00", "2026-11-17T22:00:00Z", "11-17T22:00 11-18T07:00"],
  ["after midnight", "UTC", "22:00-07:00", "2026-11-18T03:00:00Z", "11-17T22:00 11-18T07:00"],
  ["over", "UTC", "22:00-07:00", "2026-11-18T07:00:00Z", "none"],
  ["by day", "UTC", "12:30-13:15", "2026-11-18T13:00:00Z", "11-18T12:30 11-18T13:15"],
  [
    "at the end of a month",
    "UTC",
    "22:00-07:00",
    "2026-12-01T00:00:00Z",
    "11-30T22:00 12-01T07:00",
  ],
  [
    "the machine's own time",
    "Asia/Tokyo",
    "22:00-07:00",
    "2026-11-17T13:30:00Z",
    "11-17T13:00 11-17T22:00",
  ],
  // 02:00 becomes 03:00 on 29 March: this night has eight hours.
  [
    "clocks put forward",
    "Europe/Berlin",
    "22:00-07:00",
    "2026-03-29T02:00:00Z",
    "03-28T21:00 03-29T05:00",
  ],
  // 03:00 becomes 02:00 on 25 October: ten hours.
  [
    "clocks put back",
    "Europe/Berlin",
    "22:00-07:00",
    "2026-10-25T05:59:00Z",
    "10-24T20:00 10-25T06:00",
  ],
  ["clocks put back, over", "Europe/Berlin", "22:00-07:00", "2026-10-25T06:00:00Z", "none"],
];

for (const [name, zone, quiet, now, found] of WINDOWS) {
  Deno.test(`quietWindow() ${name}`, () => assertEquals(windowIn(zone, quiet, now), found));
}

Deno.test("readRegistry() takes an agent's quiet hours, else the global ones, else none", () => {
  const read = (own: unknown, global: unknown) => {
    const settings = (value: unknown) => value === undefined ? {} : { quiet_hours: value };
    const text = JSON.stringify({
      hook_settings: settings(global),
      agents: [{ agent_id: "warden", hook_settings: settings(own) }],
    });
    const reading = readRegistry(text);
    if (reading.kind !== "registry") throw new Error(reading.reason);
    const [agent] = reading.registry.agents;
    return [agent!.settings.quiet_hours?.from, agent!.problems.length];
  };
  const night = { from: "22:00", to: "07:00" };
  assertEquals(read(undefined, undefined), [undefined, 0]);
  assertEquals(read(undefined, night), ["22:00", 0]);
  assertEquals(read({ from: "20:00", to: "07:00", pass: [] }, night), ["20:00", 0]);
  assertEquals(read(null, night), [undefined, 0]);
  const wrong = [{ from: "7:00", to: "22:00" }, { from: "24:00", to: "07:00" }, { from: "22:00" }];
  const more = [{ from: "22:00", to: "22:00" }, { ...night, pass: "budget" }, "22:00-07:00", 7];
  for (const value of [...wrong, ...more]) assertEquals(read(value, night), ["22:00", 1]);
});

const MINUTE = 60_000;
/** Some minute of an afternoon, in the time of this machine. */
const T0 = new Date(2026, 10, 16, 14, 10).getTime();
const at = (minutes: number) => new Date(T0 + minutes * MINUTE).toISOString();
const LONG = { once: false, lifeMs: 90 * MINUTE };
const QUIET = { from: "14:00", to: "14:30" };

function agentWith(home: DeliveryHome, quiet_hours: unknown): void {
  const agent = {
    ...{ agent_id: "warden", tmux_session_name: "warden-main" },
    ...{ openclaw_session_key: "agent:warden:main", hook_settings: { quiet_hours } },
  };
  Deno.writeTextFileSync(home.paths.registry, JSON.stringify({ agents: [agent] }));
}

function serving(home: DeliveryHome) {
  const sent: QueuedWake[] = [];
  const clock = new SimClock(T0);
  const queue = queueWorld(home, clock, (wake) => {
    sent.push(wake);
    return OK;
  });
  return { sent, clock, queue };
}

Deno.test("serveAgent() holds what can wait in quiet hours, then sends it in one wake", async () => {
  await using home = new DeliveryHome();
  agentWith(home, QUIET);
  const { sent, clock, queue } = serving(home);
  const can = ["response_complete", "stalled"];
  const cannot = ["session_lost", "budget", "recovery_failed", "ask_user_question"];
  for (const [n, trigger] of [...can, ...cannot].entries()) {
    put(home.paths, { created_at: at(n - 10), trigger });
  }
  const work = serveAgent("warden", queue, LONG);
  await clock.run(T0 + 19 * MINUTE, work);
  assertEquals(sent.map(({ trigger }) => trigger).toSorted(), cannot.toSorted());
  await clock.run(T0 + 21 * MINUTE, work);
  await work;
  assertEquals(sent.slice(cannot.length).map(({ trigger }) => trigger), ["resumed"]);
  assertMatch(sent.at(-1)!.message, /^quiet_for: 30 min\nheld: 2 wakes\nlast: stalled$/m);
  assertEquals(listHolds(home.paths), []);
});

Deno.test("serveAgent() lets pass what the agent wants, a crash and a budget always", async () => {
  await using home = new DeliveryHome();
  agentWith(home, { ...QUIET, pass: ["stalled"] });
  const { sent, queue } = serving(home);
  for (const trigger of ["stalled", "budget", "ask_user_question"]) {
    put(home.paths, { created_at: at(-1), trigger });
  }
  await serveAgent("warden", queue, { ...LONG, once: true });
  assertEquals(sent.map(({ trigger }) => trigger).toSorted(), ["budget", "stalled"]);
});

Deno.test("keepQuiet() ends early where the registry has other hours, and never for others", async () => {
  await using home = new DeliveryHome();
  const { paths } = home;
  const until = () => readHold(paths, "quiet", "warden")?.until;
  agentWith(home, null);
  keepQuiet(paths, "warden", T0);
  keepQuiet(paths, "global_status", T0);
  assertEquals(listHolds(paths), []);
  agentWith(home, QUIET);
  keepQuiet(paths, "warden", T0);
  assertEquals(until(), at(20));
  agentWith(home, { ...QUIET, to: "14:50" });
  keepQuiet(paths, "warden", T0 + MINUTE);
  assertEquals([until(), readHold(paths, "quiet", "warden")?.since], [at(40), at(-10)]);
  Deno.writeTextFileSync(paths.registry, "{ broken");
  keepQuiet(paths, "warden", T0 + 2 * MINUTE);
  assertEquals(until(), at(40));
  agentWith(home, null);
  keepQuiet(paths, "warden", T0 + 3 * MINUTE);
  assertEquals(until(), at(3));
});

Deno.test("serveAgent() sends on while the registry cannot be read, and keeps the hours it knows", async () => {
  await using home = new DeliveryHome();
  const { paths } = home;
  const unreadable = () => {
    Deno.removeSync(paths.registry);
    Deno.mkdirSync(paths.registry);
  };
  agentWith(home, null);
  unreadable();
  const { sent, queue } = serving(home);
  put(paths, { created_at: at(-1), trigger: "stalled" });
  await serveAgent("warden", queue, { ...LONG, once: true });
  assertEquals(sent.length, 1);

  Deno.removeSync(paths.registry);
  agentWith(home, QUIET);
  keepQuiet(paths, "warden", T0);
  unreadable();
  put(paths, { created_at: at(0), trigger: "stalled" });
  await serveAgent("warden", queue, { ...LONG, once: true });
  assertEquals(sent.length, 1);
  const problems = [...readJournal(paths, "warden")].filter(({ kind }) => kind === "problem");
  assertEquals(problems, []);
});
