/** Characters that look like a Latin letter or a bracket, for text that may imitate a wake. */

/** `[` and what is drawn like it. */
const OPENING_BRACKETS = "\\[［【〔〖〘〚⟦⟬⟮⦋⦍⦏⦗⁅❲⌈⌊⎡⎣⸢⸤「『｢︗︹︻﹁﹃﹇﹝｟⦅";
const CLOSING_BRACKETS = "\\]］】〕〗〙〛⟧⟭⟯⦌⦎⦐⦘⁆❳⌉⌋⎤⎦⸣⸥」』｣︘︺︼﹂﹄﹈﹞｠⦆";
/** `<` or `<<` or `<<<`, and what is drawn like it. */
const OPENING_ANGLES = "<＜﹤‹«〈《〈⟨⟪❮❰❬⦑⦓⧼≪⋘⪡⫷⋖≺⊰⪻˂ᐸᚲ◁◂◃◄⏴⮜";
const CLOSING_ANGLES = ">＞﹥›»〉》〉⟩⟫❯❱❭⦒⦔⧽≫⋙⪢⫸⋗≻⊱⪼˃ᐳ▷▸▹►⏵⮞";

export const OPENING = new RegExp(`[${OPENING_BRACKETS}]`);
export const CLOSING = new RegExp(`[${CLOSING_BRACKETS}]`);
export const ANGLES = new RegExp(`[${OPENING_ANGLES}${CLOSING_ANGLES}]`);
/** What a header or a fence begins with. */
export const BEGINNING = new RegExp(`[${OPENING_BRACKETS}${OPENING_ANGLES}]`);
/** Two or more, or one that is drawn as several. */
export const ANGLE_RUNS = new RegExp(
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
export function lettersAt(text: string, at: number): { letters: string; length: number } {
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

/** A cache, filled from the table when the first such sign is met. */
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

export function isBlank(text: string, at: number): boolean {
  return /[\s\u2800]/.test(text[at] ?? "");
}

/** How markup, an address or a program writes a character: no letter, but perhaps a bracket. */
const WRITTEN =
  /<!--[^\n]{0,80}?-->|<\/?(?:[a-z][^<>\n]{0,80}|[A-Z]\w{0,4})\s*\/?>|&#?\w{1,10};|%[\dA-Fa-f]{2}|\\x[\dA-Fa-f]{2}|\\u(?:\{[\dA-Fa-f]{1,6}\}|[\dA-Fa-f]{4})/y;
const WRITTEN_OPENING = /^(?:&#(?:91|x5b);|&l(?:sqb|brack);|%5b|\\x5b|\\u(?:005b|\{0*5b\}))$/i;
const WRITTEN_CLOSING = /^(?:&#(?:93|x5d);|&r(?:sqb|brack);|%5d|\\x5d|\\u(?:005d|\{0*5d\}))$/i;

/** As it reads: letters as capitals, `[`, `]`, one blank for many, and `.` for any other sign. */
export function readOut(text: string): { read: string; hasSmall: boolean } {
  let read = "";
  let hasSmall = false;
  for (let at = 0; at < text.length;) {
    WRITTEN.lastIndex = at;
    const written = WRITTEN.exec(text)?.[0];
    if (written !== undefined) {
      read += WRITTEN_OPENING.test(written) ? "[" : WRITTEN_CLOSING.test(written) ? "]" : "";
      at += written.length;
      continue;
    }
    const { letters, length } = lettersAt(text, at);
    const char = text[at]!;
    hasSmall ||= char >= "a" && char <= "z";
    read += letters !== ""
      ? letters
      : OPENING.test(char)
      ? "["
      : CLOSING.test(char)
      ? "]"
      : !isBlank(text, at)
      ? "."
      : read.endsWith(" ")
      ? ""
      : " ";
    at += length;
  }
  return { read, hasSmall };
}
