/** What Claude Code offers while a draft is being typed: commands after "/", names after "@". */

import type { Dialog } from "./dialog.ts";

/**
 *   ❯ /clear         Start a new session        2.1.325 draws them above its input box, indented
 *     /compact       Free up context
 * /clear             Start a new session        2.1.197 below it, from the left edge,
 * /exit (quit)       Exit the CLI               with the other names of a command
 * * Plan (agent) – Software architect
 */
const OFFER = /^( {2})?(❯ | {2})?(\/\S+( \([\w, -]+\))?( {2,}\S|$)|[*+◇] \S)/;
const NO_MATCH = /^( {2})?No commands match /;

export function isOffer(line: string): boolean {
  return OFFER.test(line) || NO_MATCH.test(line);
}

/** The offers as a menu; without options when no command matches the draft. */
export function readOffers(draft: string, above: string[], below: string[]): Dialog | undefined {
  if (!draft.startsWith("/") && !draft.includes("@")) return undefined;
  const near: string[] = [];
  for (const line of above.toReversed()) {
    if (!line.startsWith("  ")) break;
    if (isOffer(line)) near.unshift(line);
  }
  const marked = near.some((line) => line.includes("❯") || NO_MATCH.test(line));
  const lines = below.some(isOffer) ? below.filter(isOffer) : marked ? near : [];
  if (lines.length === 0) return undefined;
  const options = lines.filter((line) => !NO_MATCH.test(line)).map((line, index) => {
    const [label = "", ...words] = line.replace("❯", " ").trim().split(/ {2,}/);
    const focused = line.includes("❯");
    return { number: index + 1, label, description: words.join(" "), focused, numbered: false };
  });
  return {
    kind: "slash_menu",
    title: draft.startsWith("/") ? "Commands" : "Suggestions",
    text: lines.map((line) => line.trim()).join("\n"),
    options,
    whole: true,
    tabs: [],
    preview: false,
    focused: options.find((option) => option.focused)?.label ?? "",
  };
}
