/** A real kill -9 of the deliverer while it makes one wake of all that were held. */

import { assertEquals } from "@std/assert";
import { readHold, writeHold } from "../../lib/doors/holds.ts";
import { isThere, namesIn } from "../../lib/files.ts";
import { wakeFile } from "../../lib/outbox.ts";
import { waitingIds } from "../../lib/outbox_files.ts";
import { DeliveryHome, put } from "../support/delivery_home.ts";
import { pause } from "../support/until.ts";

const HELD = 120;
const AGENT = "warden";

type Moment = (home: DeliveryHome, ids: string[]) => boolean;

function isWaiting({ paths }: DeliveryHome, wake_id: string | undefined): boolean {
  return wake_id !== undefined && isThere(wakeFile(paths, { agent_id: AGENT, wake_id }));
}

function summaryOf({ paths }: DeliveryHome): string | undefined {
  return readHold(paths, "agent", AGENT)?.release?.summaries["warden-main"]?.wake_id;
}

/** The wakes are removed in their order. */
const MOMENTS: Record<string, Moment> = {
  "the plan is written": (home) => summaryOf(home) !== undefined,
  "the summary is there": (home) => isWaiting(home, summaryOf(home)),
  "one wake is removed": (home, ids) => !isWaiting(home, ids[0]),
  "half of the wakes are removed": (home, ids) => !isWaiting(home, ids[HELD / 2]),
  "nearly all wakes are removed": (home, ids) => !isWaiting(home, ids[HELD - 20]),
};

/** False: the deliverer had ended before it could be killed. */
async function killedAt(moment: Moment): Promise<boolean> {
  await using home = new DeliveryHome();
  const { paths } = home;
  const own = { transport: "inbox", openclaw_session_key: "" } as const;
  const ids = Array.from({ length: HELD }, () => put(paths, own).wake_id).sort();
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
  const hold = { kind: "agent", name: AGENT, agent_id: AGENT } as const;
  writeHold(paths, { ...hold, since: ago(60_000), until: ago(1000) });
  const first = home.deliver(["--agent", AGENT]);
  let isOver = false;
  const ended = first.done.then(() => isOver = true);
  while (!moment(home, ids) && !isOver) await pause(0);
  const wasHeld = readHold(paths, "agent", AGENT) !== undefined;
  if (!isOver) first.child.kill("SIGKILL");
  await ended;
  assertEquals((await home.deliver(["--agent", AGENT]).done).code, 0);
  const inbox = `${paths.state}/inbox/${AGENT}`;
  const told = namesIn(inbox).filter((name) => name.endsWith(".txt"))
    .map((name) => Deno.readTextFileSync(`${inbox}/${name}`));
  assertEquals(told.map((wake) => /^type: (.*)$/m.exec(wake)?.[1]), ["resumed"]);
  assertEquals(/^held: (.*)$/m.exec(told[0]!)?.[1], `${HELD} wakes`);
  assertEquals([waitingIds(paths, AGENT), readHold(paths, "agent", AGENT)], [[], undefined]);
  return wasHeld;
}

for (const [name, moment] of Object.entries(MOMENTS)) {
  Deno.test(`deliver that is killed in a release when ${name} reports all once`, async () => {
    for (let tries = 0; tries < 20; tries++) if (await killedAt(moment)) return;
    throw new Error("It was never killed in the middle of its release");
  });
}
