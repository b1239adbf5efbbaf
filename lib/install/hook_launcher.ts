/** The text of bin/hook: what Claude Code runs for every event of every session in tmux. */

import { OWNER_FORMAT, SHELL_CAPTURE_LINES, SHELL_DELIVERS, WAKE_WAITS } from "../hook_input.ts";
import { DELIVERER_ENV_NAMES } from "../paths.ts";
import { exportLine, shellQuote } from "../shell.ts";
import { HOOKS } from "./hook_list.ts";
import { hookScope, type Installation, launcherPath, scopeFlags } from "./scope.ts";

/** Named like its file: `stop` runs hooks/stop.ts. */
export function eventWord(file: string): string {
  return file.replace(/\.ts$/, "");
}

/** The hooks that wait beside a dialog. */
const WAITING = HOOKS.filter(({ timeout }) => timeout === "answer")
  .map(({ file }) => eventWord(file)).join(" | ");

/** The variables that name the places: a hook's permissions name the same ones. */
export function placesOf(install: Installation): Record<string, string> {
  return {
    DENO_NO_UPDATE_CHECK: "1",
    GSD_REGISTRY: install.paths.registry,
    GSD_STATE_DIR: install.paths.state,
    GSD_DATA_DIR: install.paths.data,
    GSD_TMUX: install.tmux,
  };
}

/**
 * No configuration, no network, and `/` as the folder: a broken deno.json, a package registry that
 * does not answer or a deleted working folder must not stop a hook.
 */
export function hookLauncherText(install: Installation): string {
  const { paths } = install;
  const flags = install.allowAll ? ["-A"] : scopeFlags(hookScope(install));
  const passed = DELIVERER_ENV_NAMES.map((name) => `\${${name}+"${name}=$${name}"}`);
  return `#!/bin/sh
# Runs a hook of gsd-code-skill: \`hook <event>\`, with Claude Code's event on standard input.
# Made by register from install.json. Register again instead of editing it.
PATH=${shellQuote(install.path)} LC_ALL=C
deno=${shellQuote(install.deno)}
tmux=${shellQuote(install.tmux)}
state=${shellQuote(paths.state)}
registry=${shellQuote(paths.registry)}
script=${shellQuote(`${paths.root}/hooks`)}/$1.ts

# A Deno or a folder that was removed must not cause an error after every turn.
[ -n "$TMUX_PANE" ] && [ -x "$deno" ] && [ -f "$script" ] || exit 0
cd /

ask() { env -i "TMUX=$TMUX" "$tmux" -u "$@" </dev/null 2>/dev/null; }

${gate()}
${exportLine(placesOf(install))}
waits=$1
set -- "$deno" run --no-lock --no-config --no-npm --no-remote --cached-only --no-prompt --quiet \\
${flags.map((flag) => `  ${shellQuote(flag)} \\\n`).join("")}  "$script"

# Beside a dialog a hook must be Claude Code's own child, to notice its end.
case $waits in ${WAITING}) exec "$@" 2>/dev/null ;; esac

# tmux answers while Deno starts: the session and the screen go before the event.
export ${SHELL_DELIVERS}=$$
{
  ask display-message -p -t "$TMUX_PANE" ${shellQuote(OWNER_FORMAT)} \\; \\
    capture-pane -p -t "$TMUX_PANE" -S -${SHELL_CAPTURE_LINES}
  printf '\\036'
  cat
} 2>/dev/null | "$@" 2>/dev/null

# This exit code says that a wake waits.
[ $? -ne ${WAKE_WAITS} ] || {
  env -i ${passed.join(" \\\n    ")} \\
    ${shellQuote(launcherPath(paths, "deliver"))} --claimed $$ </dev/null >/dev/null 2>&1 &
}
exit 0
`;
}

function gate(): string {
  return "";
}
