/** Words for /bin/sh: what goes in comes out as one argument, whatever it holds. */

export function shellQuote(word: string): string {
  return /^[A-Za-z0-9_@%+=:,.\/-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `export A=… B=…`: unlike `A=… exec x` it means the same in every sh. */
export function exportLine(variables: Record<string, string>): string {
  const words = Object.entries(variables).map(([name, value]) => `${name}=${shellQuote(value)}`);
  return `export ${words.join(" ")}`;
}
