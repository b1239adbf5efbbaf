import { assertEquals } from "@std/assert";
import { hookCommand } from "../lib/install/hook_command.ts";
import { HOOKS } from "../lib/install/hook_list.ts";
import { ownerOf } from "../lib/install/our_hooks.ts";
import { pathsFrom } from "../lib/paths.ts";

const ROOT = "/srv/it's here/gsd";
const OLD = "/home/u/skills/gsd-code-skill/scripts";

const install = {
  paths: pathsFrom(() => undefined, ROOT),
  home: "/home/u",
  deno: "/opt/my deno/bin/d",
  tmux: "/usr/bin/tmux",
  transcripts: [],
  allowAll: false,
};
const COMMANDS = HOOKS.map((entry) => hookCommand(entry, install));

const EDITS: [string, (command: string) => string][] = [
  ["as it is", (command) => command],
  ["that may fail", (command) => `${command} || true`],
  ["with a comment", (command) => `${command} # gsd`],
  ["with a log", (command) => `${command} 2>>/tmp/log`],
  ["with a log further away", (command) => `${command} 2> /tmp/log`],
  ["with a semicolon", (command) => `${command};`],
  ["in the background", (command) => `${command} &`],
  ["with a blank", (command) => `${command} `],
  ["with an argument", (command) => `${command} --verbose`],
  ["after something else", (command) => `date >> /tmp/log; ${command}`],
];
for (const [name, edit] of EDITS) {
  Deno.test(`ownerOf() knows our command ${name}, of this folder and of another`, () => {
    COMMANDS.forEach((command, index) => {
      const expected = { kind: "ours", root: ROOT, file: HOOKS[index]!.file } as const;
      for (const root of [ROOT, "/elsewhere"]) assertEquals(ownerOf(edit(command), root), expected);
    });
  });
}

const OLD_ONES = [
  `bash ${OLD}/stop-hook.sh`,
  `${OLD}/stop-hook.sh || true`,
  `${OLD}/stop-hook.sh &`,
  `${OLD}/stop-hook.sh 2>/dev/null`,
  `"$HOME/skills/gsd-code-skill/scripts/pre-compact-hook.sh" > /dev/null 2>&1 < /dev/null`,
  "/x/gsd-session-hook.sh start",
  "bash -x '/x/y z/gsd-session-hook.sh' start # boots it",
  "bash -c '/x/gsd-session-hook.sh start'",
  "[ -f /x/gsd-session-hook.sh ] && /x/gsd-session-hook.sh",
  "if [ -f /x/gsd-session-hook.sh ]; then sh /x/gsd-session-hook.sh; fi",
  "GSD=1 nohup timeout -k 5 10s /x/gsd-session-hook.sh &",
  "( cd /x; exec /x/gsd-session-hook.sh )",
];
for (const command of OLD_ONES) {
  Deno.test(`ownerOf() knows the old system in: ${command}`, () => {
    assertEquals(ownerOf(command, ROOT).kind, "old");
  });
}

const FOREIGN = [
  `grep -c wake '${ROOT}/hooks/stop.ts'`,
  `grep run "${ROOT}/hooks/stop.ts"`,
  `cat "${ROOT}/hooks/stop.ts" | wc -l`,
  `deno fmt "${ROOT}/hooks/stop.ts"`,
  `deno run -A /my/watcher.ts "${ROOT}/hooks/stop.ts"`,
  `my-linter --file="${ROOT}/hooks/stop.ts"`,
  `say done # "${ROOT}/hooks/stop.ts"`,
  `say "do not forget ${ROOT}/hooks/stop.ts"`,
  `touch /tmp/x > "${ROOT}/hooks/stop.ts"`,
  `tail -f ${OLD}/stop-hook.sh`,
  `cat < ${OLD}/stop-hook.sh`,
  "test -x /x/gsd-session-hook.sh && echo there",
  "/home/u/mine/stop-hook.sh",
  "node /x/hooks/stop.ts",
  "say 'an open quote",
  "",
];
for (const command of FOREIGN) {
  Deno.test(`ownerOf() takes for somebody else's: ${command}`, () => {
    assertEquals(ownerOf(command, ROOT).kind, "foreign");
  });
}

Deno.test("ownerOf() knows a hook of this folder however it is run", () => {
  for (
    const command of [
      `deno run -A "${ROOT}/hooks/stop.ts"`,
      `deno run --config x.json -A "${ROOT}/hooks/stop.ts" || true`,
      `deno "${ROOT}/hooks/stop.ts"`,
      `"${ROOT}/hooks/stop.ts"`,
    ]
  ) assertEquals(ownerOf(command, ROOT), { kind: "ours", root: ROOT, file: "stop.ts" });
  const other = "deno run -A /home/u/gsd-code-skill/hooks/stop.ts 2>/dev/null";
  assertEquals(ownerOf(other, ROOT).kind, "ours");
});
