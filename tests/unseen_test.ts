import { assertEquals } from "@std/assert";
import { showUnseen } from "../lib/unseen.ts";
import { cpuMs, TOO_LONG_MS } from "./support/cpu_time.ts";

const flag = (letters: string) =>
  "\u{1f3f4}" +
  Array.from(`${letters}\x7f`, (c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join("");

// What is written so in its script, or drawn so as an emoji.
const KEPT: Record<string, string> = {
  "plain text": "žluťoučký kůň, naïve, Ελλάδα, Москва\n\ttab",
  "a family": "\u{1f469}\u200d\u{1f469}\u200d\u{1f467}",
  "a profession with a colour of skin": "\u{1f9d1}\u{1f3fd}\u200d\u{1f4bb}",
  "a heart on fire": "\u2764\ufe0f\u200d\u{1f525}",
  "a rainbow flag": "\u{1f3f3}\ufe0f\u200d\u{1f308}",
  "a keycap": "1\ufe0f\u20e3",
  "a telephone as text": "\u260e\ufe0e",
  "the flag of Scotland": flag("gbsct"),
  "Persian": "می\u200cخواهم",
  "Sinhala": "ශ්\u200dරී",
  "Hindi": "क्\u200dष",
  "Thai": "ภาษา\u200bไทย",
  "Hebrew with a mark": "שלום\u200f!",
  "a variant of a Han character": "葛\u{e0100}",
  "Mongolian": "ᠮᠣᠩ\u180bᠭᠣᠯ",
  "Braille": "⠓⠑⠇⠇⠕⠀⠺",
};
for (const [title, text] of Object.entries(KEPT)) {
  Deno.test(`showUnseen() keeps ${title}`, () => assertEquals(showUnseen(text), text));
}

const CHANGED: Record<string, [text: string, shown: string]> = {
  "drops zero-width characters": ["a\u200bb\u200cc\u200dd\u2060e\ufefff", "abcdef"],
  "drops soft hyphens": ["pass\u00adword", "password"],
  "drops invisible operators and fillers": ["a\u2062b\u3164c\uffa0d\u115fe", "abcde"],
  "drops selectors that select nothing": ["a\ufe0f b\ufe01 c\u{e0101}", "a b c"],
  "drops a second selector": ["\u{1f600}\ufe0f\ufe00\ufe01", "\u{1f600}\ufe0f"],
  "shows overrides": ["a\u202eb\u202c", "a\\u{202e}b\\u{202c}"],
  "shows isolates and marks": ["\u2066a\u2069 \u200eb", "\\u{2066}a\\u{2069} \\u{200e}b"],
  "shows tags": ["x\u{e0068}\u{e0069}", "x\\u{e0068}\\u{e0069}"],
  "shows tags behind a black flag that is no country's": [
    flag("hello"),
    "\u{1f3f4}\\u{e0068}\\u{e0065}\\u{e006c}\\u{e006c}\\u{e006f}\\u{e007f}",
  ],
};
for (const [title, [text, shown]] of Object.entries(CHANGED)) {
  Deno.test(`showUnseen() ${title}`, () => assertEquals(showUnseen(text), shown));
}

Deno.test("showUnseen() is soon done with nothing but unseen characters", () => {
  const took = cpuMs(() => {
    for (const char of ["\u200b", "\u202e", "\u{e0041}", "\u{1f3f4}\u{e0067}"]) {
      showUnseen(char.repeat(100_000));
    }
  });
  assertEquals(took < TOO_LONG_MS, true, `${took} ms`);
});
