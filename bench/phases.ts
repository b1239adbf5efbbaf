/** Where the time of a delivery goes, from what `socket_times.ts` has noted. */

/** Each ends with the moment it names; times of the wall clock, in milliseconds. */
const PHASES = [
  ["start of the deliverer's Deno", "loaded"],
  ["its modules, lock, wake, config", "connecting"],
  ["connect", "connect answered"],
  ["resolve: the session is there", "sessions.resolve answered"],
  ["ack: the gateway takes the wake", "agent answered"],
] as const;

export function phasesFrom(began: number, times: Record<string, number>): Record<string, number> {
  let last = began;
  return Object.fromEntries(PHASES.map(([name, moment]) => {
    const at = times[moment];
    if (at === undefined) throw new Error(`The deliverer's socket has not come to "${moment}"`);
    const took = at - last;
    last = at;
    return [name, took];
  }));
}
