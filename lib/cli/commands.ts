/** The list of all commands, for dispatch, the help page, completion and deno.json's tasks. */

export const GROUPS = ["See", "Steer", "Sessions", "Set up"] as const;

export interface Command {
  name: string;
  group: typeof GROUPS[number];
  summary: string;
  /** Below the project's folder. It exports `HELP` and `main(args)`. */
  file: string;
  /** What its plain words are, in order. Other words complete to files. */
  words?: readonly (WordKind | readonly string[])[];
}

export type WordKind = "session" | "agent" | "session or agent";

const ACTIONS = [
  ...["snapshot", "choose", "answer", "type", "clear", "clear_then"],
  ...["submit", "enter", "esc", "allow", "deny", "fill", "decline", "leave"],
];

export const COMMANDS: readonly Command[] = [
  {
    name: "status",
    group: "See",
    summary: "what every session does, since when, and what waits to be sent",
    file: "commands/status.ts",
    words: ["session or agent"],
  },
  {
    name: "top",
    group: "See",
    summary: "the same live, in the terminal; attach, answer and type from there",
    file: "commands/top.ts",
  },
  {
    name: "wall",
    group: "See",
    summary: "a page with all live screens, and what answers them",
    file: "commands/wall.ts",
  },
  {
    name: "log",
    group: "See",
    summary: "what happened in the sessions, a line each; -f follows",
    file: "commands/log.ts",
    words: ["session or agent"],
  },
  {
    name: "report",
    group: "See",
    summary: "what a night brought: turns, questions, waits, failures, commits",
    file: "commands/report.ts",
    words: ["session or agent"],
  },
  {
    name: "doctor",
    group: "See",
    summary: "what is broken between Claude Code and your agents, and what fixes it",
    file: "commands/doctor.ts",
    words: ["agent"],
  },
  {
    name: "demo",
    group: "See",
    summary: "play events through the real hooks and show the wakes",
    file: "commands/demo.ts",
  },
  {
    name: "send",
    group: "Steer",
    summary: "type a prompt into a session and send it",
    file: "commands/send.ts",
    words: ["session"],
  },
  {
    name: "queue",
    group: "Steer",
    summary: "give a session a list of instructions, one after the other",
    file: "commands/queue.ts",
    words: ["session", ["add", "list", "drop", "move", "clear", "pause", "resume"]],
  },
  {
    name: "menu-driver",
    group: "Steer",
    summary: "look at a session, answer its questions, press its keys",
    file: "commands/menu_driver.ts",
    words: ["session", ACTIONS],
  },
  {
    name: "pause",
    group: "Steer",
    summary: "hold the wakes of an agent or a session for a while",
    file: "commands/pause.ts",
    words: ["session or agent"],
  },
  {
    name: "resume",
    group: "Steer",
    summary: "end a pause, and report what happened",
    file: "commands/resume.ts",
    words: ["session or agent"],
  },
  {
    name: "take",
    group: "Steer",
    summary: "take a session for a person: its agent only looks",
    file: "commands/take.ts",
    words: ["session"],
  },
  {
    name: "give",
    group: "Steer",
    summary: "give a session back to its agent, and report what happened",
    file: "commands/give.ts",
    words: ["session"],
  },
  {
    name: "budget",
    group: "Steer",
    summary: "what sessions have spent and may spend; raise a limit",
    file: "commands/budget.ts",
    words: ["session or agent"],
  },
  {
    name: "deliver",
    group: "Steer",
    summary: "deliver waiting wakes now; list, retry or drop them",
    file: "commands/deliver.ts",
  },
  {
    name: "spawn",
    group: "Sessions",
    summary: "start Claude Code for an agent in a tmux session",
    file: "commands/spawn.ts",
    words: ["agent"],
  },
  {
    name: "recover",
    group: "Sessions",
    summary: "start the sessions again that should be running",
    file: "commands/recover.ts",
    words: ["session"],
  },
  {
    name: "adopt",
    group: "Sessions",
    summary: "give a session that was started by hand to an agent",
    file: "commands/adopt.ts",
    words: ["session", "agent"],
  },
  {
    name: "rename",
    group: "Sessions",
    summary: "give a session another name",
    file: "commands/rename.ts",
    words: ["session"],
  },
  {
    name: "stop",
    group: "Sessions",
    summary: "end Claude Code in a session, after its turn",
    file: "commands/stop.ts",
    words: ["session"],
  },
  {
    name: "remove",
    group: "Sessions",
    summary: "remove a session, all but its log",
    file: "commands/remove.ts",
    words: ["session"],
  },
  {
    name: "watch",
    group: "Sessions",
    summary: "report what no hook reported, and start lost sessions again",
    file: "commands/watch.ts",
  },
  {
    name: "sync",
    group: "Sessions",
    summary: "refresh the OpenClaw session keys in the registry",
    file: "commands/sync.ts",
  },
  {
    name: "companion",
    group: "Sessions",
    summary: "connects a running Claude Code with its agent; started from inside it",
    file: "commands/companion.ts",
  },
  {
    name: "register",
    group: "Set up",
    summary: "add our hooks to Claude Code's settings, or remove them",
    file: "register.ts",
  },
  {
    name: "install-units",
    group: "Set up",
    summary: "let systemd recover sessions after boot and watch over them",
    file: "commands/install_units.ts",
  },
  {
    name: "completion",
    group: "Set up",
    summary: "print the completion script for bash or zsh",
    file: "commands/completion.ts",
    words: [["bash", "zsh"]],
  },
];

export interface CommandModule {
  HELP: string;
  main(args: string[]): number | Promise<number>;
}

/** By an address that Deno cannot see in advance: only the command that runs is loaded. */
export async function loadCommand({ file }: Command): Promise<CommandModule> {
  return await import(new URL(`../../${file}`, import.meta.url).href);
}
