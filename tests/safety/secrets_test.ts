/** What masking hides and what it shows: by kinds of secret, harmless texts, and attacks on approval. */

import { assertEquals, assertMatch } from "@std/assert";
import { main as menuDriver } from "../../commands/menu_driver.ts";
import { listPending, openPending, type Pending } from "../../lib/answers.ts";
import { paneText } from "../../lib/pane_memory.ts";
import { readScreen } from "../../lib/pane.ts";
import { pendingDir } from "../../lib/paths.ts";
import "../../lib/cli/load_guards.ts";
import { maskFields, maskForApproval, maskSecrets } from "../../lib/text.ts";
import { requestsShown } from "../../lib/shown.ts";
import { realClock } from "../../lib/time.ts";
import { cpuMs, TOO_LONG_MS } from "../support/cpu_time.ts";
import { driverWorld } from "../support/driver_context.ts";
import { fixturePane } from "../support/fixtures.ts";
import { TestHome } from "../support/home.ts";
import { TmuxServer } from "../support/tmux_server.ts";
import { HARMLESS } from "./harmless_list.ts";
import { drawFrom, type Drawn, drawSecret, SECRETS } from "./secret_list.ts";

const DRAWS = 5;

/** The name of a step is printed also where the output of tests is not. */
async function tell(test: Deno.TestContext, rate: string, check: () => void): Promise<void> {
  console.log(rate);
  await test.step(rate, check);
}

function isHidden({ hidden }: Drawn, shown: string): boolean {
  return !hidden.some((secret) => shown.includes(secret));
}

/** The words around a secret, without those that it is joined to, must still be there in order. */
function isKept({ kept }: Drawn, shown: string): boolean {
  const words = kept.flatMap((text) => text.split(/\s+/).slice(1, -1)).filter((word) =>
    /\w/.test(word)
  );
  let at = 0;
  return words.every((word) => {
    const place = shown.indexOf(word, at);
    at = place + word.length;
    return place >= 0;
  });
}

Deno.test("maskSecrets() hides at least 98 % of the drawn secrets, and nothing around them", async (test) => {
  const seed = Math.floor(Math.random() * 1e9);
  const draw = drawFrom(seed);
  const kinds = Object.entries(SECRETS).flatMap((entry) => Array<typeof entry>(DRAWS).fill(entry));
  const missed = kinds.flatMap(([name, kind]) => {
    const drawn = drawSecret(kind, draw);
    const shown = maskSecrets(drawn.text);
    return isHidden(drawn, shown) && isKept(drawn, shown) ? [] : [`${name}: ${shown}`];
  });
  const share = 100 * (1 - missed.length / kinds.length);
  const count = `${kinds.length} draws of ${Object.keys(SECRETS).length} texts`;
  assertEquals(Object.keys(SECRETS).length >= 120, true);
  await tell(test, `secrets masked: ${share.toFixed(1)} % (${count}, seed ${seed})`, () => {
    assertEquals(share >= 98, true, missed.join("\n"));
  });
});

Deno.test("maskSecrets() hides something in at most 1 % of the harmless texts", async (test) => {
  const masked = HARMLESS.filter((text) => maskSecrets(text) !== text);
  const share = 100 * masked.length / HARMLESS.length;
  assertEquals(HARMLESS.length >= 120, true);
  await tell(test, `harmless texts masked: ${share.toFixed(1)} % (of ${HARMLESS.length})`, () => {
    assertEquals(share <= 1, true, masked.map((text) => maskSecrets(text)).join("\n"));
  });
});

const META = /[^A-Za-z0-9_+/=.,:@%-]/g;
const metaOf = (text: string) => (text.replaceAll("***", "").match(META) ?? []).join("");

Deno.test("masking twice changes nothing, and approval hides no character that a shell acts on", () => {
  const seed = Math.floor(Math.random() * 1e9);
  const draw = drawFrom(seed);
  const kinds = Object.values(SECRETS);
  const pick = <T>(from: T[]) => from[Math.floor(draw() * from.length)]!;
  const joints = [
    " ",
    "\n",
    "",
    ", ",
    "; ",
    " | ",
    "\n  ",
    '"',
    "=",
    ": ",
    "$(",
    "\\n",
    " token: ",
  ];
  for (let count = 0; count < 1500; count++) {
    const parts = Array.from({ length: 3 }, () => {
      const part = draw() < 0.6 ? drawSecret(pick(kinds), draw).text : pick(HARMLESS);
      return part.slice(draw() < 0.3 ? Math.floor(draw() * part.length) : 0) + pick(joints);
    });
    const text = parts.join("");
    const shown = maskSecrets(text);
    assertEquals(maskSecrets(shown), shown, `seed ${seed}: ${text}`);
    const { text: approved } = maskForApproval(text);
    assertEquals(metaOf(approved), metaOf(text), `seed ${seed}: ${text}`);
  }
});

