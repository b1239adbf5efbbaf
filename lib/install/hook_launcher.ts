/** The text of bin/hook: what Claude Code runs for every event of every session in tmux. */

import {
  BOTH_WAIT,
  CAPTURE_LAUNCHER,
  OWNER_FORMAT,
  QUEUE_WAITS,
  SHELL_CAPTURE_LINES,
  SHELL_DELIVERS,
  SHELL_READS,
  WAKE_WAITS,
} from "../events.ts";
import { launchesDir } from "../known_sessions.ts";
import { assignments, shellQuote } from "../text.ts";
import { HOOKS } from "./hook_list.ts";
import { hookScope, type Installation, launcherPath, scopeFlags } from "./scope.ts";
import { V8_FLAGS } from "./v8_flags.ts";

/** Named like its file: `stop` runs hooks/stop.ts. */
export function eventWord(file: string): string {
  return file.replace(/\.ts$/, "");
}

/** The hooks that wait: beside a dialog for an answer, or for a reply. A pattern of sh. */
function waitingFor(what: "answer" | "reply"): string {
  return HOOKS.filter(({ timeout }) => timeout === what)
    .map(({ file }) => eventWord(file)).join(" | ");
}

/** What is taken from Claude Code's environment; the rest is fixed at the registration. */
const FROM_CALLER = ["OPENCLAW_SHELL"];

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
  const flags = install.allowAll ? ["-A"] : scopeFlags(hookScope(install, { timeout: 0 }));
  const passed = FROM_CALLER.map((name) => `\${${name}+"${name}=$${name}"}`);
  const fixed = { HOME: install.home, ...install.variables, ...placesOf(install) };
  return `#!/bin/sh
# Runs a hook of gsd-code-skill: \`hook <event>\`, with Claude Code's event on standard input.
# Made by register from install.json. Register again instead of editing it.
# Functions and options of the caller's shell must not change what this one does.
unset -f cd env grep head cat printf read [
set +efuxm
PATH=${shellQuote(install.path)} LC_ALL=C
export LC_ALL
deno=${shellQuote(install.deno)}
tmux=${shellQuote(install.tmux)}
state=${shellQuote(paths.state)}
registry=${shellQuote(paths.registry)}
launches=${shellQuote(launchesDir(paths))}
script=${shellQuote(`${paths.root}/hooks`)}/$1.ts

# A Deno or a folder that was removed must not cause an error after every turn.
[ -n "$TMUX_PANE" ] && [ -x "$deno" ] && [ -f "$script" ] || exit 0
cd /

# tmux sends its variables to its server: it gets no token.
ask() { env -i "TMUX=$TMUX" "$tmux" -u "$@" </dev/null 2>/dev/null; }

${gate()}
# Variables such as NODE_OPTIONS decide what Deno runs: it gets these, and no others.
event=$1
${runFlags(install)}set -- ${assignments(fixed)} "PATH=$PATH" \\
  "TMUX=$TMUX" "TMUX_PANE=$TMUX_PANE" \\
  ${passed.join(" \\\n  ")} \\
  "$deno" run --no-lock --no-config --no-npm --no-remote --cached-only --no-prompt --quiet \\
  ${V8_FLAGS} \\
${flags.map((flag) => `  ${shellQuote(flag)} \\\n`).join("")}  \${allow_run:+"$allow_run"} "$script"

# Beside a dialog a hook must be Claude Code's own child, to notice its end.
case $event in
${waitingFor("answer")})
  exec env -i ${CAPTURE_LAUNCHER}=${shellQuote(launcherPath(paths, "capture"))} "$@" 2>/dev/null ;;
esac

# A hook that wants more lines writes their number into the mark. sh would read it byte by byte,
# however large it is.
lines=
[ ! -s "$mark" ] || lines=$(head -c 5 "$mark" 2>/dev/null)
case $lines in '' | *[!0-9]* | ?????*) lines=${SHELL_CAPTURE_LINES} ;; esac

# tmux answers while Deno starts: the session and the screen go before the event. Deno tells by its
# first line what is left to do. Then it takes another millisecond to end, which is not waited for.
[ -e /dev/fd/0 ] || exec </dev/null
exec 3<&0
{
  {
    ask display-message -p -t "$TMUX_PANE" ${shellQuote(OWNER_FORMAT)} \\; \\
      capture-pane -p -t "$TMUX_PANE" -S "-$lines"
    printf '\\036'
    exec cat <&3
  } 2>/dev/null | env -i ${SHELL_DELIVERS}=$$${SHELL_READS} "$@" 2>/dev/null 3<&- &
} | {
  # The line says what waits: a wake, the queue of the session, or both. A reply may follow it. Without
  # a line Deno has failed, or the hook is of an older version: a wake may wait.
  IFS= read -r line
  left=\${line%% *}
  case $line in *[!0-9]*)
    [ "$line" = "$left reply" ] || printf '%s\\n' "$line"
    cat ;;
  esac
  case $left in '' | ${WAKE_WAITS} | ${BOTH_WAIT})
    env -i "PATH=$PATH" ${passed.join(" ")} \\
      ${shellQuote(launcherPath(paths, "deliver"))} --claimed $$ </dev/null >/dev/null 2>&1 & ;;
  esac
  case $left in ${QUEUE_WAITS} | ${BOTH_WAIT})
    env -i "PATH=$PATH" ${shellQuote(launcherPath(paths, "queue-run"))} \\
      --claimed $$ </dev/null >/dev/null 2>&1 & ;;
  esac
} 3<&-
exit 0
`;
}

