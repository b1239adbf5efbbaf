/** All that a hook knows about the event it was called for. */

import type { HookEvent } from "./events.ts";
import { loadTmux } from "./gate.ts";
import { type HookInput, SHELL_CAPTURE_LINES, SHELL_DELIVERS } from "./hook_input.ts";
import { claimStart } from "./outbox.ts";
import type { Screen } from "./pane.ts";
import type { Env, Paths } from "./paths.ts";
import type { Agent, HookSettings } from "./registry.ts";
import type { Tmux } from "./tmux.ts";

export interface HookWorld {
  event: HookEvent;
  paths: Paths;
  env: Env;
  /** What tmux has told before the event. */
  told?: HookInput["tmux"];
  /** Lets the registered command start the deliverer, when the hook has ended. */
  leaveToShell(): void;
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
  const { settings } = gate.agent;
  const { env, paths, told } = world;
  const tmux = async () => (await loadTmux()).tmuxFrom(env);
  let screen: Promise<Screen> | undefined;
  let captured: Promise<string | undefined> | undefined;
  const capture = async () => {
    const lines = settings.pane_capture_lines;
    return told !== undefined && lines <= SHELL_CAPTURE_LINES
      ? told.capture
      : await (await loadTmux()).capturePane(await tmux(), gate.pane, lines);
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
      if (!claimStart(paths)) return;
      const isLeft = when === "after the hook" && env(SHELL_DELIVERS) !== undefined;
      if (isLeft) return world.leaveToShell();
      const { startDeliverer } = await loadDeliverer();
      startDeliverer(paths, env);
    },
  };
}

// Addresses that are made here: Deno loads beforehand what it finds written out.
export function loadReading(): Promise<typeof import("./hook_reading.ts")> {
  return import(new URL("./hook_reading.ts", import.meta.url).href);
}

export function loadWaiting(): Promise<typeof import("./bidirectional.ts")> {
  return import(new URL("./bidirectional.ts", import.meta.url).href);
}

function loadDeliverer(): Promise<typeof import("./deliverer.ts")> {
  return import(new URL("./deliverer.ts", import.meta.url).href);
}
