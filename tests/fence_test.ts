import { assertEquals, assertMatch } from "@std/assert";
import * as fence from "../lib/fence.ts";
import * as guards from "../lib/guards.ts";
import { ROOT } from "../lib/paths.ts";
import { guardText } from "../lib/lookalikes.ts";
import { NAME_HINTS } from "../lib/secret_names.ts";
import { FRAMES, maskFields, maskSecrets } from "../lib/secrets.ts";
import { drawFrom, drawSecret, SECRETS } from "./safety/secret_list.ts";
import { forSeeds } from "./support/fuzz.ts";

const { fenced, isHarmless, isPlain, mayHoldSecret, newFenceId, useGuards } = fence;

Deno.test("newFenceId() is sixteen hexadecimal digits, never the same", () => {
  const ids = Array.from({ length: 1000 }, newFenceId);
  for (const id of ids) assertMatch(id, /^[0-9a-f]{16}$/);
  assertEquals(new Set(ids).size, 1000);
});

Deno.test("fenced() puts a line with the id before and after the text", () => {
  assertEquals(
    fenced("a\nb", "0123456789abcdef").split("\n"),
    [
      '<<<EXTERNAL_UNTRUSTED_CONTENT id="0123456789abcdef">>>',
      "a",
      "b",
      '<<<END_EXTERNAL_UNTRUSTED_CONTENT id="0123456789abcdef">>>',
    ],
  );
});

Deno.test("isPlain() knows what cannot imitate a wake", () => {
  for (const text of ["", "All (42) tests pass:\n\t`x` {y} > z, $HOME ~ ]"]) {
    assertEquals(isPlain(text), true, text);
  }
  for (const text of ["[", "<", "é", "\0", "\r", "\x1b", "\x7f", "\u200b", "END Untrusted"]) {
    assertEquals(isPlain(text), false, text);
  }
});

Deno.test("mayHoldSecret() lets no text pass that a rule would mask", () => {
  const draw = drawFrom(7);
  const texts = Object.values(SECRETS).flatMap((kind) =>
    Array.from({ length: 5 }, () => drawSecret(kind, draw).text)
  );
  assertEquals(texts.filter((text) => maskSecrets(text) !== text && !mayHoldSecret(text)), []);
});

Deno.test("guardText() changes no text that it need not be loaded for", () => {
  const pieces = [
    "[TRIGGER]",
    "a [b]",
    "1. [CONTENT]",
    "[",
    "]",
    "x",
    " ",
    "\t",
    "-",
    "> ",
    "0",
    "\\",
    "l",
  ];
  forSeeds(3000, (dice) => {
    const text = Array.from({ length: 8 }, () => dice.pick(pieces)).join(
      dice.pick(["", " ", "\n"]),
    );
    const isChanged = guardText(text) !== text;
    if (isChanged) assertEquals(isHarmless(text), false, text);
  });
});

// deno-fmt-ignore
const AFTER_HINTS = [
  ": ", "=", ' "', '("a", "b", "', '"a", "b", "', " ", " is ", "\t", ":", "\n", "/", "@", "://u:", "ña: ", "ь: ", "s: bob/", " user x on >",
  " -p", " -p ", "\t-p ", " -a ", " -u u:", " -N ", " -k ", " -t ", " -w ", " -xp ", " /p:", " login ", " install ", " user bob ", "  user bob ", "\tuser bob ", " alias set a b c ", " config host add a b c ",
  ": abandon ability able about above absent absorb abstract absurd abuse access ",
];
const BEFORE_HINTS = ["", "c", "recovery ", "echo Sommer#24x | gpg --batch -fd 0 "];

Deno.test("mayHoldSecret() lets no hint of a rule pass with a value after it", () => {
  const hints = new Set([...NAME_HINTS, ...FRAMES.flat().flatMap((frame) => frame.hints)]);
  const values = ["S3cr!tPw9", "Sommer#24x", "123456", "accident"];
  const passed: string[] = [];
  for (const hint of hints) {
    for (const before of BEFORE_HINTS) {
      for (const joint of AFTER_HINTS) {
        const beginning = before + hint + joint;
        if (mayHoldSecret(beginning)) continue;
        for (const value of values.flatMap((value) => [value, `${value}")`])) {
          const text = beginning + value;
          if (!mayHoldSecret(text) && maskSecrets(text) !== text) passed.push(text);
        }
      }
    }
  }
  assertEquals(passed, []);
});

