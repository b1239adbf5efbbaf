import { assert, assertEquals } from "@std/assert";
import { hookCommand } from "../lib/install/hook_command.ts";
import { HOOKS } from "../lib/install/hook_list.ts";
import { commandOwner, mayBeOurs } from "../lib/install/our_hooks.ts";
import { pathsFrom } from "../lib/paths.ts";
import { cpuMs, TOO_LONG_MS } from "./support/cpu_time.ts";

const ROOT = "/srv/it's here/gsd";
const OLD = "/home/u/skills/gsd-code-skill/scripts";
const DATA = "/home/u/it's da ta/gsd-code-skill";
const PATHS = { ...pathsFrom(() => undefined, ROOT), data: DATA };

/** As the version before bin/hook wrote them. */
const INLINE: Record<string, string> = JSON.parse(
  Deno.readTextFileSync(new URL("./fixtures/inline_hooks.json", import.meta.url)),
);
const DIRECT = `deno run -A '${ROOT.replaceAll("'", `'\\''`)}/hooks/stop.ts'`;

const TAILS = ["", " ", " || true", " # gsd", " 2>>/tmp/log", " 2> /tmp/log", ";", " &", " 2>&1 &"];
for (const tail of TAILS) {
  Deno.test(`commandOwner() knows our commands of each version, followed by "${tail}"`, () => {
    for (const entry of HOOKS) {
      const owner = commandOwner(hookCommand(entry, PATHS) + tail, "/elsewhere");
      assertEquals(owner, { kind: "ours", folder: DATA });
    }
    for (const command of Object.values(INLINE)) {
      assertEquals(commandOwner(command + tail, "/elsewhere"), { kind: "ours", folder: ROOT });
    }
    const direct = { kind: "ours", folder: ROOT } as const;
    assertEquals(commandOwner(DIRECT + tail, ROOT), direct);
    assertEquals(
      commandOwner(`[ -n "$TMUX" ] || exit 0; exec /opt/${DIRECT}${tail}`, ROOT),
      direct,
    );
  });
}

Deno.test("commandOwner() knows a hook of any folder that is called gsd-code-skill", () => {
  for (const folder of ["/home/u/gsd-code-skill", "~/gsd-code-skill", "$HOME/x/gsd-code-skill"]) {
    for (const word of [`${folder}/hooks/stop.ts`, `"${folder}/hooks/stop.ts"`]) {
      const owner = { kind: "ours", folder } as const;
      assertEquals(commandOwner(`deno run -A ${word} 2>/dev/null`, ROOT), owner);
    }
  }
});

const OLD_ONES = [
  `bash ${OLD}/stop-hook.sh`,
  `${OLD}/stop-hook.sh || true`,
  `${OLD}/stop-hook.sh &`,
  `${OLD}/stop-hook.sh 2>/dev/null`,
  `/usr/bin/bash -eu ${OLD}/pre-tool-use-hook.sh`,
  `"$HOME/skills/gsd-code-skill/scripts/pre-compact-hook.sh" > /dev/null 2>&1 < /dev/null`,
  "/x/gsd-session-hook.sh start",
  "bash -x '/x/y z/gsd-session-hook.sh' start # boots it",
];
for (const command of OLD_ONES) {
  Deno.test(`commandOwner() knows the old system in: ${command}`, () => {
    assertEquals(commandOwner(command, ROOT).kind, "old");
  });
}

/** Other people's, though they name files of ours: `true` where they may run them. */
const FOREIGN: [string, boolean][] = [
  [`grep -c wake '${ROOT}/hooks/stop.ts'`, true],
  [`cat "${ROOT}/hooks/stop.ts" | wc -l`, true],
  [`deno fmt "${ROOT}/hooks/stop.ts"`, true],
  [`deno run -A /my/watcher.ts "${ROOT}/hooks/stop.ts"`, true],
  [`deno run -A /home/me/.claude/hooks/stop.ts`, true],
  [`[ -n "$TMUX" ] || exit 0; deno run -A /home/me/.claude/hooks/stop.ts`, true],
  [`node ${ROOT}/hooks/stop.ts`, true],
  [`say done # "${ROOT}/hooks/stop.ts"`, true],
  [`touch /tmp/x > "${ROOT}/hooks/stop.ts"`, true],
  [`[ -n "$TMUX" ] && ${DIRECT}`, true],
  [`${hookCommand(HOOKS[0]!, PATHS)} && say done`, true],
  [`date; ${hookCommand(HOOKS[0]!, PATHS)}`, true],
  [`[ -z "$TMUX" ] || [ ! -x /a/bin/hook ] || exec /b/bin/hook stop`, true],
  ["/home/me/bin/hook stop", true],
  [`flock /tmp/l ${OLD}/stop-hook.sh`, true],
  [`tail -f ${OLD}/stop-hook.sh`, true],
  ["test -x /x/gsd-session-hook.sh && echo there", true],
  ['[ -z "$TMUX" ] || [ ! -x /me/bin/hook ] || exec /me/bin/hook deploy', false],
  ["/home/u/mine/stop-hook.sh", false],
  ["say 'an open quote", false],
  ["", false],
];
for (const [command, names] of FOREIGN) {
  Deno.test(`commandOwner() takes for another program's: ${command}`, () => {
    assertEquals(commandOwner(command, ROOT).kind, "foreign");
    assertEquals(mayBeOurs(command), names);
  });
}

Deno.test("commandOwner() answers at once, however long and strange the command", () => {
  const ms = cpuMs(() => {
    for (
      const part of [
        "'\\''",
        "a ",
        "> ",
        "; ",
        "& ",
        '"$TMUX" ',
        "-x ",
        " || true",
        "GSD_REGISTRY= run ",
      ]
    ) {
      commandOwner(`[ -n "$TMUX" ] || exit 0; ${part.repeat(2000)}`, ROOT);
      commandOwner(`[ -z "$TMUX" ] || [ ! -x ${part.repeat(2000)}`, ROOT);
      commandOwner(`deno run ${part.repeat(2000)}!`, ROOT);
    }
  });
  assert(ms < TOO_LONG_MS, `${ms} ms`);
});
