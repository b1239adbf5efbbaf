/**
 * Foreign text: the fence around it in a wake, and what makes it safe to show. The rules for that
 * cost a hook two milliseconds to load, so it loads them only for a text that needs them
 * (`prepareForeign`). Commands have them at once, by cli/load_guards.ts; the deliverer loads them
 * before it records what others have said (`prepareGuards`).
 */

import { later } from "./paths.ts";

export const FENCE_WORDS = "EXTERNAL_UNTRUSTED_CONTENT";

/** Random, so that no text that was written before can hold it. */
export function newFenceId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function fenced(text: string, id: string): string {
  return `<<<${FENCE_WORDS} id="${id}">>>\n${text}\n<<<END_${FENCE_WORDS} id="${id}">>>`;
}

type Guards = typeof import("./guards.ts");

let guards: Guards | undefined;

export function useGuards(loaded: Guards): void {
  guards = loaded;
}

/** What is to be shown or kept. */
export interface Foreign {
  /** Lines in a fence, or a record of the journal. */
  texts: (string | undefined)[];
  /** Values on a line of ours. */
  fields?: string[];
}

/** To be called before foreign text is shown or kept. */
export async function prepareForeign({ texts, fields = [] }: Foreign): Promise<void> {
  const isOdd = (text = "") => !isHarmless(text) || mayHoldSecret(text);
  const isOddField = (field: string) => !isPlain(field) || mayHoldSecret(field);
  if (guards === undefined && (texts.some(isOdd) || fields.some(isOddField))) await loadGuards();
}

export async function loadGuards(): Promise<void> {
  guards ??= await import(later("./guards.ts"));
}

/** For what is recorded next. A missing file of the rules stops nothing: such a text is not shown. */
export async function prepareGuards(): Promise<void> {
  try {
    await loadGuards();
  } catch {
    // As in the middle of an update.
  }
}

/** ASCII without brackets: it holds nothing that has to be made harmless. */
export function isPlain(text: string): boolean {
  return !NOT_PLAIN.test(text) && !/untrusted/i.test(text);
}

const NOT_PLAIN = /[^\t\n -;=-Z\\-~]/;

const DIGITS: Record<string, string> = { o: "0", i: "1lL", e: "3", a: "4", s: "5" };

/** As lines of text it imitates nothing. */
export function isHarmless(text: string): boolean {
  return !(MAY_BE_ODD.test(text) && ODD_LINES.test(text)) && !/untrusted/i.test(text);
}

