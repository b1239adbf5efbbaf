/** Programs that are started, fed and listened to. */

import type { Outcome } from "../process.ts";

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** In words: what it said, and how it ended. */
export function whyFailed(outcome: Outcome): string {
  if (outcome.kind === "timeout") return `no end in ${outcome.afterMs} ms`;
  if (outcome.kind === "missing") return outcome.reason;
  const said = (outcome.stderr.trim() || outcome.stdout.trim()).replace(/\s*\n\s*/g, " ");
  return `${said || "it said nothing"} (exit code ${outcome.code})`;
}

export interface Started {
  child: Deno.ChildProcess;
  done: Promise<Ended>;
}

/** Starts a program with these variables alone. It may end without reading what it is fed. */
export function startProgram(
  [program, ...args]: string[],
  env: Record<string, string>,
  stdin: string | Uint8Array = "",
  signal?: AbortSignal,
): Started {
  const child = new Deno.Command(program!, {
    args,
    env,
    clearEnv: true,
    signal,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const input = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
  const fed = writer.write(input).then(() => writer.close()).catch(() => {});
  const done = child.output().then(async ({ code, stdout, stderr }) => {
    await fed;
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  });
  return { child, done };
}
