/** A link to bin/gsd-code where people find commands. */

import { isThere, removeIfThere } from "../files.ts";
import { messageOf } from "../process.ts";
import type { Env, Paths } from "../paths.ts";
import { launcherPath } from "./scope.ts";

export type LinkOutcome =
  | { kind: "linked"; link: string; isNew: boolean }
  /** There is no folder of the user's own on PATH. */
  | { kind: "nowhere" }
  | { kind: "not ours"; link: string }
  | { kind: "failed"; link: string; reason: string };

/** ~/.local/bin/gsd-code; undefined where that folder is not on PATH. */
function linkOnPath(env: Env): string | undefined {
  const folder = `${env("HOME") ?? ""}/.local/bin`;
  const folders = (env("PATH") ?? "").split(":").map((one) => one.replace(/\/+$/, ""));
  return folder.startsWith("/") && folders.includes(folder) ? `${folder}/gsd-code` : undefined;
}

/** A link of ours is replaced, also one of another data folder; anything else stays. */
export function linkCommand(env: Env, paths: Paths): LinkOutcome {
  const link = linkOnPath(env);
  if (link === undefined) return { kind: "nowhere" };
  const target = launcherPath(paths, "gsd-code");
  const present = targetOf(link);
  if (present === target) return { kind: "linked", link, isNew: false };
  if (present === undefined && isThere(link)) return { kind: "not ours", link };
  if (present !== undefined && !isOurs(present)) return { kind: "not ours", link };
  try {
    Deno.mkdirSync(link.slice(0, link.lastIndexOf("/")), { recursive: true });
    const temporary = `${link}.${Deno.pid}.tmp`;
    removeIfThere(temporary);
    Deno.symlinkSync(target, temporary);
    Deno.renameSync(temporary, link);
    return { kind: "linked", link, isNew: true };
  } catch (error) {
    return { kind: "failed", link, reason: messageOf(error) };
  }
}

/** The link that was removed; only one that leads to this data folder is. */
export function unlinkCommand(env: Env, paths: Paths): string | undefined {
  const link = `${env("HOME") ?? ""}/.local/bin/gsd-code`;
  if (targetOf(link) !== launcherPath(paths, "gsd-code")) return undefined;
  removeIfThere(link);
  return link;
}

/** Our launcher's name; the folder may be gone. */
function isOurs(target: string): boolean {
  return /\/gsd-code-skill\/bin\/gsd-code$/.test(target);
}

function targetOf(link: string): string | undefined {
  try {
    return Deno.readLinkSync(link);
  } catch {
    return undefined;
  }
}

/** What register says about it. */
export function linkNotes(env: Env, paths: Paths): string[] {
  const outcome = linkCommand(env, paths);
  const launcher = launcherPath(paths, "gsd-code");
  switch (outcome.kind) {
    case "linked":
      return outcome.isNew ? [`Command: gsd-code (${outcome.link} leads to ${launcher})`] : [];
    case "nowhere":
      return [`Command: ${launcher}; ~/.local/bin is not on PATH, so there is no link to it`];
    case "not ours":
      return [`Command: ${launcher}; ${outcome.link} is not ours and stays as it is`];
    case "failed":
      return [`Command: ${launcher}; cannot make the link ${outcome.link}: ${outcome.reason}`];
  }
}
