/** The known name that is nearest to a mistyped one. */

export function nearest(word: string, known: Iterable<string>): string | undefined {
  let found: string | undefined;
  let least = Infinity;
  for (const name of known) {
    const distance = distanceBetween(plain(word), plain(name));
    if (distance < least && isNear(word, name, distance)) [found, least] = [name, distance];
  }
  return found;
}

/** A typing error, or a part of the name. Names with different numbers are different things. */
function isNear(word: string, name: string, distance: number): boolean {
  if (word.replace(/\D/g, "") !== name.replace(/\D/g, "")) return false;
  const parts = new Set(name.toLowerCase().split(/[-_]/));
  return distance <= Math.floor(Math.max(word.length, name.length) / 3) ||
    word.toLowerCase().split(/[-_]/).every((part) => parts.has(part));
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[-_\s]/g, "");
}

/** How many letters to add, remove, change, or swap with the next one. */
function distanceBetween(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let a = 1; a <= one.length; a++) {
    const row = [a];
    for (let b = 1; b <= other.length; b++) {
      const same = one[a - 1] === other[b - 1] ? 0 : 1;
      const above = rows[a - 1]!;
      row[b] = Math.min(above[b]! + 1, row[b - 1]! + 1, above[b - 1]! + same);
      if (a > 1 && b > 1 && one[a - 1] === other[b - 2] && one[a - 2] === other[b - 1]) {
        row[b] = Math.min(row[b]!, rows[a - 2]![b - 2]! + 1);
      }
    }
    rows.push(row);
  }
  return rows[one.length]![other.length]!;
}
