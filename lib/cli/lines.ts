/** Writes lines for the caller of a command. Text of others cannot steer the terminal. */

import { messageOf } from "../json.ts";

export interface Speaker {
  /** The result, on standard output. */
  say(line: string): void;
  /** Not the result: progress, and why something failed. */
  warn(line: string): void;
}

export const terminal: Speaker = {
  say: (line) => write(Deno.stdout, line),
  warn: (line) => write(Deno.stderr, asSentence(line)),
};

/** Replaces ESC in text that we colour. It is random, so foreign text cannot contain it. */
export const OUR_ESCAPE = `\u001b${crypto.randomUUID()}`;

// Controls but tab and newline, and what reverses or breaks a line.
// deno-lint-ignore no-control-regex
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** As it may be printed: control characters as JSON writes them, our own colours as they are. */
export function printable(text: string): string {
  return text.split(OUR_ESCAPE).map((part) => part.replaceAll("\r\n", "\n").replace(STEERING, code))
    .join("\u001b");
}

function code(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** For text of others within a line of ours: it must not begin a line that looks like ours. */
export function onOneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, " ").trim();
}

const MOST_OF_A_SENTENCE = 4000;

/** A sentence may repeat what the caller gave: that adds no line, and does not fill the terminal. */
export function asSentence(text: string): string {
  const line = text.replace(/\s*[\r\n]+\s*/g, " ");
  const left = line.length - MOST_OF_A_SENTENCE;
  return left <= 0 ? line : `${line.slice(0, MOST_OF_A_SENTENCE)}… (${left} more characters)`;
}

function write(to: { writeSync(bytes: Uint8Array): number }, line: string): void {
  const bytes = new TextEncoder().encode(`${printable(line)}\n`);
  try {
    for (let at = 0; at < bytes.length;) at += to.writeSync(bytes.subarray(at));
  } catch (error) {
    if (to === Deno.stdout) outputLost(error);
  }
}

let isLost = false;

/**
 * The command goes on with its work. Its exit code says that the output is not whole; a reader that
 * has gone, as with `| head`, has what it wanted.
 */
export function outputLost(error: unknown): void {
  if (isLost || error instanceof Deno.errors.BrokenPipe) return;
  isLost = true;
  addEventListener("unload", () => void (Deno.exitCode ||= 1));
  terminal.warn(`Cannot write the output: ${messageOf(error)}`);
}
