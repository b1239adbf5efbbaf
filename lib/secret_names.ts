/** Secrets that are known by a name in front of them: `DB_PASSWORD=…`, `"token": "…"`, `--api-key …`. */

import {
  isHash,
  isName,
  isPlaceholder,
  isReference,
  isWordsOfPassword,
  looksChosen,
  looksRandom,
  oneLine,
  type Run,
  runEnd,
  runFrom,
  type TextPart,
  wordShare,
} from "./secret_values.ts";

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

interface Named {
  /** Where its last word begins: `PASSWORD` of `DB_PASSWORD`. */
  at: number;
  /** From there to the value. */
  head: string;
  /** What gives it the value: `=`, `: "`; undefined where it merely stands before. */
  given?: string;
  isBearer: boolean;
  start: number;
  value: string;
}

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
  if (!isSaid || !/[\s│┃║|\\]/.test(text[start + value.length] ?? "")) return oneLine(value, start);
  const run = runFrom(text, start);
  const isBroken = run.parts.length > 1 && run.parts[0]!.end === start + value.length;
  return isBroken ? run : oneLine(value, start);
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

/** Not `passes` or `passwords`, and not the name of a field or a file. */
function isPassword(name: string): boolean {
  return /pass(?:wor[dt]|wd|phrase|code)["']?$|(?:pwd|[_-]pass|^pass|storepass|keypass|(?:^|[_-])pw)$/i
    .test(name);
}

const SENTENCE_END = /[.!?:]{1,3}$/;

/** Keys that are public or only name a place, and tokens that only mark one. */
const NO_SECRET =
  /public|publishable|(?:anon|primary|foreign|partition|sort|cache|object|idempotency|site|group|row|hash|index|session|host|query|range|search|applicationserver|ssh|gpg)[ _-]?key$|(?:next|page|continuation|sync|resume|cancel|cancellation|change|scroll|fencing)[ _-]?token$/i;
/** The fingerprint of a key that signs. */
const FINGERPRINT = /^(?:[\dA-F]{16}|[\dA-F]{40})$/;

/** Names of secrets that are never names of things, as that of a Kubernetes Secret is. */
const SIGNS =
  /(?:jwt|session|cookie|app|auth|client|hmac|webhook|signing|csrf|shared)_?secret$|secret_?key(?:_?base)?$/i;

/** How much behind a name is to be masked: all of the value, or nothing of it. */
function secretLength(
  { at, head, given, isBearer, start }: Named,
  value: string,
  text: string,
): number {
  const next = text[start + value.length] ?? "";
  if (next === "(" || isReference(value) || given?.includes("***")) return 0;
  const before = text.slice(Math.max(0, at - 40), at);
  const name = (/[\w.-]*$/.exec(before)?.[0] ?? "") + (/^[\w -]*\w/.exec(head)?.[0] ?? "");
  const isQuoted = /["'`]$/.test(head) && /["'`\\]/.test(next);
  if (isPassword(name) && /[:=]/.test(given ?? "") && isWordsOfPassword(value)) {
    return value.length;
  }
  // What a program signs with is often made of words: JWT_SECRET=my-jwt-secret-1234
  const isLiteral = isQuoted || given === "=" && isWholeLine(text, at, start + value.length);
  const isAdvice = /your|change|replace|random|example|generate/i.test(value);
  if (isLiteral && SIGNS.test(name) && value.length >= 8 && !isPlaceholder(value) && !isAdvice) {
    return value.length;
  }
  // ${DB_PASSWORD:?what is said without it}
  if (isName(value) || value.startsWith("?") && /\$\{\w*$/.test(before)) return 0;
  const trimmed = isQuoted ? value : value.replace(SENTENCE_END, "");
  const length = trimmed.length;
  const isOption = /(?:^|[\s"'])--?[\w-]*$/.test(before) && given === undefined ||
    /^--\w/.test(name);
  const isSaid = given !== undefined || isBearer || isOption;
  // Below a title a value stands alone on its line.
  if (
    !isSaid && /\n\s*$/.test(head) &&
    !/^\s*(?:\n|$)/.test(text.slice(start + length, start + length + 40))
  ) {
    return 0;
  }
  if (looksRandom(trimmed, 0.5)) {
    if (NO_SECRET.test(name) || /signing/i.test(name) && FINGERPRINT.test(trimmed)) return 0;
    // Behind a mere word a hash is a hash: "refresh the token 3f2a9c…". Alone on a line it is none of git.
    const isBelow = /\n\s*$/.test(head) && ![40, 64].includes(length);
    const isTyped = /[A-Za-z][_-](?:token|secret|key|psk)$|[a-z](?:Token|Secret|Key)$/.test(name) ||
      /(?:secret|token|pass\w+)$/i.test(name) && [32, 36].includes(length);
    return isSaid || isBelow || isTyped || !isHash(trimmed) ? length : 0;
  }
  if (!isSaid || isBearer || isPlaceholder(trimmed) || trimmed.includes("://")) return 0;
  const gap = given ?? " ";
  const isVariable = /^[-+]?[A-Z][A-Z\d_]*$/.test(name) && /^(?:=|[ \t]+)["']?$/.test(gap) ||
    /^[A-Z][A-Z\d]*_[A-Z\d_]+$/.test(name) && /^:[ \t]+["']?$/.test(gap) ||
    /^[A-Z][A-Z\d_]*$/.test(name) && /^\s+value:[ \t]+["']?$/.test(gap);
  if (isPassword(name) && given !== undefined) {
    if (/^\d{5,12}$/.test(trimmed) && /[:=]/.test(gap)) return length;
    // <password>…</password>
    const isElement = gap === ">" && next === "<" && /<[\w:.-]*$/.test(before);
    if (isElement && /^\S{6,}$/.test(trimmed)) return length;
  }
  const isFirm = isQuoted || isOption || gap === "=";
  if (isFirm && isPassword(name) && /^[A-Za-z]{8,40}$/.test(trimmed)) {
    // Capitals in odd places are in no word: MxLerJOcX
    const most = /[a-z][A-Z].*[a-z][A-Z]|[A-Z]{2}[a-z].*[A-Z]/.test(trimmed) ? 0.6 : 0.3;
    if (wordShare(trimmed) < most) return length;
  }
  const isLine = isWholeLine(text, at, start + length);
  if (isPassword(name) && (isQuoted || isLine) && isBesideUser(text, at, trimmed)) return length;
  const isSure = isQuoted || isOption || isVariable || isLine || /^(?: ?= ?|>)$/.test(gap);
  return isShortSecret(trimmed, { name, isSure, isQuoted, isVariable, isOption, isLine, gap })
    ? length
    : 0;
}

/** `  password: …`, `- password=…`: the line holds a name, a value, and nothing else. */
function isWholeLine(text: string, at: number, end: number): boolean {
  const before = text.slice(Math.max(0, at - 80), at);
  return /(?:^|\n)[ \t+>│|-]{0,40}(?:export[ \t]+)?["']?[\w.-]{0,60}$/.test(before) &&
    /^["']?[,;]?[ \t]{0,8}(?:[│|#][^\n]*)?(?:\r?\n|$)/.test(text.slice(end, end + 200));
}

/** `"user": "bob", "password": "opensesame"`: an account, so the value may be a plain word; no label. */
function isBesideUser(text: string, at: number, value: string): boolean {
  return /^[\w!#%^*-]{6,40}$/.test(value) && !/^[A-Z][a-z]+$/.test(value) &&
    /(?:user(?:_?name)?|login|e?mail|account|uid)["']?[ \t]{0,3}[:=][ \t]{0,3}["']?[^\s"',]{1,60}["']?[\s,;"']{1,20}[\w.-]{0,40}$/i
      .test(text.slice(Math.max(0, at - 160), at));
}

interface Form {
  name: string;
  /** Quoted, an option, a variable: more than a word in front. */
  isSure: boolean;
  isQuoted: boolean;
  isOption: boolean;
  isVariable: boolean;
  /** The line holds nothing else. */
  isLine: boolean;
  gap: string;
}

/** Under 16 characters, or made of words: the form of the assignment decides. */
function isShortSecret(value: string, form: Form): boolean {
  const { name, isSure, isQuoted, isVariable, isOption, isLine, gap } = form;
  if (/\n/.test(gap) && !isQuoted && !isVariable) return false;
  // One of several arguments: 'DB_PASSWORD', '…'
  if (gap.startsWith(",") && !(/[A-Z]/.test(value) && /\d/.test(value))) return false;
  if (/pass|pwd|pw(?: is| was)?$|psk/i.test(name)) {
    if (/[a-z]\.[a-z]|^[\w.]+\[|::|\/.*\//i.test(value) && !/[!@#$%^&*?]/.test(value)) return false;
    if (/^\s*(?:is|was)\b/.test(gap) && !isQuoted) {
      return looksChosen(value, false) && /\d.*\d|[!@#$%^*?]/.test(value);
    }
    if (looksChosen(value, isSure)) return true;
    // Behind these a name of code is none: POSTGRES_PASSWORD=hunter2Prod, --passphrase maple-tree-77
    const isFixed = isVariable || isOption && value.length >= 10;
    if (isFixed && /^[A-Za-z][\w-]{7,40}$/.test(value) && /\d/.test(value)) return true;
    if (!/^[a-z]+(?:[-_][a-z]+)*$/i.test(value)) return false;
    // Letters alone: a word in prose, a password in a variable of the shell or a line of a file.
    if (isLine && /^[a-z]{6,}$/.test(value) && (gap === "=" || /.secret|.pass/.test(value))) {
      return true;
    }
    if (isVariable || isOption && gap === "=") return value.length >= (gap === "=" ? 4 : 6);
    return value.length >= (isSure ? 8 : 10) && /[a-z][A-Z]/.test(value) && wordShare(value) < 0.3;
  }
  const isThreefold = /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
  if (isSure && isThreefold && value.length < 16 && /secret$/i.test(name) && /\d\d/.test(value)) {
    return true;
  }
  if (!isSure && value.length >= 12 && isThreefold && wordShare(value) < 0.4) return true;
  if (
    !isSure || value.length < 8 || !/[A-Za-z]/.test(value) || !/^[\w+/=~!@#$%^&*-]+$/.test(value)
  ) return false;
  if (isVariable && /(?:SECRET|TOKEN)$/.test(name)) {
    return /\d/.test(value) && wordShare(value) < 0.8;
  }
  const isMixed = /[a-z][A-Z].*[a-z][A-Z]/.test(value) && wordShare(value) < 0.25;
  return (isMixed || /\d.*\d/.test(value)) &&
    !/^v?\d+(?:\.|$)|[a-z]{3,}[-_][a-z]{3,}/i.test(value) && wordShare(value) < 0.5;
}
