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
const CONTROLS = /(?![\n\t])\p{Cc}/gu;
const SUSPECT = /(?![\n\t])[\p{Cc}\u2028\u2029]/u;

/** Without ANSI codes and control characters; every way to end a line becomes a newline. */
export function cleanText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(ANSI, "").replace(/\r\n?|\u2028|\u2029/g, "\n").replace(CONTROLS, "");
}

/** On one line: for fields whose value must not be able to add lines to a message. */
export function oneLine(text: string): string {
  return cleanText(text).replace(/\s*\n\s*/g, " ").trim();
}

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

/** Forms of keys and tokens; the first group stays readable, the rest is masked. */
const SECRETS: RegExp[] = [
  /\b(sk-ant-|sk-proj-|sk-or-|sk-)[A-Za-z0-9_-]{16,}/g,
  /\b(gh[pousr]_|github_pat_|glpat-|npm_|xox[abprs]-|hf_|dop_v1_)[A-Za-z0-9_-]{16,}/g,
  /\b(AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\b(AIza)[A-Za-z0-9_-]{30,}/g,
  /\b(eyJ)[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
  /\b([Bb]earer\s+)[A-Za-z0-9._~+/-]{20,}=*/g,
  /(-----BEGIN [A-Z ]*PRIVATE KEY-----)[\s\S]*?(?=-----END|$)/g,
  // NAME_OF_A_SECRET=value, only for values that look random: letters and digits, no words or paths.
  /\b([A-Za-z0-9_]*(?:API_?KEY|SECRET|TOKEN|PASSWORD|PASSWD)["']?\s*[=:]\s*["']?)(?=[A-Za-z_+/=-]*\d)(?=[\d_+/=-]*[A-Za-z])[A-Za-z0-9_+/=-]{16,}/gi,
  /(\/\/[^\s/:@]+:)[^\s/@]{3,}(?=@)/g,
];

/** Without any of these there is nothing to mask, and a hook saves the look. */
const HINTS =
  /sk-|gh[pousr]_|github_pat_|glpat-|npm_|xox|hf_|dop_v1_|AKIA|ASIA|AIza|eyJ|earer|KEY|SECRET|TOKEN|PASSW|:\/\/[^\s/]*:/i;

export function maskSecrets(text: string): string {
  if (!HINTS.test(text)) return text;
  return SECRETS.reduce((masked, form) => masked.replace(form, "$1***"), text);
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
