/** `register` writes the path of bin/companion into the copy that Claude Code loads. */
export const COMPANION = "";
