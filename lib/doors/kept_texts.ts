/** The whole texts of wakes and long instructions, for `gsd-code log --wake`. Kept for 30 days. */

import { isFile, namesIn, readTextIfThere, writeAtomic } from "../files.ts";
import { type Paths, safeName } from "../paths.ts";

function textFile({ state }: Pick<Paths, "state">, session: string, id: string): string {
  return `${state}/texts/${safeName(session)}/${safeName(id)}.txt`;
}

/** Without the secrets that answers need. The caller has masked the rest. */
export function keepText(paths: Paths, session: string, id: string, text: string): void {
  try {
    writeAtomic(textFile(paths, session, id), withoutSecrets(text));
  } catch {
    // The journal has its beginning.
  }
}

export function wholeText(paths: Paths, id: string): string | undefined {
  const dir = `${paths.state}/texts`;
  const file = namesIn(dir).map((session) => `${dir}/${session}/${safeName(id)}.txt`).find(isFile);
  return file === undefined ? undefined : readTextIfThere(file);
}

/** A text that is kept names the questions, but cannot answer them. */
export function withoutSecrets(text: string): string {
  return text.replace(/\b([qp]-[0-9A-Z]{16})\.[0-9A-Z]{20}(?![0-9A-Z])/g, "$1");
}
