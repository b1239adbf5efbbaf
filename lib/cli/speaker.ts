/** Writes lines for the caller of a command. */

export interface Speaker {
  /** The result, on standard output. */
  say(line: string): void;
  /** Not the result: progress, and why something failed. */
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
    // The reader has gone. The command goes on.
  }
}
