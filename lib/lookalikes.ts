/** Keeps foreign text from looking like a part of a wake: its fence, its headers. */

import { FENCE_WORDS } from "./fence.ts";

/**
 * Each fence and each header in a wake is ours: a line of foreign text that reads as a header is
 * indented, and what reads as a fence loses its brackets and is called what it is.
 */
export function guardText(text: string): string {
  if (!isSuspect(text)) return text;
  return breakFences(text).split("\n").map(guardLine).join("\n");
}

/** For a value on a line of ours: what could be read as a fence or header has no brackets left. */
export function guardField(value: string): string {
  if (!isSuspect(value)) return value;
  const hasFence = breakFences(value) !== value || readsAs(value) !== "text";
  const hasHeader = value.split(OPENING).some((part) => readsAs(`[${part}`) === "header");
  return hasFence || hasHeader
    ? value.replace(everyOne(OPENING), "(").replace(everyOne(CLOSING), ")")
      .replace(everyOne(ANGLES), "|")
    : value;
}

function isSuspect(text: string): boolean {
  return BEGINNING.test(text) || /untrusted/i.test(text);
}

const everyOne = (pattern: RegExp) => new RegExp(pattern, "g");

/** As letters alone, as `lettersAt` reads them. */
const spelled = (words: string) => words.replace(/[^A-Z]/g, "").replaceAll("L", "I");
const FENCES = [spelled(`END_${FENCE_WORDS}`), spelled(FENCE_WORDS)];
// deno-fmt-ignore
const HEADERS = [
  "SESSION IDENTITY", "TRIGGER", "CONTENT", "STATE HINT", "CONTEXT PRESSURE", "AVAILABLE ACTIONS",
  "ASK USER QUESTION", "ANSWER SELECTED", "NO CHANGE", "PANE CONTENT",
].map(spelled);

const NO_FENCE = "(not a fence) ";

/** `<<<EXTERNAL_…>>>` anywhere, also over several lines: without its brackets. */
function breakFences(text: string): string {
  if (!ANGLE_RUNS.test(text)) return text;
  let broken = "";
  let done = 0;
  for (const { 0: run, index } of text.matchAll(everyOne(ANGLE_RUNS))) {
    const end = index < done ? undefined : behindAny(FENCES, text, index + run.length);
    if (end === undefined) continue;
    const lineEnd = text.indexOf("\n", end);
    const next = lineEnd === -1 ? text.length : lineEnd;
    broken += text.slice(done, index) + NO_FENCE + withoutAngles(text.slice(index, next));
    done = next;
  }
  return broken + text.slice(done);
}

function withoutAngles(text: string): string {
  return text.replace(everyOne(ANGLES), "|");
}

const INDENT = "    ";

function guardLine(line: string): string {
  if (!isSuspect(line)) return line;
  switch (readsAs(line)) {
    case "text":
      return line;
    case "header":
      return line.startsWith(INDENT) ? line : INDENT + line;
    case "fence":
      return NO_FENCE + withoutAngles(line);
  }
}

const NUMBER = /^\s*\d{1,3}[.)]\s/;
/** Of all decorations this one is common in good faith, and its line stays as it is. */
const LIST_ITEM = /^\s*- /;
/** So many signs may decorate the beginning of a line: quotes, stars, bars. */
const MOST_SIGNS = 60;

/** What the words at the beginning of a line could be taken for. */
function readsAs(line: string): "header" | "fence" | "text" {
  let at = NUMBER.exec(line)?.[0].length ?? 0;
  let isBracketed = false;
  for (let signs = 0; signs < MOST_SIGNS;) {
    const { letters, length } = lettersAt(line, at);
    if (length === 0) return "text";
    if (letters !== "") {
      if (isFence(line, at)) return "fence";
      return isBracketed && isHeader(line, at) && !LIST_ITEM.test(line) ? "header" : "text";
    }
    if (OPENING.test(line[at]!)) isBracketed = true;
    if (!isBlank(line, at)) signs++;
    at += length;
  }
  return "text";
}

