/** Waits for something to show in a pane. */

import type { ClaudePane, PaneScreen } from "./claude_pane.ts";

export const LOOK_EVERY_MS = 40;

/** The first screen that `sees` accepts; after `ms` the last one. */
export async function waitForScreen(
  pane: ClaudePane,
  ms: number,
  sees: (screen: PaneScreen) => boolean | Promise<boolean>,
): Promise<PaneScreen> {
  const { clock } = pane;
  const until = clock.now() + ms;
  while (true) {
    const screen = await pane.look();
    if (await sees(screen) || clock.now() >= until) return screen;
    await clock.sleep(LOOK_EVERY_MS);
  }
}

/** A screen that is still being drawn is readable within this time. */
const DISORDER_MS = 1500;

/**
 * The same, but makes Claude Code redraw a screen that cannot be read. Letters that tmux draws wider
 * than Claude Code assumes (👍🏽) break the layout.
 */
export async function waitForReadable(
  pane: ClaudePane,
  ms: number,
  sees: (screen: PaneScreen) => boolean | Promise<boolean>,
): Promise<PaneScreen> {
  const { clock } = pane;
  const until = clock.now() + ms;
  while (true) {
    const most = Math.max(0, Math.min(DISORDER_MS, until - clock.now()));
    const screen = await waitForScreen(pane, most, sees);
    if (clock.now() >= until || await sees(screen)) return screen;
    // C-l does nothing else: not in a dialog, and not to a draft.
    if (screen.state === "unknown" && !await pane.hasEnded()) await pane.press("C-l");
  }
}

const REDRAWN_WITHIN_MS = 4000;

/** Can the screen be read, if necessary after Claude Code has redrawn it? */
export async function canBeRead(pane: ClaudePane): Promise<boolean> {
  const isRead = ({ state }: PaneScreen) => state !== "unknown";
  return isRead(await waitForReadable(pane, REDRAWN_WITHIN_MS, isRead));
}