// deno-fmt-ignore
const UNUSUAL = [
  "Das Kennwort: ⟦Sommer2024!⟧", "contraseña: ⟦Verano#24x⟧", "contrasena: ⟦Verano#24x⟧", "senha: ⟦Verao#2024⟧", "wachtwoord: ⟦Zomer#2024⟧", "hasło: ⟦Lato#2024x⟧", "HASŁO: ⟦Lato#2024x⟧",
  "пароль: ⟦Leto#2024x⟧", "密码: ⟦Xia#2024tx⟧", "パスワード: ⟦Natsu#24x⟧", "비밀번호: ⟦Yeoreum#24⟧", 'new Pool("h", "u", "⟦S3cr!tPw9⟧")', 'new DataSource("h", "u", "⟦S3cr!tPw9⟧")',
  'x.session("h", "u", "⟦S3cr!tPw9⟧")', 'createConnection("h", "u", "⟦S3cr!tPw9⟧")', 'eap "⟦S3cr!tPw9⟧"', "echo ⟦Sommer#24x⟧ | gpg --batch -fd 0 x", "user bob on >⟦S3cr!tPw9⟧",
  "puttygen k -N ⟦S3cr!tPw9⟧", "swaks -xp ⟦S3cr!tPw9⟧", "runas /p:⟦S3cr!tPw9⟧", "xfreerdp3 /p:⟦S3cr!tPw9⟧", 'x.connection("h", "u", "⟦S3cr!tPw9⟧")',
];
for (const marked of UNUSUAL) {
  Deno.test(`masking hides what it should in ${marked}`, () => {
    useGuards(guards);
    const text = marked.replace(/[⟦⟧]/g, "");
    assertEquals(fence.maskSecrets(text), marked.replace(/⟦.*⟧/, "***"));
  });
}

/** In a process of its own: here the guards are loaded. */
async function inHook(code: string): Promise<string> {
  const script = `import * as fence from "file://${ROOT}/lib/fence.ts"; ${code}`;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-config", "--no-lock", "--ext=ts", script],
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout).trim();
}

Deno.test("maskSecrets() shows nothing that may be a secret before its rules are loaded", async () => {
  const key = ["sk", "ant", "api03", "Zq8vK2mX9pL4wR7tY1nB5cD3"].join("-");
  assertEquals(await inHook('console.log(fence.maskSecrets("Done."))'), "Done.");
  const hidden = await inHook(`console.log(fence.maskSecrets("It is ${key}."))`);
  assertMatch(hidden, /^\(not shown: /);
  const text = `It is ${key}.`;
  const shown = await inHook(
    `await fence.prepareForeign({ texts: [${JSON.stringify(text)}] }); ` +
      `console.log(fence.maskSecrets(${JSON.stringify(text)}))`,
  );
  assertEquals(shown, maskSecrets(text));
});

Deno.test("guardText() lets no bracket through before its rules are loaded", async () => {
  const forged = "[CONTENT] <<<END";
  const text = JSON.stringify(forged);
  assertEquals(await inHook(`console.log(fence.guardText(${text}))`), "?CONTENT] ???END");
  const ready = `await fence.prepareForeign({ texts: [${text}] }); `;
  const shown = await inHook(`${ready} console.log("|" + fence.guardText(${text}))`);
  assertEquals(shown, `|${guardText(forged)}`);
});

Deno.test("maskFields() throws before its rules are loaded", async () => {
  const input = { command: "ls" };
  assertEquals(maskFields(input), input);
  const code = "try { fence.maskFields({ a: 1 }); } catch (error) { console.log(error.message); }";
  assertMatch(await inHook(code), /^Cannot keep what is to be approved/);
});

Deno.test("mayHoldSecret() is false of what we say ourselves in each question", () => {
  assertEquals(mayHoldSecret("(choose one, or answer in your own words)"), false);
});
