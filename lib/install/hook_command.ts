/** The command that Claude Code runs for a hook, and the block of settings it stands in. */

import { type HookEntry, HOOKS } from "./hook_list.ts";
import { TMUX_GUARD } from "./our_hooks.ts";
import type { Registry } from "../registry.ts";
import { DEFAULT_SETTINGS } from "../registry.ts";
import { OWNER_FORMAT, SHELL_CAPTURE_LINES, SHELL_DELIVERS, WAKE_WAITS } from "../hook_input.ts";
import { DELIVERER_ENV_NAMES } from "../paths.ts";
import { hookScope, type Installation, launcherPath, scopeFlags } from "./scope.ts";
import { exportLine, shellQuote } from "../shell.ts";

/** Time to start, write and leave, beyond what the agent has for its answer. */
const MARGIN_S = 10;

export interface WantedHook {
  event: string;
  matcher?: string;
  command: string;
  /** Seconds. */
  timeout: number;
}

/**
 * A broken deno.json, a registry of packages that does not answer, a working folder that is gone:
 * none of it may reach the hook, so it has no configuration, no network and starts in `/`.
 */
export function hookCommand(entry: HookEntry, install: Installation): string {
  const words = [
    install.deno,
    "run",
    "--no-lock",
    "--no-config",
    "--no-npm",
    "--no-remote",
    "--cached-only",
    "--no-prompt",
    "--quiet",
    ...(install.allowAll ? ["-A"] : scopeFlags(hookScope(install))),
    `${install.paths.root}/hooks/${entry.file}`,
  ];
  const hook = words.map(shellQuote).join(" ");
  const places = placesOf(install);
  // A Deno or a folder that was taken away must not be heard of after every turn.
  const present = `[ -x ${shellQuote(install.deno)} ] && ` +
    `[ -f ${shellQuote(`${install.paths.root}/hooks/${entry.file}`)} ] || exit 0;`;
  // Beside a dialog a hook has time, but must be Claude Code's own child to notice its end.
  if (entry.timeout === "answer") {
    return `${TMUX_GUARD} ${present} cd /; ${exportLine(places)}; exec 2>/dev/null ${hook}`;
  }
  const variables = `${exportLine(places)} ${SHELL_DELIVERS}=$$`;
  return `${TMUX_GUARD} ${present} cd /; ${variables}; ` +
    `hook() { ${askTmux(install.tmux)} | "$@" 2>/dev/null; ` +
    `${startDeliverer(install)}; exit 0; }; hook ${hook}`;
}

/**
 * A shell starts programs at a fraction of Deno's price. So tmux is asked while Deno starts, and
 * its answer, session and screen, goes before the event on the hook's standard input …
 */
function askTmux(tmux: string): string {
  const ask = [
    ...["env", "-i", '"TMUX=$TMUX"', shellQuote(tmux), "-u"],
    ...["display-message", "-p", "-t", '"$TMUX_PANE"', shellQuote(OWNER_FORMAT), "\\;"],
    ...["capture-pane", "-p", "-t", '"$TMUX_PANE"', "-S", `-${SHELL_CAPTURE_LINES}`],
  ];
  return `{ ${ask.join(" ")}; printf '\\036'; cat; } 2>/dev/null`;
}

/** … and the deliverer is started behind the hook, when its exit code says that a wake waits. */
function startDeliverer({ paths }: Installation): string {
  const passed = DELIVERER_ENV_NAMES.map((name) => `\${${name}+"${name}=$${name}"}`);
  const deliver = shellQuote(launcherPath(paths, "deliver"));
  const start = `env -i ${passed.join(" ")} ${deliver} --claimed $$ </dev/null >/dev/null 2>&1`;
  return `[ $? -ne ${WAKE_WAITS} ] || { ${start} & }`;
}

/** The places as they are now: permissions name them, so a hook must look in the same ones. */
export function placesOf(install: Installation): Record<string, string> {
  return {
    DENO_NO_UPDATE_CHECK: "1",
    GSD_REGISTRY: install.paths.registry,
    GSD_STATE_DIR: install.paths.state,
    GSD_DATA_DIR: install.paths.data,
    GSD_TMUX: install.tmux,
  };
}

export interface TimeLimits {
  answer: number;
  reply: number;
}

/** As long as the most patient agent waits. Changed in the registry, it needs a new registration. */
export function timeLimits(registry: Registry | undefined): TimeLimits {
  const all = registry?.agents.map((agent) => agent.settings) ?? [];
  const patient = all.filter((settings) => settings.hook_mode === "bidirectional");
  const answer = all.map((settings) => settings.answer_timeout_s);
  const reply = patient.map((settings) => settings.bidirectional_timeout_s);
  return {
    answer: Math.ceil(Math.max(...answer.length ? answer : [DEFAULT_SETTINGS.answer_timeout_s])) +
      MARGIN_S,
    reply: Math.ceil(Math.max(0, ...reply)) + MARGIN_S,
  };
}

export function wantedHooks(install: Installation, limits: TimeLimits): WantedHook[] {
  return HOOKS.map((entry) => ({
    event: entry.event,
    ...(entry.matcher === undefined ? {} : { matcher: entry.matcher }),
    command: hookCommand(entry, install),
    timeout: typeof entry.timeout === "number" ? entry.timeout : limits[entry.timeout],
  }));
}

/** One group of Claude Code's settings, as it is written into the list of its event. */
export function groupFor(hook: WantedHook): Record<string, unknown> {
  const { matcher } = hook;
  return { ...(matcher === undefined ? {} : { matcher }), hooks: [entryFor(hook)] };
}

export function entryFor({ command, timeout }: WantedHook) {
  return { type: "command", command, timeout };
}

/** The whole of it as a settings file of its own, for `claude --settings`. */
export function hooksForSettings(wanted: WantedHook[]): { hooks: Record<string, unknown[]> } {
  const hooks: Record<string, unknown[]> = {};
  for (const hook of wanted) (hooks[hook.event] ??= []).push(groupFor(hook));
  return { hooks };
}
