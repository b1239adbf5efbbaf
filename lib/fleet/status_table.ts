/** The fleet as a table that fits the terminal, and its totals in one line. */

import { maskSecrets, oneLine } from "../text.ts";
import { visible } from "../visible.ts";
import type { FleetState, SessionView } from "./session_view.ts";
import { agoOf } from "./since.ts";

/** Where the output is no terminal. */
const WIDTH_OF_PIPES = 200;
const LEAST_NOW = 20;

export function statusTable(views: SessionView[], now: number, columns = WIDTH_OF_PIPES): string {
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
  const fitted = all.map((row) =>
    row.map((cell, at) => {
      const text = cut(cell, widths[at]!);
      if (at === head.length - 1) return text;
      const space = " ".repeat(Math.max(0, widths[at]! - widthOf(text)));
      return at === 4 || at === 5 ? space + text : text + space;
    })
  );
  return fitted.map((row) => row.join("  ").trimEnd()).join("\n");
}

/** Names give way only where there would be no room for the last column. */
function shrink(widths: number[], columns: number): void {
  const fixed = () => widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  while (columns - fixed() < LEAST_NOW) {
    const longest = widths[0]! >= widths[1]! ? 0 : 1;
    if (widths[longest]! <= 8) break;
    widths[longest]!--;
  }
  widths[widths.length - 1] = Math.max(10, columns - fixed());
}

/** What it asks, said last or does, as it may be shown. */
export function nowLine(view: SessionView): string {
  const isLimited = view.state === "limited" && view.until !== undefined;
  const limit = isLimited ? `until ${clockOf(view.until!)}: ` : "";
  const { queue } = view.seen;
  const steps = queue === undefined || queue.waiting === 0
    ? ""
    : `queue: ${queue.waiting}${queue.paused ? " (paused)" : ""} · `;
  return steps + limit + maskSecrets(oneLine(view.now.slice(0, 1000)));
}

function clockOf(time: number): string {
  const at = new Date(time);
  return [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
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
