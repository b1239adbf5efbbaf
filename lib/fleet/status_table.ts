/** The fleet as a table that fits the terminal, and its totals in one line. */

import type { Colours } from "../cli/colours.ts";
import { widthOf } from "../cli/width.ts";
import { hourAndMinute } from "../still_running.ts";
import { maskSecrets, oneLine, shellQuote } from "../text.ts";
import { visible } from "../visible.ts";
import type { FleetState, SessionView } from "./session_view.ts";
import { agoOf } from "./ago.ts";

/** Where the output is no terminal. */
const WIDTH_OF_PIPES = 200;
const GOOD_NOW = 30;
const LEAST_NOW = 10;

interface Column {
  head: string;
  cell: (view: SessionView, now: number) => string;
}

const NAME: Column = { head: "SESSION", cell: (view) => view.session };
const AGENT: Column = { head: "AGENT", cell: (view) => view.agent_id || "-" };
const STATE: Column = { head: "STATE", cell: (view) => view.state };
const SINCE: Column = {
  head: "SINCE",
  cell: ({ since }, now) => since === 0 ? "-" : agoOf(now - since),
};
const CONTEXT: Column = {
  head: "CTX",
  cell: ({ context_pct: full }) => full === undefined ? "-" : `${Math.round(full)}%`,
};
const UNSENT: Column = { head: "UNSENT", cell: ({ unsent }) => String(unsent) };
const SAID: Column = { head: "NOW", cell: (view) => nowLine(view) };

const COLUMNS = [NAME, AGENT, STATE, SINCE, CONTEXT, UNSENT, SAID];
/** What a narrow terminal does not get, the first one first. */
const DISPENSABLE = [CONTEXT, UNSENT, AGENT, SINCE];

/** `paint`: colours the word of a state; it gets the padded cell. */
export function statusTable(
  views: SessionView[],
  now: number,
  columns = WIDTH_OF_PIPES,
  paint: (cell: string, state: FleetState) => string = (cell) => cell,
): string {
  const cells = new Map(COLUMNS.map((column) => {
    const texts = [column.head, ...views.map((view) => column.cell(view, now))];
    return [column, texts.map((text) => visible(oneLine(text)))];
  }));
  const widths = new Map(COLUMNS.map((column) => [
    column,
    Math.max(...cells.get(column)!.map(widthOf)),
  ]));
  fit(widths, columns);
  const shown = COLUMNS.filter((column) => widths.has(column));
  return [undefined, ...views].map((view, line) =>
    shown.map((column) => {
      const width = widths.get(column)!;
      const text = cut(cells.get(column)![line]!, width);
      if (column === SAID) return text;
      const space = " ".repeat(Math.max(0, width - widthOf(text)));
      const padded = column === CONTEXT || column === UNSENT ? space + text : text + space;
      return column === STATE && view !== undefined ? paint(padded, view.state) : padded;
    }).join("  ").trimEnd()
  ).join("\n");
}

const NAMES: [column: Column, least: number][] = [[AGENT, 10], [NAME, 16], [AGENT, 6], [NAME, 12]];

/** Names give way where there would be too little room for the last column, then whole columns. */
function fit(widths: Map<Column, number>, columns: number): void {
  const room = () =>
    columns -
    [...widths].reduce((sum, [column, width]) => column === SAID ? sum : sum + width + 2, 0);
  for (const [column, least] of NAMES) {
    const width = widths.get(column)!;
    const spare = Math.max(0, width - least);
    widths.set(column, width - Math.max(0, Math.min(spare, GOOD_NOW - room())));
  }
  for (const column of DISPENSABLE) if (room() < LEAST_NOW) widths.delete(column);
  widths.set(SAID, Math.max(LEAST_NOW, room()));
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

/** The totals on a line; where that is too narrow, what is around the sessions on others. */
export function totalsLines(views: SessionView[], more: string[], columns = Infinity): string {
  const line = totalsLine(views, more);
  if (widthOf(line) <= columns) return line;
  const lines = [totalsLine(views, [])];
  for (const part of more) {
    const longer = `${lines.at(-1)} · ${part}`;
    if (lines.length > 1 && widthOf(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.join("\n");
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
