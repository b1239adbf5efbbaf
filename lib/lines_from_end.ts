/** Files read from their end: a transcript may have 500 MB, and what matters is in its last lines. */

import { regularFile } from "./regular_file.ts";

const decoder = new TextDecoder();

/**
 * The lines of a file from its last to its first, without the newline. Reads 64 KB at a time, so
 * that the size of the file does not matter; what has no newline at the end comes first, marked
 * `partial`. Stops after `limitBytes`. Only a regular file is read: a fifo would block.
 */
export function* linesFromEnd(
  path: string,
  limitBytes: number,
): Generator<{ text: string; partial: boolean }> {
  if (!regularFile(path)) return;
  const file = Deno.openSync(path, { read: true });
  try {
    let position = file.seekSync(0, Deno.SeekMode.End);
    const stop = Math.max(0, position - limitBytes);
    let pieces: Uint8Array[] = []; // of the line being gathered, the last piece first
    let partial = true;
    while (position > stop) {
      const size = Math.min(CHUNK, position - stop);
      position -= size;
      const chunk = readAt(file, position, size);
      let end = chunk.length;
      for (let at = chunk.lastIndexOf(NEWLINE); at !== -1;) {
        const text = joined(chunk.subarray(at + 1, end), pieces);
        if (text !== "" || !partial) yield { text, partial };
        pieces = [];
        partial = false;
        end = at;
        at = at === 0 ? -1 : chunk.lastIndexOf(NEWLINE, at - 1);
      }
      if (end > 0) pieces.push(chunk.subarray(0, end));
    }
    if (position === 0 && pieces.length > 0) yield { text: joined(EMPTY, pieces), partial };
  } finally {
    file.close();
  }
}

const CHUNK = 64 * 1024;
const NEWLINE = 10;
const EMPTY = new Uint8Array();

function joined(first: Uint8Array, laterPieces: Uint8Array[]): string {
  if (laterPieces.length === 0) return decoder.decode(first);
  const all = [first, ...laterPieces.toReversed()];
  const whole = new Uint8Array(all.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of all) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return decoder.decode(whole);
}

function readAt(file: Deno.FsFile, position: number, size: number): Uint8Array {
  const buffer = new Uint8Array(size);
  file.seekSync(position, Deno.SeekMode.Start);
  let filled = 0;
  while (filled < size) {
    const count = file.readSync(buffer.subarray(filled));
    if (count === null) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}
