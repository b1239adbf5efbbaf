/** The door to other programs: no shell, a clean environment, a time limit on every call. */

export interface Finished {
  kind: "finished";
  code: number;
  stdout: string;
  stderr: string;
}
export type Outcome =
  | Finished
  | { kind: "timeout"; afterMs: number }
  | { kind: "missing"; program: string; reason: string };

export interface RunOptions {
  timeoutMs: number;
  /** The whole environment of the program: nothing is inherited. */
  env: Record<string, string>;
  stdin?: string;
  cwd?: string;
  /** Left running when the time is up, where ending it would do harm. */
  keepOnTimeout?: boolean;
}

export async function run(
  program: string,
  args: string[],
  options: RunOptions,
): Promise<Outcome> {
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, {
      args,
      env: options.env,
      clearEnv: true,
      cwd: options.cwd,
      stdin: options.stdin === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (error) {
    return { kind: "missing", program, reason: messageOf(error) };
  }
  if (options.stdin !== undefined) feed(child, options.stdin);
  const output = await within(child.output(), options.timeoutMs);
  if (output === TIME_IS_UP) {
    if (!options.keepOnTimeout) killQuietly(child);
    // The pipes may be held by a grandchild for ever; the caller must still be able to end.
    child.unref();
    return { kind: "timeout", afterMs: options.timeoutMs };
  }
  const decoder = new TextDecoder();
  return {
    kind: "finished",
    code: output.code,
    stdout: decoder.decode(output.stdout),
    stderr: decoder.decode(output.stderr),
  };
}

/** Starts a program that outlives us: own session, no stdio of ours. Throws when it cannot start. */
export function startDetached(program: string, args: string[], env: Record<string, string>): void {
  new Deno.Command(program, {
    args,
    env,
    clearEnv: true,
    cwd: "/",
    detached: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn().unref();
}

const TIME_IS_UP = Symbol("time is up");

/** The promise's value, or TIME_IS_UP. `Atomics.waitAsync` is a timer that costs no start-up. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | typeof TIME_IS_UP> {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const timer = Atomics.waitAsync(cell, 0, 0, ms);
  if (!timer.async) return TIME_IS_UP;
  const winner = await Promise.race([promise, timer.value.then(() => TIME_IS_UP)]);
  Atomics.notify(cell, 0); // a timer left waiting would keep the process alive
  return winner as T | typeof TIME_IS_UP;
}

async function feed(child: Deno.ChildProcess, text: string): Promise<void> {
  try {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch {
    // The program ended without reading it all: its exit code tells why.
  }
}

function killQuietly(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It had just ended.
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
