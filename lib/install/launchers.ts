/** The scripts in the data folder's bin/: how Claude Code, agents and people start our programs. */

import { pinDeno } from "../doors/deno_binary.ts";
import { realPath } from "../doors/user_file.ts";
import { REGISTERED_GATEWAY } from "../delivery/gateway_address.ts";
import { ensureDir, readTextIfThere, writeAtomic } from "../files.ts";
import { launchesDir } from "../owners.ts";
import { ENV_NAMES } from "../paths.ts";
import { assignments, exportLine, shellQuote } from "../text.ts";
import { captureLauncherText, shebang } from "./capture_launcher.ts";
import { commandLauncherText, gsdCodeText } from "./command_launcher.ts";
import { hookLauncherText } from "./hook_launcher.ts";
import { writeInstallation } from "./install_file.ts";
import { type InstallPlan, MOVING_VARIABLES } from "./installation.ts";
import {
  IN_A_FOLDER,
  ourFiles,
  PLAIN_SHELL,
  runLine,
  scriptText,
  variablesOf,
  withFlags,
  WITHOUT_STEERING,
} from "./launcher_parts.ts";
import { type Installation, installFile, launcherPath, type Scope } from "./scope.ts";
import { writeMod } from "./mod_copy.ts";
import { statusLauncherText } from "./status_launcher.ts";
import { COMPANION_V8_FLAGS, V8_FLAGS } from "./v8_flags.ts";

export interface Launcher {
  name: string;
  text: string;
}

export function launchersOf(install: Installation): Launcher[] {
  return [
    { name: "hook", text: hookLauncherText(install) },
    { name: "capture", text: captureLauncherText(install) },
    { name: "deliver", text: deliverText(install) },
    { name: "sockets", text: socketsText(install) },
    { name: "menu-driver", text: menuDriverText(install) },
    { name: "queue-run", text: queueRunText(install) },
    { name: "companion", text: companionText(install) },
    { name: "status-line", text: statusLauncherText(install) },
    { name: "recover", text: commandLauncherText(install, "recover.ts") },
    { name: "gsd-code", text: gsdCodeText(install) },
  ];
}

/**
 * A hook may run this one, so its environment must not decide what is run. Claude Code ends a hook
 * with all its descendants; a process that was forked twice is none. `--wait` as the first argument
 * keeps it in the foreground, for people and timers.
 */
function deliverText(install: Installation): string {
  const run = runLine(install, "deliver.ts", {
    env: ["*"], // the token of a gateway may stand in a variable of any name
    read: [...ourFiles(install), ...install.gatewayFiles],
    write: [install.paths.state],
    run: [install.openclaw ?? "openclaw", launcherPath(install.paths, "sockets")],
    net: install.gatewayHosts,
  });
  const setsid = install.setsid === undefined ? "" : `${shellQuote(install.setsid)} `;
  return scriptText([
    ...WITHOUT_STEERING,
    `unset ${["GSD_OPENCLAW", REGISTERED_GATEWAY, ...MOVING_VARIABLES].join(" ")}`,
    `HOME=${shellQuote(install.home)}`,
    `PATH=${shellQuote(install.path)}`,
    "export HOME PATH",
    exportLine({
      ...variablesOf(install),
      ...(install.gateway === undefined ? {} : { [REGISTERED_GATEWAY]: install.gateway }),
    }),
    "cd /",
    `case "$1" in --wait) shift; exec ${run};; esac`,
    `( ${setsid}${run} </dev/null >/dev/null 2>&1 & )`,
  ], shebang(realPath("/bin/sh")));
}

/** Deno gives /proc only to programs with all permissions. */
function socketsText(install: Installation): string {
  return scriptText([
    "# Prints our user's number and who holds which port of this machine. Takes nothing.",
    "unset -f cat id wait [",
    "set +efux",
    `PATH=${shellQuote(install.path)}`,
    "id -u",
    "# Both at once, in whole lines: the kernel takes some milliseconds for each.",
    "for table in /proc/net/tcp /proc/net/tcp6; do",
    '[ ! -r "$table" ] || cat "$table" &',
    "done",
    "wait",
  ], shebang(realPath("/bin/sh")));
}

