/** The fleet as a table that fits the terminal, and its totals in one line. */

import type { Colours } from "../cli/colours.ts";
import { hourAndMinute } from "../still_running.ts";
import { maskSecrets, oneLine, shellQuote } from "../text.ts";
import { visible } from "../visible.ts";
import type { FleetState, SessionView } from "./session_view.ts";
import { agoOf } from "./ago.ts";

/** Where the output is no terminal. */
const WIDTH_OF_PIPES = 200;
const LEAST_NOW = 30;
const STATE = 2;

/** `paint`: colours the word of a state; it gets the padded cell. */
export function statusTable(
  views: SessionView[],
  now: number,
  columns = WIDTH_OF_PIPES,
  paint: (cell: string, state: FleetState) => string = (cell) => cell,
): string {
  const rows = views.map((view) => [
    view.session,
    view.agent_id || "-",
    view.state,
    view.since === 0 ? "-" : agoOf(now - view.since),
    view.context_pct === undefined ? "-" : `${Math.round(view.context_pct)}%`,
    String(view.unsent),
    nowLine(view),
  ]);
  const head = ["SESSION", "AGENT", "STATE", "SINCE", "CTX", "UNSENT", "NOW"];
  const all = [head, ...rows].map((row) => row.map((cell) => visible(oneLine(cell))));
  const widths = head.map((_, at) => Math.max(...all.map((row) => widthOf(row[at]!))));
  shrink(widths, columns);
  const fitted = all.map((row, line) =>
    row.map((cell, at) => {
      const text = cut(cell, widths[at]!);
      if (at === head.length - 1) return text;
      const space = " ".repeat(Math.max(0, widths[at]! - widthOf(text)));
      const padded = at === 4 || at === 5 ? space + text : text + space;
      const view = views[line - 1];
      return at === STATE && view !== undefined ? paint(padded, view.state) : padded;
    })
  );
  return fitted.map((row) => row.join("  ").trimEnd()).join("\n");
}

const LEAST_NAMES: [at: number, least: number][] = [[1, 10], [0, 16], [1, 6], [0, 12]];

/** Names give way where there would be too little room for the last column: the agent's first. */
function shrink(widths: number[], columns: number): void {
  const missing = () =>
    LEAST_NOW - columns + widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  for (const [at, least] of LEAST_NAMES) {
    const spare = Math.max(0, widths[at]! - least);
    widths[at]! -= Math.max(0, Math.min(spare, missing()));
  }
  widths[widths.length - 1] = Math.max(10, LEAST_NOW - missing());
}

/** What it asks, said last or does, as it may be shown. */
export function nowLine(view: SessionView): string {
  const said = maskSecrets(oneLine(view.now.slice(0, 1000)));
  const { queue } = view.seen;
  const steps = queue === undefined || queue.waiting === 0
    ? ""
    : `queue: ${queue.waiting}${queue.paused ? " (paused)" : ""} · `;
  if (view.state !== "limited" || view.until === undefined) return steps + said;
  const limit = /\b[\w-]+ limit\b/.exec(said)?.[0];
  const end = `until ${hourAndMinute(new Date(view.until))}`;
  return steps + (limit === undefined ? `limited ${end}: ${said}` : `${limit}, ${end}`);
}

export function cut(text: string, most: number): string {
  if (widthOf(text) <= most) return text;
  let kept = "";
  for (const char of text) {
    if (widthOf(kept) + widthOf(char) > most - 1) break;
    kept += char;
  }
  return `${kept.trimEnd()}…`;
}

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u;

/** How many columns a terminal needs for it, well enough for a table. */
export function widthOf(text: string): number {
  let width = 0;
  for (const char of text) width += char.codePointAt(0)! > 0x1f000 || WIDE.test(char) ? 2 : 1;
  return width;
}

const COUNTED: [words: string, states: FleetState[]][] = [
  ["for an answer", ["asks", "permission", "dialog"]],
  ["for a limit", ["limited"]],
];
const NAMED: FleetState[] = ["stalled", "failed", "retrying", "lost"];

/** `4 sessions: 1 waits for an answer, 1 for a limit · gateway up · watch up` */
export function totalsLine(views: SessionView[], more: string[]): string {
  const count = (states: FleetState[]) =>
    views.filter(({ state }) => states.includes(state)).length;
  const waits = COUNTED.filter(([, states]) => count(states) > 0).map(([words, states], at) => {
    const number = count(states);
    return at === 0
      ? `${number} ${number === 1 ? "waits" : "wait"} ${words}`
      : `${number} ${words}`;
  });
  const failing = NAMED.filter((state) => count([state]) > 0)
    .map((state) => `${count([state])} ${state}`);
  const parts = [...waits, ...failing];
  const what = parts.length === 0 ? "" : `: ${parts.join(", ")}`;
  const sessions = `${views.length} ${views.length === 1 ? "session" : "sessions"}`;
  return [sessions + what, ...more].join(" · ");
}

/** The totals on a line, and what is around the sessions on another where one is too narrow. */
export function totalsLines(views: SessionView[], more: string[], columns = Infinity): string {
  const line = totalsLine(views, more);
  return widthOf(line) <= columns ? line : `${totalsLine(views, [])}\n${more.join(" · ")}`;
}

/** What a person can do about what waits. */
export function whatToDo(views: SessionView[]): string {
  const has = (states: FleetState[]) => views.some(({ state }) => states.includes(state));
  if (has(["asks", "permission", "dialog"])) {
    return "To answer: gsd-code top, then a; or gsd-code wall";
  }
  const lost = views.find(({ state }) => state === "lost");
  return lost === undefined ? "" : `To bring it back: gsd-code recover ${shellQuote(lost.session)}`;
}

const INKS: Partial<Record<FleetState, keyof Colours>> = {
  ...{ asks: "yellow", permission: "yellow", dialog: "yellow" },
  ...{ stalled: "red", failed: "red", lost: "red", limited: "cyan", retrying: "cyan" },
  ...{ working: "green", idle: "dim", ended: "dim" },
};

/** The state is a word, so that colour is never alone. */
export function paintState(colours: Colours): (cell: string, state: FleetState) => string {
  return (cell, state) => {
    const ink = INKS[state];
    return ink === undefined ? cell : colours[ink](cell);
  };
}
