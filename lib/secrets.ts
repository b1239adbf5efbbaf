/**
 * Keys and tokens in a text become `***`, all other words stay. A secret is found by the prefix of
 * its maker, by a frame (PEM, an address), or by a name in front of a value that is no word.
 */

/** In front of words these mean nothing: what follows must look random. */
const PREFIXES = "sk-(?:(?:ant|proj|svcacct|admin|or)-)?|[sr]k_(?:live|test)_|whsec_|gh[pousr]_|" +
  "github_pat_|glpat-|dckr_pat_|shpat_|(?:npm_|hf_|gsk_|xai-|sbp_|ntn_)(?=[A-Za-z0-9]{30})|pypi-|" +
  "xox[abeprs]-|xapp-|AKIA|ASIA|AIza|ya29\\.|GOCSPX-|SG\\.|hvs\\.|do[opr]_v1_|lin_api_|tskey-|" +
  "ATATT3|AGE-SECRET-KEY-1";

const NAMES =
  "(?:api|app|access|secret|private|encryption|signing|auth|master|account|deploy|role)[ _-]?key" +
  "|secret|token|passw(?:or)?d|passphrase|pwd|[_-]pass|_auth|credential";
const NAME_ENDS = "s?(?:[_-]?(?:base|value|prod|production|staging|dev|test|live|\\d{1,2}))?";
const IS_GIVEN =
  "[ \\t]{0,20}(?:[:=]{1,3}>?|(?:is|was)\\b:?)(?:[ \\t]{0,3}(?:string|str)[ \\t]{0,3}=)?" +
  "[\\s\"'`*\\\\([{|>]{0,24}(?:base64:)?";
const STANDS_BEFORE = "[ \\t\"'`>|]{1,8}|[\"'`],[ \\t]?[\"'`]";
const VALUE =
  "(?<=[\"'`])[^\\s\"'`\\\\<>,;:.=)\\]}][^\\s\"'`\\\\<>]{7,}|[\\w+/.~!@#$%^*?-]{8,}={0,2}";
const LINE_END = "(?:\\\\{1,4}[nr]|\\r?\\n)[ \\t>|\"',]{0,40}"; // or one that is written as \n

