/** Observations of sessions for tests of the fleet: what a test does not say is ordinary. */

import type { ClaudeEntry } from "../../lib/fleet/claude_entries.ts";
import type { SessionObservation } from "../../lib/fleet/observation.ts";
import { type TranscriptEnd, transcriptEnd } from "../../lib/fleet/transcript_end.ts";
import { type Agent, readRegistry } from "../../lib/registry.ts";
import type { SessionMemory } from "../../lib/session_memory.ts";
import { fixtureTranscript } from "./fixtures.ts";

/** The time of all observations. */
export const NOW = Date.parse("2026-11-17T12:00:00Z");

export const minutesAgo = (minutes: number) => NOW - minutes * 60_000;

export function agentOf(more: Record<string, unknown> = {}): Agent {
  const entry = {
    ...{ agent_id: "warden", tmux_session_name: "shop-main" },
    ...{ openclaw_session_key: "agent:warden:main", ...more },
  };
  const reading = readRegistry(JSON.stringify({ agents: [entry] }));
  if (reading.kind === "broken") throw new Error(reading.reason);
  return reading.registry.agents[0]!;
}

export function entryOf(status: string, more: Partial<ClaudeEntry> = {}): ClaudeEntry {
  return {
    ...{ pid: 4242, sessionId: "c-1", cwd: "/work/shop", status, waitingFor: "" },
    ...{ statusSince: minutesAgo(4), startedAt: minutesAgo(600), procStart: "1", ...more },
  };
}

export function memoryOf(more: Partial<SessionMemory> = {}): SessionMemory {
  return {
    ...{ session: "shop-main", agent_id: "warden", claude_session_id: "c-1" },
    ...{ transcript_path: "/t/c-1.jsonl", cwd: "/work/shop", ended: "", said: [] },
    ...{ updated_at: new Date(minutesAgo(5)).toISOString(), ...more },
  };
}

export function endOf(more: Partial<TranscriptEnd> = {}): TranscriptEnd {
  return {
    ...{ path: "/t/c-1.jsonl", kind: "answer", at: minutesAgo(4), writtenAt: minutesAgo(4) },
    ...{ promptId: "p-1", prompt: "Fix the tests", words: "All 42 tests pass.", lastBlock: "" },
    ...{ tool: "", toolUseId: "", toolInput: {}, error: "", message: "", ...more },
  };
}

/** The end of a recorded transcript, cut after a line that holds `until`. */
export function recordedEnd(name: string, until?: string): TranscriptEnd {
  const all = fixtureTranscript(name);
  const last = until === undefined ? -1 : all.findLastIndex((line) => line.includes(until));
  const lines = (last === -1 ? all : all.slice(0, last + 1)).toReversed()
    .map((text) => ({ text, partial: false }));
  return { ...transcriptEnd(lines), path: "/t/c-1.jsonl", writtenAt: minutesAgo(4) };
}

/** A session whose Claude Code has answered four minutes ago. */
export function seen(more: Partial<SessionObservation> = {}): SessionObservation {
  return {
    ...{ session: "shop-main", agent: agentOf(), holds: "alive", isServerThere: true },
    ...{ socket: "/tmp/tmux-1000/default", pane: "%1", pending: [], journal: [] },
    ...{ unsent: 0, dead: 0, memory: memoryOf(), entry: entryOf("idle"), transcript: endOf() },
    ...more,
  };
}
