import { assertEquals } from "@std/assert";
import { ownerOf } from "../lib/install/our_hooks.ts";

const ROOT = "/srv/gsd";
const OLD = "/home/u/skills/gsd-code-skill/scripts";
const GUARD = '[ -n "$TMUX" ] || exit 0;';

Deno.test("ownerOf() takes a person's own hook with our guard for theirs", () => {
  for (
    const command of [
      `${GUARD} deno run -A /home/me/.claude/hooks/stop.ts`,
      `${GUARD} cd /; exec /opt/d run --allow-all /home/me/.claude/hooks/stop.ts`,
    ]
  ) assertEquals(ownerOf(command, ROOT).kind, "foreign", command);
  const first = `${GUARD} cd /; export DENO_NO_UPDATE_CHECK=1 GSD_REGISTRY=/r GSD_STATE_DIR=/s; ` +
    "exec /opt/d run --no-lock -A /gone/hooks/stop.ts";
  assertEquals(ownerOf(first, ROOT), { kind: "ours", root: "/gone", file: "stop.ts" });
});

Deno.test("ownerOf() knows the old system behind options, locks and a change of folder", () => {
  for (
    const command of [
      `bash -o pipefail ${OLD}/stop-hook.sh`,
      `bash -eu -o pipefail +O extglob --rcfile /x ${OLD}/stop-hook.sh`,
      `flock /tmp/l ${OLD}/stop-hook.sh`,
      `flock -n -w 5 /tmp/l bash ${OLD}/stop-hook.sh || true`,
      `flock /tmp/l -c '${OLD}/stop-hook.sh'`,
      `ionice -c 3 ${OLD}/stop-hook.sh`,
      "cd ~/gsd-code-skill && ./scripts/stop-hook.sh",
      'cd "$HOME/gsd-code-skill/scripts/"; bash stop-hook.sh',
      "cd /x/gsd-code-skill && exec scripts/stop-hook.sh",
    ]
  ) assertEquals(ownerOf(command, ROOT).kind, "old", command);
});

Deno.test("ownerOf() leaves what only reads the old scripts, or has their names elsewhere", () => {
  for (
    const command of [
      `flock /tmp/l cat ${OLD}/stop-hook.sh`,
      `flock ${OLD}/stop-hook.sh date`,
      `bash -o pipefail /home/u/mine.sh ${OLD}/stop-hook.sh`,
      "cd ~/mine && ./scripts/stop-hook.sh",
      "cd ~/gsd-code-skill && /home/u/mine/stop-hook.sh",
      "cd ~/gsd-code-skill && cat scripts/stop-hook.sh",
      "cd ~/gsd-code-skill && cd ~/mine && ./scripts/stop-hook.sh",
    ]
  ) assertEquals(ownerOf(command, ROOT).kind, "foreign", command);
});