/** Not a sentence that begins with these words: a fence has brackets, or signs between them. */
function isFence(line: string, at: number): boolean {
  const end = behindAny(FENCES, line, at);
  if (end === undefined) return false;
  return BEGINNING.test(line.slice(0, at)) || !/^[A-Za-z\s,-]*$/.test(line.slice(at, end));
}

function isHeader(line: string, at: number): boolean {
  const end = behindAny(HEADERS, line, at);
  if (end === undefined) return false;
  const rest = line.slice(closingAt(line, end));
  return rest !== "" && !/^\]\([^()\s]+\)/.test(rest); // a link is none
}

/** The next closing bracket, if no letter comes before it; else the end of the line. */
function closingAt(line: string, from: number): number {
  for (let at = from; at < line.length;) {
    if (CLOSING.test(line[at]!)) return at;
    const { letters, length } = lettersAt(line, at);
    if (letters !== "") break;
    at += length;
  }
  return line.length;
}

/** The place behind the first of these words that the text spells from there on. */
function behindAny(words: string[], text: string, at: number): number | undefined {
  for (const word of words) {
    const end = behind(word, text, at);
    if (end !== undefined) return end;
  }
  return undefined;
}

/** Between two letters of a word there may be so many other signs, and any number of blanks. */
const MOST_BETWEEN = 8;

function behind(word: string, text: string, from: number): number | undefined {
  let at = from;
  for (let found = 0, between = 0; found < word.length;) {
    const { letters, length } = lettersAt(text, at);
    if (length === 0) return undefined;
    if (letters === "") {
      if (!isBlank(text, at) && ++between > MOST_BETWEEN) return undefined;
    } else {
      if (!word.startsWith(letters, found)) return undefined;
      found += letters.length;
      between = 0;
    }
    at += length;
  }
  return at;
}

// Characters that look like a Latin letter or a bracket, for text that may imitate a wake.

/** `[` and what is drawn like it. */
const OPENING_BRACKETS = "\\[［【〔〖〘〚⟦⟬⟮⦋⦍⦏⦗⁅❲⌈⌊⎡⎣⸢⸤「『｢︗︹︻﹁﹃﹇﹝｟⦅";
const CLOSING_BRACKETS = "\\]］】〕〗〙〛⟧⟭⟯⦌⦎⦐⦘⁆❳⌉⌋⎤⎦⸣⸥」』｣︘︺︼﹂﹄﹈﹞｠⦆";
/** `<` or `<<` or `<<<`, and what is drawn like it. */
const OPENING_ANGLES = "<＜﹤‹«〈《〈⟨⟪❮❰❬⦑⦓⧼≪⋘⪡⫷⋖≺⊰⪻˂ᐸᚲ◁◂◃◄⏴⮜";
const CLOSING_ANGLES = ">＞﹥›»〉》〉⟩⟫❯❱❭⦒⦔⧽≫⋙⪢⫸⋗≻⊱⪼˃ᐳ▷▸▹►⏵⮞";

const OPENING = new RegExp(`[${OPENING_BRACKETS}]`);
const CLOSING = new RegExp(`[${CLOSING_BRACKETS}]`);
const ANGLES = new RegExp(`[${OPENING_ANGLES}${CLOSING_ANGLES}]`);
/** What a header or a fence begins with. */
const BEGINNING = new RegExp(`[${OPENING_BRACKETS}${OPENING_ANGLES}]`);
/** Two or more, or one that is drawn as several. */
const ANGLE_RUNS = new RegExp(
  `[${OPENING_ANGLES}](?:[\\s\\u2800]*[${OPENING_ANGLES}])+|[«《⟪≪⋘⪡⫷]`,
);

