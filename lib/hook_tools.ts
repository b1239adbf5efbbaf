/** The tools that a hook works with. */

// Named here first, because this file is small: see hook_utils.ts.
import "./fence.ts";

export { runsSubagents, textOf } from "./events.ts";
export * from "./hook_context.ts";
export { note } from "./journal.ts";
export { isEndOfStop, stoppedAt } from "./known_sessions.ts";
export { rememberSession } from "./session_memory.ts";
export { plainWord } from "./text.ts";
