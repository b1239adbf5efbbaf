/** What each of our programs may touch, spelled out with absolute paths. */

import { realPath } from "../doors/user_file.ts";
import { launchesDir } from "../known_sessions.ts";
import { ENV_NAMES, type Paths } from "../paths.ts";
import type { HookEntry } from "./hook_list.ts";

export interface Scope {
  env: readonly string[];
  read: readonly string[];
  write: readonly string[];
  run: readonly string[];
  net: readonly string[];
}

/** The facts that install.json keeps: every launcher's text is made of them alone. */
export interface Installation extends LauncherPlaces {
  paths: Paths;
  home: string;
  deno: string;
  tmux: string;
  /** Folders in which Claude Code keeps transcripts. */
  transcripts: readonly string[];
  allowAll: boolean;
}

/** Facts that the environment of the registration decides. */
export interface LauncherPlaces {
  openclaw?: string;
  /** Not every system has it. It lets a program survive the end of its terminal. */
  setsid?: string;
  /** PATH for programs that start others, as openclaw starts node. */
  path: string;
  /** Files that say where OpenClaw's gateway is and how to log in. */
  gatewayFiles: readonly string[];
  gatewayHosts: readonly string[];
  /** Its address, such as `ws://127.0.0.1:18789`; another one gets no token. */
  gateway?: string;
  /** Set variables that move the folders of Deno and OpenClaw. */
  variables: Readonly<Record<string, string>>;
}

export function launcherPath(paths: Paths, name: string): string {
  return `${paths.data}/bin/${name}`;
}

export function installFile(data: string): string {
  return `${data}/install.json`;
}

/**
 * A hook writes into the state folder alone: the registry and the launchers are beyond it. It runs
 * no program, since bin/hook asks tmux and starts the deliverer. Only one that waits has to do so
 * itself: for a reply, or beside a dialog, where it also looks at the screen.
 */
export function hookScope(install: Installation, { timeout }: Pick<HookEntry, "timeout">): Scope {
  const { paths } = install;
  const launchers = { answer: ["deliver", "capture"], reply: ["deliver"] };
  const runs = typeof timeout === "number" ? [] : launchers[timeout];
  return {
    env: ENV_NAMES,
    read: [
      `${paths.root}/hooks`,
      `${paths.root}/lib`,
      paths.registry,
      paths.state,
      `${paths.data}/bin`,
      launchesDir(paths),
      installFile(paths.data),
      ...install.transcripts,
      // Beside the transcripts: whether each Claude Code works, and since when.
      ...install.transcripts.map((folder) => folder.replace(/\/projects$/, "/sessions")),
    ],
    write: [paths.state],
    run: runs.map((name) => launcherPath(paths, name)),
    net: [],
  };
}

export function scopeFlags(scope: Scope): string[] {
  return (["env", "read", "write", "run", "net"] as const)
    .filter((name) => scope[name].length > 0)
    .map((name) => `--allow-${name}=${[...new Set(scope[name])].join(",")}`);
}

/** Why an installation cannot be kept within a scope; undefined when it can. */
export function whyUnsafe(install: Installation): string | undefined {
  const { paths, openclaw } = install;
  const places = {
    "the launchers": paths.data,
    "the registry": paths.registry,
    "this project": paths.root,
    "Deno": install.deno,
    "tmux": install.tmux,
    "Claude Code's folder": paths.claudeConfig,
    ...(openclaw === undefined ? {} : { "OpenClaw": openclaw }),
  };
  for (const [what, place] of Object.entries(places)) {
    const { state } = paths;
    if (isWithin(place, state) || isWithin(realPath(place), realPath(state))) {
      return `Cannot keep hooks away from ${what}: ${place} lies in the state folder ` +
        `${state}, where hooks may write; set GSD_STATE_DIR to a folder of its own`;
    }
  }
  if (install.allowAll) return undefined;
  const { read, run } = hookScope(install, { timeout: "answer" });
  const listed = [...read, ...run, install.tmux, openclaw ?? "", ...install.gatewayFiles];
  const comma = listed.find((path) => path.includes(","));
  return comma === undefined
    ? undefined
    : `Cannot spell out permissions for ${comma}: Deno separates paths by commas and this one ` +
      "holds one; move it, or register with --allow-all";
}

export function isWithin(path: string, folder: string): boolean {
  const parent = folder === "/" ? "/" : `${folder}/`;
  return path === folder || path.startsWith(parent);
}
