/** One companion at work: takes the mod's events, makes wakes of them, carries orders to the mod. */

import { type CompanionServer, companionServer } from "./companion_server.ts";
import { nextLook } from "./api_attempts.ts";
import type { HeldRequests } from "./held_requests.ts";
import { isObject } from "../json.ts";
import { NAME, QUIET_COMMANDS } from "../suggested.ts";
import type { KeptUsage } from "../usage.ts";
import { keptUsage, turnCost } from "./kept_usage.ts";
import type { ModEvent, ModOrder } from "./mod_messages.ts";
import {
  type DroppedText,
  factsAfter,
  look,
  type ModFinding,
  noFacts,
  type SessionFacts,
} from "./session_facts.ts";

export interface CompanionWorld {
  token: string;
  pane: string;
  now(): number;
  /** One line for the mod. */
  say(line: string): void;
  /** Wakes the agent. */
  report(finding: ModFinding | { kind: "lost" }): Promise<void>;
  /** Saves the context size and the cost for the hooks. */
  keep(usage: KeptUsage, at: "the end" | "work"): void;
  /** The cost of this conversation that a companion of this pane saved last, or 0. */
  spentBefore(sessionId: string): number;
  /** When the menu driver has just pressed Escape, or another key that ends a turn. */
  ownEscape(): number | undefined;
  /** Waits for an answer after the hook has ended. */
  held: HeldRequests;
  /** Keeps the names of the commands that the session has. */
  keepCommands?(names: string[]): void;
  /** A turn has ended, or this companion begins between two turns. */
  onTurnEnd?(): void;
  /** Calls `work` after some milliseconds, unless it is cancelled. */
  after(ms: number, work: () => void): { cancel(): void };
}

export interface Companion {
  server: CompanionServer;
  facts(): SessionFacts;
  /** Keeps what the turn has cost so far. Claude Code reports it by itself only at the end. */
  measure(): Promise<void>;
  /** Claude Code is gone. */
  orphaned(): Promise<void>;
}

/** One stop of the session drops all that is queued: one report for all of it. */
const GATHER_MS = 300;

const MEASURED_WITHIN_MS = 5000;

/** An abort that we have ordered ends its turn within this time. */
const ABORT_WITHIN_MS = 10_000;

const COMMANDS_EVERY_MS = 300_000;
const COMMANDS_WITHIN_MS = 10_000;

/** Commands that can be a step. Built-in commands count only if they open no dialog. */
function commandNames(value: unknown): string[] {
  const listed = Array.isArray(value) ? value.filter(isObject) : [];
  return listed.flatMap(({ name, source }) => {
    const isQuiet = source !== "builtin" || QUIET_COMMANDS.includes(String(name));
    return typeof name === "string" && isQuiet && NAME.test(name) ? [name] : [];
  });
}

/** Nobody waits for it: a full disk, or a Claude Code that has just gone, must not end the companion. */
function unlessItFails(work: () => Promise<void>): Promise<void> {
  return work().catch(() => {});
}

export function companionFor(world: CompanionWorld): Companion {
  let facts = noFacts(world.now());
  let abortedAt = -Infinity;
  let usedEscape = -Infinity;
  let askedAt = -Infinity;
  /** What each conversation had cost at the end of its last turn. */
  const spent = new Map<string, number>();
  let timer: { cancel(): void } | undefined;
  let reporting: Promise<void> = Promise.resolve();

  const settle = ({ facts: after, findings }: ReturnType<typeof look>) => {
    facts = after;
    // One after the other: they share the session's memory.
    for (const finding of findings) {
      reporting = reporting.then(() => world.report(finding)).catch(() => {});
    }
    timer?.cancel();
    const at = facts.turn === undefined ? undefined : nextLook(facts.attempts);
    if (at === undefined) return;
    const ms = Math.max(at - world.now(), 0);
    timer = world.after(ms, () => settle(look(facts, world.now())));
  };

  const keepUsage = ({ data }: ModEvent) => {
    const usage = keptUsage(data, facts, world.now());
    const { session_id: sessionId, usd } = usage;
    const before = spent.get(sessionId) ?? world.spentBefore(sessionId);
    world.keep({ ...usage, ...turnCost(usd, before) }, "the end");
    spent.set(sessionId, usd ?? before);
  };

  const onEvent = (event: ModEvent) => {
    if (event.kind === "usage") return keepUsage(event);
    if (event.kind === "released") return world.held.release(String(event.data.id));
    const now = world.now();
    const isEnd = event.kind === "turn.complete";
    // One key ends one turn. If another turn ends soon after, a person did it.
    const escape = isEnd ? world.ownEscape() ?? -Infinity : -Infinity;
    const isOwnAbort = now - abortedAt < ABORT_WITHIN_MS || escape > usedEscape;
    settle(factsAfter(facts, event, { now, isOwnAbort }));
    if ((isEnd || event.kind === "hello") && facts.turn === undefined) {
      world.onTurnEnd?.();
      void unlessItFails(keepCommands);
    }
    if (!isEnd) return;
    abortedAt = -Infinity;
    usedEscape = Math.max(usedEscape, escape);
  };

  /** Plugins and files may bring others while it runs. */
  const keepCommands = async () => {
    if (world.keepCommands === undefined || world.now() - askedAt < COMMANDS_EVERY_MS) return;
    askedAt = world.now();
    const answer = await server.order({ op: "commands" }, COMMANDS_WITHIN_MS);
    if (typeof answer === "object" && "value" in answer) {
      world.keepCommands(commandNames(answer.value));
    }
  };

  const onOrder = (order: ModOrder) => {
    if (order.op === "abort") abortedAt = world.now();
  };

  let dropped: DroppedText[] = [];
  const onDropped = (text: string, reason: string) => {
    dropped.push({ text, reason });
    if (dropped.length > 1) return;
    world.after(GATHER_MS, () => {
      settle({ facts, findings: [{ kind: "dropped", dropped }] });
      dropped = [];
    });
  };

  const { token, pane, say } = world;
  const server = companionServer({
    token,
    pane,
    say,
    onEvent,
    onOrder,
    onDropped,
    onHold: (id, event) => world.held.ask(id, event),
    state: () => facts,
  });
  let wasRunning = false;
  const measure = async () => {
    const isRunning = facts.turn !== undefined;
    // Once more after its end: Esc runs no hook.
    if (!isRunning && !wasRunning) return;
    wasRunning = isRunning;
    const result = await server.order({ op: "usage" }, MEASURED_WITHIN_MS);
    const value = typeof result === "object" && "value" in result ? result.value : undefined;
    if (isObject(value)) world.keep(keptUsage(value, facts, world.now()), "work");
  };
  return {
    server,
    facts: () => facts,
    measure: () => unlessItFails(measure),
    async orphaned() {
      timer?.cancel();
      if (facts.ending === undefined) {
        reporting = reporting.then(() => world.report({ kind: "lost" }));
      }
      await reporting;
    },
  };
}
