/** A captured screen as lines of styled text. Colours are data here: the page makes no HTML of them. */

/** Text with one look. `f` and `b`: a palette number, or `#rrggbb`. `s`: a sum of STYLES. */
export interface StyledRun {
  t: string;
  f?: number | string;
  b?: number | string;
  s?: number;
}

export const STYLES = {
  bold: 1,
  dim: 2,
  italic: 4,
  underline: 8,
  inverse: 16,
  strike: 32,
} as const;

/** A screen is hardly ever this large; the end of a longer one counts. */
const MOST_LINES = 300;
const MOST_COLUMNS = 600;

/** What `capture-pane -e` prints: text, SGR sequences, now and then a link or a change of character set. */
export function styledLines(captured: string): StyledRun[][] {
  const lines = captured.replace(/\n$/, "").split("\n").slice(-MOST_LINES);
  let look: RunStyle = {};
  return lines.map((line) => {
    const read = styledLine(line.slice(0, MOST_COLUMNS * 30), look);
    look = read.look;
    return read.runs;
  });
}

type RunStyle = Omit<StyledRun, "t">;

// CSI …, OSC … up to BEL or ST, ESC and one character. Other controls are dropped.
// deno-lint-ignore no-control-regex
const PIECES = /\u001b\[([0-9:;?]*)([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b./gsu;
// deno-lint-ignore no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

function styledLine(line: string, before: RunStyle): { runs: StyledRun[]; look: RunStyle } {
  const runs: StyledRun[] = [];
  let look = before;
  let columns = 0;
  const add = (raw: string) => {
    const text = [...raw.replace(CONTROLS, "")].slice(0, MOST_COLUMNS - columns).join("");
    if (text === "") return;
    columns += text.length;
    const last = runs.at(-1);
    if (last !== undefined && isSame(last, look)) last.t += text;
    else runs.push({ t: text, ...look });
  };
  let end = 0;
  for (const piece of line.matchAll(PIECES)) {
    add(line.slice(end, piece.index));
    end = piece.index + piece[0].length;
    if (piece[2] === "m") look = changed(look, piece[1] ?? "");
  }
  add(line.slice(end));
  return { runs, look };
}

function isSame(a: RunStyle, b: RunStyle): boolean {
  return a.f === b.f && a.b === b.b && a.s === b.s;
}

const TURNED_ON: Record<number, number> = {
  1: STYLES.bold,
  2: STYLES.dim,
  3: STYLES.italic,
  4: STYLES.underline,
  7: STYLES.inverse,
  9: STYLES.strike,
};
const TURNED_OFF: Record<number, number> = {
  22: STYLES.bold | STYLES.dim,
  23: STYLES.italic,
  24: STYLES.underline,
  27: STYLES.inverse,
  29: STYLES.strike,
};

/** The look after an SGR sequence. Codes that are not known change nothing. */
function changed(look: RunStyle, parameters: string): RunStyle {
  const codes = parameters.split(";").map((part) => part.split(":").map(Number));
  let next: RunStyle = { ...look };
  for (let at = 0; at < codes.length; at++) {
    const [code = 0, ...sub] = codes[at]!;
    if (code === 0) next = {};
    else if (code in TURNED_ON) next = styled(next, (next.s ?? 0) | TURNED_ON[code]!);
    else if (code in TURNED_OFF) next = styled(next, (next.s ?? 0) & ~TURNED_OFF[code]!);
    else if (code === 39) delete next.f;
    else if (code === 49) delete next.b;
    else if (code >= 30 && code <= 37) next.f = code - 30;
    else if (code >= 90 && code <= 97) next.f = code - 82;
    else if (code >= 40 && code <= 47) next.b = code - 40;
    else if (code >= 100 && code <= 107) next.b = code - 92;
    else if (code === 38 || code === 48 || code === 58) {
      // `38;5;n` and `38;2;r;g;b`, or the same with colons in one part.
      const rest = sub.length > 0 ? sub : codes.slice(at + 1).map(([first = 0]) => first);
      const { colour, used } = colourOf(rest, sub.length > 0);
      if (sub.length === 0) at += used;
      if (colour !== undefined && code !== 58) next[code === 38 ? "f" : "b"] = colour;
    }
  }
  return next;
}

function styled(look: RunStyle, s: number): RunStyle {
  const { s: _, ...rest } = look;
  return s === 0 ? rest : { ...rest, s };
}

function colourOf(
  rest: number[],
  hasColons: boolean,
): { colour?: number | string; used: number } {
  if (rest[0] === 5) {
    const index = rest[1] ?? -1;
    return { ...(isByte(index) ? { colour: index } : {}), used: 2 };
  }
  if (rest[0] !== 2) return { used: 1 };
  // With colons a colour space may stand before the three numbers.
  const parts = hasColons && rest.length > 4 ? rest.slice(2, 5) : rest.slice(1, 4);
  if (parts.length < 3 || !parts.every(isByte)) return { used: 4 };
  return {
    colour: `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`,
    used: 4,
  };
}

function isByte(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 255;
}
