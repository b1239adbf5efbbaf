/** What Claude or a screen said is data: made harmless, and otherwise left as it is. */

// Built from strings: the characters themselves must not stand in a source file.
const ANSI = new RegExp(
  [
    "\\u001b\\[[0-?]*[ -/]*[@-~]", // CSI: colours, cursor
    "\\u009b[0-?]*[ -/]*[@-~]",
    "\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)", // OSC: titles, links
    "\\u001b[PX^_][^\\u001b]*\\u001b\\\\", // DCS, SOS, PM, APC
    "\\u001b[ -/]*[0-~]",
  ].join("|"),
  "g",
);
const range = (from: number, to: number) =>
  [from, to].map((code) => `\\u${code.toString(16).padStart(4, "0")}`).join("-");
// All controls but tab and newline. A class by name (\p{Cc}) would cost a hook more to compile.
const CONTROL = range(0, 8) + range(0x0b, 0x1f) + range(0x7f, 0x9f);
const CONTROLS = new RegExp(`[${CONTROL}]`, "g");
const SUSPECT = new RegExp(`[${CONTROL}\\u2028\\u2029]`);

/** Without ANSI codes and control characters; every way to end a line becomes a newline. */
export function cleanText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(ANSI, "").replace(/\r\n?|\u2028|\u2029/g, "\n").replace(CONTROLS, "");
}

/** On one line: for fields whose value must not be able to add lines to a message. */
export function oneLine(text: string): string {
  return cleanText(text.slice(0, MOST_ON_A_LINE)).split("\n").map((line) => line.trim())
    .filter((line) => line !== "").join(" ");
}

const MOST_ON_A_LINE = 20_000;

const HEADERS = [
  "SESSION IDENTITY",
  "TRIGGER",
  "CONTENT",
  "STATE HINT",
  "CONTEXT PRESSURE",
  "AVAILABLE ACTIONS",
  "ASK USER QUESTION",
  "ANSWER SELECTED",
  "NO CHANGE",
  "PANE CONTENT",
];
const HEADER_LINE = new RegExp(
  `^[\\s\\u200b-\\u200f\\u2060\\ufeff]*\\[\\s*(?:${HEADERS.join("|")})\\s*\\]\\s*$`,
  "i",
);

/** A line that would read as a header of the message is indented, so that each header is real. */
export function guardHeaders(text: string): string {
  if (!text.includes("[")) return text;
  return text.split("\n").map((line) => HEADER_LINE.test(line) ? `    ${line}` : line).join("\n");
}

/**
 * Forms of keys and tokens; the first group stays readable, the rest is masked. Each begins at the
 * edge of a word and is bounded: a text must neither be spoiled nor searched for ever.
 */
const secretForms = (): RegExp[] => [
  /(?<![\w-])(sk-(?:ant|proj|or)-)[\w-]{16,}/g,
  /(?<![\w-])(sk-)(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{20,}/g,
  /(?<![\w-])([sr]k_(?:live|test)_)[A-Za-z0-9]{16,}/g,
  /(?<![\w-])(gh[pousr]_)[A-Za-z0-9]{30,}/g,
  /(?<![\w-])(github_pat_)\w{30,}/g,
  /(?<![\w-])(glpat-)[\w-]{20,}/g,
  /(?<![\w-])(npm_)[A-Za-z0-9]{36}(?!\w)/g,
  /(?<![\w-])(hf_)[A-Za-z0-9]{30,}/g,
  /(?<![\w-])(dop_v1_)[a-f0-9]{40,}/g,
  /(?<![\w-])(xox[abprs]-)[A-Za-z0-9-]{16,}/g,
  /(?<![\w-])(AKIA|ASIA)[A-Z0-9]{16}(?!\w)/g,
  /(?<![\w-])(AIza)[\w-]{30,}/g,
  /(?<![\w-])(eyJ)[\w-]{10,4000}\.[\w-]{10,4000}\.[\w-]{10,4000}/g,
  /(?<!\w)([Bb]earer[ \t]+)(?=[\w.~+/-]{0,200}\d)[\w.~+/-]{20,}=*/g,
  /(?<!\w)(Authorization:[ \t]{0,3}Basic[ \t]+)[A-Za-z0-9+/]{16,}=*/g,
  // Only what follows the line as a key does: prose may name the line.
  /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)(?:\r?\n(?:[A-Za-z-]+: [^\n]{1,100}|))*\r?\n[A-Za-z0-9+/=]{40,}(?:\r?\n[A-Za-z0-9+/=]{1,100}(?=\r?\n|$))*/g,
  ...["api[_-]?key", "secret(?:[_-]access)?(?:[_-]key)?", "token", "passwo?r?d"].flatMap((name) => [
    assignment(name),
    assignment(name.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())),
  ]),
  /(:\/\/[^\s/:@?#]{1,100}:)[^\s/@?#]{3,100}(?=@)/g,
];

/** NAME_OF_A_SECRET=value, for a value that looks random: with a digit, no path, no call. */
function assignment(name: string): RegExp {
  const value = String.raw`(?!\.{0,2}/|[a-z_]+/)(?=[\w+/=-]{0,200}\d)[\w+/=-]{16,}(?![\w+/=.(-])`;
  return new RegExp(
    String.raw`(?<![\w-])([\w-]{0,60}${name}["']?\s{0,3}[=:]\s{0,3}["']?)${value}`,
    "g",
  );
}

/** Without any of these there is nothing to mask: a search that needs no pattern to be compiled. */
// deno-fmt-ignore
const HINTS = [
  "sk-", "k_live_", "k_test_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "npm_", "xox",
  "hf_", "dop_v1_", "akia", "asia", "aiza", "eyj", "bearer", "basic ", "private key",
];
/** Words of every day, which mean something only in this form. */
const WORDS = ["key", "secret", "token", "passw", "://"];
const ASSIGNED = /(?:key|secret|token|passw[a-z]{0,3})["']?\s{0,3}[=:]|:\/\/[^\s/]{0,100}:/;

function mayHoldSecret(text: string): boolean {
  const lower = text.toLowerCase();
  return HINTS.some((hint) => lower.includes(hint)) ||
    WORDS.some((word) => lower.includes(word)) && ASSIGNED.test(lower);
}

let forms: RegExp[] | undefined;

/** No form of a secret is shorter. */
const SHORTEST = 16;

export function maskSecrets(text: string): string {
  if (text.length < SHORTEST || !mayHoldSecret(text)) return text;
  forms ??= secretForms(); // made when they are first needed, which in most hooks is never
  return forms.reduce((masked, form) => masked.replace(form, "$1***"), text);
}

export interface Cut {
  kept: string;
  missingChars: number;
}

/** At most `max` characters, cut at the end of a line where there is one in reach. */
export function cutAtLine(text: string, max: number): Cut {
  if (text.length <= max) return { kept: text, missingChars: 0 };
  const lineEnd = text.lastIndexOf("\n", max);
  let at = lineEnd > max / 2 ? lineEnd : max;
  // Half of a surrogate pair is not a character.
  if (/[\uD800-\uDBFF]/.test(text[at - 1]!)) at--;
  return { kept: text.slice(0, at), missingChars: text.length - at };
}
