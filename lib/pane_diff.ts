/** Which lines of a screen are new. */

/** More lines than this are not compared: the table would grow with their square. */
const MOST = 1200;

/**
 * The places in `now` of the lines that are not carried over from `before`, by the longest common
 * subsequence: a new line that repeats an old one is still new.
 */
function newLineIndexes(before: string[], now: string[]): number[] {
  const skipped = Math.max(0, now.length - MOST);
  const a = before.slice(-MOST);
  const b = now.slice(skipped);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let endA = a.length, endB = b.length;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) endA--, endB--;

  const rows = endA - start, columns = endB - start;
  const width = columns + 1;
  const longest = new Uint16Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      longest[i * width + j] = a[start + i] === b[start + j]
        ? longest[(i + 1) * width + j + 1]! + 1
        : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
    }
  }
  const fresh: number[] = [];
  let i = 0, j = 0;
  while (j < columns) {
    if (i < rows && a[start + i] === b[start + j]) {
      i++, j++;
    } else if (i < rows && longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!) {
      i++;
    } else {
      fresh.push(skipped + start + j);
      j++;
    }
  }
  return fresh;
}

/**
 * The new lines; where they are fewer than `atLeast`, the last other lines are added. `keyOf`: what
 * `before` has of a line.
 */
export function newLines(
  before: string[],
  now: string[],
  atLeast: number,
  keyOf = (line: string) => line,
): string[] {
  const chosen = new Set(newLineIndexes(before, now.map(keyOf)));
  for (let at = now.length - 1; at >= 0 && chosen.size < atLeast; at--) chosen.add(at);
  return now.filter((_, index) => chosen.has(index));
}
