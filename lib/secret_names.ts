/** Secrets that are known by a name in front of them: `DB_PASSWORD=…`, `"token": "…"`, `--api-key …`. */

import { type Named, secretLength } from "./secret_named.ts";
import { type Run, runEnd, runFrom, type TextPart, wholeRun } from "./secret_values.ts";

/** `…key` is a secret's name behind one of these. */
const KEY_WORDS =
  ("api app application access secret private encryption signing signature auth master account deploy role " +
    "license licence subscription server admin write integration routing shared storage client hmac jwt " +
    "rapidapi ingest ingestion function functions host cookie webhook service consumer bot user team project " +
    "pass org search management delivery unseal recovery fernet certificate instrumentation").split(
      " ",
    );
/** `…key` is the name of a place behind these. */
const KEYS_OF_THINGS =
  /(?<![a-z])(?:public|publishable|primary|foreign|partition|sort|cache|object|idempotency|site|group|row|hash|index|session|host|query|range|search|job|item|entity|record|map|sorting|join|unique|composite|lookup|config|setting|feature|flag|any|the|a|of|each|this|that|first|last|next|arrow|enter|tab|hot|short|translation|i18n|locale|dict|json|yaml|ssh|gpg|rsa|websocket|react|list|storage_|s3|route|state|field|column|kms)[_ -]$/;
const PASS_WORDS = ["store", "key", "smtp", "db", "user", "bind", "admin", "root"];

const LONGEST_SEEN = 300;

