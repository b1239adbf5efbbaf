/** Reads the journals while they are written, because a long run rotates them. */

import { journalFile } from "../../lib/journal.ts";
import type { Paths } from "../../lib/paths.ts";

export type JournalLine = Record<string, unknown>;

export class Journals {
  /** All that was read so far, by wake. */
  readonly byWake = new Map<string, JournalLine[]>();
  private readonly tails = new Map<string, Tail>();

  constructor(private readonly paths: Paths) {}

  /** What has been written for a session since it was last asked for. */
  news(session: string): JournalLine[] {
    const path = journalFile(this.paths, session);
    const tail = this.tails.get(session) ?? new Tail(path);
    this.tails.set(session, tail);
    const lines = tail.read();
    for (const line of lines) {
      const id = typeof line.wake_id === "string" ? line.wake_id : undefined;
      if (id !== undefined) this.byWake.set(id, [...this.byWake.get(id) ?? [], line]);
    }
    return lines;
  }

  close(): void {
    for (const tail of this.tails.values()) tail.close();
  }
}

class Tail {
  private file: Deno.FsFile | undefined;
  private rest = "";

  constructor(private readonly path: string) {}

  read(): JournalLine[] {
    const lines: JournalLine[] = [];
    this.file ??= this.open();
    if (this.file === undefined) return lines;
    lines.push(...this.drain(this.file));
    const present = this.open();
    if (present === undefined) return lines;
    if (present.statSync().ino === this.file.statSync().ino) {
      present.close();
      return lines;
    }
    lines.push(...this.drain(this.file)); // written between the last look and the rotation
    this.file.close();
    this.file = present;
    return [...lines, ...this.drain(present)];
  }

  close(): void {
    this.file?.close();
  }

  private drain(file: Deno.FsFile): JournalLine[] {
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(64 * 1024);
    let text = this.rest;
    for (let count; (count = file.readSync(buffer)) !== null;) {
      text += decoder.decode(buffer.subarray(0, count), { stream: true });
    }
    const lines = text.split("\n");
    this.rest = lines.pop()!;
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  }

  private open(): Deno.FsFile | undefined {
    try {
      return Deno.openSync(this.path, { read: true });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  }
}
