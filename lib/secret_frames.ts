/**
 * Secrets that are known by their whole form: keys, hashes, codes, phrases. And how such a form is
 * looked for; secret_places.ts and secret_programs.ts have more of them.
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
  /** Is it one, where the form alone cannot tell? */
  isSecret?: (secret: string, head: string, after: string) => boolean;
  /** Words alone tell it: where it is to be approved, it is shown. */
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

export const FORMS: Frame[] = [
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
    what: "a TOTP secret",
    hints: ["otpauth:"],
    form: () => /(otpauth:\/\/[^\s"']{1,200}[?&]secret=)[A-Z2-7]{16,}=*/gi,
  },
  {
    what: "a cluster's token",
    hints: ["k10"],
    form: () => /(?<!\w)(K10)[0-9a-f]{40,}::[\w-]{1,40}:[\w.]{16,}/g,
  },
  {
    what: "a Telegram token",
    hints: [":a"],
    form: () => /(?<![\w:])((?:bot)?\d{8,10}:)A[\w-]{33,}/g,
  },
  {
    what: "a Braintree token",
    hints: ["access_token$"],
    form: () => /(access_token\$(?:production|sandbox)\$)[0-9a-z]{10,20}\$[0-9a-f]{32}/g,
  },
  {
    what: "a Salesforce session",
    hints: ["00d"],
    form: () => /(?<!\w)(00D[A-Za-z0-9]{9,15}!)[\w.-]{40,}/g,
  },
  {
    what: "a Mailchimp key",
    hints: ["-us"],
    form: () => /(?<![\w-])()[0-9a-f]{32}-us\d{1,2}(?!\w)/g,
  },
  {
    what: "a key of BitLocker",
    hints: ["-"],
    form: () => /(?<![\d-])()\d{6}(?:-\d{6}){7}(?![\d-])/g,
  },
  {
    what: "a token",
    hints: ["|"],
    form: () => /(?<![\w|])((?:\d{1,8}|(?:prod|dev|preview):[\w-]{1,60})\|)[A-Za-z0-9+/=]{40,}/g,
  },
  { what: "a New Relic key", hints: ["nral"], form: () => /(?<!\w)()[0-9a-zA-Z]{36}NRAL(?!\w)/g },
  {
    what: "a Terraform token",
    hints: [".atlasv1."],
    form: () => /(?<!\w)()[A-Za-z0-9]{10,20}\.atlasv1\.[\w-]{40,}/g,
  },
  {
    what: "an Azure secret",
    hints: ["q~"],
    form: () => /(?<![\w~.-])()[\w~.-]{3}\dQ~[\w~.-]{30,36}/g,
  },
  {
    what: "an Azure DevOps token",
    hints: ["pat", "token", "devops", "visualstudio", "vsts"],
    form: () => /(?<![\w/.+=-])()(?=(?:[a-z]*[2-7]){4})[a-z2-7]{52}(?![\w/.+=-])/g,
  },
  {
    what: "an Azure DevOps token",
    hints: ["azdo"],
    form: () => /(?<!\w)()[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}/g,
  },
  { what: "a Firebase key", hints: ["aaaa"], form: () => /(?<![\w-])(AAAA[\w-]{7}:)[\w-]{80,}/g },
  {
    what: "a Twitter token",
    hints: ["aaaaaaaaaaaaaaaaaaaa"],
    form: () => /(?<![\w+/])(A{20,24})[\w%]{50,}/g,
  },
  {
    what: "an Asana token",
    hints: ["1/1", "1/2", "2/1", "0/"],
    form: () => /(?<![\w/.:-])([012]\/\d{12,20}(?:\/\d{12,20})?:)[0-9a-f]{32}/g,
  },
  {
    what: "an Intercom token",
    hints: ["dg9ro"],
    form: () => /(?<![\w+/])(dG9rO)[A-Za-z0-9+/]{40,}={0,2}/g,
  },
  {
    what: "a hash of a password",
    hints: ["pbkdf2", "scrypt"],
    form: () =>
      /((?:pbkdf2[_:-]sha\d{1,3}|scrypt)[$:]\d{1,8}(?::\d{1,3}){0,2}\$)[\w./+-]{4,60}\$[\w./+=-]{20,}/g,
  },
  {
    what: "a hash of a password",
    hints: ["$2", "$5$", "$6$", "$y$", "$1$", "$apr1$", "$argon2"],
    form: () =>
      /(?<![\w$])(\$(?:2[abxy](?=\$\d\d\$)|1(?=\$[\w./]{1,8}\$[\w./]{22}(?!\w))|[56y](?=\$[\w./=]{1,40}\$)|apr1(?=\$[\w./]{1,10}\$)|argon2id?(?=\$v=))\$)[\w./$=,+-]{20,}/g,
  },
  {
    what: "a hash of a password",
    hints: ["sha}", "sha256}", "sha512}"],
    form: () => /(\{S?SHA(?:256|512)?\})[A-Za-z0-9+/]{20,}={0,2}/g,
  },
  {
    what: "an AWS secret",
    hints: ["akia", "asia"],
    form: () =>
      /((?:AKIA|ASIA)(?:[A-Z0-9]{16}|\*{3})["']?[\s:,;|/│]{1,10}["']?)[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/g,
    isSecret: isRandom,
  },
  {
    what: "a Twilio token",
    hints: ["ac"],
    form: () => /(?<!\w)(AC[0-9a-f]{32}["']?[:,][ \t]{0,3}["']?)[0-9a-f]{32}(?!\w)/g,
  },
  {
    what: "a hash of a password",
    hints: [":::"],
    form: () => /(:[0-9a-f]{32}:)[0-9a-f]{32}(?=:::)/gi,
  },
  {
    what: "a password",
    hints: [
      "kennwort",
      "contrase",
      "senha",
      "passe",
      "wachtwoord",
      "has\u0142o",
      "парол",
      "密码",
      "パスワード",
      "비밀번호",
    ],
    form: () =>
      /((?:kennwort|contrase(?:ñ|n)a|senha|mot de passe|wachtwoord|has\u0142o|пароль|密码|パスワード|비밀번호)["'`*]{0,3}[ \t]{0,3}[:=：][ \t]{0,3}["'`*]{0,3})[^\s"'`|;&<>()]{6,64}/gi,
    isSecret: isChosen,
    kind: "value",
    onlyRead: true,
  },
  {
    what: "a password",
    hints: ["pass"],
    kind: "value",
    form: () =>
      /(pass(?:word|wd|phrase)?["']?[ \t]{0,3}[:=][ \t]{0,3}["'])[^\s"'][^"'\n]{6,62}[^\s"'](?=["'](?:[\s,;)}]|$))/gi,
    // In a variable also words: DB_PASSPHRASE="lazy fox 88 jumps"
    isSecret: (value, head) =>
      / /.test(value) && /\d/.test(value) &&
      (/[a-z]/.test(value) && /[A-Z]/.test(value) && wordShare(value) < 0.5 ||
        /PASS(?:WORD|WD|PHRASE)?=["']$|phrase["']?[ \t]*[:=][ \t]*["']$/.test(head)),
  },
  {
    what: "a password",
    hints: ["password", "passwd", "_pass", "-pass", "pwd", "<("],
    form: () =>
      /((?<![\w.-])(?:[A-Za-z][\w.]{0,30}[_-](?:password|passwd|pass|pwd)[ \t]+["']?|[^\s|;&]{0,40}(?:pass|token|secret|key)[^\n|;&<]{0,60}<\([ \t]*(?:echo|printf)[ \t]+(?:-n[ \t]+)?["']?))[^\s"'`|;&<>()$]{6,64}/gi,
    isSecret: (value) => isChosen(value) && /\d/.test(value),
    kind: "value",
    onlyRead: true,
  },
  {
    what: "an app password",
    hints: ["mail", "smtp", "password"],
    kind: "value",
    form: () =>
      /(pass\w{0,12}["']?[ \t]{0,3}[:=][ \t]{0,3}["']?)[a-z]{4}(?:(?: [a-z]{4}){3}|(?:-[a-z]{4}){3})(?![a-z])/gi,
    isSecret: (value) => value.split(/[ -]/).filter((word) => wordShare(word) < 1).length >= 2,
  },
  {
    what: "a code to log in",
    hints: ["code", "ne-time", "ne time", "otp", "pin"],
    form: () =>
      /((?<![\w-])(?:(?:verification|security|confirmation|log-?in|sign-?in|auth(?:entication)?|one[ _-]time(?: pass(?:word)?)?|2fa|mfa|sms|access|backup|recovery|pin)[ _-]?(?:pass)?code|one[ _-]time[ _-]pass(?:word|code)|t?otp(?:[ _-]?code)?|(?:\w{1,20}_)?pin)["'`*]{0,3}(?:[ \t]{0,3}[:=][ \t]{0,3}|[ \t]{1,20}(?:is|was):?[ \t]{1,20})["'`*]{0,3})(?!1234|0000)(?:\d{4,8}|\d{3}[ -]\d{3})(?![\w.:/-]\w)/gi,
    kind: "value",
  },
  {
    what: "a code to log in",
    hints: [" as your "],
    form: () =>
      /(\b[Uu]se (?:code )?)\d{4,8}(?= as your (?:[\w-]{1,20} ){0,4}(?:code|OTP|PIN|passcode)\b)/g,
    kind: "value",
  },
  {
    what: "a code to log in",
    hints: [" code "],
    form: () =>
      /(\b(?:enter|use|with)[ \t](?:the[ \t])?(?:[\w-]{1,20}[ \t])?code[ \t])\d{4,8}(?= to (?:sign|log|verify|confirm|authenticate|continue|complete)\b)/gi,
    kind: "value",
  },
  {
    what: "a passphrase",
    hints: ["assphrase"],
    form: () =>
      /(passphrase["']?[ \t]{0,3}[:=][ \t]{0,3}["']?)[a-z]{3,9}(?: [a-z]{3,9}){3,7}(?=["']|[ \t]*(?:\r?\n|$))/gi,
    isSecret: (value) =>
      value === value.toLowerCase() &&
      !/\b(?:the|and|you|for|with|that|your|are|must|not|from|this|use|has|was|can|but|should|will|when|only|more|than|least|have|characters|password|passphrase|please|invalid|required|does|did|again|too|empty|none|user|new|old)\b/
        .test(value),
    kind: "value",
    onlyRead: true,
  },
  {
    what: "a code to log in",
    hints: [" is your "],
    form: () =>
      /((?<![\w.:/-])(?:G-)?)\d{4,8}(?= is your (?:[\w-]{1,20} ){0,4}(?:code|OTP|PIN|passcode)\b)/g,
    kind: "value",
    onlyRead: true,
  },
  {
    what: "a password in a text",
    hints: [
      "assword",
      "passphrase",
      "asscode",
      "requirepass",
      "masterauth",
      "redential",
      "reds",
      "pw ",
      "pwd ",
      "pass ",
      "passwd ",
      "og in",
      "ogin",
    ],
    form: () =>
      /((?<!\w|\w-)(?:(?:requirepass|masterauth)[ \t]+|(?:password|passphrase|passcode)(?:[ \t](?:for|of)(?:[ \t][^\s:]{1,40}){1,4}?)?(?:[ \t](?:has been|was|is|got|will be))?(?:[ \t](?:changed|set|reset|generated|updated|created))?(?:[ \t](?:for|of)[ \t][^\s:]{1,60})?(?:[ \t]to)?:?[ \t]+\(?|(?:pw|pwd|pass|passwd)[ \t]+|(?:credentials?|creds|log ?in|logins?)(?:[ \t](?:with|as|are|is))?:?[ \t]+[\w.@+-]{1,40}[ \t]?[/:][ \t]?)["'`*]{0,3})(?:[^\s"'`*<>|,;(){}]|\*(?![\s*]|$)){8,64}(?=["'`*]{0,3}(?:[\s,;).]|$))/gi,
    isSecret: (value, head) =>
      isChosen(value.replace(/[.:]$/, "")) && /[a-z]/i.test(value) &&
      (/cred|require|master/i.test(head) || /[A-Z]/.test(value) && /[a-z]/.test(value) ||
        /[!@#$%^&*?]/.test(value)),
    kind: "value",
    onlyRead: true,
  },
  {
    what: "a recovery phrase",
    hints: ["nemonic", "hrase", "seed", "words"],
    form: () =>
      /((?:mnemonic|(?:seed|recovery|backup|secret|wallet|bip-?39)[ _-]?(?:phrase|words|mnemonic)|passphrase|seed)[\w"'`*\\]{0,12}[ \t]{0,3}(?:[:=]|is)[:=]?[\s"'`\\*]{0,12})[a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23}(?![a-z])/gi,
    isSecret: (value) => !/\b(?:the|and|you|for|with|that|your|are|must|not|from)\b/.test(value),
  },
];
