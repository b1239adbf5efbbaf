/** Waiting in tests. */

export { until, type UntilOptions } from "../../lib/demo/until.ts";
export { pause } from "../../lib/time.ts";
