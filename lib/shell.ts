/** Words for /bin/sh: what goes in comes out as one argument, whatever it holds. */

export function shellQuote(word: string): string {
  return /^[A-Za-z0-9_@%+=:,.\/-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `export A=… B=…`: unlike `A=… exec x` it means the same in every sh. */
export function exportLine(variables: Record<string, string>): string {
  const words = Object.entries(variables).map(([name, value]) => `${name}=${shellQuote(value)}`);
  return `export ${words.join(" ")}`;
}

/** The last word of a command as the program sees it; undefined when its quotes do not close. */
export function lastWord(command: string): string | undefined {
  let word: string | undefined;
  const pieces = /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(.)/gsy;
  for (let match = pieces.exec(command.trimEnd()); match; match = pieces.exec(command.trimEnd())) {
    const [whole, single, double, escaped, plain, stray] = match;
    if (stray !== undefined) return undefined;
    if (/^\s/.test(whole)) word = undefined;
    else word = (word ?? "") + (single ?? double?.replace(/\\(.)/g, "$1") ?? escaped ?? plain);
  }
  return word;
}
