/** Secrets that are known by the place they stand in: a header, an address, a file, code. */

import { type Frame, isChosen, isRandom, isReal } from "./secret_frames.ts";
import { looksRandom } from "./secret_values.ts";

/** `user:password` in base64. */
function isPair(value: string): boolean {
  try {
    return /^[\x20-\x7e]{1,100}:[\x20-\x7e]{2,}$/.test(atob(value));
  } catch {
    return false;
  }
}

/** Behind the name of a hook: words, then a part that was drawn by lot. */
function isHook(path: string, head: string): boolean {
  return /hook|\/bot\//i.test(head) &&
    path.split(/[/@]/).some((part) => isUuid(part) || looksRandom(part, 0.4, 18));
}

const isUuid = (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

export const PLACES: Frame[] = [
  {
    what: "a password in a header",
    kind: "value",
    hints: ["asic "],
    form: () => /(\bbasic[ \t]+)[A-Za-z0-9+/]{8,}={0,2}(?![\w-])/gi,
    isSecret: isPair,
  },
  {
    what: "a password of a registry",
    kind: "value",
    hints: [`"auth`, "_auth"],
    form: () =>
      /((?:\\?"auth\\?"[ \t]{0,3}:[ \t]{0,3}\\?"|_auth[ \t]{0,3}=[ \t]{0,3}"?))[A-Za-z0-9+/]{8,}={0,2}/g,
    isSecret: isPair,
  },
  {
    what: "a token in a header",
    kind: "value",
    hints: ["uthorization"],
    form: () =>
      /(authorization\\?["']?[ \t]{0,3}[:=,][ \t]{0,3}\\?["']?(?:(?:bearer|token|apikey|api-key|bot|ssws|geniekey|splunk|key|oauth|zoho-oauthtoken|flyv1|x-api-key|basic|digest|snowflake|negotiate|ntlm)[ \t]+)?(?:token=)?["']?)[A-Za-z0-9+/=._~%:-]{16,}/gi,
    isSecret: (value) => looksRandom(value, 0.6),
  },
  {
    what: "the address of a webhook",
    hints: ["hook", "/bot/", "/incoming/", "/triggers/"],
    form: () =>
      /(:\/\/[^\s"'<>?#]{0,200}?(?:hook|\/bot\/|\/incoming|\/triggers)[^\s"'<>?#/]*\/(?:(?:services|workflows|triggers|webhookb2|catch|api|hooks?|v?\d{1,20})\/){0,4})[\w@/-]{16,400}/gi,
    kind: "value",
    isSecret: isHook,
  },
  {
    what: "the address of a webhook",
    hints: ["hooks.slack", "hooks.zapier", "api/webhooks/", "hook."],
    form: () =>
      /((?:hooks\.slack\.com\/\w{1,20}\/\w{5,20}\/(?:\w{5,20}\/){1,2}|hooks\.zapier\.com\/hooks\/catch\/\d+\/|discord(?:app)?\.com\/api\/webhooks\/\d+\/|hook\.\w{1,8}\.make\.com\/))(?![Xx]{6})[\w-]{6,100}/g,
    kind: "value",
  },
  {
    what: "a key in an address",
    hints: ["infura.io/", "alchemy", "quiknode"],
    form: () =>
      /((?:infura\.io\/v3\/|alchemy(?:api)?\.(?:com|io)\/v2\/|quiknode\.pro\/))[\w-]{20,}/g,
  },
  {
    what: "a password of .netrc",
    hints: ["login "],
    form: () => /(\blogin[ \t]+\S{1,100}[ \t\r\n]{1,20}password[ \t]+)[^\s"']{4,}/g,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a password of .pgpass",
    hints: [":"],
    form: () =>
      /^([ \t]{0,20}[\w.*-]{1,100}:(?:\d{4,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:)[^\s:]{4,}$/gm,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a session",
    hints: ["sess", "sid", "auth"],
    form: () =>
      /(?<![\w.-])((?:(?:session|sess|sid|auth)(?:[_-]?(?:id|token))?|[A-Z]{2,20}_SESSION)(?:["']?[ \t]?:[ \t]?["']|=["']?))[\w%.+/=-]{20,}/g,
    isSecret: (value) => isRandom(value) && !/^[0-9a-f-]+$/i.test(value),
    kind: "value",
  },
  {
    what: "a secret of a setting",
    hints: ["config set ", "secret_id", "issecret=true]", "wifi:"],
    form: () =>
      /(issecret=true\]|WIFI:(?:[^\s;]{0,60};){0,3}P:|(?<!git )\bconfig set (?:--[\w-]{1,40} ){0,3}[\w.:-]{0,60}(?:password|passwd|secret|token|key) ["']?|secret_id["']?[ \t]{0,3}[:=][ \t]{0,3}["']?(?=[0-9a-f]{8}-))[^\s"'`|;&<>()]{6,200}/gi,
    isSecret: (value) => isReal(value) && /\d/.test(value) && /[A-Za-z]/.test(value),
    kind: "value",
  },
  {
    what: "a password in an address",
    hints: ["@tcp(", "@unix("],
    form: () => /((?<![\w:/])[\w.-]{1,60}:)[^\s@"'`/]{4,100}(?=@(?:tcp|unix)\()/g,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a signature",
    hints: ["signature", "response="],
    form: () =>
      /(\bSignature[\w-]{0,20}["']?[:=](?:[^\n"']{0,60}?[= ,])?|Digest [^\n]{0,400}\bresponse=\\?")[0-9a-f]{32,64}(?!\w)/gi,
  },
  {
    what: "a key in an address",
    hints: [
      "/key",
      "/token",
      "/secret",
      "/apikey",
      "/private",
      "/reset",
      "/verify",
      "/confirm",
      "/magic",
      "/activate",
      "/invit",
    ],
    form: () =>
      /(:\/\/[^\s"'<>]{1,200}\/(?:key|token|secret|apikey|private|reset(?:-password)?|verify|confirm|magic|activate|invit\w{1,5})[/-])[\w-]{20,}/g,
    isSecret: isRandom,
    kind: "value",
  },
  {
    what: "a secret in an address",
    kind: "value",
    hints: [
      "key=",
      "appid=",
      "sig",
      "code=",
      "auth=",
      "hmac=",
      "sas=",
      "ticket=",
      "sid=",
      "jwt=",
      "ken=",
    ],
    form: () =>
      /([?&;#](?:amp;)?(?:[\w.-]{0,30}(?:sig|signature|auth|token|key|secret|pass|pwd|hmac|sas|ticket|session|jwt)[\w.-]{0,20}|code|appid|sid)=)[\w%+/.~=-]{16,}/gi,
    isSecret: (value, head) =>
      looksRandom(value.replace(/%[0-9A-F]{2}/gi, "-"), 0.5) &&
      (/sig|amz|goog|hmac|key|auth|sid|appid|pass|secret|token/i.test(head) ||
        !/^[0-9a-f-]+$/i.test(value)),
  },
  {
    what: "a session cookie",
    kind: "value",
    hints: ["ookie", "sessid", "sessionid", ".sid", "_session=", "wordpress_"],
    form: () =>
      /((?:cookie\\?["']?[ \t]{0,3}[:=][ \t]{0,3}\\?["']?(?:[\w.-]{1,60}=[^;\s"']{0,300};[ \t]?){0,12}?[\w.-]{0,60}(?:sess|sid|auth|token|jwt|login|csrf|remember|identity|user|id|key)[\w.-]{0,40}=|(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|sessionid|connect\.sid|[a-z_]{2,30}_session|wordpress_(?:logged_in|sec)_\w{1,40})=))[\w%.~+/=:-]{12,}/gi,
    isSecret: (value) => looksRandom(value.replace(/%[0-9A-F]{2}/gi, "-"), 0.6, 12),
  },
  {
    what: "a password in an address",
    hints: ["jdbc:oracle", "sqlplus", "impdp ", "expdp ", "sqlldr "],
    form: () =>
      /((?:jdbc:oracle:thin:|(?:sqlplus|impdp|expdp|sqlldr)[ \t]+(?:-\w+[ \t]+)?)[\w.-]{1,60}\/)[^\s@"'/]{4,100}(?=@)/g,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a password in an address",
    hints: ["@"],
    form: () =>
      /(:\/\/([^\s/:@?#"'`<>]{0,100}):)((?!\$)(?:[^\s/?"'`<>(){}$;&|\\]|\$(?![({])){3,200})(?=@)/g,
    kind: "value",
    // `docker://nginx:latest@sha256:…` and `http://proxy:8080@…` have none.
    isSecret: (password, head, after) =>
      !head.endsWith(`/${password}:`) && isReal(password) &&
      !/^%\w+%?$|^\d{2,5}$/.test(password) && !after.startsWith("@sha256:"),
  },
  {
    what: "a token in an address",
    kind: "value",
    hints: ["@"],
    form: () => /(:\/\/)[\w.-]{20,200}(?=@[\w.-])/g,
    isSecret: (token, _, after) => isRandom(token) && !/^@[\w.-]*(?:sentry|ingest)/.test(after),
  },
  {
    what: "a password of a device",
    hints: [
      "community",
      "-server",
      "username ",
      "psk ",
      "neighbor ",
      "key-string",
      "enable ",
      "xauth",
      "eap ",
    ],
    form: () =>
      /(\b(?:snmp-server community|(?:tacacs|radius)(?:-server)?[^\n]{0,60}? key|username \S{1,40}[^\n]{0,40}? (?:password|secret)|neighbor \S{1,60} password|key-string|enable (?:password|secret)|(?:wpa-)?psk|(?:PSK|XAUTH|EAP)[ \t]+["'])[ \t]{0,4}(?:\d[ \t]+)?["']?)[^\s"'`|;&<>()$]{6,100}/gi,
    isSecret: (value) => isReal(value) && /\d|[a-z][A-Z]|[!@#$%^&*?]/.test(value),
    kind: "value",
    onlyRead: true,
  },
  {
    what: "a password",
    hints: ["auth", " on >", "cred"],
    form: () =>
      /((?<![A-Za-z])(?:--?auth|auth[_-]\w{1,20}|basic[_-]?auth|credentials?|creds)[ \t=:]{1,3}["']?[\w.@-]{1,40}:|\buser \S{1,40} on >)[^\s"'`|;&<>()]{6,100}/gi,
    isSecret: isChosen,
    kind: "value",
    onlyRead: true,
  },
];