/** All that ODD_LINES finds, and more: to compile that one takes ten times as long. */
const MAY_BE_ODD = /[^\t\n -$'-;=-Z\]-~]|^[^a-z\n]{8}/m;

/** The first letters of the headers, also as digits, and with signs between them. */
const BEGINNINGS = ["ses", "sta", "tri", "con", "ava", "ask", "ans", "noc", "pan"].map((letters) =>
  Array.from(letters, (letter) => `[${letter}${letter.toUpperCase()}${DIGITS[letter] ?? ""}]`)
    .join("[^A-Za-z\\]]{0,8}")
).join("|");
/** A bracket, also as markup, an address or a program writes it. */
const BRACKET =
  "(?:\\[|&#(?:91|x5[bB]);|&l(?:sqb|brack);|%5[bB]|\\\\x5[bB]|\\\\u005[bB]|\\\\u\\{0*5[bB]\\})";
/** Odd characters, a bracket before the first letter, one before a header's, a title in capitals. */
const ODD_LINES = new RegExp(
  `[^\\t\\n -;=-~]|^[^A-Za-z\\n]*\\[|${BRACKET}[^A-Za-z\\]]{0,60}(?:${BEGINNINGS})|` +
    `\\[[^\\]\\na-z]{8,}|^[^A-Za-z\\n]*(?:AV|SE|ST|CO|AS|AN|NO|PA)[^a-z\\n]{6,}$`,
  "m",
);

/** Every secret is, or has near it, a run of 16 such characters or one of the hints. */
const LONG_RUN = /[\w+/=.~%-]{16}/;
// In lower case.
// deno-fmt-ignore
const HINTS = [
  "key", "secret", "token", "pass", "pwd", "pw=", "pw:", "credential", "auth", "bearer", "basic ", "jwt", "psk", "salt", "login", "_sas", "sas=",
  "_pat", "-pat", "pat=", "pat:", "cookie", "sessid", "sessionid", ".sid", "sid=", "sig=", "signature", "code=", "hmac=", "ticket=", "ken=", "nemonic", "hrase", "seed", "wallet", "bip39", "bip-39", "identified",
  " -p", " -k", "-stdin", "sudo -", " is your ", " as your ", "creds", "log in", "pw ", "rdp ", "rclone", "bw unlock", "sp_addlogin", "unseal", "ssh-keygen", "cryptsetup", "kinit", "securestring", "net use", "rabbitmqctl", "http-basic.", "onnect(", "impdp ", "expdp ", "sqlldr ", "snmp", " -a", " -w", " -u", " --user", " --proxy", "\t-", "sqlplus", "jdbc:", ":5432:", ":*:", "://", "mysqli", "new pdo(", "sequelize(", "reg add", "@tcp(", "@unix(", "wifi:", "hmac", "plaintext(", "insert into", "base64 -", "op read", "kv get", "versions access",
  "kennwort", "contrase", "senha", "wachtwoord", "has\u0142o", "парол", "密码", "パスワード", "비밀번호", "y words", "p words", "_words", "-words", "onnection(", "pool(", "datasource(", "session(", "eap ", " on >", "-fd 0", " -xp", "puttygen", "cloudflared", "influx", "cachix", "freerdp", "runas", "alias set", "host add", "net\t", "net  ",
];
/** `PIN: …`, `code is …`, `send "…`, in lower case: the words alone are in too many texts. */
const CODE =
  /(?:code|otp|pin)["'`*]{0,3}[ \t]{0,20}(?:[:=]|is\b|was\b)|(?:recovery|backup|scratch)[ _-]code|code \d{4}|:(?:\d{4,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:\S{4}|send[ \t][ \t-]*\\?"/;
/** Each of its forms has one of them. */
const CODE_HINTS = ["code", "otp", "pin", ":", "send"];
const SHORTEST = 8;

/** False only where no rule of masking finds anything. */
export function mayHoldSecret(text: string): boolean {
  if (text.length < SHORTEST) return false;
  if (LONG_RUN.test(text)) return true;
  const lower = text.toLowerCase();
  if (HINTS.some((hint) => lower.includes(hint))) return true;
  return CODE_HINTS.some((hint) => lower.includes(hint)) && CODE.test(lower);
}

/** Without the guards nothing is shown that they might change. */
const HIDDEN = "(not shown: it may hold a secret, and the rules of masking are not loaded)";

/** For text that is read. */
export function maskSecrets(text: string): string {
  if (!mayHoldSecret(text)) return text;
  return guards === undefined ? HIDDEN : guards.maskSecrets(text);
}

/** For a screen that is read: a key may be broken over its lines. */
export function maskScreen(text: string): string {
  if (!mayHoldSecret(text)) return text;
  return guards === undefined ? HIDDEN : guards.maskScreen(text);
}

/** For text that is approved: no character that a shell acts on is ever hidden. */
export function maskForApproval(
  text: string,
  from: "command" | "screen" = "command",
): ReturnType<Guards["maskForApproval"]> {
  if (guards !== undefined) return guards.maskForApproval(text, from);
  if (!mayHoldSecret(text)) return { text, masked: [] };
  throw new Error("Cannot show what is to be approved: the rules of masking are not loaded");
}

/** A copy with all its texts masked for approval. */
export function maskFields(value: unknown, from: "command" | "screen" = "command"): unknown {
  if (guards !== undefined) return guards.maskFields(value, from);
  throw new Error("Cannot keep what is to be approved: the rules of masking are not loaded");
}

/** A copy with all its texts masked as they are for who reads them. */
export function maskTexts<T>(value: T): T {
  if (guards !== undefined) return guards.maskFields(value, "read") as T;
  if (!mayHoldSecret(JSON.stringify(value))) return value;
  throw new Error("Cannot keep what is asked: the rules of masking are not loaded");
}

/** What stands in a fence: readable as it was written, but not as a part of the message. */
export function guardText(text: string): string {
  if (isHarmless(text)) return text;
  return guards === undefined ? text.replace(EVERY_ODD, "?") : guards.guardText(text);
}

/** For a value on a line of ours. */
export function guardField(value: string): string {
  if (isPlain(value)) return value;
  return guards === undefined ? value.replace(EVERY_ODD, "?") : guards.guardField(value);
}

/** Invisible characters are shown or dropped. */
export function showUnseen(text: string): string {
  return guards === undefined ? text : guards.showUnseen(text);
}

const EVERY_ODD = new RegExp(NOT_PLAIN, "g");
