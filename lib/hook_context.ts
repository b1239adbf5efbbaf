/** All that a hook knows about its event, and the tools it works with. */

import type { Closed, ClosingOf } from "./close_pending.ts";
import { type HookEvent, type HookInput, paneHeight, shellOf } from "./events.ts";
import { loadGuards } from "./fence.ts";
import { namesIn, namesInOurs } from "./files.ts";
import { loadTmux } from "./gate.ts";
import { note } from "./journal.ts";
import { hasQueue } from "./known_sessions.ts";
import type { LaterFiles } from "./later_files.ts";
import type { Screen } from "./pane.ts";
import {
  askedName,
  type Env,
  hash,
  later,
  managedMark,
  type Paths,
  pendingDir,
  safeName,
} from "./paths.ts";
import type { Agent, HookSettings } from "./registry.ts";
import type { StillRunning } from "./still_running.ts";
import type { KnownUsage } from "./usage.ts";

/** What the run of a hook gives to its context. */
export interface HookRun {
  event: HookEvent;
  paths: Paths;
  env: Env;
  /** tmux's answer from the registered command. */
  tmuxAnswer?: HookInput["tmux"];
  /** Lets the registered command start the deliverer when the hook has ended, if it is to. */
  leaveToShell(isToStart: () => boolean): void;
  /** The same for the runner of the queue. Without it none is started. */
  leaveQueue?(session: string): void;
}

export interface HookContext extends HookRun {
  session: string;
  pane: string;
  /** How many panes the session has, where that is known. */
  panes?: number;
  agent: Agent;
  settings: HookSettings;
  now: Date;
  /** The pane as it is now, asked from tmux at most once. */
  capture(): Promise<string | undefined>;
  /** What that means. */
  screen(): Promise<Screen>;
  /** Has the wakes in the outbox delivered. */
  startDeliverer(when: "now" | "after the hook"): Promise<void>;
  /** Has the queue of this session looked at, when the hook has ended. */
  startQueue(session: string): void;
}

export function contextFrom(
  gate: { session: string; pane: string; panes?: number; agent: Agent },
  run: HookRun,
): HookContext {
  const { settings, agent_id } = gate.agent;
  const { env, paths, tmuxAnswer } = run;
  let screen: Promise<Screen> | undefined;
  let captured: Promise<string | undefined> | undefined;
  const capture = async () => {
    const lines = settings.pane_capture_lines;
    if (tmuxAnswer === undefined) {
      return await (await loadTmux()).capturePane(env, gate.pane, lines);
    }
    const height = paneHeight(tmuxAnswer.session);
    if (height === undefined) return tmuxAnswer.capture;
    // The screen and so many lines above it; the last piece is what follows the last line's end.
    return tmuxAnswer.capture.split("\n").slice(-(lines + height + 1)).join("\n");
  };
  const look = async () => {
    const { readScreen } = await load("pane");
    return readScreen(await (captured ??= capture()) ?? "");
  };
  return {
    ...gate,
    ...run,
    settings,
    now: new Date(),
    capture: () => captured ??= capture(),
    screen: () => screen ??= look(),
    startQueue: (session) => run.leaveQueue?.(session),
    async startDeliverer(when) {
      const { claimStart, unclaimStart } = await load("outbox");
      const shell = shellOf(env);
      if (when === "after the hook" && shell !== undefined) {
        return run.leaveToShell(() => claimStart(paths, agent_id, shell));
      }
      if (!claimStart(paths, agent_id)) return;
      try {
        const { startDeliverer } = await load("deliverer");
        startDeliverer(paths, env, agent_id, String(Deno.pid));
      } catch (error) {
        unclaimStart(paths, agent_id);
        throw error;
      }
    },
  };
}

/**
 * Closes what was asked in the session; mostly one look shows that nothing was. What is closed
 * without an answer is recorded as left; `answers` says that there was one.
 */