/** Sets $allow_run, for the hooks that wait. */
function runFlags(install: Installation): string {
  if (install.allowAll) return "allow_run=\n";
  const line = (timeout: "answer" | "reply") => {
    const { run } = hookScope(install, { timeout });
    return `${waitingFor(timeout)}) allow_run=${shellQuote(`--allow-run=${run.join(",")}`)} ;;\n`;
  };
  return `# No hook runs a program, except one that waits.
case $event in
${line("answer")}${line("reply")}*) allow_run= ;;
esac
`;
}

/**
 * Whether a session is surely not managed, without Deno. It may say so only where openGate() of
 * lib/gate.ts does; tests/hook_launcher_test.ts compares them. A mark lets managed sessions pass.
 */
function gate(): string {
  return `# True only where the session is surely not managed: then Deno need not start.
unmanaged() {
  # Missing, and not only hidden or being written.
  [ -e "$registry" ] || [ ! -x "\${registry%/*}" ] || return 0
  [ -f "$registry" ] && [ -s "$registry" ] || return 1
  names=$(ask display-message -p -t "$TMUX_PANE" '#{session_name},#{window_linked_sessions_list}')
  name=\${names%%,*} pattern= suffix=
  # The window is shown in one session, which has a plain name, no record, and never had an agent.
  [ "$names" = "$name,$name" ] && [ \${#name} -le 100 ] || return 1
  case $name in '' | *[!A-Za-z0-9_-]*) return 1 ;; esac
  [ ! -e "$state/sessions/$name.json" ] && [ ! -e "$launches/$name.json" ] || return 1
  # An agent's session has its name, or its name and a number. tmux writes _ for . and :
  case \${name##*-} in
  "$name" | '' | *[!0-9]*) ;;
  *) suffix="(-\${name##*-})?" name=\${name%-*} ;;
  esac
  while [ "$name" != "\${name#*_}" ]; do
    pattern=$pattern\${name%%_*}[_.:] name=\${name#*_}
  done
  # \\u: the name may be written in JSON's escapes.
  grep -Eq "\\"$pattern$name$suffix\\"|\\\\\\\\u" "$registry" 2>/dev/null
  [ $? -eq 1 ]
}
mark=$state/managed/$TMUX/$TMUX_PANE
[ -e "$mark" ] || ! unmanaged || exit 0
`;
}
