/** The small scripts in the data folder: how hooks and agents start our commands. */

import { ensureDir, readTextIfThere, writeAtomic } from "../files.ts";
import { placesOf } from "./hook_command.ts";
import { type LauncherPlaces, TELLING } from "./launcher_places.ts";
import { ENV_NAMES } from "../paths.ts";
export { launcherPlaces } from "./launcher_places.ts";
import { type Installation, launcherPath, type Scope, scopeFlags } from "./scope.ts";
import { exportLine, shellQuote } from "../shell.ts";

export interface Launcher {
  name: "deliver" | "menu-driver" | "recover";
  command: string;
  /** "all" for what starts other programs on purpose, in an environment of their own. */
  scope: Scope | "all";
  /** Without packages it needs neither our deno.json nor Deno's cache. */
  usesPackages: boolean;
}

export function launchersOf(install: Installation, places: LauncherPlaces): Launcher[] {
  const { paths, tmux } = install;
  const code = [`${paths.root}/lib`, `${paths.root}/commands`];
  const common = { read: [...code, paths.registry, paths.state], write: [paths.state] };
  return [
    {
      name: "deliver",
      command: "deliver.ts",
      scope: {
        env: ["*"], // a gateway's token may stand in a variable of any name
        read: [...common.read, ...places.gatewayFiles],
        write: common.write,
        run: [places.openclaw ?? "openclaw"],
        net: places.gatewayHosts,
      },
      usesPackages: false,
    },
    {
      name: "menu-driver",
      command: "menu_driver.ts",
      scope: {
        env: [...ENV_NAMES, "NO_COLOR", "TMUX_TMPDIR", "GSD_TMUX_SOCKET"],
        ...common,
        run: [tmux, "/bin/ps"], // Deno gives /proc only to those who may do everything
        net: [],
      },
      usesPackages: false,
    },
    { name: "recover", command: "recover.ts", scope: "all", usesPackages: true },
  ];
}

export function launcherText(
  launcher: Launcher,
  install: Installation,
  places: LauncherPlaces,
): string {
  const words = [
    install.deno,
    "run",
    ...(launcher.usesPackages
      ? [`--config=${install.paths.root}/deno.json`, "--frozen"]
      : ["--no-lock", "--no-config", "--no-npm", "--no-remote"]),
    "--cached-only",
    "--no-prompt",
    "--quiet",
    ...flagsOf(install.allowAll ? "all" : launcher.scope),
    `${install.paths.root}/commands/${launcher.command}`,
  ];
  const run = `${words.map(shellQuote).join(" ")} "$@"`;
  const variables = {
    ...placesOf(install),
    ...(places.openclaw === undefined ? {} : { GSD_OPENCLAW: places.openclaw }),
    ...places.variables,
  };
  return [
    "#!/bin/sh",
    "# Made by `deno task register` of gsd-code-skill, which writes it anew each time.",
    ...(launcher.name === "deliver" ? fixedStart(install, places) : freeStart(install)),
    "export HOME PATH",
    exportLine(variables),
    ...(launcher.name === "deliver" ? inBackground(run, places.setsid) : [`exec ${run}`]),
    "",
  ].join("\n");
}

/** People and agents run these, each with their own PATH; a hook may not. */
function freeStart(install: Installation): string[] {
  return [
    `[ -n "$HOME" ] || HOME=${shellQuote(install.home)}`,
    `[ -n "$PATH" ] || PATH=/usr/local/bin:/usr/bin:/bin`,
  ];
}

/** A hook may run this one, so nothing it could put into the environment decides what is run. */
function fixedStart(install: Installation, places: LauncherPlaces): string[] {
  const foreign = ["GSD_OPENCLAW", "NODE_OPTIONS", "DENO_V8_FLAGS", ...TELLING];
  return [
    "unset -f cd", // a bash that plays sh takes functions from the environment
    `unset ${foreign.join(" ")}`,
    `HOME=${shellQuote(install.home)}`,
    `PATH=${shellQuote(places.path)}`,
  ];
}

/**
 * Claude Code ends a hook with all its descendants; the deliverer forked twice is none of them.
 * `--wait` as its first argument keeps it in the foreground, for people and timers.
 */
function inBackground(run: string, setsid: string | undefined): string[] {
  const own = setsid === undefined ? "" : `${shellQuote(setsid)} `;
  return [
    "cd /",
    `case "$1" in --wait) shift; exec ${run};; esac`,
    `( ${own}${run} </dev/null >/dev/null 2>&1 & )`,
  ];
}

function flagsOf(scope: Scope | "all"): string[] {
  if (scope === "all") return ["-A"];
  return scopeFlags(scope).map((flag) => flag === "--allow-env=*" ? "--allow-env" : flag);
}

export type LauncherState = "missing" | "different" | "not executable" | "right";

export function stateOf(path: string, text: string): LauncherState {
  const present = readTextIfThere(path);
  if (present === undefined) return "missing";
  if (present !== text) return "different";
  return ((Deno.statSync(path).mode ?? 0o755) & 0o100) === 0 ? "not executable" : "right";
}

/** Writes those that are not as they should be, and names them. */
export function installLaunchers(
  install: Installation,
  places: LauncherPlaces,
  names: readonly Launcher["name"][] = ["deliver", "menu-driver", "recover"],
): string[] {
  ensureDir(`${install.paths.data}/bin`);
  const written: string[] = [];
  for (const launcher of launchersOf(install, places)) {
    if (!names.includes(launcher.name)) continue;
    const path = launcherPath(install.paths, launcher.name);
    const text = launcherText(launcher, install, places);
    if (stateOf(path, text) === "right") continue;
    writeAtomic(path, text, { mode: 0o755 });
    Deno.chmodSync(path, 0o755);
    written.push(path);
  }
  return written;
}
