import { assertEquals } from "@std/assert";
import { cleanText, cutAtLine, guardHeaders, maskSecrets, oneLine } from "../lib/text.ts";

// deno-fmt-ignore
const CLEAN: Record<string, [string, string]> = {
  "leaves plain text alone": ["žluťoučký 🐎 \"q\" $VAR\n\ttab", "žluťoučký 🐎 \"q\" $VAR\n\ttab"],
  "drops colours": ["\x1b[1;31mred\x1b[0m", "red"],
  "drops 8-bit colours": ["\x9b31mred", "red"],
  "drops titles and links": ["\x1b]8;;http://x\x07link\x1b]8;;\x1b\\ end", "link end"],
  "drops a code that never ends": ["a\x1b[31", "a31"],
  "drops NUL, BEL, backspace and DEL": ["a\0b\x07c\bd\x7fe", "abcde"],
  "ends lines one way": ["a\r\nb\rc\u2028d\u2029e", "a\nb\nc\nd\ne"],
};
for (const [title, [input, expected]] of Object.entries(CLEAN)) {
  Deno.test(`cleanText() ${title}`, () => assertEquals(cleanText(input), expected));
}

Deno.test("oneLine() cannot add a line", () => {
  assertEquals(oneLine("  warden\n\n[CONTENT]\r\nx "), "warden [CONTENT] x");
});

Deno.test("guardHeaders() indents only lines that would read as a header", () => {
  const text = "[CONTENT]\n[content] \nsee [CONTENT] here\n[OTHER]\n\t[TRIGGER]\n- [STATE HINT]";
  const expected =
    "    [CONTENT]\n    [content] \nsee [CONTENT] here\n[OTHER]\n    \t[TRIGGER]\n- [STATE HINT]";
  assertEquals(guardHeaders(text), expected);
});

// deno-fmt-ignore
const SECRETS: Record<string, [string, string]> = {
  "an Anthropic key": ["use sk-ant-api03-AAAABBBBCCCCDDDDEEEE_ff-00 now", "use sk-ant-*** now"],
  "a GitHub token": ["ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_***"],
  "an AWS key id": ["AKIAIOSFODNN7EXAMPLE", "AKIA***"],
  "a web token": ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P", "eyJ***"],
  "a header": ["Authorization: Bearer abcdef0123456789abcdef0123", "Authorization: Bearer ***"],
  "an assignment": ['GATEWAY_TOKEN="0123456789abcdef0123"', 'GATEWAY_TOKEN="***"'],
  "a private key": [`-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${"Ab1+".repeat(16)}\n${"Cd2/".repeat(16)}\nEf3=\n-----END RSA PRIVATE KEY-----\nDone.`, "-----BEGIN RSA PRIVATE KEY-----***\n-----END RSA PRIVATE KEY-----\nDone."],
  "a cloud secret": ["AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENGbPxRfiCY2EXAMPLEKEY", "AWS_SECRET_ACCESS_KEY=***"],
  "a header's key": ["x-api-key: 0123456789abcdef0123", "x-api-key: ***"],
  "a payment key": ["sk_live_51HabcdefGHIJKLmnop", "sk_live_***"],
  "a basic login": ["Authorization: Basic dXNlcjpwYXNzd29yZDEyMw==", "Authorization: Basic ***"],
  "a password in an address": ["postgres://user:hunter2@db/x", "postgres://user:***@db/x"],
};
for (const [title, [input, expected]] of Object.entries(SECRETS)) {
  Deno.test(`maskSecrets() masks ${title}`, () => assertEquals(maskSecrets(input), expected));
}

// deno-fmt-ignore
const HARMLESS = [
  "the token: a short word", "API_KEY=process.env.API_KEY", "password: correct horse battery staple",
  "task-runner sk-1", "https://example.org:8080/path@2", "SECRET=$MY_SECRET", "commit 3f2a9c0d1e8b7a6f5e4d3c2b1a09f8e7d6c5b4a3",
  "npm_config_user_agent and npm_lifecycle_script", "sk-toggleable__control sk-estimator-doc-link", "hf_model_name_or_path",
  "const token = generateTokenForUser2faLogin(user)", "const secret = base64UrlEncodeRandomBytes(32)",
  "password: src/auth/v2/password_hash.ts", "token: src/auth/v2/passwords2", "Bearer authentication/authorization middleware",
  "http://localhost:3000?email=joe@example.com", "begin with `-----BEGIN PRIVATE KEY-----`; fixed.\n\nMay I delete the backup?",
];
for (const text of HARMLESS) {
  Deno.test(`maskSecrets() leaves "${text}" as it is`, () => assertEquals(maskSecrets(text), text));
}

Deno.test("cutAtLine() keeps all that fits, to the character", () => {
  assertEquals(cutAtLine("12345", 5), { kept: "12345", missingChars: 0 });
});

Deno.test("cutAtLine() cuts behind a whole line", () => {
  assertEquals(cutAtLine("12345\n678\n9", 9), { kept: "12345\n678", missingChars: 2 });
});

Deno.test("cutAtLine() cuts one endless line, but no character in two", () => {
  assertEquals(cutAtLine("abc🐎def", 4), { kept: "abc", missingChars: 5 });
});

// Each of these once took seconds: a pattern that is tried anew at every character.
const ENDLESS: Record<string, string> = {
  "tokens without an end": "eyJhbGciOi-".repeat(20_000),
  "names without a value": "TOKEN=".repeat(40_000),
  "blanks": " ".repeat(300_000),
  "blank lines": " \n".repeat(100_000),
  "addresses without an end": "://a:".repeat(40_000),
  "keys that only begin": "-----BEGIN PRIVATE KEY-----\n".repeat(10_000),
  "one word": "A1".repeat(150_000),
};
for (const [title, text] of Object.entries(ENDLESS)) {
  Deno.test(`maskSecrets() and oneLine() are soon done with ${title}`, () => {
    const began = performance.now();
    maskSecrets(text);
    oneLine(text);
    cleanText(text);
    guardHeaders(text);
    const took = performance.now() - began;
    assertEquals(took < 1000, true, `${took} ms`);
  });
}
