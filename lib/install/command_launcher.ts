/** The launchers of commands that may do everything: `gsd-code`, and `recover` for its unit. */

import { shellQuote } from "../text.ts";
import {
  IN_A_FOLDER,
  runLine,
  scriptText,
  variablesOf,
  WITHOUT_STEERING,
} from "./launcher_parts.ts";
import { type Installation, launcherPath } from "./scope.ts";
import { LEAN_V8_FLAGS, SMALL_V8_FLAGS, V8_FLAGS } from "./v8_flags.ts";

export function commandLauncherText(install: Installation, command: string): string {
  return scriptText(commandLines(install, command));
}

/** Two commands have fewer permissions than the rest, and so launchers of their own. */
export function gsdCodeText(install: Installation): string {
  const [menuDriver, deliver] = ["menu-driver", "deliver"]
    .map((name) => shellQuote(launcherPath(install.paths, name)));
  const lines = commandLines(install, "gsd_code.ts");
  // The watch runs for weeks: small counts, not fast.
  const small = `--no-code-cache ${SMALL_V8_FLAGS}`;
  const watch = runLine(install, "watch.ts", "all").replace(V8_FLAGS, () => small);
  const lean = `--no-code-cache ${LEAN_V8_FLAGS}`;
  const wall = runLine(install, "gsd_code.ts", "all").replace(V8_FLAGS, () => lean);
  return scriptText([
    'case "$1" in',
    `menu-driver) shift; exec ${menuDriver} "$@" ;;`,
    `deliver) shift; exec ${deliver} --wait "$@" ;;`,
    "esac",
    ...lines.slice(0, -1),
    `case "$# $1" in "1 watch") shift; exec ${watch} ;; esac`,
    `case "$1" in wall) exec ${wall} ;; esac`,
    ...lines.slice(-1),
  ]);
}

/**
 * The caller's own variables come first: register and doctor may have to find another program, and
 * a Claude Code that is started here needs the user's keys and proxies.
 */
function commandLines(install: Installation, command: string): string[] {
  const { GSD_TMUX, GSD_OPENCLAW, ...places } = variablesOf(install);
  const programs = Object.entries({ GSD_TMUX, GSD_OPENCLAW }).flatMap(([name, path]) =>
    path === undefined
      ? []
      : [`[ -n "$${name}" ] || [ ! -x ${shellQuote(path)} ] || export ${name}=${shellQuote(path)}`]
  );
  return [
    ...WITHOUT_STEERING,
    `[ -n "$HOME" ] || HOME=${shellQuote(install.home)}`,
    `[ -n "$PATH" ] || PATH=/usr/local/bin:/usr/bin:/bin`,
    "export HOME PATH",
    IN_A_FOLDER,
    ...Object.entries({ ...places, DENO_DIR: denoDir(install) }).map(([name, value]) =>
      `[ -n "$${name}" ] || export ${name}=${shellQuote(value)}`
    ),
    ...programs,
    `exec ${runLine(install, command, "all")}`,
  ];
}

/** The cache with the packages of the registration, not the caller's. */
export function denoDir({ home, variables }: Pick<Installation, "home" | "variables">): string {
  const usual = Deno.build.os === "darwin" ? `${home}/Library/Caches` : `${home}/.cache`;
  return variables.DENO_DIR || `${variables.XDG_CACHE_HOME || usual}/deno`;
}
