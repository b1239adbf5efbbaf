/** Starts Claude Code in tmux, and waits for its prompt or for what is in the way. */

import { noteCommands } from "../doors/command_files.ts";
import { noteOwnText } from "../doors/own_drafts.ts";
import { type LaunchWish, prepareLaunch } from "./agent_launch.ts";
import type { World } from "../cli/world.ts";
import type { Launch } from "./launch.ts";
import { writeLaunch, writeScript } from "./launch_files.ts";
import { type Dialog, readScreen, stripCodes } from "../pane.ts";
import { allProcesses, isIdleShell, type ProcessInfo, treeBelow } from "../doors/process_tree.ts";
import { record } from "../journal.ts";
import { newWakeId } from "../new_wake.ts";
import { instruction } from "../records.ts";
import { noteTyped } from "../typed.ts";
import { shellQuote } from "../text.ts";
import { pause } from "../time.ts";
import type { Tmux, TmuxResult } from "../tmux.ts";
import { factsOf, type TmuxServer } from "./tmux_servers.ts";
import { modFolders } from "../install/mod_copy.ts";
import { modSupport } from "./mod_support.ts";
import { newSession, respawnPane, typeAtShell } from "../doors/tmux_sessions.ts";

/** A new session, or a pane in which a shell waits or all has ended. */
type LaunchPlace = "new" | { pane: string; isDead: boolean };

/** Writes the files of the launch and starts Claude Code; throws where tmux fails. */
export async function startClaude(
  world: World,
  server: TmuxServer,
  place: LaunchPlace,
  wish: LaunchWish,
): Promise<{ pane: string; launch: Launch }> {
  const mod = await modSupport(world, wish.command);
  const plugins = mod.kind === "yes" ? { plugin_dirs: modFolders(world.paths) } : {};
  const launch = prepareLaunch(world, wish, plugins);
  const script = writeScript(world.paths, launch, wish.conversation);
  noteFirst(world, launch);
  noteCommands(world.paths, launch.session, launch.working_directory);
  const started = await runScript(server, place, launch, script);
  if (started.kind === "failed") throw new Error(started.reason);
  const { socket, run } = await factsOf(server.tmux);
  const at = run === undefined ? {} : { tmux_socket: socket!, tmux_server: run };
  const placed = { ...launch, ...at };
  writeLaunch(world.paths, placed);
  return { pane: started.stdout, launch: placed };
}

/** The first command is an instruction, too. It is noted before Claude Code can come to it. */
function noteFirst({ paths, now }: World, { session, agent_id, first_command: text }: Launch) {
  if (text === undefined || text === "") return;
  const at = now();
  const giver = { by: "spawn", by_kind: "program" as const, instruction_id: newWakeId(+at) };
  noteTyped(paths, session, text, giver, at.getTime());
  noteOwnText(paths, session, text);
  const facts = { session, agent_id, ...giver, action: "start", text, via: "start" };
  record(paths, instruction(facts), at);
}

/** Gives the pane in which it starts. */
async function runScript(
  { tmux, starter }: TmuxServer,
  place: LaunchPlace,
  { session, working_directory: dir }: Launch,
  script: string,
): Promise<TmuxResult> {
  if (place === "new") {
    const isServerThere = (await tmux.call("list-sessions")).kind === "ok";
    return newSession(isServerThere ? tmux : starter, session, dir, ["/bin/sh", script]);
  }
  if (place.isDead) return respawnPane(tmux, place.pane, dir, ["/bin/sh", script]);
  const line = `exec /bin/sh ${shellQuote(script)}`;
  for (let attempt = 0; attempt < 3; attempt++) {
    const typed = await typeAtShell(tmux, place.pane, line, attempt === 0 ? "C-u" : "C-c");
    if (typed.kind === "failed") return typed;
    if (await runsScript(tmux, place.pane, script)) {
      return { kind: "ok", stdout: place.pane };
    }
  }
  return { kind: "failed", reason: `the shell in pane ${place.pane} did not run ${script}` };
}

