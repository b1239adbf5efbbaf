/** The scripts in the data folder's bin/: how Claude Code, agents and people start our programs. */

import { pinDeno } from "../doors/deno_binary.ts";
import { realPath } from "../doors/user_file.ts";
import { REGISTERED_GATEWAY } from "../delivery/gateway_address.ts";
import { ensureDir, readTextIfThere, writeAtomic } from "../files.ts";
import { launchesDir } from "../known_sessions.ts";
import { ENV_NAMES } from "../paths.ts";
import { assignments, exportLine, shellQuote } from "../text.ts";
import { captureLauncherText, shebang } from "./capture_launcher.ts";
import { commandLauncherText, gsdCodeText } from "./command_launcher.ts";
import { menuDriverText, queueRunText } from "./driver_launchers.ts";
import { hookLauncherText } from "./hook_launcher.ts";
import { writeInstallation } from "./install_file.ts";
import { type InstallPlan, MOVING_VARIABLES } from "./installation.ts";
import {
  ourFiles,
  PLAIN_SHELL,
  runLine,
  scriptText,
  variablesOf,
  withFlags,
  WITHOUT_STEERING,
} from "./launcher_parts.ts";
import { type Installation, installFile, launcherPath } from "./scope.ts";
import { writeMod } from "./mod_copy.ts";
import { statusLauncherText } from "./status_launcher.ts";
import { COMPANION_V8_FLAGS } from "./v8_flags.ts";

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
 * A hook may run this one, so its environment must not decide what is run. It is forked twice:
 * Claude Code ends a hook with all its descendants. `--wait` as the first argument keeps it in the
 * foreground, for people and timers.
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

/** Writes install.json, the mod and outdated launchers. Returns the paths of those launchers. */
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
