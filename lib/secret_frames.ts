/**
 * Secrets that are known by their whole form: keys, hashes, codes, phrases. And how such a form is
 * looked for. secret_words.ts, secret_places.ts, secret_code.ts and secret_programs.ts have more.
 */

import {
  isPlaceholder,
  isReference,
  looksChosen,
  looksRandom,
  type Secret,
  wordShare,
} from "./secret_values.ts";

export interface Frame {
  what: string;
  /** In lower case; one of these is in every text that the form fits. */
  hints: string[];
  /** Group 1 stays; the rest is the secret. */
  form: () => RegExp;
  /** Is it one, where its form alone does not show that? */
  isSecret?: (secret: string, head: string, after: string) => boolean;
  /** Only words suggest a secret: it is shown where it is to be approved. */
  onlyRead?: true;
  /** `block`: spans lines, and is shown as one mask. `value`: known only by what stands around it. */
  kind?: "block" | "value" | "guess";
}

const compiled = new Map<Frame, RegExp>();

function formOf(frame: Frame): RegExp {
  const form = compiled.get(frame) ?? frame.form();
  compiled.set(frame, form);
  return form;
}

export function* framed(text: string, lower: string, frames: Frame[]): Generator<Secret> {
  for (const frame of frames) {
    const { what, hints, isSecret, kind = "format", onlyRead } = frame;
    if (!hints.some((hint) => lower.includes(hint))) continue;
    for (const match of text.matchAll(formOf(frame))) {
      const start = match.index + match[1]!.length;
      const end = match.index + match[0].length;
      const isOne = isSecret?.(text.slice(start, end), match[1]!, text.slice(end, end + 80)) ??
        true;
      if (isOne) yield { start, end, what, kind, head: match[1]!, onlyRead };
    }
  }
}

export const isReal = (value: string) => !isPlaceholder(value) && !isReference(value);
/** Letters alone, as no word has them: `ZcJqWxAnaS` */
const isMixed = (value: string) =>
  /^[A-Za-z]{8,}$/.test(value) && /[a-z][A-Z].*[a-z]/.test(value) && wordShare(value) < 0.35;
