/** All that makes foreign text safe to show. lib/fence.ts loads it for a text that needs it. */

export { guardField, guardText } from "./lookalikes.ts";
export { maskFields, maskForApproval, maskScreen, maskSecrets } from "./secrets.ts";
export { showUnseen } from "./unseen.ts";
