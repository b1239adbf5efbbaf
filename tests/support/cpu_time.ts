/** What work costs, however busy the machine is with other things. */

/** The milliseconds for which `work` had a processor. */
export function cpuMs(work: () => void): number {
  const before = spent();
  work();
  return spent() - before;
}

/** Of this thread: tests run side by side in one process. */
function spent(): number {
  const [nanoseconds] = Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ");
  return Number(nanoseconds) / 1e6;
}

/** What takes longer than this on some hundred thousand characters does not grow in proportion. */
export const TOO_LONG_MS = 5000;
