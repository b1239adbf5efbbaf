/** One of our commands, as a line to paste. */

import { isSwept, pinnedDeno } from "../doors/deno_binary.ts";
import { isProgram, onPath } from "../doors/programs.ts";
import { realPath } from "../doors/user_file.ts";
import { readJsonIfThere } from "../files.ts";
import { isObject } from "../json.ts";
import type { Paths } from "../paths.ts";
import { shellQuote } from "../text.ts";
import type { World } from "./world.ts";

type Caller = Pick<World, "env" | "paths" | "cwd" | "deno">;

/** `gsd-code doctor --fix` where that is on PATH, else its whole path, else `deno task …`. */
export function taskCommand(caller: Caller, ...words: string[]): string {
  return [...(gsdCode(caller) ?? denoTask(caller)), ...words].map(shellQuote).join(" ");
}

function gsdCode({ env, paths }: Caller): string[] | undefined {
  const launcher = `${paths.data}/bin/gsd-code`;
  if (!isProgram(launcher) || !startsUs(paths)) return undefined;
  const found = onPath(env, "gsd-code");
  return [found !== undefined && realPath(found) === realPath(launcher) ? "gsd-code" : launcher];
}

/** It may belong to another clone, or start a Deno that is gone. */
function startsUs({ data, root }: Paths): boolean {
  const facts = readJsonIfThere(`${data}/install.json`);
  return isObject(facts) && facts.root === root && typeof facts.deno === "string" &&
    isProgram(facts.deno);
}

/** Where Deno came by npx there is no `deno` on PATH, but the pinned one. */
function denoTask({ env, paths, cwd, deno: running }: Caller): string[] {
  const pinned = pinnedDeno(paths);
  const found = onPath(env, "deno");
  const deno = found !== undefined && !isSwept(found) // npx puts its own in front for one call
    ? "deno"
    : isProgram(pinned)
    ? pinned
    : running;
  const isHere = `${cwd()}/`.startsWith(`${paths.root}/`);
  return [deno, "task", ...(isHere ? [] : ["--config", `${paths.root}/deno.json`])];
}
