/** Puts everything in place that hooks will call. */

import { pinDeno } from "../doors/deno_binary.ts";
import { isFile, readTextIfThere } from "../files.ts";
import type { Installed } from "./installation.ts";
import { type LauncherPlaces, launcherPlaces, whyNoLaunchers } from "./launcher_places.ts";
import { installLaunchers, launchersOf } from "./launchers.ts";
import type { Env } from "../paths.ts";
import { findProgram, isProgram } from "../doors/programs.ts";
import { launcherPath } from "./scope.ts";
import { simpleCommands } from "./shell_words.ts";

/**
 * `which`: "all" is for those who register. Whoever only starts a session may have a poorer
 * environment than the launchers were written in, and puts "missing" ones alone.
 */
export function putLaunchers(look: Installed, env: Env, which: "all" | "missing"): string[] {
  const { install } = look;
  const places = launcherPlaces(env, findProgram(env, "GSD_OPENCLAW", "openclaw"));
  const names = launchersOf(install, places).map(({ name }) => name);
  const wanted = which === "all"
    ? names
    : names.filter((name) => !works(launcherPath(install.paths, name)));
  const pinned = isProgram(look.deno.path);
  if (look.deno.kind === "pin" && (which === "all" || !pinned)) {
    pinDeno(look.deno.from, look.deno.path);
  }
  if (wanted.length === 0) return [];
  const reason = whyNoLaunchers(places, install.paths.state, install.allowAll);
  if (reason !== undefined) throw new Error(reason);
  return installLaunchers(install, places, wanted);
}

/** Writes those that are not as they would be with these places, and the Deno they start. */
export function mendLaunchers(look: Installed, places: LauncherPlaces): void {
  if (look.deno.kind === "pin") pinDeno(look.deno.from, look.deno.path);
  installLaunchers(look.install, places);
}

/** It is there, and so are the Deno and the command it starts. */
function works(path: string): boolean {
  const text = isProgram(path) ? readTextIfThere(path) ?? "" : "";
  const words = simpleCommands(text).flat();
  const run = words.indexOf("run");
  const script = words.find((word) => /\/commands\/[a-z_]+\.ts$/.test(word));
  return run > 0 && isProgram(words[run - 1]!) && script !== undefined && isFile(script);
}
