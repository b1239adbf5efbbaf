/** All that makes foreign text safe to show. lib/fence.ts loads it for a text that needs it. */

// Named here first, because this file is small: see hook_utils.ts.
import "./lookalike_letters.ts";
import "./secret_code.ts";
import "./secret_formats.ts";
import "./secret_frames.ts";
import "./secret_guesses.ts";
import "./secret_named.ts";
import "./secret_names.ts";
import "./secret_places.ts";
import "./secret_programs.ts";
import "./secret_tables.ts";
import "./secret_values.ts";
import "./secret_words.ts";
import "./secret_wraps.ts";

export { guardField, guardText } from "./lookalikes.ts";
export { maskFields, maskForApproval, maskScreen, maskSecrets } from "./secrets.ts";
export { showUnseen } from "./unseen.ts";
