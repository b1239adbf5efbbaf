/** Waiting without timers: `Atomics.waitAsync` costs no start-up, `setTimeout` does. */

export const TIME_IS_UP = Symbol("time is up");

export async function pause(ms: number): Promise<void> {
  const timer = Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  if (timer.async) await timer.value;
}

/** The promise's value, or TIME_IS_UP after `ms`. */
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
