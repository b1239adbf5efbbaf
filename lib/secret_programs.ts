/** Secrets on a command line: what an option of a program, or a place behind its name, carries. */

import { type Frame, isChosen, isReal } from "./secret_frames.ts";
import { looksRandom } from "./secret_values.ts";

/**
 * Programs, and what stands between their name and the secret: `…` any words of the same command,
 * `_` one word, a blank that need not be before `?`. The rest is a pattern.
 */
type Command = [names: string, before: string];

// deno-fmt-ignore
const COMMANDS: Command[] = [
  ["sshpass", "… -p ?"],
  ["mysql*, mariadb*, 7z, 7za, 7zz, rar, unrar", "… -p"],
  ["mongo*, docker login, podman login, buildah login, skopeo login, helm registry login, az login, oc login, argocd login, vault login, cf login, ibmcloud login, cqlsh, beeline, bteq, impala-shell, twine upload, mosquitto_*, psexec, winexe, rdesktop, cypher-shell, nomad login", "… -p "],
  ["mosquitto_*, sqlcmd, bcp, isql, tsql, ipmitool, zip, unzip, zipcloak, nmblookup", "… -P ?"],
  ["redis-cli, keydb-cli, valkey-cli", "… -a "],
  ["ldap*, security add-*", "… -w "],
  ["snmp*", "… -[AX] "],
  ["cloudflared", "… (?:install|--token) "],
  ["kubeadm", "… --(?:token|certificate-key)(?: |=)"],
  ["openssl", "… -(?:[kK]|psk) "],
  ["ssh-keygen, puttygen", "… -[NP] "],
  ["influx, doctl auth init, cloudflared, cachix", "… -t "],
  ["*freerdp*, cmdkey, net use, runas", "… \\/p(?:ass)?:"],
  ["smbclient, rpcclient, net rpc, winexe, smbget", "… -U ?[\"']?[\\w.\\\\-]+%"],
  ["etcdctl, elasticdump, ncftpput, ftpsync", "… --?u(?:ser)?(?: |=)[\\w.-]+:"],
  ["lftp", "… -u [\"']?[\\w.-]{1,40},"],
  ["htpasswd", "-\\w*b\\w* (?:-\\w+ )?_ _ "],
  ["rabbitmqctl", "(?:add_user|change_password) _ "],
  ["mc alias set, mc config host add", "_ _ _ "],
  ["net user", "_ (?!\\/)"],
  ["net use", "_ (?:\\\\\\S{1,80} )?(?![/\\\\])"],
  ["wpa_passphrase, cf auth, surge login", "_ "],
  ["composer config, poetry config", "… http-basic\\.\\S{1,60} _ "],
  ["wandb login, cargo login, vault login, vault operator unseal, bw unlock, snyk auth, ngrok authtoken, ngrok config add-authtoken, cachix authtoken, rclone obscure, admin reset-admin-password, tailscale login", "(?:-\\S+ )*(?!-)"],
  ["openssl passwd", "(?:-\\w{1,8} ){0,3}(?!-)"],
  ["mkpasswd", "(?:-m _ |--method=_ )?(?!-)"],
  ["rclone", "… (?:pass(?:word2?)?|key) "],
  ["nmcli, iwctl, wpa_cli, networksetup", "… (?:password|passphrase|[\\w.-]*psk) "],
  ["sp_addlogin", "'[\\w.-]{1,40}', ?'"],
  ["git config, npm config set, pip config set, yarn config set, gem sources", "… \\S{0,80}(?:[pP]assword|[tT]oken|[sS]ecret) "],
  ["reg add", "… \\/v \\S*(?:[pP]ass|[sS]ecret|[tT]oken|[kK]ey)\\S* (?:\\/t \\S+ )?\\/d "],
  ["http, https, xh", "… bearer -(?:a|-auth)(?: |=)"],
  ["swaks, sendemail, smtp-cli, mailx, curlftpfs", "… -(?:ap|xp|-auth-password|-xpassword) "],
];

const ANY_WORDS = "(?:[^\\n|;&]{0,200}?[ \\t])??";
const ONE_WORD = "[\"']?[^\\s\"']{1,100}[\"']?";

function frameOf([names, before]: Command): Frame {
  const programs = names.split(", ");
  const blanks = (text: string) =>
    text.replace(/ (\??)/g, (_, may) => may === "" ? "[ \t]+" : "[ \t]?");
  const form = () => {
    const called = programs.map((name) => blanks(name).replaceAll("*", "[\\w-]*")).join("|");
    const rest = before.replace(/^… /, "…").replace(/(?<![\w\\])_(?!\w)/g, ONE_WORD);
    const head = `(?<![\\w=-])(?:${called})[ \\t]+${blanks(rest).replace("…", ANY_WORDS)}["']?`;
    return new RegExp(
      `(${head})(?:(?<=")[^"\\n]{6,100}(?=")|(?<=')[^'\\n]{6,100}(?=')|[^\\s"'\`|;&<>()]{4,100})`,
      "g",
    );
  };
  const hints = programs.map((name) => name.split(/[ *]/).find((part) => part !== "")!);
  return { what: "a password of an option", hints, form, isSecret: isReal, kind: "value" };
}

