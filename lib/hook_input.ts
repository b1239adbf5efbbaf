/**
 * What comes in on a hook's standard input. The registered command lets tmux speak first:
 *
 *   warden-main            the session
 *   ❯ …                    the screen
 *   <RS>{"session_id": …   a record separator, then the event
 *
 * By hand the event comes alone, and the hook asks tmux itself.
 */

/** How much above the screen the registered command captures; who wants more asks again. */
export const SHELL_CAPTURE_LINES = 100;

/** Set by the registered command to its number: it starts a deliverer after WAKE_WAITS. */
export const SHELL_DELIVERS = "GSD_SHELL_DELIVERS";
export const WAKE_WAITS = 10;

export interface HookInput {
  event: string;
  tmux?: { session: string; capture: string };
}

const SEPARATOR = "\u001e";

export function splitInput(text: string): HookInput {
  // Claude Code writes its events without control characters: the first one is ours.
  const end = text.indexOf(SEPARATOR);
  if (end === -1) return { event: text };
  const lineEnd = text.indexOf("\n");
  const named = lineEnd !== -1 && lineEnd < end;
  return {
    event: text.slice(end + 1),
    tmux: {
      session: named ? text.slice(0, lineEnd) : "",
      capture: named ? text.slice(lineEnd + 1, end) : "",
    },
  };
}
