/** Values of unknown form; and JSON with comments: hooks cannot afford a parser package (+31 ms). */

/** Comments and trailing commas become spaces, so that line and column of an error still hold. */
export function stripJsonComments(text: string): string {
  let out = "";
  let at = 0;
  let lastCommaAt = -1; // in `out`, while only blanks and comments have followed it
  while (at < text.length) {
    const char = text[at]!;
    const two = text.slice(at, at + 2);
    if (char === '"') {
      const end = stringEnd(text, at);
      out += text.slice(at, end);
      at = end;
      lastCommaAt = -1;
    } else if (two === "//" || two === "/*") {
      const found = two === "//" ? text.indexOf("\n", at) : text.indexOf("*/", at + 2);
      const end = found === -1 ? text.length : two === "//" ? found : found + 2;
      out += text.slice(at, end).replace(/[^\n]/g, " ");
      at = end;
    } else {
      if ((char === "]" || char === "}") && lastCommaAt !== -1) {
        out = out.slice(0, lastCommaAt) + " " + out.slice(lastCommaAt + 1);
      }
      if (char === ",") lastCommaAt = out.length;
      else if (!/\s/.test(char)) lastCommaAt = -1;
      out += char;
      at++;
    }
  }
  return out.replace(/^\uFEFF/, " ");
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
