/**
 * The Stop hook on a clock that moves only when it is slept on. What comes late is written after so
 * many milliseconds of sleep, however long the machine takes: LATE_LINES is `{"100": "text", …}`.
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
