/** Which versions of the programs around us have been tried. */

export type Verdict = { kind: "works"; version: string } | { kind: "not tried"; version: string };

const TRIED: Record<string, (version: string) => boolean> = {
  deno: (version) => version === "2.9.6",
  tmux: (version) => version === "3.3a",
  claude: (version) => between(version, "2.1.197", "2.1.325"),
  openclaw: (version) => ["2026.2.17", "2026.9.6"].includes(version),
};

/** The first thing in a program's words that looks like a version. */
export function versionIn(text: string): string {
  return /\d+(\.\d+)+[a-z]?/.exec(text)?.[0] ?? "";
}

export function verdictOn(program: string, version: string): Verdict {
  return { kind: TRIED[program]?.(version) ? "works" : "not tried", version };
}

function between(version: string, least: string, most: string): boolean {
  return compare(version, least) >= 0 && compare(version, most) <= 0;
}

function compare(a: string, b: string): number {
  const [left, right] = [a.split(".").map(Number), b.split(".").map(Number)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
