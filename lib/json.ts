/** Values of unknown form; and JSON with comments: hooks cannot afford a parser package (+31 ms). */

/**
 * One match per piece without comments: whole strings, commas that do not end a list, all other
 * text. Then come comments (an open one goes to the end) and trailing commas. No match fails late,
 * so the time grows with the length of the text alone.
 */
const PIECES =
  /((?:[^"/,]+|"[^"\\]*(?:\\[^][^"\\]*)*"?|,(?!\s*[\]}/]))+)|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|,(?=(?:\s|\/\/[^\n]*\n|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/)*[\]}])/g;

/** The value of JSON with comments and trailing commas, 20 times faster than by `stripJsonComments`. */
export function parseJsonWithComments(text: string): unknown {
  // A failure costs a hook a millisecond: where a comment may be, plain JSON is not tried.
  const attempts = [
    ...(text.includes("//") || text.includes("/*") ? [] : [() => text]),
    () => text.replace(PIECES, "$1 "),
  ];
  for (const attempt of attempts) {
    try {
      return JSON.parse(attempt());
    } catch {
      // The last attempt names the place in the text.
    }
  }
  return JSON.parse(stripJsonComments(text));
}

/** Comments and trailing commas become spaces, so that line and column of an error still hold. */
export function stripJsonComments(text: string): string {
  const pieces: string[] = [];
  const commas: number[] = []; // those before what closes
  let kept = 0; // up to here the text is in `pieces`
  let commaAt = -1; // of a comma that only blanks and comments have followed
  // Whole strings, comments, commas, what closes, anything else.
  const token =
    /"[^"\\]*(?:\\[^][^"\\]*)*"?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|,|[\]}]|[^\s"/,\]}]+|\//g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match;
    if (found.startsWith("//") || found.startsWith("/*")) {
      pieces.push(text.slice(kept, match.index), found.replace(/[^\n]/g, " "));
      kept = token.lastIndex;
    } else if (found === ",") commaAt = match.index;
    else {
      if ((found === "]" || found === "}") && commaAt !== -1) commas.push(commaAt);
      commaAt = -1;
    }
  }
  pieces.push(text.slice(kept));
  const stripped = pieces.join("").replace(/^\uFEFF/, " ");
  const parts = commas.map((at, index) => stripped.slice((commas[index - 1] ?? -1) + 1, at));
  return [...parts, stripped.slice((commas.at(-1) ?? -1) + 1)].join(" ");
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a text; undefined where it is no JSON, as a line that is being written. */
export function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
