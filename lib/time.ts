/** Waiting, with a limit. */

export const TIME_IS_UP = Symbol("time is up");

/**
 * Runs it once, later. Not by `setTimeout`: its first use costs 7 ms and 4 MB in every process. It
 * keeps the process alive, which `Atomics.waitAsync` does not.
 */
export function runAfter(ms: number, work: () => void): { cancel(): void } {
  const signal = AbortSignal.timeout(Math.max(0, ms)); // throws for what is no time
  const listener = () => work();
  signal.addEventListener("abort", listener, { once: true });
  return { cancel: () => signal.removeEventListener("abort", listener) };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void runAfter(ms, resolve));
}

/** The clock of code that waits; tests pass another one. */
export interface Clock {
  /** Milliseconds since any moment. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

export const realClock: Clock = { now: () => performance.now(), sleep: pause };

/** The promise's value, or TIME_IS_UP after `ms`. Costs no start-up, as `setTimeout` would. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | typeof TIME_IS_UP> {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const timer = Atomics.waitAsync(cell, 0, 0, ms);
  if (!timer.async) return TIME_IS_UP;
  try {
    const winner = await Promise.race([promise, timer.value.then(() => TIME_IS_UP)]);
    return winner as T | typeof TIME_IS_UP;
  } finally {
    Atomics.notify(cell, 0); // a timer left waiting would keep the process alive
  }
}
