/** Sends a session its first words, and sees them go. */

import { findPane } from "../menu/claude_pane.ts";
import { typeText } from "../menu/typing.ts";
import { realClock } from "../time.ts";
import type { TmuxServer } from "./tmux_servers.ts";

export type PromptSent = { kind: "sent" } | { kind: "failed"; reason: string };

export async function sendPrompt(
  { tmux, feed }: TmuxServer,
  at: { session: string; pane: string },
  text: string,
): Promise<PromptSent> {
  const found = await findPane({ tmux, feed, clock: realClock }, at.session, at.pane);
  if (found.kind === "none") return { kind: "failed", reason: found.reason };
  const typed = await typeText(found.pane, text);
  return typed.kind === "sent" ? typed : { kind: "failed", reason: typed.reason };
}
