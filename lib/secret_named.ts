/** Is what stands behind the name of a secret one? A password may be short, or made of words. */

import {
  isHash,
  isName,
  isPlaceholder,
  isReference,
  isWordsOfPassword,
  looksChosen,
  looksRandom,
  wordShare,
} from "./secret_values.ts";

/** A name, and the value behind it. */
export interface Named {
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
export function secretLength(
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
