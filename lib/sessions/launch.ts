/** A launch of Claude Code: its record, its script, its conversation. */

import { choosesConversation } from "../doors/command_words.ts";
import type { SessionMemory } from "../session_memory.ts";
import { exportLine, shellQuote } from "../text.ts";

/** The record of a launch: all that it takes to start the session again. */
export interface Launch {
  session: string;
  agent_id: string;
  working_directory: string;
  /** The agent's own launch command, as words for a shell. */
  command: string;
  settings_file: string;
  prompt_file: string;
  /** The folders of the mod, where this Claude Code can load it. */
  plugin_dirs?: string[];
  /** The agent's part of the prompt. */
  system_prompt: string;
  env: Record<string, string>;
  /** Claude Code's id for the conversation, as it was last known. */
  claude_session_id: string;
  started_at: string;
  /** When the memory was last written before; "" where there was none. See `memorySince`. */
  memory_before?: string;
  /** Given to Claude Code at its start, which submits it when it is ready. */
  first_command?: string;
  /** The tmux server it was started on, and which run of that server. */
  tmux_socket?: string;
  tmux_server?: string;
  /** The session goes on under this name; the record is no longer used. */
  moved_to?: string;
  /** Ended by `stop`: `recover` leaves it alone until it is asked for it by name. */
  stopped_at?: string;
  /** Started by hand, and given to its agent by `adopt`. */
  adopted_at?: string;
  /** A recovery has started it, and has not yet woken its agent. */
  recovery?: PendingRecovery;
}

export interface PendingRecovery {
  wake_id: string;
  /** What was wrong: "its tmux session was gone". */
  found: string;
  conversation: Conversation;
}

/**
 * What hooks remember of a session since its launch; an earlier launch was another conversation. It
 * has been written again since: times cannot be compared, as the clock may have been set back.
 */
export function memorySince(
  memory: SessionMemory | undefined,
  launch: Launch | undefined,
): SessionMemory | undefined {
  // "": there is no memory, or it cannot be read.
  if (memory === undefined || memory.updated_at === "") return undefined;
  const { memory_before: before, started_at = "" } = launch ?? {};
  // Records of earlier versions have only the time.
  const isSince = before === undefined
    ? memory.updated_at > started_at
    : memory.updated_at !== before;
  return isSince ? memory : undefined;
}

export type Conversation =
  | { kind: "new"; id: string }
  /** Its own, by id. */
  | { kind: "resume"; target: string }
  /** The one that the registry names, by id or by name. */
  | { kind: "target"; target: string }
  /** The launch command says itself which one. */
  | { kind: "chosen" }
  | { kind: "continue" }
  | { kind: "picker" };

/**
 * The script that a pane runs. The shell reads only the agent's own command: every word that we add
 * is quoted. When Claude Code ends, a shell takes its place, so that the session and its screen stay.
 */
export function launchScript(launch: Launch, conversation: Conversation): string {
  const words = [
    "--settings",
    launch.settings_file,
    "--append-system-prompt-file",
    launch.prompt_file,
    ...(launch.plugin_dirs ?? []).flatMap((folder) => ["--plugin-dir", folder]),
    ...conversationWords(conversation),
    ...firstWords(launch.first_command ?? ""),
  ];
  return [
    "#!/bin/sh",
    `# Starts Claude Code in the tmux session ${
      JSON.stringify(launch.session)
    }; written anew each time.`,
    // Clear the screen: a prompt that an earlier Claude Code left there would look like ours.
    `printf '\\033[H\\033[2J'`,
    `cd ${shellQuote(launch.working_directory)} || exec "\${SHELL:-/bin/sh}"`,
    exportLine(launch.env),
    // With job control Ctrl-Z stops it as a job, and `fg` continues it; without, it would hang.
    "set -m 2>/dev/null",
    `${launch.command.trim()} ${words.map(shellQuote).join(" ")}`,
    "left=$?",
    "while [ $left -gt 128 ] && jobs %% >/dev/null 2>&1; do fg %% >/dev/null; left=$?; done",
    "set +m",
    // A killed Claude Code leaves the terminal raw, on the other screen, and reporting the mouse.
    `[ $left -lt 128 ] || { stty sane; printf '${TERMINAL_RESET}'; }`,
    `exec "\${SHELL:-/bin/sh}"`,
    "",
  ].join("\n");
}

const TERMINAL_RESET = ["1049l", "1000l", "1002l", "1003l", "1006l", "1004l", "2004l", "25h"]
  .map((mode) => `\\033[?${mode}`).join("") + "\\033[<u";

function conversationWords(conversation: Conversation): string[] {
  switch (conversation.kind) {
    case "new":
      return conversation.id === "" ? [] : ["--session-id", conversation.id];
    case "chosen":
      return [];
    case "resume":
    case "target":
      return [`--resume=${conversation.target}`]; // one word, so a target is never an option
    case "continue":
      return ["--continue"];
    case "picker":
      return ["--resume"];
  }
}

/**
 * Claude Code submits it once, after the trust dialog and the other dialogs of its start. A single
 * word could be a subcommand (`update`): a new line after it prevents that. `--` is added only where
 * needed, since options that a wrapper puts after its `"$@"` would no longer be options.
 */
function firstWords(first: string): string[] {
  if (first === "") return [];
  const word = /^[\w-]+$/.test(first) ? `${first}\n` : first;
  return word.startsWith("-") ? ["--", word] : [word];
}

/** Linux allows an argument less than 131,072 bytes; a wrapper may add to this one. */
const FIRST_MAX_BYTES = 128_000;

/** Why a first command cannot be given; undefined when it can. */
export function whyTooLong(first: string): string | undefined {
  const { length } = new TextEncoder().encode(first);
  if (length <= FIRST_MAX_BYTES) return undefined;
  return `its first command has ${length} bytes, and Claude Code can be started with ` +
    `${FIRST_MAX_BYTES} at most: put it into a file, and let the first command name that file`;
}

export interface KnownOfConversation {
  /** The last id that SessionStart reported, or the one it was started with; "" when unknown. */
  id: string;
  /** Its transcript exists. */
  hasTranscript: boolean;
  resumeTarget: string;
  /** The folder has conversations to pick from. */
  hasOthers: boolean;
}

/** The modes an agent's `claude_post_launch_mode` may name; anything else means the first. */
export const POST_LAUNCH_MODES = ["resume", "resume_then_agent_pick", "continue", "fresh"] as const;

/**
 * Which conversation a recovered session opens: its own by id, wherever one is known. An id without
 * a transcript had no turn yet, so that it begins with the same id.
 */
export function conversationFor(
  agent: { command: string; mode: string },
  known: KnownOfConversation,
  freshId: string,
): Conversation {
  const { mode } = agent;
  if (choosesConversation(agent.command)) return { kind: "chosen" };
  if (mode === "fresh") return { kind: "new", id: freshId };
  if (known.id !== "" && known.hasTranscript) return { kind: "resume", target: known.id };
  if (known.id !== "") return { kind: "new", id: known.id };
  if (known.resumeTarget !== "") return { kind: "target", target: known.resumeTarget };
  if (!known.hasOthers) return { kind: "new", id: freshId };
  return mode === "continue" ? { kind: "continue" } : { kind: "picker" };
}

/** The default prompt, then the agent's own, both as they were written. */
export function promptText(defaultPrompt: string, own: string): string {
  return [defaultPrompt, own].map((text) => text.replace(/\n+$/, ""))
    .filter((text) => text !== "").join("\n\n") + "\n";
}
