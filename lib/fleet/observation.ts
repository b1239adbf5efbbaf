/** What was read of each session, before anything is concluded from it. */

import type { Pending } from "../answers.ts";
import type { Agent } from "../registry.ts";
import type { SessionMemory } from "../session_memory.ts";
import type { Launch } from "../sessions/launch.ts";
import type { SessionState } from "../sessions/session_state.ts";
import type { LastUsage } from "../usage.ts";
import type { Spending } from "./budgets.ts";
import type { ClaudeEntry } from "./claude_entries.ts";
import type { TranscriptEnd } from "./transcript_end.ts";

export interface SessionObservation {
  /** Its name in tmux, or the name in our records. */
  session: string;
  /** Undefined: the registry has no enabled agent for it. */
  agent?: Agent;
  /** What is in its tmux session; "gone": there is none by that name. */
  holds: SessionState["kind"];
  /** It is not known what it holds: tmux has not answered since the first look. */
  isUnseen?: true;
  /** The tmux server it was started on runs on, so only the session was closed. */
  isServerThere: boolean;
  /** The socket of its tmux server, where it is known. */
  socket?: string;
  pane?: string;
  /** Its Claude Code runs, but under this name. */
  renamedTo?: string;
  /** Its Claude Code runs under its own name, but on the tmux server of this socket. */
  movedTo?: string;
  /** What Claude Code's own list says; of a dead process only where its session is gone. */
  entry?: ClaudeEntry;
  /** The pane as tmux shows it; absent where it was not captured. */
  capture?: string;
  /** Since when the screen has shown the same conversation, where the watch knows it. */
  sameSince?: number;
  transcript?: TranscriptEnd;
  memory?: SessionMemory;
  launch?: Launch;
  /** When our driver last pressed Esc in it. */
  escapedAt?: number;
  /** What hooks wait for. */
  pending: Pending[];
  /** The last report of its mod or its status line. */
  usage?: Omit<LastUsage, "session_id">;
  /** What was spent, where the watch counts it. */
  spending?: Spending;
  /** The limit of spending that is reached, as the watch has noted it. */
  stopped?: string;
  /** Why no hook of ours can run in it, by its settings; our own words. */
  hooksOff?: string;
  /** Its last records, oldest first. */
  journal: Record<string, unknown>[];
  unsent: number;
  dead: number;
  /** How many steps of its queue wait; `paused`: none is given now. */
  queue?: { waiting: number; paused: boolean };
  /** Its wakes are held, or a person has taken it. */
  hold?: { kind: "held" | "taken"; since: number };
}

export interface FleetObservation {
  now: number;
  sessions: SessionObservation[];
  /** What could not be read, in sentences. */
  problems: string[];
}
