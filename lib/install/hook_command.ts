/** The command that Claude Code runs for a hook, and its entry in the settings. */

import type { Paths } from "../paths.ts";
import { DEFAULT_SETTINGS, type Registry } from "../registry.ts";
import { shellQuote } from "../text.ts";
import { type HookEntry, HOOKS } from "./hook_list.ts";
import { eventWord } from "./hook_launcher.ts";
import { launcherPath } from "./scope.ts";

/** For the hook itself, beyond the time that the agent has for its answer. */
const MARGIN_S = 10;

export interface WantedHook {
  event: string;
  matcher?: string;
  command: string;
  /** Seconds. */
  timeout: number;
}

/** Outside tmux, and once the launcher is gone, nothing starts. */
export function hookCommand({ file }: HookEntry, paths: Paths): string {
  const launcher = shellQuote(launcherPath(paths, "hook"));
  return `[ -z "$TMUX" ] || [ ! -x ${launcher} ] || exec ${launcher} ${eventWord(file)}`;
}

export interface TimeLimits {
  answer: number;
  reply: number;
}

/** The longest time that an agent of the registry may take. */
export function timeLimits(registry: Registry | undefined): TimeLimits {
  const all = registry?.agents.map((agent) => agent.settings) ?? [];
  const bidirectional = all.filter((settings) => settings.hook_mode === "bidirectional");
  const answer = all.map((settings) => settings.answer_timeout_s);
  const reply = bidirectional.map((settings) => settings.bidirectional_timeout_s);
  return {
    answer: Math.ceil(Math.max(...answer.length ? answer : [DEFAULT_SETTINGS.answer_timeout_s])) +
      MARGIN_S,
    reply: Math.ceil(Math.max(0, ...reply)) + MARGIN_S,
  };
}

export function wantedHooks(paths: Paths, limits: TimeLimits): WantedHook[] {
  return HOOKS.map((entry) => ({
    event: entry.event,
    ...(entry.matcher === undefined ? {} : { matcher: entry.matcher }),
    command: hookCommand(entry, paths),
    timeout: typeof entry.timeout === "number" ? entry.timeout : limits[entry.timeout],
  }));
}

/** One group of Claude Code's settings, as it is written into the list of its event. */
function groupFor(hook: WantedHook): Record<string, unknown> {
  const { matcher } = hook;
  return { ...(matcher === undefined ? {} : { matcher }), hooks: [entryFor(hook)] };
}

export function entryFor({ command, timeout }: WantedHook) {
  return { type: "command", command, timeout };
}

/** A settings file with our hooks alone, for `claude --settings`. */
export function hooksForSettings(wanted: WantedHook[]): { hooks: Record<string, unknown[]> } {
  const hooks: Record<string, unknown[]> = {};
  for (const hook of wanted) (hooks[hook.event] ??= []).push(groupFor(hook));
  return { hooks };
}
