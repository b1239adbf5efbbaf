/** Frees the data folder for another clone, once no settings file holds our hooks. */

import { removeIfThere } from "../files.ts";
import type { Env, Paths } from "../paths.ts";
import { unlinkCommand } from "./path_link.ts";
import { knownSettings, oursIn } from "./registered.ts";
import { installFile } from "./scope.ts";

/** The launchers stay: sessions that were spawned still call them. */
export function release(env: Env, paths: Paths, cwd: string): string[] {
  const isUsed = knownSettings(paths, cwd).some((file) => oursIn(file, paths.root).length > 0);
  if (isUsed) return [];
  removeIfThere(installFile(paths.data));
  const link = unlinkCommand(env, paths);
  return link === undefined ? [] : [`Removed the link ${link}`];
}
