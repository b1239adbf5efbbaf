/** bin/status-line: passes on what Claude Code says to a status line, and keeps it for the hooks. */

import { realPath } from "../doors/user_file.ts";
import { shellQuote } from "../text.ts";
import { USAGE_ENDINGS } from "../usage.ts";
import { shebang } from "./capture_launcher.ts";
import type { Installation } from "./scope.ts";

/**
 * Claude Code runs it often, so it is a shell with two small programs. Its output is its input: the
 * user's own status line reads that from a pipe. Only the pane of a managed session has a mark.
 */
export function statusLauncherText({ paths, path }: Installation): string {
  return `${shebang(realPath("/bin/sh"))}
# Made by register of gsd-code-skill from install.json, which writes it each time.
unset -f cat mv [ printf umask
unset IFS
set +efux
PATH=${shellQuote(path)}
said=$(cat)
printf '%s\\n' "$said" 2>/dev/null
case $TMUX in /*) ;; *) exit 0 ;; esac
case $TMUX_PANE in %*[!0-9]* | % | [!%]* | '') exit 0 ;; esac
case $TMUX/ in */../*) exit 0 ;; esac
mark=${shellQuote(`${paths.state}/managed`)}$TMUX/$TMUX_PANE
[ -f "$mark" ] || exit 0
umask 077
{
  printf '%s' "$said" >"$mark.$$.tmp" &&
    mv -f "$mark.$$.tmp" "$mark${USAGE_ENDINGS.statusLine}"
} 2>/dev/null
exit 0
`;
}
