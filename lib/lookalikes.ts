/** Characters that look like a Latin letter or a bracket, for text that may imitate a wake. */

/** `[` and what is drawn like it. */
const OPENING_BRACKETS = "\\[［【〔〖〘〚⟦⟬⟮⦋⦍⦏⦗⁅❲⌈⌊⎡⎣⸢⸤「『｢︗︹︻﹁﹃﹇﹝";
const CLOSING_BRACKETS = "\\]］】〕〗〙〛⟧⟭⟯⦌⦎⦐⦘⁆❳⌉⌋⎤⎦⸣⸥」』｣︘︺︼﹂﹄﹈﹞";
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
  "AАΑᎪꓮᗅᴀɅΛ𐊠ꭺⲀ",
  "BВΒᏴꓐʙᛒ𐊂ꞴⲂЬ",
  "CСϹᏟꓚᴄⅭⲤ𐊢Ҫ",
  "DᎠꓓᴅᗞԀꭰ",
  "EЕΕᎬꓰᴇ⋿ⴹЄƐⲈ",
  "FꓝϜᖴꜰҒ",
  "GԌᏀꓖɢᏳ",
  "HНΗᎻꓧʜⲎᕼҢ",
  "IІΙӀᏆꓲɪⅼǀⵏⲒЇLᏞꓡʟ⅃ⳐԼ∣ⅬƖᛁ",
  "KКΚᏦꓗᴋⲔҜ",
  "MМΜᎷꓟᴍⲘϺ",
  "NΝꓠɴⲚИՈͶ",
  "OОΟՕꓳᴏ๐໐〇ⲞΘѲ⊙",
  "PРΡᏢꓑᴘⲢ",
  "QԚⵕႳ",
  "RᎡᏒꓣʀЯƦ",
  "SЅՏᏚꓢꜱᏕ",
  "TТΤᎢꓔᴛⲦ⊤⟙",
  "UՍꓴᴜ∪⋃ሀ",
  "VѴᏙꓦᴠ⋁ⅴⴸ",
  "WԜᎳꓪᴡѠ",
  "XХΧꓫ᙭ⲬҲ╳",
  "YУΥҮᎩꓬʏⲨ",
];

const ESCAPE = /\\u\{[0-9a-f]{1,6}\}/y;

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

export function isBlank(text: string, at: number): boolean {
  return /[\s\u2800]/.test(text[at] ?? "");
}
