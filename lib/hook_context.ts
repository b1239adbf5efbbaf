/** All that a hook knows about the event it was called for, and what it works with. */

import type { HookEvent } from "./events.ts";
import { loadTmux } from "./gate.ts";
import { type HookInput, paneHeight, SHELL_CAPTURE_LINES, SHELL_DELIVERS } from "./hook_input.ts";
import { claimStart, unclaimStart } from "./outbox.ts";
import type { Screen } from "./pane.ts";
import type { Env, Paths } from "./paths.ts";
import type { Agent, HookSettings } from "./registry.ts";
import type { Tmux } from "./tmux.ts";

// What every hook works with, by name.
export { backgroundTasks, textOf } from "./events.ts";
export { record } from "./journal.ts";
export {
  formatAnswers,
  formatQuestions,
  questionId,
  readAnswers,
  readQuestions,
} from "./questions.ts";
export { sendWake } from "./send_wake.ts";
export { rememberSession } from "./session_memory.ts";
export { actions, pressureLine, replyExpected } from "./wake.ts";
export { oneLine } from "./text.ts";

export interface HookWorld {
  event: HookEvent;
  paths: Paths;
  env: Env;
  /** What tmux has told before the event. */
  told?: HookInput["tmux"];
  /** Lets the registered command start the deliverer when the hook has ended, if it is to. */
  leaveToShell(isToStart: () => boolean): void;
}

export interface HookContext extends HookWorld {
  session: string;
  pane: string;
  agent: Agent;
  settings: HookSettings;
  now: Date;
  /** The pane as it is now, asked from tmux at most once. */
  capture(): Promise<string | undefined>;
  /** What that means. */
  screen(): Promise<Screen>;
  tmux(): Promise<Tmux>;
  /** Sees to it that what waits in the outbox is carried on. */
  startDeliverer(when: "now" | "after the hook"): Promise<void>;
}

export function contextFrom(
  gate: { session: string; pane: string; agent: Agent },
  world: HookWorld,
): HookContext {
  const { settings, agent_id } = gate.agent;
  const { env, paths, told } = world;
  const tmux = async () => (await loadTmux()).tmuxFrom(env);
  let screen: Promise<Screen> | undefined;
  let captured: Promise<string | undefined> | undefined;
  const capture = async () => {
    const lines = settings.pane_capture_lines;
    if (told === undefined || lines > SHELL_CAPTURE_LINES) {
      return await (await loadTmux()).capturePane(await tmux(), gate.pane, lines);
    }
    const height = paneHeight(told.session);
    if (height === undefined || lines === SHELL_CAPTURE_LINES) return told.capture;
    // The screen and so many lines above it; the last piece is what follows the last line's end.
    return told.capture.split("\n").slice(-(lines + height + 1)).join("\n");
  };
  const look = async () => {
    const { readScreen } = await import(new URL("./pane.ts", import.meta.url).href);
    return readScreen(await (captured ??= capture()) ?? "");
  };
  return {
    ...gate,
    ...world,
    settings,
    now: new Date(),
    capture: () => captured ??= capture(),
    screen: () => screen ??= look(),
    tmux,
    async startDeliverer(when) {
      const shell = env(SHELL_DELIVERS);
      if (when === "after the hook" && shell !== undefined) {
        return world.leaveToShell(() => claimStart(paths, agent_id, shell));
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

// Addresses that are made here: Deno loads beforehand what it finds written out.
export function loadReading(): Promise<typeof import("./content.ts")> {
  return import(new URL("./content.ts", import.meta.url).href);
}

export function loadSaidBefore(): Promise<typeof import("./said_before.ts")> {
  return import(new URL("./said_before.ts", import.meta.url).href);
}

export function loadWaiting(): Promise<typeof import("./bidirectional.ts")> {
  return import(new URL("./bidirectional.ts", import.meta.url).href);
}

function loadDeliverer(): Promise<typeof import("./deliverer.ts")> {
  return import(new URL("./deliverer.ts", import.meta.url).href);
}