/** False when the shell has lost what was typed, as one that is just starting may. */
async function runsScript(tmux: Tmux, pane: string, script: string): Promise<boolean> {
  for (const until = performance.now() + 5000; performance.now() < until; await pause(50)) {
    const tree = await treeOf(tmux, pane);
    if (tree[0]?.args.includes(script)) return true;
    if (tree.length === 0) return false;
  }
  return !isIdleShell(await treeOf(tmux, pane));
}

/** By the pane: its session may be renamed meanwhile. */
async function treeOf(tmux: Tmux, pane: string): Promise<ProcessInfo[]> {
  const shown = await tmux.call("display-message", "-p", "-t", pane, "#{pane_pid}");
  const pid = shown.kind === "ok" ? Number(shown.stdout) : 0;
  return pid > 0 ? treeBelow(await allProcesses(), pid) : [];
}

type Arrival =
  | { kind: "ready" }
  | { kind: "dialog"; dialog: Dialog }
  /** `hasFirst`: the program runs and has its first command, which it may still come to. */
  | { kind: "failed"; reason: string; screen: string; hasFirst: boolean };

interface WaitOptions {
  timeoutMs: number;
  /** It ran already: a person or an agent may use it, so an empty prompt may never come. */
  isFound?: boolean;
  /** Called about every two seconds with what is being waited for. */
  progress: (line: string) => void;
}

/** A dialog must stay for this long: some flash by while Claude Code starts. */
const DIALOG_MS = 1200;
const LOOK_EVERY_MS = 150;

/** Waits for the prompt of a Claude Code that has our words, or for a dialog. */
export async function awaitReady(
  tmux: Tmux,
  pane: string,
  launch: Launch,
  { timeoutMs, isFound = false, progress }: WaitOptions,
): Promise<Arrival> {
  const { session } = launch;
  const hasEnded = async () => isIdleShell(await treeOf(tmux, pane));
  const failed = (reason: string, hasFirst = false): Arrival => ({
    ...{ kind: "failed", reason, screen, hasFirst },
  });
  const began = performance.now();
  let dialogSince: number | undefined;
  let nextWord = began + 2000;
  let screen = "";
  while (true) {
    await pause(LOOK_EVERY_MS);
    const now = performance.now();
    const capture = await tmux.call("capture-pane", "-p", "-e", "-t", pane);
    if (capture.kind === "failed") {
      return failed(`its pane ${pane} closed at once`);
    }
    screen = stripCodes(capture.stdout);
    const reading = readScreen(capture.stdout);
    const isInUse = isFound && reading.state !== "unknown" && reading.dialog === undefined;
    if ((reading.ready || isInUse) && !await hasEnded()) {
      if (await hasOurWords(tmux, pane, launch)) return { kind: "ready" };
      screen = "";
      return failed(NO_WORDS);
    }
    if (reading.dialog === undefined) dialogSince = undefined;
    else {
      dialogSince ??= now;
      if (now - dialogSince > DIALOG_MS) return { kind: "dialog", dialog: reading.dialog };
    }
    if (now - began > 1000 && await hasEnded()) {
      return failed("Claude Code ended as soon as it was started");
    }
    if (now - began > timeoutMs) {
      const seconds = Math.round(timeoutMs / 1000);
      return failed(`Claude Code showed no prompt within ${seconds} s`, !await hasEnded());
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
async function hasOurWords(tmux: Tmux, pane: string, launch: Launch): Promise<boolean> {
  for (const until = performance.now() + WORDS_MS; performance.now() < until; await pause(150)) {
    const tree = await treeOf(tmux, pane);
    if (tree.some(({ args }) => args.includes(launch.settings_file))) return true;
  }
  return false;
}

const ANSWERED_WITHIN_MS = 1500;

/** Why Claude Code refused a slash command, read from its screen; undefined when it did not. */
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
    const isRefused = lines.some((line) => line.includes(`Unknown command: ${name}`));
    if (isRefused) return `Claude Code has no command "${name}"`;
  }
  return undefined;
}

const NO_WORDS = "its launch command does not pass on the arguments after it, so Claude Code has " +
  "no hooks of ours, no prompt and no first command; let the command end where arguments can " +
  `follow, as "$@" does`;

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
