/** One of our commands, as a line to paste. */

import { isSwept, pinnedDeno } from "../doors/deno_binary.ts";
import { isProgram, onPath } from "../doors/programs.ts";
import { shellQuote } from "../shell.ts";
import type { World } from "./world.ts";

/** One of our tasks. Where Deno came by npx there is no `deno` on PATH, but the pinned one. */
export function taskCommand({ env, paths, cwd, deno: running }: World, ...words: string[]): string {
  const pinned = pinnedDeno(paths);
  const found = onPath(env, "deno");
  const deno = found !== undefined && !isSwept(found) // npx puts its own in front for one call
    ? "deno"
    : isProgram(pinned)
    ? pinned
    : running;
  const isHere = `${cwd()}/`.startsWith(`${paths.root}/`);
  const where = isHere ? [] : ["--config", `${paths.root}/deno.json`];
  return [deno, "task", ...where, ...words].map(shellQuote).join(" ");
}
