import { assertEquals, assertMatch } from "@std/assert";
import { fenced, HINTS, isHarmless, isPlain, mayHoldSecret, newFenceId } from "../lib/fence.ts";
import { ROOT } from "../lib/paths.ts";
import { guardText } from "../lib/lookalikes.ts";
import { NAME_HINTS } from "../lib/secret_names.ts";
import { FRAMES, maskFields, maskSecrets } from "../lib/secrets.ts";
import { drawFrom, drawSecret, SECRETS } from "./safety/secret_list.ts";
import { forSeeds } from "./support/fuzz.ts";

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

Deno.test("mayHoldSecret() lets no mixture of hints and values pass", () => {
  const hints = [
    ...NAME_HINTS,
    ...FRAMES.flat().flatMap((frame) => frame.hints),
    ...HINTS,
  ];
  const values = [
    "hunter2!",
    "Xk9$mQ2z",
    "a1b2c3d4e5f6",
    "q".repeat(15),
    "Zz9_Zz9-Zz9.Zz",
    "12345678",
  ];
  const joints = [
    ": ",
    "=",
    ' "',
    "://u:",
    "@",
    " -p",
    " -a ",
    " -u u:",
    "\t-p ",
    ":",
    "\n",
    " is ",
    "/",
  ];
  forSeeds(2000, (dice) => {
    const text = Array.from(
      { length: 6 },
      () => dice.pick(hints) + dice.pick(joints) + dice.pick(values),
    ).join(dice.pick([" ", "", "\n"]));
    assertEquals(maskSecrets(text) === text || mayHoldSecret(text), true, text);
  });
});

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
