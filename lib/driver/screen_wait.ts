/** Waits for something to show in a pane. */

import type { ClaudePane, PaneScreen } from "./claude_pane.ts";

export const LOOK_EVERY_MS = 40;

/** The first screen that `sees` accepts; after `ms` the last one, whatever it shows. */
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
