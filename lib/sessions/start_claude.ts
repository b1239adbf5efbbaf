/** Starts Claude Code in tmux, and waits for its prompt or for what is in the way. */

import type { Conversation, Launch } from "./launch.ts";
import { writeLaunch, writeScript } from "./launch_files.ts";
import { type Dialog, readScreen, stripCodes } from "../pane.ts";
import type { Paths } from "../paths.ts";
import { allProcesses, isIdleShell, type ProcessInfo, treeBelow } from "../doors/process_tree.ts";
import { shellQuote } from "../text.ts";
import { pause } from "../time.ts";
import type { Tmux, TmuxResult } from "../tmux.ts";
import { factsOf, type TmuxServer } from "./tmux_servers.ts";
import { newSession, panesOf, respawnPane, typeAtShell } from "../doors/tmux_sessions.ts";

export type LaunchPlace =
  | { kind: "new_session" }
  /** A shell waits in the pane. */
  | { kind: "pane"; pane: string }
  /** Its program has ended. */
  | { kind: "dead_pane"; pane: string };

export type Started = { kind: "started"; pane: string; launch: Launch } | {
  kind: "failed";
  reason: string;
};

/** Starts Claude Code, and writes into the launch record on which tmux server it runs. */
export async function launchInto(
  server: TmuxServer,
  paths: Paths,
  launch: Launch,
  conversation: Conversation,
  place: LaunchPlace,
): Promise<Started> {
  const started = await runLaunch(server, paths, launch, conversation, place);
  if (started.kind === "failed") return started;
  const facts = await factsOf(server.tmux);
  const at = facts && { tmux_socket: facts.socket, tmux_server: facts.server };
  const placed = { ...launch, ...at };
  writeLaunch(paths, placed);
  return { kind: "started", pane: started.stdout, launch: placed };
}

/** Gives the pane in which it starts. */
async function runLaunch(
  { tmux, starter }: TmuxServer,
  paths: Paths,
  launch: Launch,
  conversation: Conversation,
  place: LaunchPlace,
): Promise<TmuxResult> {
  const script = writeScript(paths, launch, conversation);
  const { session, working_directory: dir } = launch;
  if (place.kind === "new_session") {
    const isServerThere = (await tmux.call("list-sessions")).kind === "ok";
    return newSession(isServerThere ? tmux : starter, session, dir, ["/bin/sh", script]);
  }
  if (place.kind === "dead_pane") return respawnPane(tmux, place.pane, dir, ["/bin/sh", script]);
  const line = `exec /bin/sh ${shellQuote(script)}`;
  for (let attempt = 0; attempt < 3; attempt++) {
    const typed = await typeAtShell(tmux, place.pane, line, attempt === 0 ? "C-u" : "C-c");
    if (typed.kind === "failed") return typed;
    if (await runsScript(tmux, launch.session, place.pane, script)) {
      return { kind: "ok", stdout: place.pane };
    }
  }
  return { kind: "failed", reason: `the shell in pane ${place.pane} did not run ${script}` };
}

/** False when the shell has lost what was typed, as one that is just starting may. */
async function runsScript(
  tmux: Tmux,
  session: string,
  pane: string,
  script: string,
): Promise<boolean> {
  for (const until = performance.now() + 5000; performance.now() < until; await pause(50)) {
    const tree = await treeOf(tmux, session, pane);
    if (tree[0]?.args.includes(script)) return true;
    if (tree.length === 0) return false;
  }
  return !isIdleShell(await treeOf(tmux, session, pane));
}

async function treeOf(tmux: Tmux, session: string, pane: string): Promise<ProcessInfo[]> {
  const info = (await panesOf(tmux, session)).find((candidate) => candidate.pane === pane);
  return info === undefined ? [] : treeBelow(await allProcesses(), info.pid);
}

export type Arrival =
  | { kind: "ready"; pane: string }
  | { kind: "dialog"; pane: string; dialog: Dialog }
  /** `lives`: the program still runs, and may come to its prompt. */
  | { kind: "failed"; reason: string; screen: string; lives: boolean };

export interface WaitOptions {
  timeoutMs?: number;
  /** Called about every two seconds with what is being waited for. */
  progress?: (line: string) => void;
}

