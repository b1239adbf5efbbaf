import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { historyMishap, planRun } from "./soak/plan.ts";
import { type Evidence, isClean, judgeRun, type Played } from "./soak/verdict.ts";
import { main } from "./soak/main.ts";
import { newWakeId } from "../lib/new_wake.ts";
import type { Taken } from "./support/fake_gateway.ts";

const NOON = Date.parse("2026-11-16T12:00:00Z");

/** Three events of one session, each sent once, in order. */
function goodRun(): Evidence {
  const events = [...planRun(1, 3, 1).sessions.values()].flat().slice(0, 3);
  const played = events.map((event, index): Played => ({
    event: {
      ...event,
      kind: "Stop",
      trigger: "response_complete",
      marker: `soak-event-00000${index}`,
    },
    startedAt: NOON + index,
    isKilled: false,
    code: 0,
    queued: [newWakeId(NOON + index)],
    isSuppressed: false,
  }));
  return { played, taken: played.map(messageOf), waiting: [], dead: [], superseded: [] };
}

function messageOf({ event, queued, startedAt }: Played): Taken {
  const message = `[SESSION IDENTITY]\ntmux_session_name: s-main\n\n[TRIGGER]\n` +
    `type: ${event.trigger}\n\n[CONTENT]\nDone. ${event.marker}`;
  return { key: queued[0]!, session: "agent:soak-1:main", message, at: startedAt + 70 };
}

Deno.test("judgeRun() finds nothing where each wake has arrived once and in order", () => {
  const verdict = judgeRun(goodRun());
  assert(isClean(verdict), JSON.stringify(verdict));
  assertEquals([verdict.accepted, verdict.delivered, verdict.slowestMs], [3, 3, 70]);
});

const DEFECTS: [
  name: string,
  field: keyof ReturnType<typeof judgeRun>,
  spoil: (run: Evidence) => void,
][] = [
  ["a wake that was accepted and never came", "lost", (run) => run.taken.splice(1, 1)],
  ["a wake that still waits", "lost", (run) => {
    const [gone] = run.taken.splice(1, 1);
    run.waiting.push(gone!.key);
  }],
  ["a wake of a killed hook that was queued", "lost", (run) => {
    run.played[1]!.isKilled = true;
    run.taken.splice(1, 1);
  }],
  ["a wake that waits though its hook was killed before it said so", "lost", (run) => {
    run.waiting.push(newWakeId(NOON));
  }],
  ["an event whose hook ended well and told nothing", "lost", (run) => {
    run.played[2]!.queued = [];
    run.taken.splice(2, 1);
  }],
  ["a wake that was begun again with the same key", "doubledByKey", (run) => {
    run.taken.push(run.taken[2]!);
  }],
  ["a wake that was begun again with its next key", "doubledByKey", (run) => {
    run.taken.push({ ...run.taken[2]!, key: `${run.taken[2]!.key}~2` });
  }],
  ["an event that was told by two wakes", "doubledByContent", (run) => {
    run.taken.push({ ...run.taken[2]!, key: newWakeId(NOON + 9) });
  }],
  ["a wake that came after one that was made later", "outOfOrder", (run) => run.taken.reverse()],
  ["a dead letter", "dead", (run) => {
    const [gone] = run.taken.splice(1, 1);
    run.dead.push(gone!.key);
  }],
];

for (const [name, field, spoil] of DEFECTS) {
  Deno.test(`judgeRun() finds ${name}`, () => {
    const run = goodRun();
    spoil(run);
    const verdict = judgeRun(run);
    assert((verdict[field] as unknown[]).length > 0, JSON.stringify(verdict));
    assert(!isClean(verdict));
  });
}

Deno.test("judgeRun() asks nothing of a killed hook that has queued no wake", () => {
  const run = goodRun();
  Object.assign(run.played[1]!, { isKilled: true, queued: [] });
  run.taken.splice(1, 1);
  assert(isClean(judgeRun(run)));
});

Deno.test("judgeRun() lets wakes of one millisecond come in any order, and others' sessions pass", () => {
  const run = goodRun();
  const [first, second] = [newWakeId(NOON), newWakeId(NOON)].sort();
  run.played[0]!.queued = [first!];
  run.played[1]!.queued = [second!];
  run.taken = [
    { ...run.taken[1]!, key: second! },
    { ...run.taken[0]!, key: first! },
    run.taken[2]!,
  ];
  assert(isClean(judgeRun(run)));
  const other = goodRun();
  other.taken.reverse();
  other.taken.forEach((taken, index) =>
    taken.message = taken.message.replace("s-main", `s-main-${index}`)
  );
  assert(isClean(judgeRun(other)));
});

Deno.test("judgeRun() excuses a wake that another one replaced", () => {
  const run = goodRun();
  const [gone] = run.taken.splice(1, 1);
  run.superseded.push(gone!.key);
  assert(isClean(judgeRun(run)));
});

Deno.test("planRun() plans the same for the same seed, and has every fault in it", () => {
  const plan = planRun(7, 2000, 4);
  assertEquals(planRun(7, 2000, 4), plan);
  assertNotEquals(planRun(8, 2000, 4), plan);
  const events = [...plan.sessions.values()].flat();
  assertEquals(events.length, 2000);
  const kinds = new Set(events.flatMap(({ mishaps }) => mishaps.map(({ kind }) => kind)));
  const wanted = ["break", "dropAfter", "dropBefore", "revoke", "slow", "swallow", "unavailable"];
  assertEquals([...kinds].sort(), wanted);
  for (const name of ["killHook", "killDeliverer", "restart"] as const) {
    assert(events.some((event) => event[name] !== undefined), name);
  }
  const contents = events.map(({ trigger, marker }) => `${trigger} ${marker}`);
  assertEquals(new Set(contents).size, contents.length, "no two events read alike");
  const histories = Array.from({ length: 500 }, (_, nth) => historyMishap(7, "s", nth)?.kind);
  assertEquals(new Set(histories).size, 4, "error, drop, silence, and none");
});

Deno.test("soak says what it takes, and refuses what is no number", async () => {
  const said: string[] = [];
  const world = {
    say: (line: string) => said.push(line),
    warn: (line: string) => said.push(line),
    random: () => 0,
  };
  assertEquals(await main(["--help"], world), 0);
  assertEquals(await main(["--events", "many"], world), 2);
  assertEquals(await main(["--agents", "0"], world), 2);
  assert(said[0]!.includes("deno task soak"));
  assert(said[1]!.startsWith("--events needs a whole number"));
});
