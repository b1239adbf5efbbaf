/** Presses keys and pastes text into one pane, and into no other. */

import type { PaneWorld } from "./claude_pane.ts";

export interface PaneInput {
  press(...keys: string[]): Promise<void>;
  paste(text: string): Promise<void>;
}

let buffers = 0;

export function inputOf(world: PaneWorld, id: string): PaneInput {
  const { tmux, feed } = world;
  return {
    // Leave copy mode first: while a person scrolls back, keys go to tmux.
    press: (...keys) =>
      alone(world, id, ["copy-mode", "-q", "-t", id, ";", "send-keys", "-t", id, ...keys]),
    paste: async (text) => {
      const buffer = `gsd-${Deno.pid}-${buffers++}`;
      must(await feed(text, "load-buffer", "-b", buffer, "-"));
      try {
        // -p: bracketed, so that a newline is no Enter. -d: the text does not stay in tmux's buffers.
        await alone(world, id, ["paste-buffer", "-p", "-d", "-b", buffer, "-t", id]);
      } catch (error) {
        await tmux.call("delete-buffer", "-b", buffer);
        throw error;
      }
    },
  };
}

/**
 * With synchronize-panes tmux sends what this pane gets to the other panes of its window as well. So
 * it is off for this pane while the keys are sent: in one call, which tmux finishes without us.
 */
async function alone({ tmux }: PaneWorld, id: string, command: string[]): Promise<void> {
  const shown = await tmux.call("display-message", "-p", "-t", id, "#{pane_synchronized}");
  if (shown.kind === "failed" || shown.stdout.trim() !== "1") {
    must(await tmux.call(...command));
    return;
  }
  const option = ["-p", "-t", id, "synchronize-panes"];
  const own = await tmux.call("show-options", "-v", ...option);
  const isOwn = own.kind === "ok" && own.stdout.trim() !== "";
  const back = isOwn ? ["set-option", ...option, "on"] : ["set-option", "-u", ...option];
  const sent = await tmux.call("set-option", ...option, "off", ";", ...command, ";", ...back);
  // tmux stops at the first command that fails.
  if (sent.kind === "failed") await tmux.call(...back);
  must(sent);
}

function must(result: { kind: "ok" } | { kind: "failed"; reason: string }): void {
  if (result.kind === "failed") throw new Error(result.reason);
}
