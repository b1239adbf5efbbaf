import { assert, assertEquals, assertRejects } from "@std/assert";
import { command, press } from "./support/claude_keys.ts";
import { FakeClock } from "./support/fake_clock.ts";
import type { RealClaude } from "./support/real_claude.ts";

const recorded = (name: string) =>
  Deno.readTextFileSync(new URL(`./fixtures/panes/${name}.txt`, import.meta.url));
const ASKED = recorded("10-ask-single");
const cursorAt = (row: number) => ASKED.replace("❯ 1.", "  1.").replace(`  ${row}.`, `❯ ${row}.`);

/** Claude Code at a question, with a hint above that changes at every look. */
function claudeWith(screen: (pressed: string[]) => string) {
  const pressed: string[] = [];
  let looks = 0;
  const claude = {
    capture: () => Promise.resolve(`A hint ${looks++}\n${screen(pressed)}`),
    keys: (...keys: string[]) => Promise.resolve(void pressed.push(...keys)),
    waitForScreen: async (_what: string, sees: (screen: string) => boolean) => {
      const shown = await claude.capture();
      assert(sees(shown), shown);
      return shown;
    },
    hasEnded: () => Promise.resolve(false),
  } as unknown as RealClaude;
  return { claude, pressed };
}

Deno.test("press() presses again what a dialog has dropped while it opened, and nothing else", async () => {
  const clock = new FakeClock();
  const { claude, pressed } = claudeWith((keys) => {
    if (clock.now() < 10_000) keys.length = 0; // dropped
    return cursorAt(1 + keys.length);
  });
  await press(claude, "Down", { times: 2, clock });
  assertEquals(pressed, ["Down", "Down"]);
});

Deno.test("press() waits for a key that is late, though much else changes on the screen", async () => {
  const clock = new FakeClock();
  const { claude, pressed } = claudeWith(() => cursorAt(clock.now() < 9000 ? 1 : 2));
  await press(claude, "Down", { clock });
  assertEquals([pressed, clock.now() >= 9000], [["Down"], true]);
});

Deno.test("press() presses nothing into a dialog that has come instead", async () => {
  const clock = new FakeClock();
  const other = recorded("13-ask-multi");
  const { claude, pressed } = claudeWith((keys) => keys.length === 0 ? ASKED : other);
  const hasWorked = () => false;
  await assertRejects(() => press(claude, "3", { hasWorked, clock }), Error, "3 to work");
  assertEquals(pressed, ["3"]);
});

Deno.test("command() presses Enter again while its text is still in the box, with a menu below it", async () => {
  const clock = new FakeClock();
  const menu = recorded("05-slash-menu").replaceAll("/clear", "/hooks");
  const box = `${"─".repeat(60)}\n❯ /hooks\n${"─".repeat(60)}\n  ? for shortcuts\n`;
  const { claude, pressed } = claudeWith((keys) =>
    clock.now() === 0 ? box : keys.length < 4 ? menu : recorded("01-idle-fresh")
  );
  await command(claude, "/hooks", clock);
  assertEquals(pressed, ["-l", "/hooks", "Enter", "Enter"]);
});
