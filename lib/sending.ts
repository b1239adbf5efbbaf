/** To wake the agent: the wake, and the lines that it shows. */

// Named here first, because this file is small: see hook_utils.ts.
import "./new_wake.ts";
import "./noise.ts";
import "./outbox.ts";

export { sendWake } from "./send_wake.ts";
export { actions, pressureLine, replyExpected } from "./wake.ts";
