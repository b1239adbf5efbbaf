/** Where a program is: its variable first, then the folders of PATH. */

import type { Env } from "../paths.ts";
import { foldersOf } from "../process.ts";

export function findProgram(env: Env, variable: string, name: string): string | undefined {
  const named = env(variable);
  if (named !== undefined && named !== "") {
    if (!named.includes("/")) return onPath(env, named);
    // A relative path would be another program in every folder a hook starts in.
    return named.startsWith("/") && isProgram(named) ? named : undefined;
  }
  return onPath(env, name);
}

export function onPath(env: Env, name: string): string | undefined {
  return foldersOf(env("PATH") ?? "")
    .map((folder) => `${folder.replace(/\/+$/, "")}/${name}`)
    .find(isProgram);
}

export function isProgram(path: string): boolean {
  try {
    const info = Deno.statSync(path);
    return info.isFile && ((info.mode ?? 0o111) & 0o111) !== 0;
  } catch {
    return false;
  }
}
