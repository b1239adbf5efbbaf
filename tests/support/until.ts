/** Waits of tests. A limit only ends a test that hangs: on a busy machine it is longer. */

import { until as untilLimit, type UntilOptions } from "../../lib/demo/until.ts";

export { pause } from "../../lib/time.ts";
export type { UntilOptions };

export function until<T>(
  what: string,
  look: Parameters<typeof untilLimit<T>>[1],
  options: UntilOptions = {},
): Promise<T> {
  return untilLimit(what, look, { slowness: programsPerCore, ...options });
}

/** Those that want to run, over the last minute: between one and eight. */
function programsPerCore(): number {
  return Math.min(8, Math.max(1, Deno.loadavg()[0]! / navigator.hardwareConcurrency));
}
