/** When the menu driver last ended something in a session: what follows at once is not a person's. */

import { readTextIfThere, writeAtomic } from "./files.ts";
import { type Paths, safeName } from "./paths.ts";

/** Claude Code reports the end of a turn within this time. */
const WITHIN_MS = 10_000;

function fileOf({ state }: Pick<Paths, "state">, session: string): string {
  return `${state}/locks/escape-${safeName(session)}`;
}

/** To be called before the key is pressed. */
export function noteEscape(paths: Pick<Paths, "state">, session: string, now: number): void {
  writeAtomic(fileOf(paths, session), String(now));
}

/** When it last did, in milliseconds since 1970. */
export function lastEscape(paths: Pick<Paths, "state">, session: string): number | undefined {
  try {
    return Number(readTextIfThere(fileOf(paths, session))) || undefined;
  } catch {
    return undefined;
  }
}

/** When it did, if a turn that ended at `at` may have been stopped by that. */
export function ownEscape(
  paths: Pick<Paths, "state">,
  session: string,
  at: number,
): number | undefined {
  const pressed = lastEscape(paths, session) ?? NaN;
  return at >= pressed && at - pressed < WITHIN_MS ? pressed : undefined;
}
