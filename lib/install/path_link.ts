/** A link to bin/gsd-code in ~/.local/bin, where people find commands. */

import { isThere, removeIfThere } from "../files.ts";
import type { Env, Paths } from "../paths.ts";
import { messageOf } from "../process.ts";
import { launcherPath } from "./scope.ts";

/** What register says about the link. One that is not ours stays. */
export function linkCommand(env: Env, paths: Paths): string[] {
  const launcher = launcherPath(paths, "gsd-code");
  const folder = `${env("HOME") ?? ""}/.local/bin`;
  const link = `${folder}/gsd-code`;
  const onPath = (env("PATH") ?? "").split(":").map((one) => one.replace(/\/+$/, ""));
  if (!folder.startsWith("/") || !onPath.includes(folder)) {
    return [`Command: ${launcher}; ~/.local/bin is not on PATH, so there is no link to it`];
  }
  const present = targetOf(link);
  if (present === launcher) return [];
  // Ours is also the link of another data folder, or of one that is gone.
  const isOurs = present?.endsWith("/gsd-code-skill/bin/gsd-code") ?? !isThere(link);
  if (!isOurs) return [`Command: ${launcher}; ${link} is not ours and stays as it is`];
  try {
    Deno.mkdirSync(folder, { recursive: true });
    const temporary = `${link}.${Deno.pid}.tmp`;
    removeIfThere(temporary);
    Deno.symlinkSync(launcher, temporary);
    Deno.renameSync(temporary, link);
    return [`Command: gsd-code (${link} leads to ${launcher})`];
  } catch (error) {
    return [`Command: ${launcher}; cannot make the link ${link}: ${messageOf(error)}`];
  }
}

/** Removes the link if it leads to this data folder. */
export function unlinkCommand(env: Env, paths: Paths): string[] {
  const link = `${env("HOME") ?? ""}/.local/bin/gsd-code`;
  if (targetOf(link) !== launcherPath(paths, "gsd-code")) return [];
  removeIfThere(link);
  return [`Removed the link ${link}`];
}

function targetOf(link: string): string | undefined {
  try {
    return Deno.readLinkSync(link);
  } catch {
    return undefined;
  }
}