export const PROGRAMS: Frame[] = [
  ...COMMANDS.map(frameOf),
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
      /(\b(?:echo|printf)[ \t]+(?:-n[ \t]+|["']%s(?:\\n)?["'][ \t]+)?["']?)[^\s"'`|;&<>()$\\]{4,100}(?=["']?[ \t]*\|[ \t]*(?:sudo[ \t]+(?:-\w+[ \t]+)?(?:-S|--stdin)\b|(?:sudo[ \t]+)?(?:cryptsetup|passwd|smbpasswd|kinit)\b|[^\n|;&]{2,200}(?:pass\w*-stdin|token-stdin|passwd --stdin|--with-token|-fd 0|-pass(?:in)? stdin|secrets? (?:create|set|put|versions add))))/g,
    isSecret: (value) => isReal(value) && /\d|[!@#%^*?]|[a-z][A-Z]/.test(value),
    kind: "value",
    onlyRead: true,
  },
  {
    what: "a password of Redis",
    hints: ["auth "],
    form: () => /((?<![\w=-])AUTH[ \t]+(?:[a-z][\w-]{1,30}[ \t]+)?["']?)[^\s"'`|;&<>()$]{6,200}/g,
    isSecret: (value) => looksRandom(value, 0.5) || isChosen(value) && /\d/.test(value),
    kind: "value",
    onlyRead: true,
  },
  {
    what: "a password of an option",
    hints: ["chpasswd"],
    form: () => /(["'][\w.-]{1,40}:)[^\s"':]{4,100}(?=["'][ \t]*\|[ \t]*(?:sudo[ \t]+)?chpasswd)/g,
    isSecret: isReal,
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
      "securestring",
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
    what: "a password of an option",
    hints: [" -p"],
    form: () =>
      /([ \t]-(?:u|U|-user|-username)[ \t=]\S{1,60}(?:[ \t]--?[\w-]{1,30}(?:[ \t=][^\s|;&-]\S{0,60})?){0,4}[ \t]-[pP][ \t]+["']?)[^\s"'`|;&<>()$:/]{6,100}(?=["'\s]|$)/g,
    isSecret: isChosen,
    kind: "value",
    onlyRead: true,
  },
  {
    what: "what a command printed",
    hints: [
      "base64 -",
      "pass show",
      "op read",
      "kv get",
      "find-generic",
      "versions access",
      "secretstring",
      "auth token",
    ],
    form: () =>
      /((?:\bbase64 (?:-d|-D|--decode)|\bpass show|\bop read|\bkv get -field|\bfind-generic-password|\bversions access|\bSecretString|\bauth token)\b[^\n]{0,120}\n[ \t│⎿]{0,20})[^\s"'`]{6,200}(?=[ \t│]*(?:\n|$))/g,
    isSecret: (value) => isChosen(value) || looksRandom(value, 0.5),
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
];

/** Each starts a program that stands behind it; those of the second group, too, behind an option. */
const STARTERS = new RegExp(
  "(?<![\\w.-])(?:" +
    "(?:env|sudo|doas|su|ssh|mosh|xargs|timeout|nohup|setsid|setpriv|stdbuf|ionice|chrt|taskset|numactl|prlimit|" +
    "unshare|nsenter|chroot|flock|strace|ltrace|gdb|valgrind|bwrap|firejail|proot|busybox|runuser|pkexec|" +
    "systemd-run|[bzdkfc]?a?sh|python[\\d.]*|node|deno|bun|perl|ruby|php|lua|[gmn]?awk|" +
    "(?:docker|podman|kubectl|oc|nerdctl|lxc)[ \\t]+(?:compose[ \\t]+)?(?:run|exec))(?=[\\s\"'])|" +
    "(?:time|find|fd|watch|command|script|exec|nice|parallel|perf|builtin|at|batch)[ \\t]+(?=-|\\d*[<>&|])|" +
    "(?:alias|hash|function|enable)[ \\t]|\\w+[ \\t]*\\(\\))",
  "g",
);
/** `sudo mysql …` starts mysql, and nothing else. */
const PLAIN_START = /(?:sudo|doas|env|nohup)[ \t]+(?=[a-z][\w.+-]*[ \t])/y;
/** These change what a name means in the commands after them. */
const RENAMES = /^(?:alias|hash|function|enable)\s|\(\)$/;

/** Could the word at a place be a program that a word before it starts? */
export function mayBeRun(text: string, from: "command" | "screen"): (start: number) => boolean {
  let known: { commands: number[]; starters: number[]; renamed: number } | undefined;
  return (start) => {
    const at = /["']/.test(text[start - 1] ?? "") ? start - 1 : start;
    // Joined to what stands before, it is no word of its own.
    if (at > 0 && !/\s/.test(text[at - 1]!)) return false;
    known ??= { commands: commandsIn(text, from), ...startersIn(text) };
    if (start > known.renamed) return true;
    const command = known.commands.findLast((begin) => begin <= start) ?? 0;
    return known.starters.some((place) => place >= command && place < start);
  };
}

function startersIn(text: string): { starters: number[]; renamed: number } {
  const starters: number[] = [];
  let renamed = Infinity;
  for (const { 0: word, index } of text.matchAll(STARTERS)) {
    PLAIN_START.lastIndex = index;
    if (RENAMES.test(word)) renamed = Math.min(renamed, index);
    else if (!PLAIN_START.test(text)) starters.push(index);
  }
  return { starters, renamed };
}

/** Where commands begin. A screen breaks a command at a blank, and an empty line ends it. */
function commandsIn(text: string, from: "command" | "screen"): number[] {
  const found = [0];
  let quote = "";
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (from === "screen" && char === "\n") {
      if (!/^[ \t│┃]*(?:\n|$)/.test(text.slice(at + 1, at + 200))) continue;
      quote = "";
      depth = 0;
      found.push(at + 1);
    } else if (char === "\\" && quote !== "'") at++;
    else if (quote !== "") quote = char === quote ? "" : quote;
    else if (/["'`]/.test(char)) quote = char;
    else if (/[({[]/.test(char)) depth++;
    else if (/[)}\]]/.test(char)) depth = Math.max(0, depth - 1);
    else if (depth === 0 && /[\n;&|]/.test(char) && !/[<>]/.test(text[at - 1] ?? "")) {
      found.push(at + 1);
    }
  }
  return found;
}
