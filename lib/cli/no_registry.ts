/** What to say and do where there is no registry yet. */

import type { Paths } from "../paths.ts";
import { asCalled } from "./as_called.ts";

/** `spawn`: how it is called here. */
export function noRegistry({ registry, root }: Paths, spawn = asCalled("gsd-code spawn")): string {
  const example = `${root}/config/recovery-registry.example.json`;
  return `there is no registry at ${registry}; ${spawn} makes one, or copy ${example} there`;
}
