/**
 * A plugin may not submit a text that begins with a slash, and its own hooks do not see what it
 * submits. So the mod puts an invisible character before `/tmp/log is full`, and this one, which is
 * another plugin to Claude Code, takes it away again.
 */

const PAD = "\u2060";

// deno-lint-ignore no-explicit-any
type Any = any;

export function register(on: Any): void {
  on("prompt.submit", (_$: Any, e: Any, next: Any) => {
    const isOurs = e.origin?.kind === "plugin" && e.origin.name === "gsd-code";
    return next(isOurs && e.text.startsWith(PAD) ? { ...e, text: e.text.slice(1) } : e);
  }).catch((_$: Any, e: Any, next: Any) => next(e));
}
