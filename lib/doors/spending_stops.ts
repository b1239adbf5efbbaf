/** Sessions in which a limit of spending is reached: a file each, written and removed by the watch. */

import { readTextIfThere, removeIfThere, writeAtomic } from "../files.ts";
import { isObject, messageOf } from "../json.ts";
import { type Paths, safeName } from "../paths.ts";

export interface SpendingStop {
  /** `$20.31 of $20.00 today`. */
  why: string;
  /** A new conversation ends it. */
  clears: boolean;
}

export function stopsDir({ state }: Pick<Paths, "state">): string {
  return `${state}/stopped`;
}

function fileOf(paths: Pick<Paths, "state">, session: string): string {
  return `${stopsDir(paths)}/${safeName(session)}.json`;
}

export function readStop(
  paths: Pick<Paths, "state">,
  session: string,
): SpendingStop | undefined {
  try {
    const text = readTextIfThere(fileOf(paths, session));
    if (text === undefined) return undefined;
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || typeof value.why !== "string") throw new Error("it has no reason");
    return { why: value.why, clears: value.clears === true };
  } catch (error) {
    // Where it cannot be read, money must not be spent.
    return { why: `${fileOf(paths, session)} cannot be used: ${messageOf(error)}`, clears: false };
  }
}

export function writeStop(
  paths: Pick<Paths, "state">,
  session: string,
  stop: SpendingStop,
): void {
  writeAtomic(fileOf(paths, session), JSON.stringify(stop));
}

export function removeStop(paths: Pick<Paths, "state">, session: string): void {
  removeIfThere(fileOf(paths, session));
}
