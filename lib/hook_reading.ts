/** What hooks read with, by name: loaded only by those that have something to read. */

export { waitForDecision } from "./bidirectional.ts";
export { finalText, paneText, textSoFar } from "./content.ts";
export { describeFailure } from "./failures.ts";
export { readScreen } from "./pane.ts";
