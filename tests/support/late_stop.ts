/**
 * The Stop hook on a clock that moves only when the hook sleeps. LATE_LINES (`{"100": "text", …}`)
 * says after how many milliseconds of sleep each text is written.
 */

const file = Deno.env.get("LATE_FILE")!;
const late: [string, string][] = Object.entries(JSON.parse(Deno.env.get("LATE_LINES")!));
let slept = 0;
performance.now = () => slept;
Atomics.wait = ((_cells: unknown, _at: number, _value: number, ms = 0) => {
  slept += ms;
  while (late.length > 0 && slept >= Number(late[0]![0])) {
    Deno.writeTextFileSync(file, late.shift()![1], { append: true });
  }
  return "timed-out";
}) as typeof Atomics.wait;

const { runHook } = await import("../../lib/hook_utils.ts");
const { hook } = await import("../../hooks/stop.ts");
await runHook(hook);

export {};
