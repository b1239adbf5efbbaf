/** The launchers of programs that go into a session: `menu-driver`, and `queue-run` for its queue. */

import { realPath } from "../doors/user_file.ts";
import { launchesDir } from "../known_sessions.ts";
import { ENV_NAMES } from "../paths.ts";
import { assignments, shellQuote } from "../text.ts";
import { shebang } from "./capture_launcher.ts";
import { MOVING_VARIABLES } from "./installation.ts";
import {
  IN_A_FOLDER,
  ourFiles,
  PLAIN_SHELL,
  runLine,
  scriptText,
  variablesOf,
  withFlags,
} from "./launcher_parts.ts";
import { type Installation, installFile, launcherPath, type Scope } from "./scope.ts";
import { V8_FLAGS } from "./v8_flags.ts";

/** What the driver takes from its caller; the launcher fixes the rest. */
const DRIVER_NAMES = ["NO_COLOR", "TMUX_TMPDIR", "GSD_TMUX_SOCKET", "USER", "LOGNAME"];

export function menuDriverText(install: Installation): string {
  const { paths } = install;
  // --after-turn adds a step, and starts the queue's runner.
  const more = {
    run: [launcherPath(paths, "queue-run")],
    read: [`${paths.data}/bin`, installFile(paths.data)],
  };
  return scriptText(driverLines(install, "menu_driver.ts", more, "exec "));
}

/**
 * Gives steps of a queue, by the driver's own roads. It is forked twice, so that it outlives its
 * caller: Claude Code ends a hook with all its descendants.
 */
export function queueRunText(install: Installation): string {
  const { paths, setsid } = install;
  const more = {
    run: [launcherPath(paths, "deliver")],
    read: [`${paths.data}/bin`, installFile(paths.data)],
  };
  const leave = setsid === undefined ? "" : `${shellQuote(setsid)} `;
  const lines = driverLines(install, "queue.ts", more, `( ${leave}`);
  const last = `${lines.pop()} </dev/null >/dev/null 2>&1 & )`;
  // A companion that starts later listens at the same place.
  const [roads, queues] = ["roads", "queue"].map((name) => shellQuote(`${paths.state}/${name}`));
  const later = [
    `for road in ${queues}/*/; do`,
    "  road=${road%/}",
    `  roads=$roads\${roads:+,}unix:${roads}/\${road##*/}.sock`,
    "done",
  ];
  const at = lines.indexOf("inbox=");
  const whole = [...lines.slice(0, at), ...later, ...lines.slice(at), last];
  return scriptText(['set -- run "$@"', ...whole], shebang(realPath("/bin/sh")));
}

/** `start`: what stands before the words of the program. */
function driverLines(
  install: Installation,
  command: string,
  more: Pick<Scope, "run" | "read">,
  start: string,
): string[] {
  const env = [...ENV_NAMES, ...DRIVER_NAMES];
  const run = runLine(install, command, {
    env,
    read: [
      ...[...ourFiles(install), ...install.transcripts, ...inboxFolders(install)],
      launchesDir(install.paths),
      ...more.read,
    ],
    write: [install.paths.state],
    // Deno gives /proc only to programs with all permissions
    run: [install.tmux, "/bin/ps", ...more.run],
    net: [],
  });
  // Its permissions name these places.
  const fixed = { HOME: install.home, ...variablesOf(install), PATH: install.path };
  const passed = [...env, "TERM", "LANG", "LC_ALL", "LC_CTYPE"]
    .filter((name) => !(name in fixed) && !MOVING_VARIABLES.includes(name));
  const roads = '${roads:+"--allow-net=$roads"} ' +
    '${inbox:+"--allow-read=$inbox"} ${inbox:+"--allow-write=$inbox"}';
  const withRoads = withFlags(install, run, V8_FLAGS, roads);
  return [
    ...PLAIN_SHELL,
    `PATH=${shellQuote(install.path)}`,
    IN_A_FOLDER,
    "# Deno wants the path of each socket that may be connected to.",
    "roads=",
    `for road in ${shellQuote(`${install.paths.state}/roads`)}/*.sock; do`,
    '  [ ! -S "$road" ] || roads=$roads${roads:+,}unix:$road',
    "done",
    ...inboxLines(install),
    "# Variables such as NODE_OPTIONS decide what Deno runs: it gets these, and no others.",
    `${start}env -i ${assignments(fixed)} \\`,
    ...passed.map((name) => `  \${${name}+"${name}=$${name}"} \\`),
    `  ${withRoads}`,
  ];
}

/** Where Claude Code says which sessions run, and where their inbox sockets are. */
function inboxFolders({ transcripts }: Installation): string[] {
  return transcripts.map((folder) => folder.replace(/\/projects$/, "/sessions"));
}

/** Claude Code writes these files: take only paths of its form whose socket belongs to our user. */
function inboxLines(install: Installation): string[] {
  const files = inboxFolders(install).map((folder) => `${shellQuote(folder)}/*.json`).join(" ");
  const path = '"messagingSocketPath":"\\(/[A-Za-z0-9_./-]*/cc-socks/[0-9]*\\.sock\\)"';
  return [
    "inbox=",
    `for road in $(sed -n 's|.*${path}.*|\\1|p' ${files} 2>/dev/null); do`,
    '  [ -S "$road" ] && [ -O "$road" ] || continue',
    "  roads=$roads${roads:+,}unix:$road inbox=$inbox${inbox:+,}$road",
    "done",
  ];
}