// A program where a password would stand: who approves must see it.
const RUN = "evil7Prog2x";
for (
  const command of [
    `cat a | password | ${RUN} |`,
    `true\nuser,password\nbob,${RUN}`,
    `sudo -p snmpwalk -A ${RUN}`,
    `sudo -p openssl -k ${RUN}`,
    `sudo -p ssh-keygen -N ${RUN}`,
    `time -o cqlsh -p ${RUN}`,
    `sudo -u x-token -b ${RUN}`,
    `sudo -u bob time -p ${RUN}`,
    `env -u echo ${RUN} | sudo -S x`,
    `A=mkpasswd ${RUN}`,
    `A=password "${RUN}"`,
    `env -u password ${RUN}`,
    `X=AUTH ${RUN}`,
    `PIN= 84213 is here`,
  ]
) {
  Deno.test(`approval shows the program of ${JSON.stringify(command)}`, () => {
    assertEquals(maskForApproval(command).text, command);
  });
}

// Run in the disguise of a secret: each must be shown as it is, whoever reads it.
// deno-fmt-ignore
const CODE = [
  "git fetch https://ci:x;touch$IFS$9pwned;:@github.com/a/b", "git fetch https://ci:$(touch${IFS}pwned)@github.com/a/b", "git fetch https://ci:`touch\tpwned`@github.com/a/b", "git fetch https://ci:x&reboot&@github.com/a/b", "git fetch https://ci:x|sh|@github.com/a/b", "curl -u a:x;reboot https://example.org",
];
for (const command of CODE) {
  Deno.test(`masking shows ${JSON.stringify(command)} as it is`, () => {
    assertEquals(maskForApproval(command), { text: command, masked: [] });
    assertEquals(maskSecrets(command), command);
  });
}

const KEY = "8Kq2Lm9Rt4Vw7Yp3NcZ6";
const TOKEN = ["ghp", "abcdefghijklmnopqrstuvwxyz0123456789"].join("_");
const AWS = ["AKIA", "IOSFODNN7EXAMPL2"].join("");
const LINES = ["Ab1+".repeat(16), "Cd2/".repeat(16)];
const frame = (name: string) => `-----${name} PRIVATE KEY-----`;

// deno-fmt-ignore
const ONLY_FOR_APPROVAL: Record<string, [command: string, shown: string]> = {
  "a program behind an empty variable": [`API_TOKEN= ${KEY} --all`, `API_TOKEN= ${KEY} --all`],
  "a program on the next line": [`echo token:\n${KEY}`, `echo token:\n${KEY}`],
  "a program below a token": [`export T=${TOKEN.slice(0, 20)}\n${TOKEN.slice(20)}`, `export T=ghp_***\n${TOKEN.slice(20)}`],
  "a program below a key of AWS": [`echo ${AWS}\n/tmp/${KEY}/${KEY.slice(0, 14)}`, `echo AKIA***\n/tmp/${KEY}/${KEY.slice(0, 14)}`],
  "a command in a quoted value": [`run --token "${KEY}$(reboot)"`, `run --token "***$(reboot)"`],
  "a program behind a pipe": [`echo "API key" | ${KEY}`, `echo "API key" | ${KEY}`],
  "a program in backquotes": [`echo token: \`${KEY}\``, `echo token: \`${KEY}\``],
  "a file that is run": [`./${TOKEN} && bin/${TOKEN}`, `./${TOKEN} && bin/${TOKEN}`],
  "what follows a secret": [`TOKEN=${KEY}$(reboot) run`, "TOKEN=***$(reboot) run"],
  "a quoted password with marks": [`mysql --password="pa$$w;rd1"`, `mysql --password="pa$$w;rd1"`],
  "a short line of a key": [[frame("BEGIN"), LINES[0], "reboot", frame("END")].join("\n"), [frame("BEGIN"), "***", "reboot", frame("END")].join("\n")],
  "the end of a heredoc that looks like a key": [`cat <<${LINES[0]}\n${frame("BEGIN")}\n${LINES[0]}\nreboot`, `cat <<${LINES[0]}\n${frame("BEGIN")}\n${LINES[0]}\nreboot`],
};
for (const [title, [command, shown]] of Object.entries(ONLY_FOR_APPROVAL)) {
  Deno.test(`maskForApproval() shows ${title}`, () => {
    assertEquals(maskForApproval(command).text, shown);
  });
}

Deno.test("maskForApproval() says what it masked, in the order of the text", () => {
  const command =
    `git clone https://ci:${KEY}@example.org/r && GH=${TOKEN} npm publish --token ${KEY}x`;
  assertEquals(maskForApproval(command), {
    text: "git clone https://ci:***@example.org/r && GH=ghp_*** npm publish --token ***",
    masked: ["a password in an address", "a GitHub token", "a token"],
  });
});

