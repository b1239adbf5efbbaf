/** Two texts side by side, for people: what goes, what comes, and a little around it. */

export interface DiffLine {
  kind: "same" | "gone" | "new";
  text: string;
}

/** Lines in step until they differ, then the nearest place where they are in step again. */
function diffLines(before: string[], after: string[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let a = 0, b = 0;
  while (a < before.length || b < after.length) {
    if (a < before.length && before[a] === after[b]) {
      lines.push({ kind: "same", text: before[a]! });
      a++, b++;
      continue;
    }
    const [gone, fresh] = nextStep(before, a, after, b);
    for (; a < gone; a++) lines.push({ kind: "gone", text: before[a]! });
    for (; b < fresh; b++) lines.push({ kind: "new", text: after[b]! });
  }
  return lines;
}

function nextStep(before: string[], a: number, after: string[], b: number): [number, number] {
  const most = before.length - a + after.length - b;
  for (let distance = 1; distance <= most; distance++) {
    for (let gone = 0; gone <= distance; gone++) {
      const [i, j] = [a + gone, b + distance - gone];
      if (i < before.length && j < after.length && before[i] === after[j] && before[i] !== "") {
        return [i, j];
      }
    }
  }
  return [before.length, after.length];
}

/** The changed lines with `around` unchanged ones before and after; `…` stands for the rest. */
export function formatDiff(before: string, after: string, around = 2): string[] {
  const all = diffLines(split(before), split(after));
  const near = all.map((_, index) =>
    all.slice(Math.max(0, index - around), index + around + 1).some(({ kind }) => kind !== "same")
  );
  const signs = { same: " ", gone: "-", new: "+" };
  return all.flatMap(({ kind, text }, index) => {
    if (near[index]) return [`${signs[kind]} ${shortened(text)}`];
    return index === 0 || near[index - 1] ? ["  …"] : [];
  });
}

function shortened(line: string): string {
  return line.length <= 160 ? line : `${line.slice(0, 90)} … ${line.slice(-60)}`;
}

function split(text: string): string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}
