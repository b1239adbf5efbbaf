/** What hooks read and settle with, by name: loaded only by those that need it. */

export { closePending } from "./answers.ts";
export { finalText, paneText, textSoFar } from "./content.ts";
export { forgetPane } from "./pane_memory.ts";
