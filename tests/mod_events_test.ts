/** The mod beside an engine of our own: what it reports, and what the companion makes of it. */

import { assertEquals } from "@std/assert";
import { readModEvent } from "../lib/companion/mod_messages.ts";
import { factsAfter, noFacts } from "../lib/companion/session_facts.ts";
import { register } from "../mod/hooks/register.ts";
import { pause, until } from "./support/until.ts";

type Handler = (engine: unknown, event: unknown, next: unknown) => unknown;

/** Claude Code with the mod, as far as a turn goes. `/hold` gets no decision. */
async function modWorld({ hasAgent = true } = {}) {
  const handlers = new Map<string, Handler>();
  register((name: string, handler: Handler) => {
    handlers.set(name, handler);
    return { catch() {} };
  });
  const posted: string[] = [];
  const hello = JSON.stringify({ hello: { socket: "/s", token: "t" } });
  const over = Promise.withResolvers<void>();
  const session = { hasAgent };
  const fetches = { toFail: 0 };
  let pauses = 0;
  const engine = {
    process: {
      spawn: () => ({
        async *[Symbol.asyncIterator]() {
          if (!session.hasAgent) return;
          yield { stream: "stdout", text: `${hello}\n` };
          await over.promise;
        },
        result: Promise.resolve({ code: 3 }),
      }),
    },
    http: {
      fetch(url: string, { body }: { body: string }) {
        if (fetches.toFail-- > 0) return Promise.reject(new Error("socket hang up"));
        if (url.endsWith("/event")) posted.push(body);
        return Promise.resolve({ ok: true, text: '{"kind":"none"}' });
      },
    },
    session: { usage: () => Promise.resolve({}) },
    clock: { sleep: () => Promise.resolve(void pauses++) },
    ui: { log() {} },
  };
  const next = Object.assign(() => Promise.resolve({}), { signal: new AbortController().signal });
  const tell = (name: string, event: Record<string, unknown>) =>
    handlers.get(name)!(engine, event, next);
  await tell("session.start", { isInteractive: true });
  return {
    tell,
    session,
    fetches,
    pauses: () => pauses,
    /** The events so far, once `kind` is among them. */
    reported: (kind: string) =>
      until(kind, () => {
        const events = posted.map((text) => readModEvent(text)!);
        return events.some((event) => event.kind === kind) ? events : undefined;
      }),
    end: () => over.resolve(),
  };
}

const REQUEST = { tool_name: "Bash", tool_input: { command: "ls" } };

for (
  const [asks, agent_id, found] of [
    ["a subagent", "a1", []],
    ["Claude itself", undefined, ["interrupted"]],
  ] as const
) {
  const what = found.length === 0 ? "an ordinary end" : "a dialog that was left";
  Deno.test(`the mod's events tell of ${what} where ${asks} asks while Stop runs`, async () => {
    const { tell, reported, end } = await modWorld();
    await tell("turn.start", { turnId: "t1" });
    await tell("classic.Stop", { session_id: "s", prompt_id: "p" });
    await tell("classic.PermissionRequest", { ...REQUEST, agent_id });
    await tell("turn.complete", { turnId: "t1", reason: "answer", answer: "Done." });
    let facts = noFacts(0);
    const findings = (await reported("turn.complete")).flatMap((event) => {
      const after = factsAfter(facts, event, { now: 0, isOwnAbort: false });
      facts = after.facts;
      return after.findings.map(({ kind }) => kind);
    });
    end();
    assertEquals(findings, [...found]);
  });
}

const ABORTED = { reason: "aborted", answer: "Not for an agent" };

Deno.test("the mod reports nothing of the time before the session got an agent", async () => {
  const { tell, session, reported, end } = await modWorld({ hasAgent: false });
  for (const turnId of ["t1", "t2"]) {
    await tell("turn.start", { turnId });
    if (turnId === "t2") await pause(0); // its companion ends before the turn does
    await tell("turn.complete", { turnId, ...ABORTED });
    await pause(0);
  }
  session.hasAgent = true;
  await tell("turn.start", { turnId: "t3" });
  const events = await reported("hello");
  end();
  assertEquals(events.map(({ kind, data }) => [kind, data]), [
    ["turn.start", { turnId: "t3" }],
    ["hello", { turnId: "t3" }],
  ]);
});

Deno.test("the mod sends again what a companion that lives did not take", async () => {
  const { tell, fetches, pauses, reported, end } = await modWorld();
  await reported("hello");
  fetches.toFail = 3;
  await tell("turn.start", { turnId: "t1" });
  await tell("turn.complete", { turnId: "t1", ...ABORTED });
  const events = await reported("turn.complete");
  end();
  assertEquals(events.map(({ kind }) => kind), [
    ...["session.start", "hello", "turn.start", "turn.complete"],
  ]);
  assertEquals(pauses(), 3, "one for each try that failed");
});
