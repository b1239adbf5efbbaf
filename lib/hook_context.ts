/** All that a hook knows about the event it was called for. */

import type { HookEvent } from "./events.ts";
import { startDeliverer } from "./deliverer.ts";
import { type HookInput, SHELL_CAPTURE_LINES, SHELL_DELIVERS } from "./hook_input.ts";
import type { Screen } from "./pane.ts";
import type { Env, Paths } from "./paths.ts";
import type { Agent, HookSettings } from "./registry.ts";
import { capturePane, type Tmux } from "./tmux.ts";

export interface HookWorld {
  event: HookEvent;
  paths: Paths;
  env: Env;
  tmux: Tmux;
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
  screen(): Promise<Seen>;
  /** Sees to it that what waits in the outbox is carried on. */
  startDeliverer(when: "now" | "after the hook"): void;
}

export type Seen = Screen & { capture: string | undefined };

export function contextFrom(
  gate: { session: string; pane: string; agent: Agent },
  world: HookWorld,
): HookContext {
  const { settings, agent_id } = gate.agent;
  const { env, paths, told, tmux } = world;
  let screen: Promise<Seen> | undefined;
  const look = async () => {
    const lines = settings.pane_capture_lines;
    const capture = told !== undefined && lines <= SHELL_CAPTURE_LINES
      ? told.capture
      : await capturePane(tmux, gate.pane, lines);
    const { readScreen } = await loadReading();
    return { ...readScreen(capture ?? ""), capture };
  };
  return {
    ...gate,
    ...world,
    settings,
    now: new Date(),
    screen: () => screen ??= look(),
    startDeliverer(when) {
      const isLeft = when === "after the hook" && env(SHELL_DELIVERS) !== undefined;
      if (isLeft) world.leaveToShell();
      else startDeliverer(paths, env, agent_id);
    },
  };
}

// An address that is made here: Deno loads beforehand what it finds written out.
export function loadReading(): Promise<typeof import("./hook_reading.ts")> {
  return import(new URL("./hook_reading.ts", import.meta.url).href);
}
