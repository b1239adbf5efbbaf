/** How Claude Code is started for an agent: decided here, carried out elsewhere. */

import { choosesConversation } from "./command_words.ts";
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
}

export type Conversation =
  | { kind: "new"; id: string }
  | { kind: "resume"; target: string }
  | { kind: "continue" }
  | { kind: "picker" };

/**
 * The text of the script that a pane runs. Only the agent's own command is read by the shell; all
 * that we add to it is quoted, and the prompt stays in its file. When Claude Code ends, a shell
 * takes its place: the session stays, and so does what was on the screen.
 */
export function launchScript(launch: Launch, conversation: Conversation): string {
  const words = [
    "--settings",
    launch.settings_file,
    "--append-system-prompt-file",
    launch.prompt_file,
    ...conversationWords(launch.command, conversation),
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
    `${launch.command.trim()} ${words.map(shellQuote).join(" ")}`,
    // Killed, it leaves the terminal raw, on the other screen, and reporting the mouse.
    `[ $? -lt 128 ] || { stty sane; printf '${TERMINAL_RESET}'; }`,
    `exec "\${SHELL:-/bin/sh}"`,
    "",
  ].join("\n");
}

const TERMINAL_RESET = ["1049l", "1000l", "1002l", "1003l", "1006l", "1004l", "2004l", "25h"]
  .map((mode) => `\\033[?${mode}`).join("") + "\\033[<u";

function conversationWords(command: string, conversation: Conversation): string[] {
  if (choosesConversation(command)) return [];
  switch (conversation.kind) {
    case "new":
      return conversation.id === "" ? [] : ["--session-id", conversation.id];
    case "resume":
      return ["--resume", conversation.target];
    case "continue":
      return ["--continue"];
    case "picker":
      return ["--resume"];
  }
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
  mode: string,
  known: KnownOfConversation,
  freshId: string,
): Conversation {
  if (mode === "fresh") return { kind: "new", id: freshId };
  if (known.id !== "" && known.hasTranscript) return { kind: "resume", target: known.id };
  if (known.id !== "") return { kind: "new", id: known.id };
  if (known.resumeTarget !== "") return { kind: "resume", target: known.resumeTarget };
  if (!known.hasOthers) return { kind: "new", id: freshId };
  return mode === "continue" ? { kind: "continue" } : { kind: "picker" };
}

/** The default prompt with the agent's own words after it; both as they were written. */
export function promptText(defaultPrompt: string, own: string): string {
  return [defaultPrompt, own].map((text) => text.replace(/\n+$/, ""))
    .filter((text) => text !== "").join("\n\n") + "\n";
}

export type NameChoice = { kind: "name"; name: string } | { kind: "refused"; reason: string };

/** The session's name, with the first free number behind it when it is taken. */
export function chooseSession(
  base: string,
  running: ReadonlySet<string>,
  ofOtherAgents: ReadonlySet<string>,
): NameChoice {
  if (base === "" || /[.:\s]/.test(base)) {
    const reason = `tmux cannot name a session ${JSON.stringify(base)}: ` +
      `give it a tmux_session_name without ".", ":" and blanks`;
    return { kind: "refused", reason };
  }
  if (ofOtherAgents.has(base)) {
    return { kind: "refused", reason: `the session name "${base}" belongs to another agent` };
  }
  if (!running.has(base)) return { kind: "name", name: base };
  for (let number = 2;; number++) {
    const name = `${base}-${number}`;
    if (!running.has(name) && !ofOtherAgents.has(name)) return { kind: "name", name };
  }
}

/** The name of an agent that has none in the registry. */
export function defaultSessionName(agentId: string): string {
  return `${agentId.replace(/[.:\s]+/g, "_")}-main`;
}
