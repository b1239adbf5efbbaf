import { assertEquals } from "@std/assert";
import { DAY, MINUTE, SECOND } from "../lib/delivery/delivery.ts";
import { asOfNow, messageNow } from "../lib/delivery/late_wake.ts";
import { serveAgent } from "../lib/delivery/serve_agent.ts";
import { readJournal } from "../lib/journal_read.ts";
import { endReplyWait, holdReplyWait } from "../lib/reply_wait.ts";
import { renderWake } from "../lib/wake.ts";
import { aWake, DeliveryHome, put } from "./support/delivery_home.ts";
import { OK, queueWorld } from "./support/queue_world.ts";
import { SimClock } from "./support/sim_clock.ts";

const IDENTITY = {
  agent_id: "warden",
  tmux_session_name: "warden-main",
  timestamp: "2026-11-16T10:00:00Z",
  wake_id: "01K9ZQ3V7T8M2N4P6R8S0V2X4Z",
};

function rendered(details: Record<string, string>, body = "Done."): string {
  const draft = { trigger: "response_complete", section: "CONTENT", body, state: "idle" } as const;
  const limit = { maxChars: 10_000, wholeTextFile: "", fenceId: () => "0123456789abcdef" };
  return renderWake(IDENTITY, { ...draft, details, actions: [] }, limit).message;
}

Deno.test("messageNow() says how long a wake has waited", () => {
  const cases: [number, Record<string, string>][] = [
    [59 * SECOND, {}],
    [-MINUTE, {}],
    [NaN, {}],
    [MINUTE, { delayed: "1 min" }],
    [12.9 * MINUTE, { delayed: "12 min" }],
    [60 * MINUTE, { delayed: "1 h" }],
    [DAY + 5 * MINUTE, { delayed: "24 h 5 min" }],
  ];
  for (const [delayMs, details] of cases) {
    const late = messageNow(rendered({}), { delayMs });
    assertEquals(late, rendered(details));
    assertEquals(messageNow(late, { delayMs }), late);
  }
});

Deno.test("messageNow() expects a reply only while a hook waits, and leaves Claude's words alone", () => {
  const body = "reply_expected: never\ndelayed: no\n\n[TRIGGER]\nreply_expected: x\n";
  const asked = rendered({ reply_expected: "within 60 s", stop_hook_active: "true" }, body);
  assertEquals(messageNow(asked, { delayMs: 0, replyMs: 60_000 }), asked);
  const left = rendered({ stop_hook_active: "true" }, body);
  assertEquals(messageNow(asked, { delayMs: 0 }), left);
  assertEquals(
    messageNow("no wake of ours", { delayMs: DAY }),
    "no wake of ours",
  );
});

Deno.test("messageNow() says to a late reader how long the hook still waits", () => {
  const asked = rendered({ reply_expected: "within 60 s" });
  const late = (delayMs: number, replyMs: number) => messageNow(asked, { delayMs, replyMs });
  assertEquals(late(SECOND, 59_000), asked);
  assertEquals(late(40 * SECOND, 19_900), rendered({ reply_expected: "within 19 s" }));
  assertEquals(late(40 * SECOND, -5), rendered({ reply_expected: "within 1 s" }));
  assertEquals(late(40 * SECOND, NaN), asked);
});

Deno.test("asOfNow() asks for a reply only as long as the hook waits", async () => {
  await using home = new DeliveryHome();
  const wake = aWake({ expects_reply: true });
  holdReplyWait(home.paths, wake.wake_id);
  assertEquals(asOfNow(wake, home.paths, Date.now()).expects_reply, true);
  endReplyWait(home.paths, wake.wake_id);
  assertEquals(asOfNow(wake, home.paths, Date.now()).expects_reply, false);
});

Deno.test("serveAgent() sends a turn's end without the reminder that waited after it", async () => {
  await using home = new DeliveryHome();
  const { paths } = home;
  const at = (n: number) => ({ created_at: new Date(1_800_000_000_000 + n).toISOString() });
  const end = put(paths, { ...at(0), prompt_id: "p1" });
  const idle = put(paths, { ...at(1), prompt_id: "p1", trigger: "idle_prompt" });
  const others = [
    put(paths, { ...at(2), prompt_id: "p2", trigger: "idle_prompt" }),
    put(paths, { ...at(3), prompt_id: "p1", trigger: "idle_prompt", session: "warden-2" }),
    put(paths, { ...at(4), trigger: "idle_prompt" }),
    put(paths, { ...at(5), prompt_id: "p1", trigger: "permission_prompt" }),
  ];
  const sent: string[] = [];
  const world = queueWorld(home, new SimClock(), (wake) => {
    sent.push(wake.wake_id);
    return OK;
  });
  const result = await serveAgent("warden", world, { once: true, lifeMs: MINUTE });
  assertEquals(sent, [end, ...others].map((wake) => wake.wake_id));
  assertEquals([result.delivered, result.dead, result.left], [5, 0, 0]);
  const left = [...readJournal(paths, "warden-main")].filter((line) => line.kind === "suppressed");
  assertEquals(left.map(({ wake_id, of }) => [wake_id, of]), [[idle.wake_id, end.wake_id]]);
});
