/** Secrets in code: what is passed to a call that connects or signs, a statement of SQL, Terraform. */

import { type Frame, isChosen, isRandom, isReal } from "./secret_frames.ts";

export const CODE: Frame[] = [
  {
    what: "a password in a statement",
    hints: ["identified", "password"],
    form: () =>
      /((?:identified[ \t]+(?:with[ \t]+\w+[ \t]+)?by|(?:user|role|with|encrypted)[ \t][\w ."]{0,60}password)[ \t]+\\?['"])[^\s'"\\]{4,100}(?=\\?['"])/gi,
    kind: "value",
    // In prose: "identified by 'surfaceId'"
    isSecret: (value, head) =>
      isReal(value) && (/IDENTIFIED|PASSWORD/.test(head) || /\d/.test(value)),
  },
  {
    what: "a password in a statement",
    hints: ["insert into"],
    form: () =>
      /(\binsert into [^\n]{1,200}pass\w{0,10}\b[^\n]{0,100}\bvalues\b[^\n]{0,200}?[,(][ \t]*')(?![^'\n]*@[\w-]+\.)(?=[^'\n]*\d)[^'\s]{6,100}(?=')/gi,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a password of Terraform",
    hints: ["random_password"],
    form: () => /("random_password"[^\0]{0,1500}?"result":[ \t]{0,3}")[^"\n]{4,200}(?=")/g,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a password in code",
    hints: ["jwt.", "mysqli", "new pdo(", "auth=("],
    form: () =>
      /((?:\bauth=\(["'][\w.@+-]{1,60}["'],[ \t]*|\bjwt\.(?:sign|verify|encode|decode)\([^"'\n]{1,100},[ \t]*|\b(?:new mysqli|mysqli_connect|new PDO)\((?:["'][^"'\n]{0,100}["'],[ \t]*){1,2})["'])[^"'\s]{6,200}(?=["'])/g,
    isSecret: (value) => isReal(value) && /\d|[!@#$%^&*?]/.test(value) && !/^[\w.]+=/.test(value),
    kind: "value",
  },
  {
    what: "a password in code",
    hints: ["hmac", "plaintext(", "secretkeyspec("],
    form: () =>
      /(\b(?:createHmac|hmac\.new|hash_hmac|\w*[pP]lainText|SecretKeySpec)\((?:["']\w{3,10}["'],[ \t]*)?b?["'])[^"'\s]{6,200}(?=["'])/g,
    isSecret: (value) => isChosen(value) || isRandom(value),
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
    hints: ["pass", "secret", "token"],
    form: () =>
      /((?:\bdefine|[sS]et[eE]nv|putenv|\.(?:set|put|setProperty|setRequestProperty|addProperty|property))\([ \t]*['"][\w.-]{0,40}(?:PASS(?:WORD|WD)?|[pP]ass(?:word|wd)|SECRET|TOKEN)['"],[ \t]*['"])[^"'\n]{6,100}(?=['"])/g,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a password in code",
    hints: [
      "auth(",
      "onnect(",
      "ogin(",
      "redential",
      "uthenticat",
      "onnection(",
      "sequelize(",
      "pool(",
      "datasource(",
      "session(",
    ],
    form: () =>
      /(\b\w{0,30}(?:auth|credentials?|login|connect|connection|authenticate|authentication|sequelize|pool|datasource|session)\((?:(?:["'][^"'\n]{0,100}["']|[\w.$]{1,40}),[ \t]*){1,3}["'])[^"'\s]{6,100}(?=["'])/gi,
    isSecret: (value) => isChosen(value),
    kind: "value",
  },
  {
    what: "a password of PowerShell",
    hints: ["convertto-securestring"],
    form: () => /(ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?["'])[^"'\n]{4,100}(?=["'])/g,
    isSecret: isReal,
    kind: "value",
  },
  {
    what: "a password of Terraform",
    hints: ['variable "'],
    form: () =>
      /(variable "\w{0,40}(?:password|passwd|secret|token|key)\w{0,20}"[ \t]*\{(?:[^\n}]{0,200}\n){0,6}?[^\n}]{0,80}?default[ \t]*=[ \t]*")[^"\n]{6,200}(?=")/g,
    isSecret: (value) => isReal(value) && /\d|[!@#$%^&*?]/.test(value),
    kind: "value",
  },
];
