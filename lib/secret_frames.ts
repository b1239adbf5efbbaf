/** Secrets that are known by what stands around them: a frame, an address, an option of a program. */

import {
  isPlaceholder,
  isReference,
  looksChosen,
  looksRandom,
  wordShare,
} from "./secret_values.ts";

export interface Frame {
  what: string;
  /** One of these is in every text that the form fits. */
  hints: string[];
  /** Group 1 stays; the rest is the secret. */
  form: () => RegExp;
  /** Is it one, where the form alone cannot tell? */
  isSecret?: (secret: string, head: string, after: string) => boolean;
  /** Words alone tell it: where it is to be approved, it is shown. */
  onlyRead?: true;
  /** `block`: spans lines, and is shown as one mask. `value`: known only by what stands around it. */
  kind?: "block" | "value";
}

const isReal = (value: string) => !isPlaceholder(value) && !isReference(value);
/** Letters alone, as no word has them: `ZcJqWxAnaS` */
const isMixed = (value: string) =>
  /^[A-Za-z]{8,}$/.test(value) && /[a-z][A-Z].*[a-z]/.test(value) && wordShare(value) < 0.35;
/** With digits or marks among letters, or letters as no word has them. */
const isChosen = (value: string) =>
  isReal(value) && !/[/\\(){}]|^\d+$/.test(value) && (isMixed(value) ||
    looksChosen(value, false) &&
      (/\d.*\d|[!@#$%^&*?]/.test(value) || wordShare(value) < 0.5));
const isRandom = (value: string) => looksRandom(value, 0.5) && !isReference(value);

/** `user:password` in base64. */
function isPair(value: string): boolean {
  try {
    return /^[\x20-\x7e]{1,100}:[\x20-\x7e]{2,}$/.test(atob(value));
  } catch {
    return false;
  }
}

/** A key file in base64, as in a kubeconfig; a certificate is public. */
function isKeyFile(value: string): boolean {
  try {
    return atob(("LS0tLS1CRUdJTi" + value).slice(0, 60)).includes("PRIVATE KEY");
  } catch {
    return false;
  }
}

const LINE_END = "(?:\\\\{1,4}[nr]|\\r?\\n)[ \\t>|│\"',]{0,40}"; // or one that is written as \n
const BODY_LINES =
  `(?:(?:[ \\t│|]{0,200}(?:${LINE_END}){1,2}| )[A-Za-z0-9+/=]{1,100}(?=[\\s"'\\\\│]|-----|$))*`;

export const FRAMES: Frame[] = [
  // Only what follows the line as a key does: prose may name the line.
  {
    what: "a private key",
    hints: ["PRIVATE KEY"],
    kind: "block",
    form: () =>
      new RegExp(
        "(-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)" +
          `(?:[ \\t│|]{0,200}${LINE_END}(?:[A-Za-z-]+: [^\\n\\\\]{1,100})?){0,6}(?:[ \\t│|]{0,200}${LINE_END}| )` +
          `(?=[A-Za-z+/=]{0,40}[\\d+/])[A-Za-z0-9+/=]{24,}${BODY_LINES}`,
        "g",
      ),
  },
  {
    what: "a private key",
    hints: ["Private-Lines: "],
    kind: "block",
    form: () => new RegExp(`(Private-Lines: \\d+${LINE_END})[A-Za-z0-9+/=]{24,}${BODY_LINES}`, "g"),
  },
  {
    what: "a private key",
    hints: ["LS0tLS1CRUdJTi"],
    form: () => /(?<![A-Za-z0-9+/])(LS0tLS1CRUdJTi)[A-Za-z0-9+/]{30,}={0,2}/g,
    isSecret: isKeyFile,
  },
  {
    what: "a password in a header",
    kind: "value",
    hints: ["asic ", "ASIC "],
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
    hints: ["uthorization", "UTHORIZATION"],
    form: () =>
      /(authorization\\?["']?[ \t]{0,3}[:=,][ \t]{0,3}\\?["']?(?:(?:bearer|token|apikey|api-key|bot|ssws|geniekey|splunk|key|oauth|zoho-oauthtoken|flyv1|x-api-key|basic|digest|snowflake|negotiate|ntlm)[ \t]+)?(?:token=)?["']?)[A-Za-z0-9+/=._~%:-]{16,}/gi,
    isSecret: (value) => looksRandom(value, 0.6),
  },
  {
    what: "the address of a webhook",
    hints: ["hooks.slack", "/webhooks/", "hooks.zapier", "webhook.office", "/hooks/", "webhookb2"],
    form: () =>
      /((?:hooks\.slack(?:-gov)?\.com\/[a-z]{5,20}\/|discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d{5,25}\/|hooks\.zapier\.com\/hooks\/catch\/|webhook\.office\.com\/webhookb2\/|outlook\.office(?:365)?\.com\/webhook\/|\/hooks\/(?=[a-z0-9]{26}(?!\w))))[\w/@-]{12,}/g,
  },
  {
    what: "a key in an address",
    hints: ["infura.io/", "alchemy", "quiknode"],
    form: () =>
      /((?:infura\.io\/v3\/|alchemy(?:api)?\.(?:com|io)\/v2\/|quiknode\.pro\/))[\w-]{20,}/g,
  },
  {
    what: "a TOTP secret",
    hints: ["otpauth:"],
    form: () => /(otpauth:\/\/[^\s"']{1,200}[?&]secret=)[A-Z2-7]{16,}=*/gi,
  },
  {
    what: "an app password",
    hints: ["mail", "MAIL", "Mail", "SMTP", "smtp", "PASSWORD"],
    kind: "value",
    form: () =>
      /(pass\w{0,12}["']?[ \t]{0,3}[:=][ \t]{0,3}["']?)[a-z]{4}(?:(?: [a-z]{4}){3}|(?:-[a-z]{4}){3})(?![a-z])/gi,
    isSecret: (value) => value.split(/[ -]/).filter((word) => wordShare(word) < 1).length >= 2,
  },
  {
    what: "a cluster's token",
    hints: ["K10"],
    form: () => /(?<!\w)(K10)[0-9a-f]{40,}::[\w-]{1,40}:[\w.]{16,}/g,
  },
  {
    what: "a Telegram token",
    hints: [":A"],
    form: () => /(?<![\w:])((?:bot)?\d{8,10}:)A[\w-]{33,}/g,
  },
  {
    what: "a Braintree token",
    hints: ["access_token$"],
    form: () => /(access_token\$(?:production|sandbox)\$)[0-9a-z]{10,20}\$[0-9a-f]{32}/g,
  },
  {
    what: "a Mailchimp key",
    hints: ["-us"],
    form: () => /(?<![\w-])()[0-9a-f]{32}-us\d{1,2}(?!\w)/g,
  },
  { what: "a New Relic key", hints: ["NRAL"], form: () => /(?<!\w)()[0-9a-zA-Z]{36}NRAL(?!\w)/g },
  {
    what: "a Terraform token",
    hints: [".atlasv1."],
    form: () => /(?<!\w)()[A-Za-z0-9]{10,20}\.atlasv1\.[\w-]{40,}/g,
  },
  {
    what: "an Azure secret",
    hints: ["Q~"],
    form: () => /(?<![\w~.-])()[\w~.-]{3}\dQ~[\w~.-]{30,36}/g,
  },
  {
    what: "an Azure DevOps token",
    hints: ["AZDO"],
    form: () => /(?<!\w)()[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}/g,
  },
  { what: "a Firebase key", hints: ["AAAA"], form: () => /(?<![\w-])(AAAA[\w-]{7}:)[\w-]{80,}/g },
  {
    what: "a Twitter token",
    hints: ["AAAAAAAAAAAAAAAAAAAA"],
    form: () => /(?<![\w+/])(A{20,24})[\w%]{50,}/g,
  },
  {
    what: "an Asana token",
    hints: ["1/1", "1/2", "2/1", "0/"],
    form: () => /(?<![\w/.:-])([012]\/\d{12,20}(?:\/\d{12,20})?:)[0-9a-f]{32}/g,
  },
  {
    what: "an Intercom token",
    hints: ["dG9rO"],
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
    hints: ["SHA}", "SHA256}", "SHA512}"],
    form: () => /(\{S?SHA(?:256|512)?\})[A-Za-z0-9+/]{20,}={0,2}/g,
  },
  {
    what: "an AWS secret",
    hints: ["AKIA", "ASIA"],
    form: () =>
      /((?:AKIA|ASIA)(?:[A-Z0-9]{16}|\*{3})["']?[\s:,;|/│]{1,10}["']?)[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/g,
    isSecret: isRandom,
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
    hints: [":5432:", ":*:"],
    form: () =>
      /^([ \t]{0,20}[\w.*-]{1,100}:(?:\d{4,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:)[^\s:]{4,}$/gm,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a password in a statement",
    hints: ["IDENTIFIED", "identified", "PASSWORD", "password"],
    form: () =>
      /((?:identified[ \t]+(?:with[ \t]+\w+[ \t]+)?by|(?:user|role|with|encrypted)[ \t][\w ."]{0,60}password)[ \t]+\\?['"])[^\s'"\\]{4,100}(?=\\?['"])/gi,
    kind: "value",
    // In prose: "identified by 'surfaceId'"
    isSecret: (value, head) =>
      isReal(value) && (/IDENTIFIED|PASSWORD/.test(head) || /\d/.test(value)),
  },
  {
    what: "a password of an option",
    hints: [
      "sshpass",
      "mysql",
      "mariadb",
      "mongo",
      "redis-cli",
      " login ",
      "ldap",
      "smbclient",
      "zip",
      "7z",
      "openssl",
      "rclone",
      ...["rdp ", "unseal"],
    ],
    form: () =>
      /(\b(?:sshpass[ \t]+-p[ \t]?|wandb[ \t]login[ \t]+(?=[0-9a-f]{40})|(?:mysql|mariadb)[\w-]*[ \t](?:[^\n|;&]{0,200}?[ \t])??-p|(?:mongo\w*|(?:docker|podman|buildah|skopeo|helm registry|az|oc|argocd|vault)[ \t]login)[ \t](?:[^\n|;&]{0,200}?[ \t])??-p[ \t]+|redis-cli[ \t](?:[^\n|;&]{0,200}?[ \t])??-a[ \t]+|ldap\w+[ \t](?:[^\n|;&]{0,200}?[ \t])??-w[ \t]+|(?:zip|unzip)[ \t](?:[^\n|;&]{0,200}?[ \t])??-P[ \t]?|\w*freerdp[ \t](?:[^\n|;&]{0,200}?[ \t])??\/p:|openssl passwd(?:[ \t]-\w{1,8}){0,3}[ \t]+(?!-)|vault operator unseal[ \t]+(?!-)|rclone[ \t](?:[^\n|;&]{0,200}?[ \t])??(?:obscure|pass(?:word2?)?)[ \t]+|7za?[ \t](?:[^\n|;&]{0,200}?[ \t])??-p|smbclient[ \t](?:[^\n|;&]{0,200}?[ \t])??-U[ \t]+["']?[\w.\\-]+%)["']?)[^\s"'`|;&<>()]{4,100}/g,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a password of an option",
    hints: ["curl ", "wget ", "http "],
    form: () =>
      /(\b(?:curl|https?|wget)[ \t](?:[^\n|;&]{0,300}?[ \t])??(?:-u|--user|-U|--proxy-user|-a|--auth)[ \t=]?[ \t]?["']?[^\s:"'/]{1,80}:)[^\s"'`|;<>()/][^\s"'`|;<>()]{2,100}/g,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a password of an option",
    hints: ["pass:"],
    form: () => /(-pass(?:in|out)?[ \t]+["']?pass:)[^\s"'`]{4,100}/g,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a password of an option",
    hints: ["echo ", "printf "],
    form: () =>
      /(\b(?:echo|printf)[ \t]+(?:-n[ \t]+|["']%s(?:\\n)?["'][ \t]+)?["']?)[^\s"'`|;&<>()$\\]{4,100}(?=["']?[ \t]*\|[ \t]*(?:sudo[ \t]+(?:-\w+[ \t]+)?(?:-S|--stdin)\b|(?:sudo[ \t]+)?(?:cryptsetup|passwd|smbpasswd|kinit)\b|[^\n|;&]{2,200}(?:pass\w*-stdin|token-stdin|passwd --stdin|--with-token|secrets? (?:create|set|put|versions add))))/g,
    isSecret: (value) => isReal(value) && /\d|[!@#%^*?]|[a-z][A-Z]/.test(value),
    kind: "value",
    onlyRead: true,
  },
  {
    what: "a Twilio token",
    hints: ["AC"],
    form: () => /(?<!\w)(AC[0-9a-f]{32}:)[0-9a-f]{32}(?!\w)/g,
  },
  {
    what: "a code to log in",
    hints: ["code", "Code", "CODE", "ne-time", "ne time", "OTP", "otp", "PIN", "Pin", "pin"],
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
    what: "a password of Redis",
    hints: ["AUTH "],
    form: () => /((?<![\w=-])AUTH[ \t]+(?:[a-z][\w-]{1,30}[ \t]+)?["']?)[^\s"'`|;&<>()$]{6,200}/g,
    isSecret: (value) => looksRandom(value, 0.5) || isChosen(value) && /\d/.test(value),
    kind: "value",
    onlyRead: true,
  },
  {
    what: "a session",
    hints: ["sess", "sid", "auth", "_SESSION="],
    form: () =>
      /(?<![\w.-])((?:(?:session|sess|sid|auth)(?:[_-]?(?:id|token))?|[A-Z]{2,20}_SESSION)=["']?)[\w%.+/=-]{20,}/g,
    isSecret: (value) => isRandom(value) && !/^[0-9a-f-]+$/i.test(value),
    kind: "value",
  },
  {
    what: "a passphrase",
    hints: ["assphrase", "ASSPHRASE"],
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
    what: "a hash of a password",
    hints: [":::"],
    form: () => /(:[0-9a-f]{32}:)[0-9a-f]{32}(?=:::)/gi,
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
    what: "a password of Terraform",
    hints: ["random_password"],
    form: () => /("random_password"[^\0]{0,1500}?"result":[ \t]{0,3}")[^"\n]{4,200}(?=")/g,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a password of an option",
    hints: ["chpasswd"],
    form: () => /(["'][\w.-]{1,40}:)[^\s"':]{4,100}(?=["'][ \t]*\|[ \t]*(?:sudo[ \t]+)?chpasswd)/g,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a password of an option",
    hints: [
      ...["lftp ", "mc alias set ", "htpasswd -", "rabbitmqctl", "http-basic.", "net user "],
      ...["net use ", "wpa_passphrase ", "bw unlock ", "sp_addlogin "],
    ],
    form: () =>
      /(\b(?:bw unlock (?!-)["']?|sp_addlogin '[\w.-]{1,40}',[ \t]*'|rabbitmqctl (?:add_user|change_password) [\w.-]{1,40} ["']?|config http-basic\.\S{1,60} \S{1,60} ["']?|net user [\w.-]{1,40} (?!\/)|net use \S{1,60} (?:\\\S{1,80} )?(?![/\\])|wpa_passphrase \S{1,40} ["']?|htpasswd[ \t]+-\w*b\w*[ \t]+(?:-\w+[ \t]+)?\S{1,100}[ \t]+[\w.-]{1,40}[ \t]+["']?|lftp[ \t]+(?:-\w+[ \t]+)??-u[ \t]+["']?[\w.-]{1,40},|mc alias set [\w-]{1,40} \S{1,100} \w{3,60} ))[^\s"'`|;&<>()]{4,100}/g,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a secret of a setting",
    hints: ["config set ", "secret_id"],
    form: () =>
      /((?<!git )\bconfig set (?:--[\w-]{1,40} ){0,3}[\w.:-]{0,60}(?:password|passwd|secret|token|key) ["']?|secret_id["']?[ \t]{0,3}[:=][ \t]{0,3}["']?(?=[0-9a-f]{8}-))[^\s"'`|;&<>()]{6,200}/gi,
    isSecret: (value) => isReal(value) && /\d/.test(value) && /[A-Za-z]/.test(value),
    kind: "value",
  },
  {
    what: "a password in code",
    hints: ["jwt.", "mysqli", "new PDO(", "auth=("],
    form: () =>
      /((?:\bauth=\(["'][\w.@+-]{1,60}["'],[ \t]*|\bjwt\.(?:sign|verify|encode|decode)\([^"'\n]{1,100},[ \t]*|\b(?:new mysqli|mysqli_connect|new PDO)\((?:["'][^"'\n]{0,100}["'],[ \t]*){1,2})["'])[^"'\s]{6,200}(?=["'])/g,
    isSecret: (value) => isReal(value) && /\d|[!@#$%^&*?]/.test(value) && !/^[\w.]+=/.test(value),
    kind: "value",
  },
  {
    what: "a key of WordPress",
    hints: ["define("],
    form: () => /(define\([ \t]*['"][A-Z_]{4,20}_(?:KEY|SALT)['"],[ \t]*')[^'\n]{24,100}(?=')/g,
    kind: "value",
  },
  {
    what: "a password in code",
    hints: ["PASS", "pass", "Pass", "SECRET", "TOKEN"],
    form: () =>
      /((?:\bdefine|[sS]et[eE]nv|putenv|\.(?:set|put|setProperty|setRequestProperty|addProperty|property))\([ \t]*['"][\w.-]{0,40}(?:PASS(?:WORD|WD)?|[pP]ass(?:word|wd)|SECRET|TOKEN)['"],[ \t]*['"])[^"'\n]{6,100}(?=['"])/g,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a password in code",
    hints: ["Auth(", "auth(", "onnect(", "ogin(", "redential", "uthenticat"],
    form: () =>
      /(\b(?:\w*basic_?auth|\w{0,20}credentials?|login|connect|authenticate|PasswordAuthentication)\((?:["'][^"'\n]{0,100}["'],[ \t]*){1,3}["'])[^"'\s]{6,100}(?=["'])/gi,
    isSecret: (value) => isChosen(value),
    kind: "value",
  },
  {
    what: "a secret of a setting",
    hints: [
      "secret",
      "token",
      "stdin",
      "sudo -",
      "cryptsetup",
      "kinit",
      "SecureString",
      "command",
      "hash-password",
      "pass insert",
    ],
    form: () =>
      /((?:(?:\bsecrets?[ \t](?:set|put|create|add)\b|SecureString\b|\bhash-password\b)[^\n|;&<>]{0,100}?[ \t]--(?:body|value|data|plaintext)[ \t=]|-pass(?:word)?-command[ =]["']echo[ \t]+|(?:\bsecrets?[ \t](?:set|put|create|add)|\bsecret-tool|\bpass insert|-token|-stdin|sudo -S|\bcryptsetup|\bkinit)\b[^\n|;&<>]{0,100}<<<[ \t]*)["']?)[^\s"'`|;&<>()$]{6,200}/g,
    isSecret: (value) => looksRandom(value, 0.5) || isChosen(value),
    kind: "value",
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
      "og in",
      "ogin",
    ],
    form: () =>
      /((?<![\w-])(?:(?:requirepass|masterauth)[ \t]+|(?:password|passphrase|passcode)(?:[ \t](?:for|of)(?:[ \t][^\s:]{1,40}){1,4}?)?(?:[ \t](?:has been|was|is|got|will be))?(?:[ \t](?:changed|set|reset|generated|updated|created))?(?:[ \t](?:for|of)[ \t][^\s:]{1,60})?(?:[ \t]to)?:?[ \t]+|pw[ \t]+|(?:credentials?|creds|log ?in|logins?)(?:[ \t](?:with|as|are|is))?:?[ \t]+[\w.@+-]{1,40}[ \t]?[/:][ \t]?)["'`*]{0,3})(?:[^\s"'`*<>|,;(){}]|\*(?![\s*]|$)){8,64}(?=["'`*]{0,3}(?:[\s,;).]|$))/gi,
    isSecret: (value, head) =>
      isChosen(value.replace(/[.:]$/, "")) && /[a-z]/i.test(value) &&
      (/cred|require|master/i.test(head) || /[A-Z]/.test(value) && /[a-z]/.test(value) ||
        /[!@#$%^&*?]/.test(value)),
    kind: "value",
    onlyRead: true,
  },
  // A flag of sudo or time, too, behind which a program stands.
  {
    what: "a password of an option",
    hints: [
      ...["cqlsh ", "sqlcmd ", "isql ", "tsql ", "bcp ", "ipmitool ", "psexec ", "mosquitto_"],
      ...["snmp", "beeline ", "openssl ", "ssh-keygen ", "mkpasswd ", "security "],
    ],
    form: () =>
      /(\b(?:(?:cqlsh|mosquitto_\w+|psexec|beeline)[ \t](?:[^\n|;&]{0,200}?[ \t])??-[pP][ \t]+|(?:sqlcmd|bcp|isql|tsql|ipmitool)[ \t](?:[^\n|;&]{0,200}?[ \t])??-P[ \t]*|snmp\w+[ \t](?:[^\n|;&]{0,200}?[ \t])??-[AX][ \t]+|openssl[ \t](?:[^\n|;&]{0,200}?[ \t])??-(?:[kK]|psk)[ \t]+|ssh-keygen[ \t](?:[^\n|;&]{0,200}?[ \t])??-[NP][ \t]+|mkpasswd (?:-m [\w-]{1,20} |--method=[\w-]{1,20} )?(?!-)["']?|security add-[\w-]{1,40}[ \t](?:[^\n|;&]{0,200}?[ \t])??-w[ \t]+)["']?)[^\s"'`|;&<>()]{4,100}/g,
    isSecret: isReal,
    kind: "value",
    onlyRead: true,
  },
  {
    what: "a password of an option",
    hints: [" -p", " -P"],
    form: () =>
      /([ \t]-(?:u|U|-user|-username)[ \t=]\S{1,60}(?:[ \t]--?[\w-]{1,30}(?:[ \t=][^\s|;&-]\S{0,60})?){0,4}[ \t]-[pP][ \t]+["']?)[^\s"'`|;&<>()$:/]{6,100}(?=["'\s]|$)/g,
    isSecret: isChosen,
    kind: "value",
    onlyRead: true,
  },
  {
    what: "a password in a script",
    hints: ["send "],
    form: () => /(\bsend[ \t]+(?:--[ \t]+)?\\?")[^\s"\\$]{6,100}(?=\\{1,2}[rn]\\?")/g,
    isSecret: (value) => isReal(value) && /\d|[!@#%^&*?]|[a-z][A-Z]/.test(value),
    kind: "value",
    onlyRead: true,
  },
  {
    what: "a signature",
    hints: ["Signature=", "response="],
    form: () => /(\bSignature=|Digest [^\n]{0,400}\bresponse=\\?")[0-9a-f]{32,64}(?!\w)/g,
  },
  {
    what: "a key in an address",
    hints: ["/key/", "/token/", "/secret/", "/apikey/"],
    form: () => /(:\/\/[^\s"'<>]{1,200}\/(?:key|token|secret|apikey)\/)[\w-]{20,}/g,
    isSecret: isRandom,
    kind: "value",
  },
  {
    what: "a password of PowerShell",
    hints: ["ConvertTo-SecureString"],
    form: () => /(ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?["'])[^"'\n]{4,100}(?=["'])/g,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a password of Terraform",
    hints: ['variable "'],
    form: () =>
      /(variable "\w{0,40}(?:password|passwd|secret|token|key)\w{0,20}"[ \t]*\{(?:\n[^\n}]{0,200}){0,6}?\n[ \t]*default[ \t]*=[ \t]*")[^"\n]{6,200}(?=")/g,
    isSecret: (value) => isReal(value) && /\d|[!@#$%^&*?]/.test(value),
    kind: "value",
  },
  {
    what: "a secret in an address",
    kind: "value",
    hints: [
      "key=",
      "appid=",
      "sig",
      "Sig",
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
      /([?&](?:amp;)?(?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|code|key|auth|appid|hmac|sas|ticket|hash_key|oauth_signature|sessionid|sid|apikey|appkey|hapikey|subscription-key|jwt|state_token)=)[\w%+/.~=-]{16,}/gi,
    isSecret: (value, head) =>
      looksRandom(value.replace(/%[0-9A-F]{2}/gi, "-"), 0.5) &&
      (/sig|amz|goog|hmac|key|auth|sid|appid/i.test(head) || !/^[0-9a-f-]+$/i.test(value)),
  },
  {
    what: "a session cookie",
    kind: "value",
    hints: [
      "ookie",
      "OOKIE",
      "SESSID",
      "SESSIONID",
      "sessionid",
      ".sid",
      "_session=",
      "wordpress_",
    ],
    form: () =>
      /((?:cookie\\?["']?[ \t]{0,3}[:=][ \t]{0,3}\\?["']?(?:[\w.-]{1,60}=[^;\s"']{0,300};[ \t]?){0,12}?[\w.-]{0,60}(?:sess|sid|auth|token|jwt|login|csrf|remember|identity|user|id|key)[\w.-]{0,40}=|(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|sessionid|connect\.sid|[a-z_]{2,30}_session|wordpress_(?:logged_in|sec)_\w{1,40})=))[\w%.~+/=:-]{12,}/gi,
    isSecret: (value) => looksRandom(value.replace(/%[0-9A-F]{2}/gi, "-"), 0.6, 12),
  },
  {
    what: "a recovery phrase",
    hints: ["nemonic", "NEMONIC", "hrase", "HRASE", "seed", "SEED"],
    form: () =>
      /((?:mnemonic|(?:seed|recovery|backup|secret)[ _-]?(?:phrase|words)|passphrase|seed)[\w"'`*\\]{0,12}[ \t]{0,3}(?:[:=]|is)[:=]?[\s"'`\\*]{0,12})[a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23}(?![a-z])/gi,
    isSecret: (value) => !/\b(?:the|and|you|for|with|that|your|are|must|not|from)\b/.test(value),
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
    form: () => /(:\/\/([^\s/:@?#"'`<>]{0,100}):)([^\s/@?#"'`<>(){}$;&|\\]{3,200})(?=@)/g,
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
];
