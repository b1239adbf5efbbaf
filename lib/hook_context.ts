/** All that a hook knows about the event it was called for. */

import type { HookEvent } from "./events.ts";
import { readScreen, type Screen } from "./pane.ts";
import type { Env, Paths } from "./paths.ts";
import type { Agent, HookSettings } from "./registry.ts";
import { capturePane, type Tmux } from "./tmux.ts";

export interface HookWorld {
  event: HookEvent;
  paths: Paths;
  env: Env;
  tmux: Tmux;
}

export interface HookContext extends HookWorld {
  session: string;
  pane: string;
  agent: Agent;
  settings: HookSettings;
  now: Date;
  /** The pane as it is now, asked from tmux at most once. */
  screen(): Promise<Screen & { capture: string | undefined }>;
}

export function contextFrom(
  gate: { session: string; pane: string; agent: Agent },
  world: HookWorld,
): HookContext {
  let screen: ReturnType<HookContext["screen"]> | undefined;
  const { settings } = gate.agent;
  const look = async () => {
    const capture = await capturePane(world.tmux, gate.pane, settings.pane_capture_lines);
    return { ...readScreen(capture ?? ""), capture };
  };
  return { ...gate, ...world, settings, now: new Date(), screen: () => screen ??= look() };
}
