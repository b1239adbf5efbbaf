/** What launchers were written with, as far as it is as good as what they would be written with now. */

import { isFile, readTextIfThere } from "../files.ts";
import { openclawPlaces } from "../delivery/openclaw_config.ts";
import type { Env, Paths } from "../paths.ts";
import { run } from "../process.ts";
import { lastingPath, type LauncherPlaces, launcherPlaces, TELLING } from "./launcher_places.ts";
import { findProgram, isProgram } from "../doors/programs.ts";
import { launcherPath } from "./scope.ts";
import { simpleCommands } from "./shell_words.ts";

export interface Written {
  /** Of `deliver`, the only one that has its own. */
  path?: string | undefined;
  /** Undefined where no launcher tells. */
  variables?: ReadonlyMap<string, string>;
}

export function readWritten(paths: Paths): Written {
  const texts = ["deliver", "menu-driver", "recover"].map((name) =>
    textOf(launcherPath(paths, name))
  );
  const path = simpleCommands(/^PATH=.*$/m.exec(texts[0]!)?.[0] ?? "")[0]?.[0];
  const variables = texts.map(exportedIn).find((found) => found !== undefined);
  return {
    ...(path === undefined ? {} : { path: path.slice("PATH=".length) }),
    ...(variables === undefined ? {} : { variables }),
  };
}

/** Whoever looks may have another environment than who registered, and neither is wrong. */
export function placesLike(written: Written, env: Env): LauncherPlaces {
  const { path, variables } = written;
  const told = toldBy(variables, env);
  const then: Env = (name) => name === "PATH" ? path : told(name);
  const isGood = path !== undefined && lastingPath(then) === path;
  const named = variables?.get("GSD_OPENCLAW");
  const openclaw = findProgram(env, "GSD_OPENCLAW", "openclaw") ??
    (named !== undefined && isProgram(named) ? named : undefined) ??
    (isGood ? findProgram(then, "GSD_OPENCLAW", "openclaw") : undefined);
  return launcherPlaces(isGood ? then : told, openclaw);
}

/** The environment with the variables of the launchers in place of its own. */
function toldBy(variables: Written["variables"], env: Env): Env {
  if (variables === undefined) return env;
  const then: Env = (name) => TELLING.includes(name) ? variables.get(name) : env(name);
  const moved = !isFile(openclawPlaces(then).config) && isFile(openclawPlaces(env).config);
  return moved ? (name) => name.startsWith("OPENCLAW_") ? env(name) : then(name) : then;
}

/** Why the deliverer cannot run OpenClaw's program; undefined when it can, or is only slow. */
export async function whyNoOpenclaw(
  places: LauncherPlaces,
  home: string,
): Promise<string | undefined> {
  if (places.openclaw === undefined) return undefined;
  const env = { HOME: home, PATH: places.path, ...places.variables };
  const outcome = await run(places.openclaw, ["--version"], { timeoutMs: 30_000, env, cwd: "/" });
  if (outcome.kind === "missing") return outcome.reason;
  if (outcome.kind === "timeout" || outcome.code === 0) return undefined;
  return outcome.stderr.trim().split("\n")[0] || `it ended with code ${outcome.code}`;
}

function exportedIn(launcher: string): Map<string, string> | undefined {
  const line = simpleCommands(launcher).find((words) =>
    words[0] === "export" && words.some((word) => word.startsWith("GSD_STATE_DIR="))
  );
  return line && new Map(
    line.slice(1).map((word) => {
      const at = word.indexOf("=");
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}

function textOf(file: string): string {
  try {
    return readTextIfThere(file) ?? "";
  } catch {
    return ""; // said by its state
  }
}
