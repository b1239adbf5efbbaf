/** Attacks on the terminal: text of others with escape codes, in everything that commands print. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { colours } from "../../lib/cli/colours.ts";
import { printable } from "../../lib/cli/speaker.ts";
import { enqueue } from "../../lib/outbox.ts";
import { record } from "../../lib/journal.ts";
import { ROOT } from "../../lib/paths.ts";
import { run } from "../../lib/process.ts";
import { aWake } from "../support/delivery_home.ts";
import { writeExecutable } from "../support/executable.ts";
import { TestHome } from "../support/home.ts";

/** A title, a cleared screen, C1 controls, a clipboard write, reversed text, and a line like ours. */
const CODES = [
  "\x1b]0;title\x07",
  "\x1b[2J\x1b[H",
  "\x9b31m",
  "\x1b]52;c;cm0gLXJm\x07",
  "\u202edesrever",
  "\x1bP+q\x1b\\",
  "over\rwritten",
  "\x08\x08\x7f\x00",
];
const HOSTILE = `EVIL${CODES.join("")}`;
const FORGED = "FORGED hooks: all is well";
// deno-lint-ignore no-control-regex
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

Deno.test("printable() leaves no code of others, and keeps our colours, text and lines", () => {
  for (const code of CODES) assertEquals(STEERING.test(printable(`a${code}b`)), false);
  assertEquals(printable("a\tb\r\nc\nd é 漢 🙂 \u200f"), "a\tb\nc\nd é 漢 🙂 \u200f");
  assertEquals(printable("\x1b[31m"), "\\u001b[31m");
  const json = JSON.stringify({ text: HOSTILE });
  assertEquals(JSON.parse(printable(json)), { text: HOSTILE }, "JSON means the same as before");
  const red = printable(colours(true).red("\x1b[32mgreen"));
  const plain = "\\u001b[32mgreen";
  assertEquals(red, Deno.noColor ? plain : `\x1b[31m${plain}\x1b[39m`);
});

/** A machine on which everything that answers, and every file, is hostile. */
function hostileHome(): TestHome {
  const home = new TestHome();
  const agent = {
    agent_id: `w${HOSTILE}`,
    tmux_session_name: "warden-main",
    openclaw_session_key: `agent:${HOSTILE}:main`,
    working_directory: `${home.dir}/${HOSTILE.replaceAll("\0", "")}`,
    delivery: { transport: "cli" },
  };
  // A deliverer of its own would outlive the test.
  Deno.mkdirSync(`${home.paths.data}/bin`, { recursive: true });
  writeExecutable(`${home.paths.data}/bin/deliver`, "#!/bin/sh\n");
  const plain = { agent_id: "warden", working_directory: home.dir, tmux_session_name: "plain" };
  home.writeRegistry({ agents: [agent, plain] });
  const text = `${HOSTILE}\n${FORGED}`;
  Deno.writeTextFileSync(`${home.dir}/text`, text);
  const listing = {
    sessions: [{ key: `agent:warden:main`, sessionId: text, agentId: "warden", updatedAt: 1 }],
  };
  Deno.writeTextFileSync(`${home.dir}/listing`, JSON.stringify(listing));
  const [say, list] = [`cat '${home.dir}/text'`, `cat '${home.dir}/listing'`];
  const fail = `${say} >&2; exit 1`;
  Object.assign(home.env, {
    GSD_OPENCLAW: home.writeProgram(
      "openclaw",
      `case "$1" in sessions) ${list};; *) ${fail};; esac`,
    ),
    GSD_CLAUDE: home.writeProgram("claude", fail),
    GSD_TMUX: home.writeProgram("tmux", fail),
  });
  const wake = aWake({ transport: "cli", session: `s${text}`, trigger: `t${text}` });
  const attempts = { count: 3, next_at: new Date(0).toISOString(), last_error: text };
  enqueue(home.paths, { ...wake, attempts });
  record(home.paths, { kind: "problem", session: "plain", agent_id: text, reason: text });
  return home;
}

const COMMANDS: [words: string[], shows: string][] = [
  [["commands/status.ts"], "EVIL"],
  [["commands/status.ts", "--json"], "EVIL"],
  [["commands/status.ts", HOSTILE.replaceAll("\0", "")], "EVIL"],
  [["commands/watch.ts", "--once"], ""],
  [["commands/deliver.ts", "--list"], "EVIL"],
  [["commands/deliver.ts", "--once"], ""],
  [["commands/deliver.ts", "--drop", HOSTILE.replaceAll("\0", "")], ""],
  [["commands/doctor.ts"], "EVIL"],
  [["commands/doctor.ts", "--json"], "EVIL"],
  [["commands/doctor.ts", HOSTILE.replaceAll("\0", "")], "EVIL"],
  [["commands/sync.ts"], "EVIL"],
  [["commands/recover.ts"], "EVIL"],
  [["commands/spawn.ts", "warden", ".", ""], "EVIL"],
  [["commands/menu_driver.ts", HOSTILE.replaceAll("\0", ""), "snapshot"], "EVIL"],
  [["commands/gsd_code.ts", HOSTILE.replaceAll("\0", "")], "EVIL"],
  [["register.ts", HOSTILE.replaceAll("\0", "")], "EVIL"],
];

for (const [words, shows] of COMMANDS) {
  const name = words.join(" ").replace(/EVIL.*/s, "<text of others>");
  Deno.test(`the terminal gets no code of others from ${name}`, async () => {
    await using home = hostileHome();
    const [file, ...args] = words;
    const outcome = await run(
      Deno.execPath(),
      ["run", "-A", "--quiet", `${ROOT}/${file}`, ...args],
      {
        env: home.env,
        timeoutMs: 300_000,
        cwd: home.dir,
      },
    );
    if (outcome.kind !== "finished") throw new Error(outcome.kind);
    const shown = outcome.stdout + outcome.stderr;
    assertStringIncludes(shown, shows);
    assertEquals(shown.split("\n").filter((line) => STEERING.test(line)), []);
    assertEquals(shown.split("\n").filter((line) => line.startsWith(FORGED)), []);
  });
}

const LONG = "x".repeat(100_000);
for (
  const words of [
    ["commands/log.ts", `a\n${FORGED}`],
    ["commands/log.ts", "--since", `a\r\n${FORGED}`],
    ["commands/queue.ts", `a\n${FORGED}`, "list"],
    ["commands/menu_driver.ts", "warden-main", `a\n${FORGED}`],
    ["commands/status.ts", LONG],
    ["commands/report.ts", `a\n${FORGED}${LONG}`],
  ]
) {
  const name = words.join(" ").replace(/a\r?\nFORGED.*|x{9,}.*/s, "<a text>");
  Deno.test(`a call that cannot be understood gets one short sentence from ${name}`, async () => {
    await using home = new TestHome();
    const [file, ...args] = words;
    const outcome = await run(
      Deno.execPath(),
      ["run", "-A", "--quiet", `${ROOT}/${file}`, ...args],
      { env: home.env, timeoutMs: 300_000, cwd: home.dir },
    );
    if (outcome.kind !== "finished") throw new Error(outcome.kind);
    const lines = outcome.stderr.trimEnd().split("\n");
    assertEquals([lines.length, lines[0]!.length < 5000, outcome.code > 0], [1, true, true]);
  });
}
