/** Finds passwords and codes named in prose: `the password is …`, `PIN: …`, a phrase of words. */

import { type Frame, isChosen } from "./secret_frames.ts";
import { wordShare } from "./secret_values.ts";

export const PHRASES: Frame[] = [
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
    hints: [
      "nemonic",
      "hrase",
      "seed",
      "y words",
      "p words",
      "_words",
      "-words",
      "secret",
      "wallet",
      "bip",
    ],
    form: () =>
      /((?:mnemonic|(?:seed|recovery|backup|secret|wallet|bip-?39)[ _-]?(?:phrase|words|mnemonic)|passphrase|seed)[\w"'`*\\]{0,12}[ \t]{0,3}(?:[:=]|is)[:=]?[\s"'`\\*]{0,12})[a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23}(?![a-z])/gi,
    isSecret: (value) => !/\b(?:the|and|you|for|with|that|your|are|must|not|from)\b/.test(value),
  },
];
