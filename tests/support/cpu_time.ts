/** Processor time, which does not depend on how busy the machine is. */

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

/** Linear work on some hundred thousand characters takes less than this. */
export const TOO_LONG_MS = 5000;
