/** What a terminal sends for keys, as names. */

export type Key =
  /** One character. */
  | { kind: "text"; text: string }
  | { kind: "named"; name: KeyName };

export type KeyName =
  | "up"
  | "down"
  | "left"
  | "right"
  | "page up"
  | "page down"
  | "home"
  | "end"
  | "enter"
  | "escape"
  | "backspace"
  | "tab"
  | "clear"
  | "interrupt";

const SEQUENCES: Readonly<Record<string, KeyName>> = {
  "\u001b[A": "up",
  "\u001b[B": "down",
  "\u001b[C": "right",
  "\u001b[D": "left",
  "\u001bOA": "up",
  "\u001bOB": "down",
  "\u001bOC": "right",
  "\u001bOD": "left",
  "\u001b[5~": "page up",
  "\u001b[6~": "page down",
  "\u001b[H": "home",
  "\u001b[F": "end",
  "\r": "enter",
  "\n": "enter",
  "\u007f": "backspace",
  "\b": "backspace",
  "\t": "tab",
  "\u0015": "clear",
  "\u0003": "interrupt",
  "\u0004": "interrupt",
};

/** A sequence that is known or not, or ESC alone. */
const PIECE =
  // deno-lint-ignore no-control-regex
  /\u001b(?:\[[0-9;?]*[@-~]|O[@-~])|\u001b|[\u0000-\u001f\u007f]|[^\u0000-\u001f\u007f]/gu;

/** A key that means nothing here is left out. */
export function keysIn(input: string): Key[] {
  return [...input.matchAll(PIECE)].flatMap(([piece]): Key[] => {
    const name = SEQUENCES[piece];
    if (name !== undefined) return [{ kind: "named", name }];
    if (piece === "\u001b") return [{ kind: "named", name: "escape" }];
    // deno-lint-ignore no-control-regex
    return /^[\u0000-\u001f\u007f]/.test(piece) ? [] : [{ kind: "text", text: piece }];
  });
}
