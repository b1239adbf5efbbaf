/** Empties Claude Code's input box with keys. */

import type { ClaudePane, PaneScreen } from "./claude_pane.ts";
import { waitForScreen } from "./screen_wait.ts";

const EFFECT_MS = 500;
const MOST_PRESSES = 400;
/** A draft is read without the empty lines around it, so a key may work and not show. */
const MOST_WITHOUT_EFFECT = 3;

/** Line by line, before the cursor and then behind it. Stops when a person writes meanwhile. */
export async function emptyBox(pane: ClaudePane): Promise<PaneScreen> {
  let screen = await pane.look();
  let presses = 0;
  for (const key of ["C-u", "C-k"]) {
    let idle = 0;
    while (screen.draft !== "" && idle < MOST_WITHOUT_EFFECT && presses++ < MOST_PRESSES) {
      const { draft } = screen;
      await pane.press(key);
      screen = await waitForScreen(pane, EFFECT_MS, (now) => now.draft !== draft);
      // A long draft is scrolled back, so compare its end.
      if (!draft.includes(screen.draft.split("\n").at(-1)!)) return screen;
      idle = screen.draft === draft ? idle + 1 : 0;
    }
  }
  return screen;
}

/** Claude Code forgets the first Esc after 800 ms. */
const BETWEEN_MS = 150;
const CLEARED_WITHIN_MS = 1500;
const MOST_TRIES = 3;

/**
 * The whole draft at once: Esc twice, at an idle prompt. While Claude works Esc would interrupt it,
 * and in a shell line it only leaves that.
 */
export async function escapeDraft(pane: ClaudePane): Promise<PaneScreen> {
  const isAtRest = (now: PaneScreen) => now.state === "idle" && now.ready && now.draft !== "";
  let screen = await pane.look();
  for (let tries = 0; tries < MOST_TRIES && isAtRest(screen); tries++) {
    await pane.press("Escape");
    await pane.clock.sleep(BETWEEN_MS);
    // In an empty box the second one would begin another pair.
    if (!isAtRest(await pane.look())) return await pane.look();
    await pane.press("Escape");
    screen = await waitForScreen(pane, CLEARED_WITHIN_MS, (now) => !isAtRest(now));
  }
  return screen;
}