// Small patterns, one after the other: as a single one they cost a hook many times as much to compile.
const makePatterns = () => ({
  word:
    /key|secret|token|pass(?:wor[dt]|wd|phrase|code)?|pwd?|credential|_auth|bearer|psk|salt|sas|jwt|pat|sonar\.login/gi,
  ends:
    /(?:[_-]?id(?=\W{1,6}[0-9a-f]{40}\b)|(?<=secret)[_ -]?id(?=\W{1,16}[0-9a-f]{8}-)|s?(?:[_-]?(?:base|value|string|private|primary|secondary|prod|production|staging|dev|test|live|data|\d{1,2})(?![a-z])| \d(?![\w.])| value(?!\w)| [([][\w -]{1,14}[)\]](?=:)| (?:for|of) [\w@.-]{1,40}(?=:))?)["'`*%\\\])]{0,4}/iy,
  given:
    /[ \t]{0,20}(?:(?:\|\||\?\?)?[:=]{1,3}>?|(?:\|\||\?\?)(?=[ \t]{0,3}["'`])|(?:string[ \t]|\[\d{0,4}\])[ \t]{0,3}=|->|→|(?:is|was)\b:?)(?:[ \t]{0,3}str(?:ing)?[ \t]{0,3}=)?(?:[ \t]{0,3}b(?=["']))?[\s"'`*\\([{|>│]{0,24}(?:base64:)?/y,
  // A type may stand between: `token: &'static str = "…"`; and a wrapper: `Some("…")`
  typed:
    /(?:[ \t]{0,3}:[ \t]{0,3}[&*]?(?:'static )?[A-Za-z][\w.<>[\]?|]{0,40}[ \t]{0,3})?(?:[ \t]{0,3}[:=]{1,2}[ \t]{0,3}(?:(?:SecretStr|Secret|Some|String::from|new String|SecureString|bytes\.fromhex|(?:binascii\.)?unhexlify|[Bb]uffer\.from|hex\.DecodeString|(?:base64\.)?b64decode|atob)\(b?)?|\()["'`]/y,
  // <password>…</password>, 'password', '…', "name": "password", "value": "…" and <key>Password</key> <string>…
  paired:
    />(?=[^\s<]{4,300}<)|<\/\w{1,20}>\s{0,40}<\w{1,20}>|(?:%22)?%3[AD](?:%22)?|(?:,?\s{1,40}|[ \t]{0,3}[:=]\s{0,3}\{\s{0,20})["'`]?(?:value|default)["'`]?[ \t]{0,3}[:=][ \t]{0,3}["'`]?|,[ \t]?["'`]/y,
  before:
    /[ \t"'`>|]{0,8}(?:(?<=["'`][ \t]{0,3})[+.][ \t]{0,3}["'`])?(?:[ \t]{0,4}\r?\n[ \t]{0,8})?/y,
  quoted: /[^\s"'`\\<>,;:.=)\]}][^\s"'`\\<>]{3,300}/y,
  plain: /[\w+/.~!@#%^*?-]{4,300}(?:={1,2}-[\w+/.~-]{4,200}){0,3}={0,2}(?::[\w+/=-]{16,300})?/y,
});
let patterns: ReturnType<typeof makePatterns> | undefined;

export interface NamedValue {
  /** One, or one per line where lines break it. */
  parts: TextPart[];
  what: string;
  /** What stands before the value, from the last word of the name. */
  head: string;
}

export const NAME_HINTS =
  "key secret token pass pwd credential _auth bearer _pat -pat pat= pat: jwt pw= pw: _sas salt psk .login"
    .split(" ").concat("pw ");

export function* namedValues(text: string): Generator<NamedValue> {
  patterns ??= makePatterns();
  let done = 0;
  for (const match of text.matchAll(patterns.word)) {
    const named = readNamed(text, match[0], match.index);
    if (named === undefined || named.start < done) continue;
    const run = valueFrom(named, text);
    const length = secretLength(named, run.text, text);
    if (length === 0) continue;
    const parts = run.upTo(length);
    const last = parts.at(-1)!;
    if (length >= LONGEST_SEEN) last.end = runEnd(text, last.end);
    done = last.end;
    yield { parts, what: whatOf(named.head), head: named.head };
  }
}

function endOf(form: RegExp, text: string, at: number): number {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : -1;
}

/** The name at a place and the value behind it; the value may be the name of the next one. */
function readNamed(text: string, word: string, at: number): Named | undefined {
  const { ends, given, typed, paired, before, quoted, plain } = patterns!;
  const lower = word.toLowerCase();
  const isBearer = lower === "bearer";
  const needs = isBearer
    ? "any"
    : whatItNeeds(word, text.slice(Math.max(0, at - 24), at).toLowerCase());
  if (needs === "none") return undefined;
  const nameEnd = isBearer ? at + word.length : endOf(ends, text, at + word.length);
  const givers = isBearer ? [] : [given, typed, paired];
  const giver = Math.max(...givers.map((form) => endOf(form, text, nameEnd)), -1);
  const start = giver > 0 ? giver : endOf(before, text, nameEnd);
  if (giver <= 0 && (needs === "given" || start === nameEnd && !/["'`]/.test(text[nameEnd - 1]!))) {
    return undefined;
  }
  const isQuoted = /["'`]/.test(text[start - 1]!);
  const quotedEnd = isQuoted ? endOf(quoted, text, start) : -1;
  const end = isClosed(text, start, quotedEnd) ? quotedEnd : endOf(plain, text, start);
  if (end < 0) return undefined;
  // `#define DB_PASSWORD "…"`, `ENV DB_PASSWORD …`
  const isDeclared = giver <= 0 && start > nameEnd &&
    (DECLARED.test(text.slice(Math.max(0, at - 60), at)) ||
      isQuoted && /(?:^|\n)[ \t]*[a-z]\w*$/.test(text.slice(Math.max(0, at - 60), at)));
  return {
    at,
    head: text.slice(at, start),
    ...(giver > 0 || isDeclared ? { given: text.slice(nameEnd, start) } : {}),
    isBearer,
    start,
    value: text.slice(start, end),
  };
}

const DECLARED = /(?:#define|\bsetenv|\bsetx|^ENV|\nENV|\bSetEnv|\bfastcgi_param)[ \t]+\w*$/;

/** Only up to the same quote may a value hold any mark, and never a command. */
function isClosed(text: string, start: number, end: number): boolean {
  if (end < 0) return false;
  const isSame = text[end] === text[start - 1] || text[end] === "\\" && text[start - 2] === "\\";
  return isSame && !/\$[({]/.test(text.slice(start, end));
}

/** Is the word a secret's name at all, and must `:` or `=` follow it? */
function whatItNeeds(word: string, before: string): "any" | "given" | "none" {
  const stem = before.replace(/[ _.-]$/, "");
  const isOwnWord = !/[a-z]$/.test(before);
  switch (word.toLowerCase()) {
    case "key":
      if (KEY_WORDS.some((known) => stem.endsWith(known))) return "any";
      return /[a-z\d][_ -]$/.test(before) && !KEYS_OF_THINGS.test(before) ? "given" : "none";
    case "pass":
      if (/[_-]$/.test(before) || PASS_WORDS.some((known) => before.endsWith(known))) return "any";
      if (word === "PASS" && !/(?:com|by|tres|sur|over|under)$/.test(before)) return "given";
      return isOwnWord ? "given" : "none";
    case "pat":
    case "jwt":
    case "pw":
      return isOwnWord ? "given" : "none";
    case "salt":
    case "sas":
      return /[_-]$/.test(before) ? "given" : "none";
    case "psk":
      return isOwnWord ? "given" : "none";
    default:
      return "any";
  }
}

/** The value, also where it goes on in the next lines. */
function valueFrom({ given, isBearer, start, value }: Named, text: string): Run {
  // Behind a mere word a value does not go on in the next line.
  const isSaid = given !== undefined || isBearer;
  if (!isSaid || !/[\s│┃║|\\]/.test(text[start + value.length] ?? "")) {
    return wholeRun(value, start);
  }
  const run = runFrom(text, start);
  const isBroken = run.parts.length > 1 && run.parts[0]!.end === start + value.length;
  return isBroken ? run : wholeRun(value, start);
}

function whatOf(head: string): string {
  return /^[_-]?(?:\w{0,6}pass|pwd|pw)/i.test(head)
    ? "a password"
    : /token|bearer|pat|jwt/i.test(head)
    ? "a token"
    : /key/i.test(head)
    ? "a key"
    : "a secret";
}
