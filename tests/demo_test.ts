import { assertEquals, assertStringIncludes } from "@std/assert";
import { namesIn } from "../lib/files.ts";
import { ROOT } from "./support/hook_world.ts";

Deno.test("the demo shows every wake and the way back, and leaves nothing behind", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", `${ROOT}/commands/demo.ts`],
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: `${dir}/home`,
        DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
        DENO_NO_UPDATE_CHECK: "1",
        TMPDIR: dir,
        TMUX_TMPDIR: dir,
      },
      clearEnv: true,
    }).output();
    const text = new TextDecoder().decode(stdout);
    assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
    const types = ["response_complete", "ask_user_question", "ask_user_question_answered"];
    for (const type of [...types, "response_failed", "session_end"]) {
      assertStringIncludes(text, `│ type: ${type}\n`);
    }
    assertStringIncludes(text, "Last paragraph. PLAIN-END");
    assertStringIncludes(text, `"answers":{"Which database should we use?":"SQLite"}`);
    assertStringIncludes(text, "answered_by: hook warden");
    const folders = namesIn(dir);
    assertEquals(folders, [`tmux-${Deno.uid()}`]); // tmux's own folder, and nothing in it
    assertEquals(namesIn(`${dir}/${folders[0]}`), []);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