const makePatterns = () => ({
  prefixed: new RegExp(`(?<![\\w-])(${PREFIXES})([\\w.-]{16,})`, "g"),
  framed: [
    /(?<![\w-])(eyJ)[\w-]{10,}(?:\.[\w-]{10,}){2,4}/g,
    /(authorization["']?[ \t]{0,3}[:=][ \t]{0,3}["']?basic[ \t]+)[A-Za-z0-9+/]{8,}=*/gi,
    /(hooks\.slack\.com\/[a-z]{5,20}\/)[\w/]{20,}/g,
    /(discord(?:app)?\.com\/api\/webhooks\/\d{5,25}\/)[\w-]{20,}/g,
    /(?<!\w)(\d{8,10}:)AA[\w-]{32,}/g, // Telegram
    // Only what follows the line as a key does: prose may name the line.
    new RegExp(
      "(-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)" +
        `(?:${LINE_END}(?:[A-Za-z-]+: [^\\n\\\\]{1,100})?){0,6}${LINE_END}[A-Za-z0-9+/=]{40,}` +
        `(?:(?:${LINE_END}){1,2}[A-Za-z0-9+/=]{1,100}(?=[\\s"'\\\\-]|$))*`,
      "g",
    ),
  ],
  // The value is looked at, not taken: it may be the name of the next one.
  named: new RegExp(
    `(?:(?:${NAMES})${NAME_ENDS}["'\`*\\\\\\])]{0,4}(?:(${IS_GIVEN})|${STANDS_BEFORE})` +
      `|(bearer[ \\t]+))(?=(${VALUE}))`,
    "gi",
  ),
  address: /(:\/\/([^\s/:@?#"'`<>]{0,100}):)([^\s/@?#"'`<>(){}]{3,100})(?=@)/g,
  pairs: new Set(PAIRS.split(" ")),
});
let patterns: ReturnType<typeof makePatterns> | undefined;

// Without its hint a pattern is not tried, and without any of them none is compiled.
// deno-fmt-ignore
const PREFIX_HINTS = [
  "sk-", "k_live_", "k_test_", "whsec_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "pat_", "glpat-", "npm_", "pypi-", "hf_", "gsk_", "xai-",
  "xox", "xapp-", "AKIA", "ASIA", "AIza", "ya29.", "GOCSPX-", "SG.", "hvs.", "_v1_", "lin_api_", "ntn_", "sbp_", "tskey-", "ATATT3", "AGE-SEC",
];
const FRAME_HINTS = ["eyJ", "asic ", "ASIC ", "hooks.slack", "/webhooks/", ":AA", "PRIVATE KEY"];
const NAME_HINTS = ["key", "secret", "token", "pass", "pwd", "credential", "_auth", "bearer"];

const SHORTEST = 8;

export function maskSecrets(text: string): string {
  if (text.length < SHORTEST) return text;
  const holds = (hint: string) => text.includes(hint);
  let masked = text;
  if (PREFIX_HINTS.some(holds)) masked = maskPrefixed(masked);
  if (FRAME_HINTS.some(holds)) masked = maskFramed(masked);
  const lower = text.toLowerCase();
  if (NAME_HINTS.some((hint) => lower.includes(hint))) masked = maskNamed(masked);
  return holds("://") && holds("@") ? maskAddresses(masked) : masked;
}

function maskPrefixed(text: string): string {
  patterns ??= makePatterns();
  return text.replace(
    patterns.prefixed,
    (whole, prefix: string, rest: string) =>
      looksRandom(rest, 0.75) ? `${prefix}***${rest.match(SENTENCE_END)?.[0] ?? ""}` : whole,
  );
}

function maskFramed(text: string): string {
  patterns ??= makePatterns();
  return patterns.framed.reduce((masked, form) => masked.replace(form, "$1***"), text);
}

function maskNamed(text: string): string {
  patterns ??= makePatterns();
  let masked = "";
  let done = 0;
  for (const match of text.matchAll(patterns.named)) {
    const start = match.index + match[0].length;
    if (start < done) continue;
    const length = secretLength(match, start, text);
    if (length === 0) continue;
    masked += text.slice(done, start) + "***";
    done = start + length;
  }
  return masked + text.slice(done);
}

/** `https://user:password@host` in a manual is no secret, nor is what was masked before. */
const PLACEHOLDER =
  /^(?:pass(?:word|wd)?|pw|pwd|secret|token|your.*|x+|\.+|\$\w+|%\w+%?|.*\*{3})$/i;

function maskAddresses(text: string): string {
  patterns ??= makePatterns();
  return text.replace(
    patterns.address,
    (whole, head: string, user: string, password: string) =>
      password === user || PLACEHOLDER.test(password) ? whole : `${head}***`,
  );
}

const SENTENCE_END = /[.!?]{1,3}$/;

/** How much behind a name is to be masked: all of the value, or nothing of it. */
function secretLength(match: RegExpExecArray, start: number, text: string): number {
  const [head, given, bearer] = match;
  const value = match[3]!;
  const next = text[start + value.length] ?? "";
  if (next === "(" || REFERENCE.test(value.slice(0, ENOUGH_TO_TELL))) return 0;
  const isQuoted = /["'`]$/.test(head) && /["'`\\]/.test(next);
  const end = isQuoted ? 0 : value.slice(-3).match(SENTENCE_END)?.[0].length ?? 0;
  const length = value.length - end;
  if (looksRandom(value, 0.5)) {
    const isSaid = given !== undefined || bearer !== undefined || isOption(text, match.index);
    // Behind a mere word a hash is a hash: "refresh the token 3f2a9c…"
    return isSaid || !HASH.test(value) ? length : 0;
  }
  const isPassword = given !== undefined && /^(?:pass|pwd|[_-]pass)/i.test(head) &&
    (isQuoted || /^[A-Z_]+=$/.test(head));
  return isPassword && looksChosen(value) ? length : 0;
}

/** `--gateway-token 3f2a9c…` */
function isOption(text: string, at: number): boolean {
  return /(?:^|\s)--[\w-]*$/.test(text.slice(Math.max(0, at - 40), at));
}

/** A variable, template, path, address, version, package or checksum, or a constant's name. */
const REFERENCE =
  /^(?:\$[A-Za-z_{(]|\{\{|%[A-Za-z_]|\.{0,2}\/[^/]*\/|~\/|v?\d+\.\d|sha\d+[-:]|[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$)|:\/\/|@\d+\.\d/;

const ENOUGH_TO_TELL = 200;

const HASH = /^[0-9a-f-]+$/i;

/** Drawn by lot, as keys are: not more than a share of it reads as words. */
function looksRandom(value: string, mostWords: number): boolean {
  const seen = value.slice(0, ENOUGH_TO_TELL).replace(/(.)\1{7,}/g, ""); // without xxxxxxxx
  if (seen.length < 16 || !/[A-Za-z].*[A-Za-z]/.test(seen)) return false;
  const hasDigit = /\d/.test(seen);
  if (HASH.test(seen)) return hasDigit;
  const words = wordShare(seen);
  return words < mostWords && (hasDigit || words < 0.25 && /[a-z].*[A-Z]/.test(seen));
}

/** What people choose is shorter and has words in it, but is of at least three kinds. */
function looksChosen(value: string): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[!@#$%^&*?+=~]/];
  return value.length <= 64 && kinds.filter((kind) => kind.test(value)).length >= 3;
}

/** From 0 to 1; long numbers belong to names (`Ed25519`) as well as to keys and do not count. */
function wordShare(value: string): number {
  let inWords = 0;
  for (const [part] of value.matchAll(/[A-Z]?[a-z]+|(?<![A-Za-z])[A-Z]+/g)) {
    if (isWord(part.toLowerCase())) inWords += part.length;
  }
  return inWords / value.replace(/\d{3,}|[^A-Za-z0-9]/g, "").length;
}

function isWord(letters: string): boolean {
  let usual = 0;
  for (let at = 2; at <= letters.length; at++) {
    if (patterns!.pairs.has(letters.slice(at - 2, at))) usual++;
  }
  return letters.length > 2 && usual >= 0.6 * (letters.length - 1);
}

/** The pairs of letters that most words and names of programs are made of; by chance one in four. */
const PAIRS =
  "in re er es ed te ti on en ng at nt st le de co se or al ar an ra io li ec ri ns si ve me ct nd " +
  "ta it ro ce tr ts ac ne pr di pe lo la is ea un ca ma ic nc et el as om ch ss pa rs ll na he ur " +
  "mp fi ou ig rt po bl ab ex il ly to ut ge th pl ad su mi ie ap im em ha us op pt ul ni no ow ol " +
  "cr sp iv id am ke ot ai ep os oc ck fo cl ry ag sh rm qu od ds ho so ia sa ef be vi ee fe if sc " +
  "ir pu do tt ip ue hi rr ev wa pp gi lt tu ba oo ci ty up ov ua eg bo ay pi iz ru va mo gr um rd " +
  "cu mu da ff oa rn ls we uc au ey ob rk wo";
