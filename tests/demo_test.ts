import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { PrivateTmux } from "../lib/demo/private_tmux.ts";
import { namesIn } from "../lib/files.ts";
import { ROOT } from "../lib/paths.ts";
import { TestHome } from "./support/home.ts";

Deno.test("the demo shows every wake and the way back, and leaves nothing behind", async () => {
  await using home = new TestHome();
  const { dir } = home;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", `${ROOT}/commands/demo.ts`],
    env: { ...home.env, TMPDIR: dir, TMUX_TMPDIR: dir },
    clearEnv: true,
  }).output();
  const text = new TextDecoder().decode(stdout);
  assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
  const types = ["response_complete", "ask_user_question", "ask_user_question_answered"];
  for (const type of [...types, "response_failed", "session_end"]) {
    assertStringIncludes(text, `│ type: ${type}\n`);
  }
  assertStringIncludes(text, "│ Shall I deploy?\n");
  assertStringIncludes(text, "│ 50% [WARNING]\n");
  assertStringIncludes(text, `"answers":{"Which database should we use?":"SQLite"}`);
  assertStringIncludes(text, "answered_by: hook warden");
  const folders = namesIn(dir);
  assertEquals(folders, ["home", `tmux-${Deno.uid()}`]);
  assertEquals(folders.flatMap((name) => namesIn(`${dir}/${name}`)), []);
});

Deno.test("tmux() says in words why it failed", async () => {
  await using home = new TestHome();
  const program = home.writeProgram("tmux", 'echo "fork failed" >&2; exit 1');
  const server = new PrivateTmux({ program, socket: "none" });
  await assertRejects(
    () => server.tmux("list-panes"),
    Error,
    "tmux list-panes failed: fork failed",
  );
});
