import { assertEquals, assertMatch } from "@std/assert";
import { serveAgent } from "../lib/delivery/serve_agent.ts";
import { releaseDue } from "../lib/delivery/release_holds.ts";
import { listWakes } from "../lib/delivery/wake_list.ts";
import { type Hold, listHolds, readHold, writeHold } from "../lib/doors/holds.ts";
import { namesIn, removeIfThere } from "../lib/files.ts";
import { type QueuedWake, wakeFile } from "../lib/outbox.ts";
import { waitingIds } from "../lib/outbox_files.ts";
import { startProgram } from "./support/child_process.ts";
import { DeliveryHome, put } from "./support/delivery_home.ts";
import { HookWorld } from "./support/hook_world.ts";
import { OK, queueWorld } from "./support/queue_world.ts";
import { SimClock } from "./support/sim_clock.ts";

const MINUTE = 60_000;
const T0 = Date.parse("2026-11-16T10:00:00Z");
const at = (minutes: number) => new Date(T0 + minutes * MINUTE).toISOString();
const LONG = { once: false, lifeMs: 90 * MINUTE };

function paused(change: Partial<Hold> = {}): Hold {
  return { kind: "session", name: "warden-main", agent_id: "warden", since: at(-5), ...change };
}

function world(home: DeliveryHome, clock = new SimClock(T0)) {
  const sent: QueuedWake[] = [];
  const queue = queueWorld(home, clock, (wake) => {
    sent.push(wake);
    return OK;
  });
  return { clock, sent, queue };
}

Deno.test("serveAgent() holds the wakes of a paused session, and sends those of others", async () => {
  await using home = new DeliveryHome();
  const { queue, sent } = world(home);
  const held = put(home.paths, { created_at: at(-3) });
  const other = put(home.paths, { created_at: at(-2), session: "docs" });
  writeHold(home.paths, paused());
  const { delivered, left } = await serveAgent("warden", queue, LONG);
  assertEquals([delivered, left, sent.map(({ wake_id }) => wake_id)], [1, 0, [other.wake_id]]);
  assertEquals(waitingIds(home.paths, "warden"), [held.wake_id]);
  const [listed] = listWakes(home.paths, "warden", T0, () => {});
  assertEquals(listed!.reason, "held: warden-main is paused");
  // Nothing moves by itself, however late it is.
  assertEquals((await serveAgent("warden", queue, LONG)).delivered, 0);
});

Deno.test("serveAgent() resumes by itself when the time of a pause is over", async () => {
  await using home = new DeliveryHome();
  const { queue, sent, clock } = world(home);
  put(home.paths, { created_at: at(-3) });
  put(home.paths, { created_at: at(-2) });
  writeHold(home.paths, paused({ kind: "agent", name: "warden", until: at(30) }));
  const serving = serveAgent("warden", queue, LONG);
  await clock.run(T0 + 29 * MINUTE, serving);
  assertEquals(sent.length, 0);
  await clock.run(T0 + 31 * MINUTE, serving);
  await serving;
  assertEquals(sent.map(({ trigger }) => trigger), ["resumed"]);
  assertMatch(sent[0]!.message, /^paused_for: 35 min\nheld: 2 wakes\nlast: response_complete$/m);
  assertEquals(listHolds(home.paths), []);
  assertEquals(waitingIds(home.paths, "warden"), []);
});

Deno.test("serveAgent() does not stay for the end of a pause that it will not see", async () => {
  await using home = new DeliveryHome();
  const { queue, sent } = world(home);
  put(home.paths, { created_at: at(-3) });
  writeHold(home.paths, paused({ until: at(120) }));
  await serveAgent("warden", queue, LONG);
  await serveAgent("warden", queue, { ...LONG, once: true });
  assertEquals(sent.length, 0);
});

Deno.test("releaseDue() reports each session of an agent on its own, and others nothing", async () => {
  await using home = new DeliveryHome();
  const { paths } = home;
  put(paths, { created_at: at(-3) });
  put(paths, { created_at: at(-2), session: "docs" });
  put(paths, { created_at: at(-1), agent_id: "forge" });
  writeHold(paths, paused({ kind: "agent", name: "warden", until: at(0) }));
  releaseDue(paths, "forge", T0);
  assertEquals(listHolds(paths).length, 1);
  releaseDue(paths, "warden", T0);
  const listed = listWakes(paths, undefined, T0, () => {});
  assertEquals(listed.map(({ trigger, session }) => `${trigger} ${session}`).sort(), [
    ...["response_complete warden-main", "resumed docs", "resumed warden-main"],
  ]);
});

Deno.test("releaseDue() says nothing where nothing was held, except of a session that was taken", async () => {
  await using home = new DeliveryHome();
  home.writeRegistry({
    agents: [{ agent_id: "warden", tmux_session_name: "warden-main", openclaw_session_key: "k" }],
  });
  writeHold(home.paths, paused({ until: at(0) }));
  releaseDue(home.paths, "warden", T0);
  assertEquals(home.wakes(), []);
  writeHold(home.paths, paused({ kind: "taken", until: at(0), said: "Look at the log" }));
  releaseDue(home.paths, "warden", T0);
  const [wake] = home.wakes();
  assertEquals(wake!.trigger, "given_back");
  assertMatch(wake!.message, /^The person who had the session says:\nLook at the log$/m);
  const record = home.journal("warden-main").at(-1)!;
  assertEquals([record.reason, record.text], ["given back", "Look at the log"]);
});

