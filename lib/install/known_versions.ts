/** Which versions of the programs around us have been tried. */

export type Verdict = { kind: "works"; version: string } | { kind: "not tried"; version: string };

const TRIED: Record<string, (version: string) => boolean> = {
  deno: (version) => version === "2.9.6",
  tmux: (version) => version === "3.3a",
  claude: (version) => ["2.1.197", "2.1.325"].includes(version),
  openclaw: (version) => ["2026.2.17", "2026.9.6"].includes(version),
};

/** The first thing in a program's words that looks like a version. */
export function versionIn(text: string): string {
  return /\d+(\.\d+)+[a-z]?/.exec(text)?.[0] ?? "";
}

export function verdictOn(program: string, version: string): Verdict {
  return { kind: TRIED[program]?.(version) ? "works" : "not tried", version };
}