/** A dialog must stay for this long: some flash by while Claude Code starts. */
const DIALOG_MS = 1200;
const LOOK_EVERY_MS = 150;

export async function awaitReady(
  tmux: Tmux,
  pane: string,
  session: string,
  { timeoutMs = 60_000, progress = () => {} }: WaitOptions = {},
): Promise<Arrival> {
  const began = performance.now();
  let dialogSince: number | undefined;
  let nextWord = began + 2000;
  let screen = "";
  while (true) {
    await pause(LOOK_EVERY_MS);
    const now = performance.now();
    const capture = await tmux.call("capture-pane", "-p", "-e", "-t", pane);
    if (capture.kind === "failed") {
      return { kind: "failed", reason: `its pane ${pane} closed at once`, screen, lives: false };
    }
    screen = stripCodes(capture.stdout);
    const reading = readScreen(capture.stdout);
    if (reading.ready && !isIdleShell(await treeOf(tmux, session, pane))) {
      return { kind: "ready", pane };
    }
    if (reading.dialog === undefined) dialogSince = undefined;
    else {
      dialogSince ??= now;
      if (now - dialogSince > DIALOG_MS) return { kind: "dialog", pane, dialog: reading.dialog };
    }
    if (now - began > 1000 && isIdleShell(await treeOf(tmux, session, pane))) {
      const reason = "Claude Code ended as soon as it was started";
      return { kind: "failed", reason, screen, lives: false };
    }
    if (now - began > timeoutMs) {
      const reason = `Claude Code showed no prompt within ${Math.round(timeoutMs / 1000)} s`;
      const lives = !isIdleShell(await treeOf(tmux, session, pane));
      return { kind: "failed", reason, screen, lives };
    }
    if (now > nextWord) {
      progress(`Waiting for Claude Code in ${session}: ${Math.round((now - began) / 1000)} s`);
      nextWord = now + 2000;
    }
  }
}

/** The screen of an earlier Claude Code may look ready before this one has begun. */
const WORDS_MS = 3000;

/** Whether our words after the launch command, hooks among them, have reached a program. */
export async function hasOurWords(tmux: Tmux, pane: string, launch: Launch): Promise<boolean> {
  for (const until = performance.now() + WORDS_MS; performance.now() < until; await pause(150)) {
    const tree = await treeOf(tmux, launch.session, pane);
    if (tree.some(({ args }) => args.includes(launch.settings_file))) return true;
  }
  return false;
}

const ANSWERED_WITHIN_MS = 1500;

/** Why Claude Code refused a slash command, as its screen says; undefined when it did not. */
export async function whyRefused(
  tmux: Tmux,
  pane: string,
  first: string,
): Promise<string | undefined> {
  const name = /^\/\S+/.exec(first)?.[0];
  if (name === undefined) return undefined;
  const until = performance.now() + ANSWERED_WITHIN_MS;
  for (; performance.now() < until; await pause(LOOK_EVERY_MS)) {
    const capture = await tmux.call("capture-pane", "-p", "-t", pane);
    const lines = capture.kind === "ok" ? capture.stdout.split("\n") : [];
    const isRefused = lines.some((line) => line.endsWith(`Unknown command: ${name}`));
    if (isRefused) return `Claude Code has no command "${name}"`;
  }
  return undefined;
}

export const NO_WORDS = "its launch command does not hand on the words behind it, so that Claude " +
  `Code has neither our hooks nor its prompt; let the command end where words can follow, as "$@" does`;

/** What a dialog of the start asks, and what to do. */
export function dialogHelp(dialog: Dialog): string {
  switch (dialog.kind) {
    case "trust":
      return "Claude Code asks whether to trust this folder, and runs no hook until it is " +
        "answered: attach and choose Yes, once for this folder";
    case "bypass":
      return "Claude Code asks to accept the bypass-permissions mode of the launch command";
    case "resume_summary":
      return "Claude Code asks whether to go on with the whole conversation or with its summary";
    case "resume_picker":
      return "Claude Code shows its conversations and waits for one to be picked";
    default:
      return `Claude Code shows a dialog: ${dialog.title || dialog.kind}`;
  }
}