/** What the driver takes from its caller; the launcher fixes the rest. */
const DRIVER_NAMES = ["NO_COLOR", "TMUX_TMPDIR", "GSD_TMUX_SOCKET", "USER", "LOGNAME"];

function menuDriverText(install: Installation): string {
  const { paths } = install;
  // --after-turn adds a step, and starts the queue's runner.
  const more = {
    run: [launcherPath(paths, "queue-run")],
    read: [`${paths.data}/bin`, installFile(paths.data)],
  };
  return scriptText(driverLines(install, "menu_driver.ts", more, "exec "));
}

/**
 * Gives steps of a queue, by the driver's own roads. It goes on when its caller has ended: Claude
 * Code ends a hook with all its descendants, and a process that was forked twice is none.
 */
function queueRunText(install: Installation): string {
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

/** Only what looks like Claude Code's own and belongs to us: the files are not ours. */
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

/**
 * Runs beside one Claude Code. It must be that program's own child to notice its end, so the shell
 * becomes Deno: `$$` is the number of both. Deno wants a socket's whole path in the permission.
 */
function companionText(install: Installation): string {
  const { paths } = install;
  const launchers = ["deliver", "capture", "queue-run"].map((name) => launcherPath(paths, name));
  const run = runLine(install, "companion.ts", {
    env: [...ENV_NAMES, "GSD_CAPTURE"],
    read: [
      ...ourFiles(install),
      `${paths.data}/bin`,
      installFile(paths.data),
      launchesDir(paths), // whose session it is, where its name does not say so
      ...install.transcripts,
    ],
    write: [paths.state],
    run: launchers,
    net: [],
  });
  const fixed = {
    HOME: install.home,
    ...variablesOf(install),
    PATH: install.path,
    GSD_CAPTURE: launcherPath(paths, "capture"),
  };
  const socket = `--allow-net=unix:${paths.state}/roads/.`;
  const flags = `--no-code-cache ${COMPANION_V8_FLAGS}`;
  const withSocket = withFlags(install, run, flags, `${shellQuote(socket)}"$$.sock"`);
  return scriptText([
    ...PLAIN_SHELL,
    `PATH=${shellQuote(install.path)}`,
    "umask 077",
    "cd /",
    `exec env -i ${assignments(fixed)} \\`,
    '  ${TMUX+"TMUX=$TMUX"} ${TMUX_PANE+"TMUX_PANE=$TMUX_PANE"} \\',
    `  ${withSocket}`,
  ], shebang(realPath("/bin/sh")));
}

export type LauncherState = "missing" | "different" | "not executable" | "right";

export function stateOf(path: string, text: string): LauncherState {
  const present = readTextIfThere(path);
  if (present === undefined) return "missing";
  if (present !== text) return "different";
  return ((Deno.statSync(path).mode ?? 0o755) & 0o100) === 0 ? "not executable" : "right";
}

/** Writes install.json, the mod and the launchers that are not right; the paths of those launchers. */
export function putLaunchers({ install, deno }: InstallPlan): string[] {
  if (deno.kind === "pin") pinDeno(deno.from, deno.path);
  writeInstallation(install);
  writeMod(install.paths);
  return installLaunchers(install);
}

/** The same for launchers of this registry and state folder; throws where others are registered. */
export function keepLaunchers(plan: InstallPlan): void {
  const { install, written } = plan;
  for (const place of ["registry", "state"] as const) {
    const [theirs, ours] = [written?.paths[place], install.paths[place]];
    if (theirs === undefined || theirs === ours) continue;
    throw new Error(
      `The hooks of ${install.paths.data} are registered with the ${place} ${theirs}, and here it ` +
        `is ${ours}: register again, or set GSD_DATA_DIR to another folder`,
    );
  }
  putLaunchers(plan);
}

export function installLaunchers(install: Installation): string[] {
  ensureDir(`${install.paths.data}/bin`);
  ensureDir(launchesDir(install.paths)); // hooks look into it
  const written: string[] = [];
  for (const { name, text } of launchersOf(install)) {
    const path = launcherPath(install.paths, name);
    if (stateOf(path, text) === "right") continue;
    writeAtomic(path, text, { mode: 0o755 });
    Deno.chmodSync(path, 0o755);
    written.push(path);
  }
  return written;
}
