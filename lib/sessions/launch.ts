/** How Claude Code is started for an agent: decided here, carried out elsewhere. */

import { choosesConversation } from "../doors/command_words.ts";
import { exportLine, shellQuote } from "../shell.ts";

/** All that it takes to start a session again as it was. */
export interface Launch {
  session: string;
  agent_id: string;
  working_directory: string;
  /** The agent's own launch command, as words for a shell. */
  command: string;
  settings_file: string;
  prompt_file: string;
  /** The agent's part of the prompt, as it was given. */
  system_prompt: string;
  env: Record<string, string>;
  /** Claude Code's id for the conversation, as it was last known. */
  claude_session_id: string;
  started_at: string;
  /** What it begins with; given to Claude Code at its start, which keeps it until it is ready. */
  first_command?: string;
  /** The tmux server it was started on: where to find it, and which run of it that was. */
  tmux_socket?: string;
  tmux_server?: string;
  /** It goes on under another name: this record is history. */
  moved_to?: string;
  /** A recovery has started it, and has not yet woken its agent. */
  recovery?: PendingRecovery;
}

export interface PendingRecovery {
  wake_id: string;
  /** What was wrong: "its tmux session was gone". */
  found: string;
  conversation: Conversation;
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
 * The text of the script that a pane runs. Only the agent's own command is read by the shell; all
 * that we add to it is quoted, and the system prompt stays in its file. When Claude Code ends, a shell
 * takes its place: the session stays, and so does what was on the screen.
 */
export function launchScript(launch: Launch, conversation: Conversation): string {
  const words = [
    "--settings",
    launch.settings_file,
    "--append-system-prompt-file",
    launch.prompt_file,
    ...conversationWords(conversation),
    ...firstWords(launch.first_command ?? ""),
  ];
  return [
    "#!/bin/sh",
    `# Starts Claude Code in the tmux session ${
      JSON.stringify(launch.session)
    }; written anew each time.`,
    // What a Claude Code that was here before has left on the screen must not be taken for ours.
    `printf '\\033[H\\033[2J'`,
    `cd ${shellQuote(launch.working_directory)} || exec "\${SHELL:-/bin/sh}"`,
    exportLine(launch.env),
    // Ctrl-Z stops it as a job, and brings it back: without job control it would wait for good.
    "set -m 2>/dev/null",
    `${launch.command.trim()} ${words.map(shellQuote).join(" ")}`,
    "left=$?",
    "while [ $left -gt 128 ] && jobs %% >/dev/null 2>&1; do fg %% >/dev/null; left=$?; done",
    "set +m",
    // Killed, it leaves the terminal raw, on the other screen, and reporting the mouse.
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
      return ["--resume", conversation.target];
    case "continue":
      return ["--continue"];
    case "picker":
      return ["--resume"];
  }
}

/**
 * Claude Code submits it by itself, once, behind the trust dialog and all others of its start.
 * A single word could be one of its subcommands (`update`): a new line behind it prevents that.
 * `--` stands only where it must: what a wrapper has behind its `"$@"` would be no option after it.
 */
function firstWords(first: string): string[] {
  if (first === "") return [];
  const word = /^[\w-]+$/.test(first) ? `${first}\n` : first;
  return word.startsWith("-") ? ["--", word] : [word];
}

/** Linux gives a program no argument of 131,072 bytes or more; a wrapper may add to this one. */
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
  /** There is a transcript to go on with. */
  hasTranscript: boolean;
  resumeTarget: string;
  /** The folder holds conversations that could be picked. */
  hasOthers: boolean;
}

/** The modes an agent's `claude_post_launch_mode` may name; anything else means the first. */
export const POST_LAUNCH_MODES = ["resume", "resume_then_agent_pick", "continue", "fresh"] as const;

/**
 * Which conversation a recovered session opens. Its own by id wherever one is known: an id without
 * a transcript was never spoken to, so that it begins with that same id.
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

/** The default prompt with the agent's own words after it; both as they were written. */
export function promptText(defaultPrompt: string, own: string): string {
  return [defaultPrompt, own].map((text) => text.replace(/\n+$/, ""))
    .filter((text) => text !== "").join("\n\n") + "\n";
}
