/** Which versions of the programs around us have been tried. */

const TRIED: Record<string, string[]> = {
  deno: ["2.9.6"],
  tmux: ["3.3a"],
  claude: ["2.1.197", "2.1.325"],
  openclaw: ["2026.2.17", "2026.9.6"],
};

export function isTried(program: string, version: string): boolean {
  return TRIED[program]?.includes(version) === true;
}

/** The first thing in a program's words that looks like a version. */
export function versionIn(text: string): string {
  return /\d+(\.\d+)+[a-z]?/.exec(text)?.[0] ?? "";
}
