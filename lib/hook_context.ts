/** All that a hook knows about its event, and the tools it works with. */

import type { Closed, ClosingOf } from "./close_pending.ts";
import { type HookEvent, type HookInput, paneHeight, SHELL_DELIVERS } from "./events.ts";
import { loadGuards } from "./fence.ts";
import { loadTmux } from "./gate.ts";
import { note } from "./journal.ts";
import { foldersIn, hasQueue } from "./known_sessions.ts";
import { claimStart, unclaimStart } from "./outbox.ts";
import type { Screen } from "./pane.ts";
import { type Env, later, type Paths, safeName } from "./paths.ts";
import type { Agent, HookSettings } from "./registry.ts";
import type { StillRunning } from "./still_running.ts";

// Tools that most hooks need.
export { runsSubagents, textOf } from "./events.ts";
export { note };
export { stoppedAt } from "./owners.ts";
export { sendWake } from "./send_wake.ts";
export { rememberSession } from "./session_memory.ts";
export { actions, pressureLine, replyExpected, usageOf } from "./wake.ts";
export { plainWord } from "./text.ts";

/** What the run of a hook gives to its context. */
export interface HookRun {
  event: HookEvent;
  paths: Paths;
  env: Env;
  /** tmux's answer from the registered command. */
  tmuxAnswer?: HookInput["tmux"];
  /** Lets the registered command start the deliverer when the hook has ended, if it is to. */
  leaveToShell(isToStart: () => boolean): void;
  /** The same for the runner of the queue. Without it nobody starts one. */
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
  /** Has somebody look at the queue of this session, when the hook has ended. */
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
    const { readScreen } = await import(later("./pane.ts"));
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
      const shell = env(SHELL_DELIVERS);
      if (when === "after the hook" && shell !== undefined) {
        return run.leaveToShell(() => claimStart(paths, agent_id, shell));
      }
      if (!claimStart(paths, agent_id)) return;
      try {
        const { startDeliverer } = await loadDeliverer();
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
  if (!foldersIn(`${paths.state}/pending`).includes(safeName(session))) return [];
  const closing: typeof import("./close_pending.ts") = await import(later("./close_pending.ts"));
  const closed = closing.closePending(paths, session, of);
  if (of.answers === undefined) {
    const { leftRecord } = await loadRecords();
    for (const one of closed.filter(({ by }) => by === "human")) {
      await note(paths, leftRecord(one, context));
    }
  }
  return closed;
}

// Tools that some hooks need.

/** Claude's words from the transcript and the screen. */
export function loadReading(): Promise<typeof import("./content.ts")> {
  return import(later("./content.ts"));
}

/** The questions of AskUserQuestion and their answers. */
export function loadQuestions(): Promise<typeof import("./questions.ts")> {
  return import(later("./questions.ts"));
}

/** To tell a question. */
export function loadTelling(): Promise<typeof import("./tell_question.ts")> {
  return import(later("./tell_question.ts"));
}

/** To know it again when it is answered. */
export function loadAnswered(): Promise<typeof import("./answered_id.ts")> {
  return import(later("./answered_id.ts"));
}

/** What goes on after a turn; mostly nothing does. */
export async function runningAfter({ event, now }: HookContext): Promise<StillRunning> {
  const { background_tasks: tasks, session_crons: crons } = event.fields;
  const hasAny = [tasks, crons].some((list) => Array.isArray(list) && list.length > 0);
  if (!hasAny) return { lines: [], tasks: 0, willWake: false };
  const running: typeof import("./still_running.ts") = await import(later("./still_running.ts"));
  return running.stillRunning(event, now);
}

/** The records of who did what. */
export function loadRecords(): Promise<typeof import("./records.ts")> {
  return import(later("./records.ts"));
}

/** Who gave Claude Code its prompt. */
export function loadPrompted(): Promise<typeof import("./prompted.ts")> {
  return import(later("./prompted.ts"));
}

/** Tells that a person has stopped the last turn, where that shows only now. */
export async function tellInterrupted(context: HookContext): Promise<void> {
  try {
    const finding: typeof import("./interrupted.ts") = await import(later("./interrupted.ts"));
    await finding.tellInterrupted(context);
  } catch {
    // Files of Claude Code are not as expected: the event itself is told all the same.
  }
}

/** The steps that the session is to be given; undefined for most, which have none. */
export async function loadQueue(
  { paths, session }: HookContext,
): Promise<typeof import("./queue_turns.ts") | undefined> {
  return hasQueue(paths, session) ? await import(later("./queue_turns.ts")) : undefined;
}

/** `suggested: /deploy`, where Claude's words mention commands that the session has. */
export async function suggestedBy(
  { paths, session }: HookContext,
  text: string,
): Promise<{ suggested?: string }> {
  if (!/(^|[\s("'`*])\/[a-z]/i.test(text)) return {};
  const { suggestedField }: typeof import("./suggested.ts") = await import(later("./suggested.ts"));
  return suggestedField(paths, session, text);
}

/** Why a turn failed. */
export function loadFailures(): Promise<typeof import("./failures.ts")> {
  return import(later("./failures.ts"));
}

/** To wait for the agent's decision on a wake. What it then writes down may be foreign text. */
export async function loadWaiting(): Promise<typeof import("./bidirectional.ts")> {
  await loadGuards();
  return await import(later("./bidirectional.ts"));
}

/** To wait beside a dialog for the agent's answer. */
export function loadAnswering(): Promise<typeof import("./answer_request.ts")> {
  return import(later("./answer_request.ts"));
}

function loadDeliverer(): Promise<typeof import("./deliverer.ts")> {
  return import(later("./deliverer.ts"));
}
