/** Lines for whoever called a command. */

export interface Speaker {
  /** The result, on standard output. */
  say(line: string): void;
  /** Beside the result: progress, and why something could not be done. */
  warn(line: string): void;
}

export const terminal: Speaker = {
  say: (line) => write(Deno.stdout, line),
  warn: (line) => write(Deno.stderr, line),
};

function write(to: { writeSync(bytes: Uint8Array): number }, line: string): void {
  const bytes = new TextEncoder().encode(`${line}\n`);
  try {
    for (let at = 0; at < bytes.length;) at += to.writeSync(bytes.subarray(at));
  } catch {
    // Nobody listens any more: what was done stays done.
  }
}
