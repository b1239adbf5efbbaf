/**
 * All that a hook imports. `runHook` reads the event, finds the agent and calls `handle` with
 *
 *   context   the event, its session, pane and agent, the settings, the screen
 *   tools     what a hook can do: send a wake, remember, record, read the transcript, wait
 *             (`hook_tools.ts`; `tools.load(…)` gets the others, listed in `later_files.ts`)
 *
 * Tools are loaded only for a managed session: in all others a hook must cost little.
 */

// Deno parses the source map of each file that is the first to import another one, and that takes
// longer than all else it does with a file. So a small file like this one names them first.
import "./events.ts";
import "./files.ts";
import "./gate.ts";
import "./hook_settings.ts";
import "./json.ts";
import "./known_sessions.ts";
import "./paths.ts";
import "./registry.ts";

export { type Hook, runHook, type Tools } from "./run_hook.ts";
export type { HookContext } from "./hook_context.ts";
export type { WakeDraft } from "./wake.ts";
export type Sending = typeof import("./sending.ts");