export async function closePending(context: HookContext, of: ClosingOf): Promise<Closed[]> {
  const { paths, session } = context;
  if (!namesInOurs(`${paths.state}/pending`).includes(safeName(session))) return [];
  const names = namesIn(pendingDir(paths, session));
  if (names.length === 0) return []; // the folder stays when its last question was answered
  if (isCrowdOfOthers(names, of) && Math.random() > LOOKS) return [];
  const closing = await load("close_pending");
  const closed = closing.closePending(paths, session, of);
  if (of.answers === undefined) {
    const { leftRecord } = await load("records");
    for (const one of closed.filter(({ by }) => by === "human")) {
      await note(paths, leftRecord(one, context));
    }
  }
  return closed;
}

/** Up to this many files are all read. */
const FEW = 20;
/** The share of events at which a hook removes requests of others that are over. */
const LOOKS = 0.1;

/** There are many files, and by their names none is of this Claude. */
export function isCrowdOfOthers(names: string[], { id, claude }: ClosingOf): boolean {
  if (names.length <= FEW || id !== undefined || !claude) return false;
  const [asked, told] = [askedName(claude), `${hash(claude)}.`];
  return !names.some((name) => name === asked || name.startsWith(told));
}

/** Loads a file that only some events need. */
export function load<Name extends keyof LaterFiles>(name: Name): Promise<LaterFiles[Name]> {
  return import(later(`./${name}.ts`));
}

/** What the mod or a status line has said about this session; for most there is nothing. */
export async function usageOf(
  { env, paths, event }: HookContext,
): Promise<KnownUsage | undefined> {
  const mark = managedMark(paths, env("TMUX"), env("TMUX_PANE"));
  if (mark === undefined) return undefined;
  const end = mark.lastIndexOf("/");
  const ours = `${mark.slice(end + 1)}.`;
  try {
    // A look into the folder: to ask for a file that is missing costs more.
    if (!namesIn(mark.slice(0, end)).some((name) => name.startsWith(ours))) return undefined;
    return (await load("usage")).usageOfPane(mark, event);
  } catch {
    return undefined; // what cannot be read costs no wake
  }
}

/** What goes on after a turn; mostly nothing does. */
export async function runningAfter(
  { event, now, paths, session }: HookContext,
): Promise<StillRunning> {
  const { background_tasks: tasks, session_crons: crons } = event.fields;
  const hasAny = [tasks, crons].some((list) => Array.isArray(list) && list.length > 0);
  if (!hasAny) return { lines: [], tasks: 0, willWake: false, willEnd: false };
  const running = await load("still_running");
  if (Array.isArray(crons) && crons.length > 0) {
    const { noteScheduled } = await load("typed");
    noteScheduled(paths, session, running.scheduledPrompts(event), now.getTime());
  }
  return running.stillRunning(event, now);
}

/** Reports that a person has stopped the last turn, where that shows only now. */
export async function tellInterrupted(context: HookContext): Promise<void> {
  try {
    const finding = await load("interrupted");
    await finding.tellInterrupted(context);
  } catch {
    // Files of Claude Code are not as expected: the event itself is still reported.
  }
}

/** The steps that the session is to be given; undefined for most, which have none. */
export async function loadQueue(
  { paths, session }: HookContext,
): Promise<LaterFiles["queue_turns"] | undefined> {
  return hasQueue(paths, session) ? await load("queue_turns") : undefined;
}

/** `suggested: /deploy`, where Claude's words mention commands that the session has. */
export async function suggestedBy(
  { paths, session }: HookContext,
  text: string,
): Promise<{ suggested?: string }> {
  if (!/(^|[\s("'`*])\/[a-z]/i.test(text)) return {};
  const { suggestedField } = await load("suggested");
  return suggestedField(paths, session, text);
}

/** To wait for the agent's decision on a wake. What it then writes down may be foreign text. */
export async function loadWaiting(): Promise<LaterFiles["bidirectional"]> {
  await loadGuards();
  return await load("bidirectional");
}
