/** The small scripts in the data folder: how hooks and agents start our commands. */

import { ensureDir, readTextIfThere, writeAtomic } from "../files.ts";
import { placesOf } from "./hook_command.ts";
import { configPath, readGatewayTarget } from "../delivery/openclaw_config.ts";
import { type Env, ENV_NAMES } from "../paths.ts";
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

/** What the launchers need to know beyond what hooks do. */
export interface LauncherPlaces {
  denoDir?: string;
  openclaw?: string;
  /** Files that tell where OpenClaw's gateway is and how to be let in. */
  gatewayFiles: readonly string[];
  gatewayHosts: readonly string[];
  /** Where OpenClaw keeps its things, when it is told so by its own variables. */
  openclawPlaces: Readonly<Record<string, string>>;
}

const OPENCLAW_PLACES = [
  "OPENCLAW_HOME",
  "OPENCLAW_STATE_DIR",
  "OPENCLAW_CONFIG_PATH",
  "OPENCLAW_PROFILE",
];

export function launcherPlaces(env: Env, openclaw: string | undefined): LauncherPlaces {
  const config = configPath(env);
  const reading = readGatewayTarget(env);
  const target = reading.kind === "target" ? reading.target : undefined;
  const host = target === undefined ? undefined : new URL(target.url).hostname;
  const denoDir = env("DENO_DIR");
  return {
    ...(denoDir ? { denoDir } : {}),
    ...(openclaw === undefined ? {} : { openclaw }),
    gatewayFiles: [
      config,
      `${config.slice(0, config.lastIndexOf("/"))}/.env`,
      ...(target?.certificateFile ? [target.certificateFile] : []),
    ],
    openclawPlaces: Object.fromEntries(
      OPENCLAW_PLACES.flatMap((name) => env(name) ? [[name, env(name)!]] : []),
    ),
    gatewayHosts: [...new Set(["127.0.0.1", "localhost", "[::1]", ...(host ? [host] : [])])],
  };
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

/**
 * Claude Code ends a hook with all its descendants; the deliverer forked twice is none of them.
 * `--wait` as its first argument keeps it in the foreground, for people and timers.
 */
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
    ...(places.denoDir === undefined ? {} : { DENO_DIR: places.denoDir }),
    ...places.openclawPlaces,
  };
  const start = launcher.name === "deliver"
    ? [
      "cd /",
      `if [ "$1" = --wait ]; then shift; exec ${run}; fi`,
      "own=$(command -v setsid)", // not everywhere; where it is, no terminal can end it
      `( $own ${run} </dev/null >/dev/null 2>&1 & )`,
    ]
    : [`exec ${run}`];
  return [
    "#!/bin/sh",
    "# Made by `deno task register` of gsd-code-skill, which writes it anew each time.",
    `[ -n "$HOME" ] || HOME=${shellQuote(install.home)}`,
    `[ -n "$PATH" ] || PATH=/usr/local/bin:/usr/bin:/bin`,
    "export HOME PATH",
    exportLine(variables),
    ...start,
    "",
  ].join("\n");
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
export function installLaunchers(install: Installation, places: LauncherPlaces): string[] {
  ensureDir(`${install.paths.data}/bin`);
  const written: string[] = [];
  for (const launcher of launchersOf(install, places)) {
    const path = launcherPath(install.paths, launcher.name);
    const text = launcherText(launcher, install, places);
    if (stateOf(path, text) === "right") continue;
    writeAtomic(path, text, { mode: 0o755 });
    Deno.chmodSync(path, 0o755);
    written.push(path);
  }
  return written;
}