/** With digits or marks among letters, or letters as no word has them. */
export const isChosen = (value: string) =>
  isReal(value) && !/[/\\(){}]|^\d+$/.test(value) && (isMixed(value) ||
    looksChosen(value, false) &&
      (/\d.*\d|[!@#$%^&*?]/.test(value) || wordShare(value) < 0.5));
export const isRandom = (value: string) => looksRandom(value, 0.5) && !isReference(value);

/** A key file in base64, as in a kubeconfig; a certificate is public. */
function isKeyFile(value: string): boolean {
  try {
    return atob(("LS0tLS1CRUdJTi" + value).slice(0, 60)).includes("PRIVATE KEY");
  } catch {
    return false;
  }
}

// Or one that is written as \n; in the next line may be a margin, a number or the mark of a diff.
const LINE_END =
  "(?:\\\\{1,4}[nr]|\\r?\\n)[ \\t>|│\"',]{0,40}(?:\\d{1,6}[ \\t]{0,3}[→|:│\\t][ \\t]{0,3}|-(?!-))?";
const BODY_LINES =
  `(?:(?:[ \\t│|]{0,200}(?:${LINE_END}){1,2}| )[A-Za-z0-9+/=]{1,100}(?=[\\s"'\\\\│]|-----|$))*`;

// deno-fmt-ignore
const TOKENS: [what: string, hints: string[], form: () => RegExp][] = [
  ["a TOTP secret", ["otpauth:"], () => /(otpauth:\/\/[^\s"']{1,200}[?&]secret=)[A-Z2-7]{16,}=*/gi],
  ["a cluster's token", ["k10"], () => /(?<!\w)(K10)[0-9a-f]{40,}::[\w-]{1,40}:[\w.]{16,}/g],
  ["a Telegram token", [":a"], () => /(?<![\w:])((?:bot)?\d{8,10}:)A[\w-]{33,}/g],
  ["a Braintree token", ["access_token$"], () => /(access_token\$(?:production|sandbox)\$)[0-9a-z]{10,20}\$[0-9a-f]{32}/g],
  ["a Salesforce session", ["00d"], () => /(?<!\w)(00D[A-Za-z0-9]{9,15}!)[\w.-]{40,}/g],
  ["a Mailchimp key", ["-us"], () => /(?<![\w-])()[0-9a-f]{32}-us\d{1,2}(?!\w)/g],
  ["a key of BitLocker", ["-"], () => /(?<![\d-])()\d{6}(?:-\d{6}){7}(?![\d-])/g],
  ["a token", ["|"], () => /(?<![\w|])((?:\d{1,8}|(?:prod|dev|preview):[\w-]{1,60})\|)[A-Za-z0-9+/=]{40,}/g],
  ["a New Relic key", ["nral"], () => /(?<!\w)()[0-9a-zA-Z]{36}NRAL(?!\w)/g],
  ["a Terraform token", [".atlasv1."], () => /(?<!\w)()[A-Za-z0-9]{10,20}\.atlasv1\.[\w-]{40,}/g],
  ["an Azure secret", ["q~"], () => /(?<![\w~.-])()[\w~.-]{3}\dQ~[\w~.-]{30,36}/g],
  ["an Azure DevOps token", ["pat", "token", "devops", "visualstudio", "vsts"], () => /(?<![\w/.+=-])()(?=(?:[a-z]*[2-7]){4})[a-z2-7]{52}(?![\w/.+=-])/g],
  ["an Azure DevOps token", ["azdo"], () => /(?<!\w)()[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}/g],
  ["a Firebase key", ["aaaa"], () => /(?<![\w-])(AAAA[\w-]{7}:)[\w-]{80,}/g],
  ["a Twitter token", ["aaaaaaaaaaaaaaaaaaaa"], () => /(?<![\w+/])(A{20,24})[\w%]{50,}/g],
  ["an Asana token", ["1/1", "1/2", "2/1", "0/"], () => /(?<![\w/.:-])([012]\/\d{12,20}(?:\/\d{12,20})?:)[0-9a-f]{32}/g],
  ["an Intercom token", ["dg9ro"], () => /(?<![\w+/])(dG9rO)[A-Za-z0-9+/]{40,}={0,2}/g],
  ["a hash of a password", ["pbkdf2", "scrypt"], () => /((?:pbkdf2[_:-]sha\d{1,3}|scrypt)[$:]\d{1,8}(?::\d{1,3}){0,2}\$)[\w./+-]{4,60}\$[\w./+=-]{20,}/g],
  ["a hash of a password", ["$2", "$5$", "$6$", "$y$", "$1$", "$apr1$", "$argon2"], () => /(?<![\w$])(\$(?:2[abxy](?=\$\d\d\$)|1(?=\$[\w./]{1,8}\$[\w./]{22}(?!\w))|[56y](?=\$[\w./=]{1,40}\$)|apr1(?=\$[\w./]{1,10}\$)|argon2id?(?=\$v=))\$)[\w./$=,+-]{20,}/g],
  ["a hash of a password", ["sha}", "sha256}", "sha512}"], () => /(\{S?SHA(?:256|512)?\})[A-Za-z0-9+/]{20,}={0,2}/g],
  ["a Twilio token", ["ac"], () => /(?<!\w)(AC[0-9a-f]{32}["']?[:,][ \t]{0,3}["']?)[0-9a-f]{32}(?!\w)/g],
  ["a hash of a password", [":::"], () => /(:[0-9a-f]{32}:)[0-9a-f]{32}(?=:::)/gi],
];

export const FORMS: Frame[] = [
  ...TOKENS.map(([what, hints, form]) => ({ what, hints, form })),
  {
    what: "a private key",
    hints: ['kty"'],
    form: () => /("(?:d|p|q|dp|dq|qi|k)"[ \t]{0,3}:[ \t]{0,3}")[\w-]{20,}(?=")/g,
    kind: "value",
  },
  // Only what follows the line as a key does: prose may name the line.
  {
    what: "a private key",
    hints: ["private key", "static key"],
    kind: "block",
    form: () =>
      new RegExp(
        "(-----BEGIN [A-Z\\d ]{0,30}(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V\\d)-----)" +
          `(?:[ \\t│|]{0,200}${LINE_END}(?:[A-Za-z-]+: [^\\n\\\\]{1,100})?){0,6}(?:[ \\t│|]{0,200}${LINE_END}| |(?=[A-Za-z0-9+/=]{60,}))` +
          `(?=[A-Za-z+/=]{0,40}[\\d+/])[A-Za-z0-9+/=]{24,}${BODY_LINES}`,
        "g",
      ),
  },
  {
    what: "a private key",
    hints: ["private-lines: "],
    kind: "block",
    form: () => new RegExp(`(Private-Lines: \\d+${LINE_END})[A-Za-z0-9+/=]{24,}${BODY_LINES}`, "g"),
  },
  {
    what: "a private key",
    hints: ["ls0tls1crudjti"],
    form: () => /(?<![A-Za-z0-9+/])(LS0tLS1CRUdJTi)[A-Za-z0-9+/]{30,}={0,2}/g,
    isSecret: isKeyFile,
  },
  {
    what: "an AWS secret",
    hints: ["akia", "asia"],
    form: () =>
      /((?:AKIA|ASIA)(?:[A-Z0-9]{16}|\*{3})["']?[\s:,;|/│]{1,10}["']?)[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/g,
    isSecret: isRandom,
  },
];
