/** Is a value a secret, or a word, a variable, a placeholder, a path? And where does it end? */

/** A secret in a text. */
export interface Secret {
  start: number;
  end: number;
  /** In words, for who has to approve: `a GitHub token`. */
  what: string;
  /** `format`: known by itself. `value`: known only by what stands around it. `guess`: it looks like one. */
  kind: "format" | "value" | "named" | "block" | "guess";
  /** What stands before it, and tells what it is. */
  head?: string;
  /** On a line after the first, of a secret that lines break. */
  isRest?: boolean;
  /** Too unsure to be hidden from who approves a command. */
  onlyRead?: boolean | undefined;
}

/** Longer values are recognized by their beginning. */
const ENOUGH_TO_TELL = 200;

const HASH = /^[0-9a-f-]+$/i;

export function isHash(value: string): boolean {
  return HASH.test(value);
}

/** A variable, template, path, version, checksum or account, or a constant's name. */
const REFERENCE =
  /^(?:\$[A-Za-z_{(]|\{\{|%\w+(?:\(\w+\))?%$|@\w+@$|%[A-Za-z_]{2,}$|![A-Za-z]+$|0x(?:[\dA-Fa-f]{1,16}|[\dA-Fa-f]{40})$|\.{0,2}\/[^/]*\/|~\/|[A-Za-z]:\\|v?\d+\.\d|sha\d+[-:]|arn:|op:\/|vault:|[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$|\d{4}-\d\d-\d\d)|:\/\/|@\d+\.\d|\w\?\.\w/;

export function isReference(value: string): boolean {
  const seen = value.slice(0, ENOUGH_TO_TELL);
  if (/^[a-z]+(?:[|:,][a-z\d]+){2,}$/.test(seen)) return true; // required|min:8
  // A key in base64 may begin like a path.
  return REFERENCE.test(seen) &&
    !(/^(?:\/[A-Za-z0-9+/]{37,}={0,2}|v\d\.[A-Za-z0-9]{16,})$/.test(seen) &&
      wordShare(seen) < 0.35);
}

/** What code or a cluster calls its things: `SyntaxKind.Unknown`, `db-creds-6f8d9c7b5`. */
export function isName(value: string): boolean {
  return /^[a-z]{2,}(?:-[a-z]{2,}){0,8}-[a-z\d]{4,10}(?:-[a-z\d]{4,6})?$/.test(value) ||
    /^[A-Za-z_]+(?:\.[A-Za-z_]+)+$/.test(value);
}

/** Words of which placeholders are made, such as `your-api-key-here`, and usual defaults. */
const PLACEHOLDER_WORDS =
  "my your the some an a new old username user db database admin root testing test example sample dummy " +
  "fake default secrets secret passwords password passwd passphrase pass pw pwd tokens token keys key api " +
  "app access auth client private bearer change changeit me it this that here insert replace enter todo tbd " +
  "fixme none null nil true false undefined redacted hidden masked removed omitted empty strings string str " +
  "text values value required optional placeholder foo bar baz postgresql postgres mysql redis rabbitmq " +
  "mongo guest docker minioadmin minio localhost prompt stdin env file auto random generated with from goes " +
  "local dev prod staging input field param arg var data column name type id hashed hash encrypted plain " +
  "current confirm reset invalid missing wrong expired valid bcrypt argon2id argon2 scrypt sha256 sha512 " +
  "sha1 md5 utf8 base64 hex oauth2 oauth jwt basic digest next last first same any all is of and or not set " +
  "get in to as on no yes off";

const PLACEHOLDER =
  /^(?:(.)\1*|[xX*.\-_•…]+|1234\d?|0123\d*|abc123|abcdef\w*|[Cc]hange_?[Mm]e\d*!?|(?:value|key|token|foo|bar)\d|[a-z]{3,9}_here)$|\*{3}|…|\.{3}|<|x{6}|X{6}/;
const LONGEST_WORD = 11;
let placeholderWords: Set<string> | undefined;

export function isPlaceholder(value: string): boolean {
  const seen = value.slice(0, ENOUGH_TO_TELL);
  if (PLACEHOLDER.test(seen)) return true;
  const words = placeholderWords ??= new Set(PLACEHOLDER_WORDS.split(" "));
  const bare = seen.replace(/^[<[{(]+|[>\])}]+$/g, "").toLowerCase();
  let at = 0;
  while (at < bare.length) {
    let length = "-_. ".includes(bare[at]!) ? 1 : LONGEST_WORD;
    while (length > 1 && !words.has(bare.slice(at, at + length))) length--;
    if (length === 1 && !"-_. a".includes(bare[at]!)) return false;
    at += length;
  }
  return true;
}

const WORDS_OF_PROSE =
  "must|have|has|be|at|least|most|than|then|more|less|for|with|without|too|can|cannot|should|will|long|short|char|" +
  "chars|character|characters|min|max|minimum|length|use|using|see|read|only|policy|manager|store|keychain|vault|" +
  "managed|server|service|cluster|creds|credentials|config|settings|authentication|authenticator|based|forgot|" +
  "rotation|update|request|failed|error|success|ref";
let wordsOfProse: RegExp | undefined;

/** `correct-horse-battery-staple`, `my-pw-7d8k2c`: at most one word of a placeholder, none of prose. */
export function isWordsOfPassword(value: string): boolean {
  if (!/^[a-z\d]{2,12}(?:[-_.][a-z\d]{2,12}){2,7}$/i.test(value) || !/[a-z]{3}/i.test(value)) {
    return false;
  }
  wordsOfProse ??= new RegExp(`^(?:${WORDS_OF_PROSE})$`);
  const words = value.toLowerCase().split(/[-_.]/);
  if (words.some((word) => wordsOfProse!.test(word))) return false;
  if (/[A-Z]_[A-Z]|^[a-z]+(?:\.[a-z]+)+$|^v?\d/i.test(value) && !/-/.test(value)) return false;
  const unusual = words.filter((word) => !isPlaceholder(word));
  return unusual.length >= 2 || unusual.length === 1 && /\d[a-z]*\d|[a-z]\d[a-z]/.test(unusual[0]!);
}

/** Drawn by lot, as keys are: not more than a share of it reads as words. */
export function looksRandom(value: string, mostWords: number, least = 16): boolean {
  const seen = value.slice(0, ENOUGH_TO_TELL).replace(/(.)\1{7,}/g, ""); // without xxxxxxxx
  if (seen.length < least || !/[A-Za-z].*[A-Za-z]/.test(seen)) return false;
  const hasDigit = /\d/.test(seen);
  if (HASH.test(seen)) return hasDigit;
  // Digits in many places: what lies between them reads as a word by chance.
  const turns = /^[A-Za-z\d]+$/.test(seen) ? [...seen.matchAll(/[a-z](?=\d)/gi)].length : 0;
  const words = wordShare(seen) - (turns >= 4 ? 0.25 : 0);
  return words < mostWords && (hasDigit || words < 0.25 && /[a-z].*[A-Z]/.test(seen));
}

/** What stands behind a maker's prefix: any run of enough different characters, but no words. */
export function looksDrawn(body: string): boolean {
  const seen = body.slice(0, ENOUGH_TO_TELL);
  if (new Set(seen).size < 7 || /x{6}|\*{3}/i.test(seen)) return false;
  // No word has only such characters: 0123456789abcdef…
  if (/^(?:[0-9a-f-]{16,}|[A-Z\d]{16,})$/.test(seen) && /\d/.test(seen)) return true;
  const words = wordShare(seen);
  return words < 0.75 && (/\d/.test(seen) || words < 0.4) && !/^(?:your|my|the)[-_]/i.test(seen);
}

const KINDS = [/[a-z]/, /[A-Z]/, /\d/, /[!@#$%^&*?+=~]/];

/** A type or a name of code with digits in it: `Uint8Array`, `sha256`, `user2`. */
const CODE =
  /^(?:[A-Z]?[a-z]{2,}\d{1,3}(?:[A-Z][a-z]+)+|(?:[Ss]ha|SHA|[Mm]d|MD|aes|AES|rsa|RSA|utf|UTF|int|uint|[Bb]ase|bcrypt|ed|x|v|ipv|http|HTTP|arg|param|input|value|user|pass|password|passwd|pwd|token|key|field|str|string|var|tmp|test|foo|secret|data|text|word|column|col|row|item|opt|option|oauth|OAuth|argon|pbkdf|step|phase|line|page|section|chapter|version|level|rule|error|code|case|part)[-_]?\d+\w?)$/;

/** What people choose is shorter and has words in it, but also digits or marks among them. */
export function looksChosen(value: string, isSure: boolean): boolean {
  if (value.length < 6 || value.length > 64 || CODE.test(value) || /^[/.]/.test(value)) {
    return false;
  }
  const kinds = KINDS.filter((kind) => kind.test(value)).length;
  if (kinds >= 3) return isSure || /[!@#$%^&*?+=~]|\d.*\d/.test(value) || wordShare(value) < 0.5;
  // Words with a number among them are prose: must-have-8-characters
  if (/[A-Za-z]{2,}[-_./][A-Za-z\d]*[-_./]?[A-Za-z]{2,}/.test(value)) return false;
  return kinds === 2 && /[A-Za-z]/.test(value) && /\d|[!@#$%^&*?+=~]/.test(value);
}

/** From 0 to 1; long numbers belong to names (`Ed25519`) as well as to keys and do not count. */
export function wordShare(value: string): number {
  let inWords = 0;
  for (const [part] of value.matchAll(/[A-Z]?[a-z]+|(?<![A-Za-z])[A-Z]+/g)) {
    if (isWord(part.toLowerCase())) inWords += part.length;
  }
  return inWords / Math.max(1, value.replace(/\d{3,}|[^A-Za-z0-9]/g, "").length);
}

let pairs: Set<string> | undefined;

function isWord(letters: string): boolean {
  pairs ??= new Set(PAIRS.split(" "));
  let usual = 0;
  for (let at = 2; at <= letters.length; at++) {
    if (pairs.has(letters.slice(at - 2, at))) usual++;
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

// A terminal or a dialog breaks a long token over lines.

export interface TextPart {
  start: number;
  end: number;
}

export interface Run {
  /** Without the breaks. */
  text: string;
  parts: TextPart[];
  /** The parts of its first characters. */
  upTo(length: number): TextPart[];
}

const makeRunForms = () => ({
  run: /[\w+/=.~%-]{1,2000}/y,
  rest: /[\w+/=.~%-]*/y,
  // A dialog draws its frame on both sides; a shell goes on behind a backslash.
  lineBreak: /(?:[ \t]{0,200}[│┃║|])?\\?\r?\n[ \t]{0,80}(?:[│┃║|>][ \t]{0,80})?/y,
});
let runForms: ReturnType<typeof makeRunForms> | undefined;

const MOST_PARTS = 40;

/** The run at a place. With its whole length known, no more is taken from the next lines. */
export function runFrom(text: string, at: number, length?: number): Run {
  runForms ??= makeRunForms();
  const { run, lineBreak } = runForms;
  const matchAt = (form: RegExp, place: number): string => {
    form.lastIndex = place;
    return form.exec(text)?.[0] ?? "";
  };
  let joined = matchAt(run, at);
  const parts: TextPart[] = [{ start: at, end: at + joined.length }];
  while (
    parts.length < MOST_PARTS && joined !== "" && (length === undefined || joined.length < length)
  ) {
    const { end } = parts.at(-1)!;
    const gap = matchAt(lineBreak, end);
    const next = gap === "" ? "" : matchAt(run, end + gap.length);
    const start = end + gap.length;
    if (
      next === "" ||
      !goesOn(joined, next, text.slice(start + next.length, start + next.length + 2), length)
    ) break;
    joined += next;
    parts.push({ start, end: start + next.length });
  }
  return { text: joined, parts, upTo: (most) => firstOf(parts, most) };
}

/** Where the run ends that a place is in. A run is recognized by its beginning, and masked whole. */
export function runEnd(text: string, at: number): number {
  const { rest } = runForms ??= makeRunForms();
  rest.lastIndex = at;
  return at + rest.exec(text)![0].length;
}

export function wholeRun(value: string, start: number): Run {
  const parts = [{ start, end: start + value.length }];
  return { text: value, parts, upTo: (most) => firstOf(parts, most) };
}

function firstOf(parts: TextPart[], most: number): TextPart[] {
  let left = most;
  return parts.flatMap(({ start, end }) => {
    const taken = Math.min(left, end - start);
    left -= taken;
    return taken > 0 ? [{ start, end: start + taken }] : [];
  });
}

/** Is this the rest of a token, or the first word of the next line? */
function goesOn(before: string, next: string, after: string, length: number | undefined): boolean {
  if (/^[:(=[]|^ ?[=:]/.test(after) || /^\d+\.?$|=[^=]|:\/\/|^v?\d+\.\d|^\d{4}-\d\d/.test(next)) {
    return false;
  }
  if (length !== undefined && before.length + next.length === length) return true;
  if (isHash(before) && !/\d{10}/.test(before)) {
    return isHash(next) && ![32, 36, 40, 64, 128].includes(before.length);
  }
  if (isHash(next) && next.length >= 7 || wordShare(next) >= 0.5) return false;
  return /\d/.test(next) && /[A-Za-z]/.test(next) || /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(next);
}