/** One letter of the Latin alphabet, then what looks like it. Compatibility forms come by NFKD. */
const TABLE = [
  "AАΑᎪꓮᗅᴀɅΛ𐊠ꭺⲀȺ∀",
  "BВΒᏴꓐʙᛒ𐊂ꞴⲂЬɃ",
  "CСϹᏟꓚᴄⅭⲤ𐊢ҪȻ",
  "DᎠꓓᴅᗞԀꭰĐÐ",
  "EЕΕᎬꓰᴇ⋿ⴹЄƐⲈɆ",
  "FꓝϜᖴꜰҒ",
  "GԌᏀꓖɢᏳǤ",
  "HНΗᎻꓧʜⲎᕼҢĦ",
  "IІΙӀᏆꓲɪⅼǀⵏⲒЇLᏞꓡʟ⅃ⳐԼ∣ⅬƖᛁıƗŁ",
  "KКΚᏦꓗᴋⲔҜ",
  "MМΜᎷꓟᴍⲘϺ",
  "NΝꓠɴⲚИՈͶᏁ",
  "OОΟՕꓳᴏ๐໐〇ⲞΘѲ⊙Øϴ",
  "PРΡᏢꓑᴘⲢⱣ",
  "QԚⵕႳ",
  "RᎡᏒꓣʀЯƦɌ",
  "SЅՏᏚꓢꜱᏕ",
  "TТΤᎢꓔᴛⲦ⊤⟙ŦȾ",
  "UՍꓴᴜ∪⋃ሀɄ",
  "VѴᏙꓦᴠ⋁ⅴⴸ",
  "WԜᎳꓪᴡѠ",
  "XХΧꓫ᙭ⲬҲ╳",
  "YУΥҮᎩꓬʏⲨ",
];

const ESCAPE = /\\u(?:\{[0-9a-f]{1,6}\}|[0-9a-f]{4})/y;

/**
 * What the character there reads as, in capital letters ("" for none), and its length: 0 at the end
 * of the text. I and L are one letter: `l`, `I` and `1` look the same.
 */
function lettersAt(text: string, at: number): { letters: string; length: number } {
  if (at >= text.length) return { letters: "", length: 0 };
  ESCAPE.lastIndex = at;
  if (text[at] === "\\" && ESCAPE.test(text)) return { letters: "", length: ESCAPE.lastIndex - at };
  const char = String.fromCodePoint(text.codePointAt(at)!);
  return { letters: char < "\x80" ? latin(char) : folded(char), length: char.length };
}

const DIGITS: Record<string, string> = { 0: "O", 1: "I", 3: "E", 4: "A", 5: "S" };

function latin(char: string): string {
  const upper = char.toUpperCase();
  if (upper === "L") return "I";
  return upper >= "A" && upper <= "Z" && upper.length === 1 ? upper : DIGITS[char] ?? "";
}

/** What was read before, and at first what the table says. Made when the first such sign is met. */
let known: Map<string, string> | undefined;

function folded(char: string): string {
  known ??= new Map(
    TABLE.flatMap(([letter, ...others]) =>
      others.map((other): [string, string] => [other, letter!])
    ),
  );
  const before = known.get(char);
  if (before !== undefined) return before;
  const letters = read(char, known);
  known.set(char, letters);
  return letters;
}

function read(char: string, known: Map<string, string>): string {
  const code = char.codePointAt(0)!;
  const first = ALPHABETS.find((first) => code >= first && code < first + 26);
  if (first !== undefined) return latin(String.fromCharCode(65 + code - first));
  return Array.from(char.normalize("NFKD"), (part) => {
    return part < "\x80" ? latin(part) : known.get(part) ?? known.get(part.toUpperCase()) ?? "";
  }).join("");
}

/** Where alphabets begin that NFKD leaves as they are: white on black, and the letters of flags. */
const ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6];

function isBlank(text: string, at: number): boolean {
  return /[\s\u2800]/.test(text[at] ?? "");
}