Deno.test("maskSecrets() keeps the lines of a broken token, and the word of the next line", () => {
  const [first, rest] = [TOKEN.slice(0, 20), TOKEN.slice(20)];
  assertEquals(maskSecrets(`│ ${first} │\n│ ${rest} ok │`), "│ ghp_*** │\n│ *** ok │");
  assertEquals(maskSecrets(`${TOKEN}\nDone2 of 3`), "ghp_***\nDone2 of 3");
  assertEquals(maskSecrets(`token: ${KEY}\n3f2a9c0d1e fix: x`), "token: ***\n3f2a9c0d1e fix: x");
  assertEquals(maskSecrets(`token: ${KEY}\nDB_HOST2=a1b2c3`), "token: ***\nDB_HOST2=a1b2c3");
});

const COMMAND = `curl https://example.org/a -H "Authorization: Bearer ${KEY}";echo done`;

function asked(command: string, id = "p-1"): Pending {
  const base = {
    session: "warden-main",
    agent_id: "warden",
    tool: "Bash",
    asked_at: "",
    until: "",
    pid: 1,
    secret_sha256: "",
  };
  return {
    ...base,
    id,
    kind: "permission",
    tool_input: { command, env: { api_token: `${KEY}a` } },
  };
}

Deno.test("openPending() masks a request on disk, and leaves the one in memory", async () => {
  await using home = new TestHome();
  const pending = asked(COMMAND);
  openPending(home.paths, pending);
  const text = Deno.readTextFileSync(`${pendingDir(home.paths, "warden-main")}/p-1.json`);
  assertEquals(text.includes(KEY), false);
  assertEquals(pending.tool_input.command, COMMAND);
  const [kept] = listPending(home.paths, "warden-main");
  assertEquals(kept?.tool_input, {
    command: 'curl https://example.org/a -H "Authorization: Bearer ***";echo done',
    env: { api_token: "***" },
  });
});

Deno.test("requestsShown() knows a masked request by the screen, and no other command", () => {
  const dialog = (command: string) =>
    readScreen([
      "─".repeat(60),
      " Bash command",
      ` ${command.slice(0, 40)}`,
      ` ${command.slice(40)}`,
      " Do you want to proceed?",
      " ❯ 1. Yes",
      "   2. No",
      "",
      " Esc to cancel",
    ].join("\n")).dialog!;
  const masked = { ...asked(""), tool_input: maskFields(asked(COMMAND).tool_input) } as Pending;
  assertEquals(requestsShown([masked], dialog(COMMAND)), [masked]);
  // In the place of the secret only what masking can hide.
  assertEquals(requestsShown([masked], dialog(COMMAND.replace(KEY, `${KEY};reboot;`))), []);
  const many = { ...masked, tool_input: { command: "ghp_***,".repeat(400) + "!" } };
  const took = cpuMs(() => void requestsShown([many], dialog("ghp_a1,".repeat(300))));
  assertEquals(took < TOO_LONG_MS, true, `${took} ms`);
});

Deno.test("nothing of a kept screen can be read, and a kept line is not new again", async () => {
  await using home = new TestHome();
  const screen = `first line\nTOKEN=${KEY}\nlast line`;
  const seen = paneText(home.paths, "warden-main", screen, 0);
  seen.keep();
  const [file] = Array.from(Deno.readDirSync(`${home.paths.state}/panes`));
  const kept = Deno.readTextFileSync(`${home.paths.state}/panes/${file!.name}`);
  assertMatch(kept, /^[0-9A-F]{16}\n[0-9A-F]{16}\n[0-9A-F]{16}$/);
  const next = paneText(home.paths, "warden-main", `${screen}\nmore`, 0);
  assertEquals(await next.text(), "more");
});

Deno.test("snapshot shows no secret, as text and as JSON", async () => {
  await using home = new TestHome();
  await using server = new TmuxServer();
  const pane = await server.session("warden-main", "cat");
  const line = `GITHUB_TOKEN=${TOKEN}; echo ok`;
  const screen = fixturePane("01-idle-fresh").trimEnd();
  await server.show(pane, screen.replace("/home/dev/app", line));
  openPending(home.paths, asked(COMMAND));
  for (const form of [[], ["--json"]]) {
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    const world = driverWorld(home, { say, warn: say, clock: realClock });
    const args = ["--socket", server.socket, "--pane", pane, ...form, "warden-main", "snapshot"];
    await menuDriver(args, world);
    const text = said.join("\n");
    assertEquals(text.includes("GITHUB_TOKEN=ghp_***; echo ok"), true, text);
    assertEquals(text.includes(TOKEN) || text.includes(KEY), false, text);
  }
});

Deno.test("maskFields() masks an input of any depth", () => {
  let deep: unknown = "TOKEN=ghp_aB3dE5gH7jK9mN1pQrStUvWxYz0123456789";
  for (let depth = 0; depth < 5000; depth++) deep = [deep];
  const masked = JSON.stringify(maskFields({ deep }));
  assertEquals([masked.includes("aB3dE5gH7"), masked.includes("TOKEN=")], [false, true]);
});
