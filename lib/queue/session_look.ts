/** What a runner sees of a session: may a step be given now? Pure. */

import type { FoundPane } from "../driver/claude_pane.ts";
import { dialogInTheWay } from "../driver/prompt_words.ts";

export interface SessionLook {
  /** free: it takes a prompt. gone: no Claude Code runs in it. several: more than one does. */
  state: "free" | "busy" | "dialog" | "starting" | "gone" | "several";
  /** Why, where it is "several". */
  reason?: string;
  /** It counts as "gone", since tmux did not tell. */
  isUnknown?: true;
  /** The box takes a prompt, and no menu is open. */
  isReady?: boolean;
  /** What is in the box. While it has a text, the screen does not show that Claude works. */
  draft?: string;
}

export function lookOf(found: FoundPane): SessionLook {
  if (found.kind === "none") {
    if (found.isSeveral) return { state: "several", reason: found.reason };
    return { state: "gone", ...(found.isUnknown ? { isUnknown: true } : {}) };
  }
  const { screen } = found;
  if (dialogInTheWay(screen) !== undefined) return { state: "dialog" };
  if (screen.state === "working") return { state: "busy" };
  if (screen.state === "unknown") return { state: "starting" };
  return { state: "free", isReady: screen.state === "idle" && screen.ready, draft: screen.draft };
}

/** No turn runs. Esc may have put the prompt back into the box. */
export function isSurelyIdle({ state, isReady, draft = "" }: SessionLook, prompt: string): boolean {
  const isOurs = draft === "" || plain(draft) === plain(prompt);
  return state === "free" && isReady === true && isOurs;
}

/** The driver has put it, or a part of it, into the box, and was ended before it pressed Enter. */
export function isInBox({ draft = "" }: SessionLook, text: string): boolean {
  return draft !== "" && plain(text).startsWith(plain(draft));
}

/** The box breaks lines where it has to. */
function plain(text: string): string {
  return text.replace(/\s+/g, "");
}
