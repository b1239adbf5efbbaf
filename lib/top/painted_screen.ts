/** The end of a pane's screen, in its own colours, for the lines below the table. */

import { styledLines, type StyledRun, STYLES } from "../doors/styled_lines.ts";
import { widthOf } from "../cli/width.ts";
import { maskSecrets } from "../text.ts";

/** `captured`: with colours, or without. The last lines; one empty line stands for many. */
export function paintedScreen(captured: string, columns: number, rows: number): string[] {
  const lines = styledLines(captured).map((runs) => ({ runs, text: plainText(runs) }));
  const last = lines.findLastIndex(({ text }) => text !== "");
  return lines.slice(0, last + 1)
    .filter(({ text }, at) => !(text === "" && lines[at - 1]?.text === ""))
    .slice(-rows)
    .map(({ runs, text }) => {
      const masked = maskSecrets(text);
      // A secret may go over several colours.
      return painted(masked === text ? runs : [{ t: masked }], columns);
    });
}

function plainText(runs: StyledRun[]): string {
  return runs.map(({ t }) => t).join("").trimEnd();
}

/** Cut as a narrow terminal cuts: without a sign for it. */
function painted(runs: StyledRun[], columns: number): string {
  let room = columns;
  let line = "";
  for (const { t, ...look } of runs) {
    let text = "";
    for (const char of t) {
      const width = widthOf(char);
      if (width > room) return line + dressed(text, look);
      room -= width;
      text += char;
    }
    line += dressed(text, look);
  }
  return line;
}

const CODES: [style: number, code: number][] = [
  ...[[STYLES.bold, 1], [STYLES.dim, 2], [STYLES.italic, 3]] as [number, number][],
  ...[[STYLES.underline, 4], [STYLES.inverse, 7], [STYLES.strike, 9]] as [number, number][],
];

function dressed(text: string, { f, b, s = 0 }: Omit<StyledRun, "t">): string {
  const codes = [
    ...CODES.filter(([style]) => (s & style) !== 0).map(([, code]) => String(code)),
    ...(f === undefined ? [] : [colourCode(f, 38)]),
    ...(b === undefined ? [] : [colourCode(b, 48)]),
  ];
  return text === "" || codes.length === 0 ? text : `\u001b[${codes.join(";")}m${text}\u001b[0m`;
}

/** `ground`: 38 for letters, 48 for what is behind them. */
function colourCode(colour: number | string, ground: 38 | 48): string {
  if (typeof colour === "number") {
    if (colour < 8) return String(ground - 8 + colour);
    return colour < 16 ? String(ground + 52 + colour - 8) : `${ground};5;${colour}`;
  }
  const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return [ground, 2, ...parts].join(";");
}
