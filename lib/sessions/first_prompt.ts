/** Sends a session its first words, and sees them go. */

import { findPane } from "../menu/claude_pane.ts";
import { tmuxFrom } from "../tmux.ts";
import { typeText } from "../menu/typing.ts";
import type { World } from "./world.ts";

export type PromptSent = { kind: "sent" } | { kind: "failed"; reason: string };

export async function sendPrompt(
  world: World,
  at: { session: string; pane: string },
  text: string,
): Promise<PromptSent> {
  const options = { env: world.environment(), timeoutMs: 10_000 };
  const found = await findPane(
    {
      tmux: tmuxFrom(world.env, options),
      feed: (stdin, ...args) => tmuxFrom(world.env, { ...options, stdin }).call(...args),
    },
    at.session,
    at.pane,
  );
  if (found.kind === "none") return { kind: "failed", reason: found.reason };
  const typed = await typeText(found.pane, text);
  return typed.kind === "sent" ? typed : { kind: "failed", reason: typed.reason };
}
