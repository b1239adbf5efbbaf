/** Which Deno the hooks are registered with: one that no cache clean-up removes. */

import { ensureDir, removeIfThere } from "../files.ts";
import type { Paths } from "../paths.ts";

export type DenoChoice =
  | { kind: "as it is"; path: string }
  /** `from` is linked or copied to `path`. */
  | { kind: "pin"; path: string; from: string };

/** Caches of npx and the like, which are cleaned up without asking. */
const SWEPT = ["/_npx/", "/dlx/", "/dlx-", "/bunx-", "/.bun/install/cache/"];
const TEMPORARY = ["/tmp/", "/var/tmp/", "/dev/shm/"];
/** A new version is another folder there; the link on PATH stays. */
const VERSIONED = ["/Cellar/", "/nix/store/"];

/** `links`: the `deno`s on PATH that lead to `execPath`. */
export function chooseDeno(execPath: string, paths: Paths, links: string[]): DenoChoice {
  const pinned = pinnedDeno(paths);
  if (execPath === pinned) return { kind: "as it is", path: pinned };
  if (isSwept(execPath) || TEMPORARY.some((folder) => execPath.startsWith(folder))) {
    return { kind: "pin", path: pinned, from: execPath };
  }
  const versioned = VERSIONED.some((part) => execPath.includes(part));
  return { kind: "as it is", path: (versioned ? links[0] : undefined) ?? execPath };
}

export function isSwept(path: string): boolean {
  return SWEPT.some((part) => path.includes(part));
}

export function pinnedDeno(paths: Paths): string {
  return `${paths.data}/bin/deno`;
}

/** A hard link, else a copy; replaced in one step, since a hook may be starting. */
export function pinDeno(execPath: string, pinned: string): void {
  if (sameFile(execPath, pinned)) return;
  ensureDir(pinned.slice(0, pinned.lastIndexOf("/")));
  const temporary = `${pinned}.${Deno.pid}.tmp`;
  removeIfThere(temporary);
  try {
    Deno.linkSync(execPath, temporary);
  } catch {
    Deno.copyFileSync(execPath, temporary);
    Deno.chmodSync(temporary, 0o755);
  }
  Deno.renameSync(temporary, pinned);
  removeIfThere(temporary); // renaming one link of a file over another leaves both
}

function sameFile(a: string, b: string): boolean {
  try {
    const [first, second] = [Deno.statSync(a), Deno.statSync(b)];
    return first.ino === second.ino && first.dev === second.dev;
  } catch {
    return false;
  }
}
