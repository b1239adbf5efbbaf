/** The screens of many panes by one call of tmux. */

import type { Tmux } from "../tmux.ts";

export interface CapturedScreen {
  pane: string;
  columns: number;
  rows: number;
  text: string;
}

export interface CaptureOptions {
  /** Keep the colours, as tmux writes them. */
  colours?: boolean;
}

/** tmux stops at the first pane that has gone. Then each pane is asked for alone. */
export async function captureScreens(
  tmux: Tmux,
  panes: string[],
  options: CaptureOptions = {},
): Promise<CapturedScreen[]> {
  const known = panes.filter((pane) => /^%\d+$/.test(pane));
  if (known.length === 0) return [];
  // A screen cannot hold this line: it is made for this one call.
  const mark = `screen ${crypto.randomUUID()} `;
  const captures = known.flatMap((pane) => [
    ...[";", "display-message", "-p", "-t", pane, `${mark}#{pane_id} #{pane_width} #{pane_height}`],
    ...[";", "capture-pane", ...(options.colours ? ["-e"] : []), "-p", "-t", pane],
  ]);
  const outcome = await tmux.call(...captures.slice(1));
  if (outcome.kind === "ok") return screensIn(outcome.stdout, mark);
  if (known.length === 1) return [];
  const all: CapturedScreen[] = [];
  for (const pane of known) all.push(...await captureScreens(tmux, [pane], options));
  return all;
}

export function screensIn(printed: string, mark: string): CapturedScreen[] {
  return printed.split(mark).slice(1).flatMap((part) => {
    const end = part.indexOf("\n");
    const [pane = "", columns = "", rows = ""] = part.slice(0, end).split(" ");
    return /^%\d+$/.test(pane)
      ? [{ pane, columns: Number(columns), rows: Number(rows), text: part.slice(end + 1) }]
      : [];
  });
}
