/** The text of bin/capture: prints what one pane of tmux shows. It can do nothing else. */

import { realPath } from "../doors/user_file.ts";
import { OWNER_FORMAT } from "../events.ts";
import { shellQuote } from "../text.ts";
import type { Installation } from "./scope.ts";

/**
 * `capture <pane>`: the line of OWNER_FORMAT, then the screen. The hook that runs it chooses its
 * environment. So it takes $TMUX alone from there, and no server whose socket a hook could have
 * made: a false server can have tmux's client run a program.
 */
export function captureLauncherText(install: Installation): string {
  return `${shebang(realPath("/bin/sh"))}
# Prints the screen of a pane: \`capture <pane>\`. Made by register from install.json.
unset -f cd env [
set +efux
PATH=${shellQuote(install.path)} LC_ALL=C
unset CDPATH
state=${shellQuote(install.paths.state)}
tmux=${shellQuote(install.tmux)}

refuse() {
  printf '%s\\n' "Cannot capture: $1" >&2
  exit 2
}
[ $# -eq 1 ] || refuse "it takes the id of one pane, such as %3"
case $1 in %*) ;; *) refuse "a pane is % and a number" ;; esac
case \${1#%} in '' | *[!0-9]*) refuse "a pane is % and a number" ;; esac

socket=\${TMUX%%,*}
case $socket in /*) ;; *) refuse "\\$TMUX names no server" ;; esac
! cd -P "$state" 2>/dev/null || state=$PWD
cd -P "\${socket%/*}/" 2>/dev/null || refuse "the server's folder is missing"
case $PWD/ in "$state"/*) refuse "the server's socket is where hooks can write" ;; esac
exec env -i "TMUX=$PWD/\${socket##*/},\${TMUX#*,}" "$tmux" -u \\
  display-message -p -t "$1" ${shellQuote(OWNER_FORMAT)} \\; capture-pane -p -t "$1" </dev/null
`;
}

/** bash runs code from $SHELLOPTS and $PS4 before the first line of a script, except with -p. */
export function shebang(shell: string): string {
  return shell.endsWith("/bash") ? "#!/bin/sh -p" : "#!/bin/sh";
}
