/** Colours on a terminal; plain text in pipes, and where NO_COLOR is set. */

import { bold, cyan, dim, green, red, yellow } from "@std/fmt/colors";

const INKS = { bold, cyan, dim, green, red, yellow };

export type Colours = Record<keyof typeof INKS, (text: string) => string>;

/** The package itself respects NO_COLOR. */
export function colours(on = Deno.stdout.isTerminal()): Colours {
  if (on) return INKS;
  const plain = (text: string) => text;
  return { bold: plain, cyan: plain, dim: plain, green: plain, red: plain, yellow: plain };
}
