/** The door to other programs: no shell, a clean environment, a time limit on every call. */

import { messageOf } from "./json.ts";
import { TIME_IS_UP, within } from "./time.ts";

export { messageOf } from "./json.ts";

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

/**
 * The folders of PATH in which programs are looked for. A relative one is another folder wherever we
 * are called, and npm puts the current folder's own programs in front of all others.
 */
export function foldersOf(path: string): string[] {
  return path.split(":").filter((folder) =>
    folder.startsWith("/") && !/\/node_modules\/\.bin(\/|$)/.test(folder)
  );
}

/** Our environment, with a PATH that is safe to hand on: programs that we start look there too. */
export function safeEnvironment(): Record<string, string> {
  const all = Deno.env.toObject();
  return all.PATH === undefined ? all : { ...all, PATH: foldersOf(all.PATH).join(":") };
}

/** Where a bare name is: a program by that name in the current folder must never be run. */
function located(program: string): string | undefined {
  if (program.includes("/")) return program;
  for (const folder of foldersOf(Deno.env.get("PATH") ?? "")) {
    try {
      if (Deno.statSync(`${folder}/${program}`).isFile) return `${folder}/${program}`;
    } catch (error) {
      // A launcher's program may not look; its PATH is the one of the registration.
      if (error instanceof Deno.errors.NotCapable) return program;
    }
  }
  return undefined;
}

export async function run(
  program: string,
  args: string[],
  options: RunOptions,
): Promise<Outcome> {
  const stop = new AbortController();
  const file = located(program);
  if (file === undefined) return { kind: "missing", program, reason: `no ${program} is on PATH` };
  const command = new Deno.Command(file, {
    args,
    env: options.env,
    clearEnv: true,
    cwd: options.cwd,
    stdin: options.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    signal: stop.signal,
  });
  let output: Deno.CommandOutput | typeof TIME_IS_UP;
  try {
    // Streams are slow to load: only a program that is fed needs a handle with any.
    const ending = options.stdin === undefined ? command.output() : fed(command, options.stdin);
    output = await within(ending, options.timeoutMs);
  } catch (error) {
    const isThere = !(error instanceof Deno.errors.NotFound);
    return {
      kind: "missing",
      program,
      reason: isThere ? messageOf(error) : `no ${program} is there`,
    };
  }
  if (output === TIME_IS_UP) {
    if (!options.keepOnTimeout) stop.abort(); // SIGTERM; do not wait for its end
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

async function fed(command: Deno.Command, text: string): Promise<Deno.CommandOutput> {
  const child = command.spawn();
  const feeding = async () => {
    try {
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode(text));
      await writer.close();
    } catch {
      // The program ended without reading it all: its exit code says why.
    }
  };
  const [output] = await Promise.all([child.output(), feeding()]);
  return output;
}
