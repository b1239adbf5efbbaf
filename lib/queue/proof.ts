/** Whether a step has reached Claude: what the transcript has of it since it was to be given. */

import { textOf } from "../events.ts";
import { openRegular, regularFile } from "../files.ts";
import { isObject } from "../json.ts";
import { commandOf, type StepGiving } from "../steps.ts";
import { isPrompt, textIn } from "../transcript.ts";

export type Proof =
  | { kind: "none" }
  /** Its prompt is in the conversation. */
  | { kind: "prompt"; promptId: string }
  /** Its command was run; whether it began a turn is not known. */
  | { kind: "command" };

/** So much of a transcript is read: the step is near the place where the conversation was. */
const MOST_BYTES = 8 * 1024 * 1024;

export function proofIn(lines: Iterable<string>, text: string): Proof {
  const wanted = squeezed(text);
  const command = commandOf(text);
  for (const line of lines) {
    if (!/"type"\s*:\s*"user"/.test(line)) continue;
    const fields = parsed(line);
    if (fields === undefined || fields.isSidechain === true || !isObject(fields.message)) continue;
    if (!isPrompt(fields, fields.message)) continue;
    const said = textIn(fields.message.content);
    if (command !== "" && said.includes(`<command-name>/${command}</command-name>`)) {
      return { kind: "command" };
    }
    // A sentence may stand before it, and by the inbox socket also behind it.
    const found = squeezed(said);
    if (found.endsWith(wanted) || (wanted.length > 20 && found.includes(wanted))) {
      return { kind: "prompt", promptId: textOf(fields, "promptId") };
    }
  }
  return { kind: "none" };
}

/** `path`: the transcript now, which is another one after /clear. */
export function proofOf(giving: StepGiving, path: string): Proof {
  const from = path === giving.transcript_path
    ? giving.position
    : Math.max(0, sizeOf(path) - MOST_BYTES);
  return proofIn(linesFrom(path, from), giving.text);
}

export function sizeOf(path: string): number {
  try {
    return path === "" ? 0 : regularFile(path)?.size ?? 0;
  } catch {
    return 0;
  }
}

function linesFrom(path: string, position: number): string[] {
  const size = sizeOf(path);
  if (size <= position) return [];
  const file = openRegular(path, { read: true });
  try {
    file.seekSync(position, Deno.SeekMode.Start);
    const bytes = new Uint8Array(Math.min(size - position, MOST_BYTES));
    let read = 0;
    while (read < bytes.length) {
      const count = file.readSync(bytes.subarray(read)) ?? 0;
      if (count === 0) break;
      read += count;
    }
    return new TextDecoder().decode(bytes.subarray(0, read)).split("\n");
  } finally {
    file.close();
  }
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // the last line is being written
  }
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, "");
}
