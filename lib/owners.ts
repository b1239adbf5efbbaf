/**
 * Which agent a session was given to, by spawn or adopt: its launch record says so. The records are
 * in the data folder, which hooks can read and not write.
 */

import { namesIn, readTextIfThere } from "./files.ts";
import { isObject } from "./json.ts";
import { type Paths, safeName } from "./paths.ts";

export function launchesDir({ data }: Pick<Paths, "data">): string {
  return `${data}/launches`;
}

/** The agent that a session has by its record; undefined without one that can be used. */
export function ownerOf(paths: Pick<Paths, "data">, session: string): string | undefined {
  const record = recordOf(paths, session);
  return record === undefined || record.moved_to !== undefined
    ? undefined
    : textOr(record.agent_id, undefined);
}

/** The name that a session has now; a session that was renamed is found by its earlier names. */
export function currentName(paths: Pick<Paths, "data">, session: string): string {
  const seen = new Set<string>();
  for (let name = session; !seen.has(name);) {
    seen.add(name);
    const next = textOr(recordOf(paths, name)?.moved_to, undefined);
    if (next === undefined) return name;
    name = next;
  }
  return session;
}

/** When the session was ended by `gsd-code stop`; undefined where it was not. */
export function stoppedAt(paths: Pick<Paths, "data">, session: string): string | undefined {
  return textOr(recordOf(paths, session)?.stopped_at, undefined);
}

function recordOf(
  paths: Pick<Paths, "data">,
  session: string,
): Record<string, unknown> | undefined {
  const [dir, name] = [launchesDir(paths), `${safeName(session)}.json`];
  try {
    // A look into the folder: to ask for a file that is missing costs a hook more.
    const text = namesIn(dir).includes(name) ? readTextIfThere(`${dir}/${name}`) : undefined;
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return isObject(value) && value.session === session ? value : undefined;
  } catch {
    return undefined; // broken, or the launchers of an earlier version may not read it
  }
}

function textOr<T>(value: unknown, other: T): string | T {
  return typeof value === "string" && value !== "" ? value : other;
}