Deno.test("releaseDue() leaves out an idle reminder whose turn's end was held too", async () => {
  await using home = new DeliveryHome();
  const { paths } = home;
  const end = put(paths, { created_at: at(-3), prompt_id: "p", message: "[CONTENT]\nthe end" });
  put(paths, { created_at: at(-2), prompt_id: "p", trigger: "idle_prompt" });
  writeHold(paths, paused({ until: at(0) }));
  releaseDue(paths, "warden", T0);
  const [wake, ...more] = home.wakes();
  assertEquals(more, []);
  assertMatch(wake!.message, new RegExp(`^held: 1 wake\\nlast: ${end.trigger}$`, "m"));
});

/** Each stops the release at one of its steps, as a kill would. */
const KILLS: Record<string, (home: DeliveryHome, hold: Hold, ids: string[]) => void> = {
  "after the plan": (home, hold, ids) => {
    removeIfThere(wakeFile(home.paths, summaryIn(hold)));
    for (const id of ids) put(home.paths, { wake_id: id, created_at: at(-3) });
    writeHold(home.paths, hold);
  },
  "after the summary": (home, hold, ids) => {
    for (const id of ids) put(home.paths, { wake_id: id, created_at: at(-3) });
    writeHold(home.paths, hold);
  },
  "in the middle of the removal": (home, hold, ids) => {
    put(home.paths, { wake_id: ids[1]!, created_at: at(-3) });
    writeHold(home.paths, hold);
  },
  "before the hold is removed": (home, hold) => writeHold(home.paths, hold),
};

function summaryIn(hold: Hold): { agent_id: string; wake_id: string } {
  const [summary] = Object.values(hold.release!.summaries);
  return { agent_id: hold.agent_id, wake_id: summary!.wake_id };
}

for (const [when, undo] of Object.entries(KILLS)) {
  Deno.test(`releaseDue() that was killed ${when} sends everything once`, async () => {
    await using home = new DeliveryHome();
    const { paths } = home;
    const ids = [put(paths, { created_at: at(-4) }), put(paths, { created_at: at(-3) })]
      .map(({ wake_id }) => wake_id);
    // The plan as the release would write it.
    const summaries = { "warden-main": { wake_id: "01JM8V3T0Q6Y4W2Z9K5N7R1B3D", of: ids } };
    const hold = paused({ until: at(0), release: { at: at(0), summaries } });
    writeHold(paths, hold);
    releaseDue(paths, "warden", T0);
    undo(home, hold, ids);
    const { queue, sent } = world(home);
    await serveAgent("warden", queue, LONG);
    assertEquals(sent.map(({ trigger }) => trigger), ["resumed"]);
    assertMatch(sent[0]!.message, /^held: 2 wakes$/m);
    assertEquals([waitingIds(paths, "warden"), listHolds(paths)], [[], []]);
  });
}

Deno.test("readHold() holds also with a file that cannot be read", async () => {
  await using home = new DeliveryHome();
  Deno.mkdirSync(`${home.paths.state}/paused`, { recursive: true });
  Deno.writeTextFileSync(`${home.paths.state}/paused/warden-main.json`, "{");
  assertEquals(readHold(home.paths, "session", "warden-main")?.agent_id, "");
  put(home.paths);
  const { queue, sent } = world(home);
  await serveAgent("warden", queue, { ...LONG, once: true });
  assertEquals(sent, []);
});

Deno.test("the registered deliverer sends what was held, with its few permissions", async () => {
  const delivery = { transport: "inbox" };
  const agents = [{ agent_id: "warden", tmux_session_name: "warden-main", delivery }];
  await using world = await HookWorld.create({ registry: { agents }, deliver: true });
  const { paths } = world;
  put(paths, { session: "docs", transport: "inbox", openclaw_session_key: "" });
  const until = new Date(Date.now() - 1000).toISOString();
  writeHold(paths, { ...paused({ name: "docs" }), until });
  writeHold(paths, { ...paused({ kind: "taken" }), until, said: "Done", driver: "/bin/driver" });
  const words = [`${paths.data}/bin/deliver`, "--wait", "--once", "--json"];
  const ended = await startProgram(words, world.env()).done;
  assertEquals([ended.code, JSON.parse(ended.stdout).delivered], [0, 2], ended.stderr);
  const inbox = `${paths.state}/inbox/warden`;
  const told = namesIn(inbox).map((name) => Deno.readTextFileSync(`${inbox}/${name}`));
  assertEquals(told.map((wake) => /^type: (.*)$/m.exec(wake)?.[1]).sort(), [
    ...["given_back", "resumed"],
  ]);
  assertMatch(told.join(), /^\/bin\/driver warden-main type <text>$/m);
  assertEquals(listHolds(paths), []);
});
