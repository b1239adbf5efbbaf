/** Draws `top`: the table, below it the chosen session, last the keys. */

import { asCalled } from "../cli/as_called.ts";
import { widthOf } from "../cli/width.ts";
import { cut, statusTable, totalsLine } from "../fleet/status_table.ts";
import type { SessionView } from "../fleet/session_view.ts";
import { maskSecrets, oneLine } from "../text.ts";
import { visible } from "../visible.ts";
import { paintedScreen } from "./painted_screen.ts";
import { answerable, type AnswerableQuestion, chosenView, type TopState } from "./top_state.ts";

export interface TopSize {
  columns: number;
  rows: number;
}

/** Fits a terminal of 80 columns. */
const KEYS = "j k move  Enter attach  a answer  i type  l log  p pause  t take  ? help  q quit";

const HELP = [
  "j, k, arrows   choose a session; the one that waits for an answer is first",
  "Enter          attach to it; tmux's own keys lead back (usually Ctrl-b d)",
  "a              answer what it asks: a number picks, Enter sends",
  "i              type an instruction and send it with Enter",
  "l              what happened in it",
  "p              hold its wakes, or let them go again",
  "t              take it for yourself, or give it back to its agent",
  "Escape         back; q or Ctrl-C: end",
];

/** Exactly as many lines as the terminal has, none wider than it. */
export function draw(state: TopState, { columns, rows }: TopSize, now: number): string[] {
  const [head = "", ...table] = statusTable(state.views, now, columns).split("\n");
  const chosenAt = state.views.findIndex(({ session }) => session === state.chosen);
  // The totals, the head, the line above the session, the message and the keys take five.
  const room = Math.max(rows - 5, 1);
  const listed = windowOf(
    table,
    chosenAt,
    Math.min(table.length, Math.max(Math.ceil(room / 2), 3), room),
  );
  const view = chosenView(state);
  const below = Math.max(room - listed.lines.length, 0);
  const inner = below === 0 ? [] : lower(state, view, { columns, rows: below });
  const lines = [
    bold(cut(totalsLine(state.views, state.spent ? [state.spent] : []), columns)),
    dim(cut(head, columns)),
    ...listed.lines.map((line, at) => {
      const index = listed.from + at;
      const shown = cut(line, columns);
      return index === chosenAt
        ? inverse(shown + " ".repeat(Math.max(0, columns - widthOf(shown))))
        : tinted(shown, state.views[index]);
    }),
    dim(rule(view, columns)),
    ...Array.from({ length: below }, (_, at) => inner[at] ?? ""),
    cut(
      state.mode.kind === "type"
        ? prompt(state.mode.text, columns)
        : oneLine(visible(maskSecrets(state.said))),
      columns,
    ),
    dim(cut(hintFor(state), columns)),
  ];
  return lines.slice(0, rows);
}

/** The part of a long table in which the chosen row is. */
function windowOf(
  table: string[],
  chosen: number,
  size: number,
): { lines: string[]; from: number } {
  const from = Math.min(
    Math.max(chosen - Math.floor(size / 2), 0),
    Math.max(table.length - size, 0),
  );
  return { lines: table.slice(from, from + size), from };
}

function rule(view: SessionView | undefined, columns: number): string {
  const parts = view === undefined ? [] : [view.session, view.state, view.evidence];
  const name = oneLine(parts.filter((part) => part !== "").map(visible).join(" · "));
  const line = cut(`── ${name} `, columns);
  return line + "─".repeat(Math.max(0, columns - widthOf(line)));
}

/** The end of what was written stays in sight. */
function prompt(text: string, columns: number): string {
  const shown = visible(text);
  const most = Math.max(columns - 4, 8);
  return `> ${shown.length <= most ? shown : `…${shown.slice(-(most - 1))}`}_`;
}

function lower(state: TopState, view: SessionView | undefined, size: TopSize): string[] {
  const { mode, screen } = state;
  const cuts = (lines: string[]) => lines.map((line) => cut(line, size.columns));
  if (mode.kind === "help") return cuts(HELP);
  if (mode.kind === "log") return cuts(mode.lines.slice(-size.rows).map(clean));
  if (mode.kind === "answer") return cuts(questionLines(mode.question, mode.picked?.key));
  if (view === undefined) {
    return cuts([asCalled("No session runs. Start one: gsd-code spawn <agent> <folder>")]);
  }
  const isAlive = view.seen.holds === "alive";
  const live = isAlive && screen?.session === view.session ? screen.text : undefined;
  const captured = live ?? view.seen.capture;
  if (captured === undefined) return cuts([clean(view.now)]);
  const shown = paintedScreen(captured, size.columns, size.rows);
  // A question of which only the end fits is shown in fewer lines.
  const question = view.state === "asks" ? answerable(view) : "";
  return typeof question === "string" || isIn(shown, question.asked)
    ? shown
    : cuts(questionLines(question));
}

function questionLines({ asked, rows }: AnswerableQuestion, picked?: string): string[] {
  const options = rows.map(({ key, label }) =>
    `${picked === key ? "❯" : " "} ${key}  ${clean(label)}`
  );
  return [clean(asked), "", ...options];
}

/** The beginning of a text; a screen breaks it where it likes. */
function isIn(lines: string[], text: string): boolean {
  // deno-lint-ignore no-control-regex
  const bare = (one: string) => one.replace(/\u001b\[[\d;]*m|\s/g, "");
  return bare(lines.join("")).includes(bare(text).slice(0, 30));
}

function clean(text: string): string {
  return oneLine(visible(maskSecrets(text.slice(0, 2000))));
}

function hintFor({ mode }: TopState): string {
  switch (mode.kind) {
    case "type":
      return "Enter sends it to Claude · Ctrl-U clears · Escape goes back";
    case "answer":
      return mode.picked === undefined
        ? "Press the key of your answer · Escape goes back"
        : `Enter sends: ${oneLine(visible(mode.picked.label))} · Escape goes back`;
    case "log":
    case "help":
      return "Any key goes back";
    case "list":
      return KEYS;
  }
}

const TINTS: Partial<Record<SessionView["state"], string>> = {
  asks: "33",
  permission: "33",
  dialog: "33",
  stalled: "31",
  failed: "31",
  lost: "31",
  limited: "35",
  retrying: "35",
  working: "32",
};

/** The state is a word in the table already, so that colour is never alone. */
function tinted(line: string, view: SessionView | undefined): string {
  const tint = view === undefined ? undefined : TINTS[view.state];
  return tint === undefined ? line : `\u001b[${tint}m${line}\u001b[0m`;
}

function bold(text: string): string {
  return `\u001b[1m${text}\u001b[0m`;
}

function dim(text: string): string {
  return `\u001b[2m${text}\u001b[0m`;
}

function inverse(text: string): string {
  return `\u001b[7m${text}\u001b[0m`;
}
