/** Colours on a terminal; plain text in pipes, and where NO_COLOR is set. */

import { bold, cyan, dim, green, red, yellow } from "@std/fmt/colors";
import { OUR_ESCAPE } from "./speaker.ts";

type Ink = (text: string) => string;

/** The speaker prints no code but those with our own escape. The package respects NO_COLOR. */
function ours(ink: Ink): Ink {
  const [before = "", after = ""] = ink("|").replaceAll("\u001b", OUR_ESCAPE).split("|");
  return (text) => `${before}${text}${after}`;
}

const INKS = {
  bold: ours(bold),
  cyan: ours(cyan),
  dim: ours(dim),
  green: ours(green),
  red: ours(red),
  yellow: ours(yellow),
};

export type Colours = Record<keyof typeof INKS, Ink>;

export function colours(on = Deno.stdout.isTerminal()): Colours {
  if (on) return INKS;
  const plain = (text: string) => text;
  return { bold: plain, cyan: plain, dim: plain, green: plain, red: plain, yellow: plain };
}
