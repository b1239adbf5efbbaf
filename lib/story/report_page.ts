/** The report as a page: lanes over time, and tables. It needs no script and loads nothing. */

import { onOneLine } from "../cli/speaker.ts";
import type { AskedFigure } from "./asked_figures.ts";
import type { ReportFigures, SessionFigures } from "./figures.ts";
import type { LaneState } from "./lane_states.ts";
import {
  counted,
  openLines,
  periodOf,
  sessionWords,
  STATES,
  totalWords,
  waitWords,
} from "./report_text.ts";
import { clockTime, dayOf, duration } from "./since.ts";

const WIDTH = 1000;
const ROW = 34;
const LABEL = 170;
/** For half of the last hour's name. */
const END = 22;

export function reportPage(figures: ReportFigures): string {
  const title = `gsd-code report, ${dayOf(new Date(figures.until))} ${periodOf(figures)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${safe(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${safe(periodOf(figures))}</h1>
<p>${safe(totalWords(figures))}</p>
${picture(figures)}
<p class="legend">${legend()}</p>
<p>${safe(waitWords(figures))}${
    openLines(figures).map((line) => `<br>${safe(short(line, 300))}`).join("")
  }</p>
${figures.sessions.map(sessionPart).join("\n")}
</body>
</html>
`;
}

const COLOURS: Record<LaneState, [light: string, dark: string]> = {
  working: ["#2f7d4f", "#4fae78"],
  agent: ["#8fa9d6", "#5d79ab"],
  human: ["#d9a400", "#e8bd3f"],
  api: ["#7a5cc0", "#a48be0"],
  limited: ["#b0559c", "#cf86bf"],
  failed: ["#c2410c", "#f0803c"],
  lost: ["#b91c1c", "#ef5350"],
  idle: ["#e5e7eb", "#2d333b"],
};

const STYLE = `
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem;
  color: light-dark(#1a2029, #e6eaf1); background: light-dark(#fff, #14171d); }
h1 { font-size: 1.5rem; margin: 0; }
h1 + p { margin: 0 0 1.2rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 0; padding-top: 1rem; border-top: 1px solid #8884; overflow-wrap: anywhere; }
h2 + p { margin: .2rem 0 .8rem; }
h2 small, th, td:first-child, .legend { color: light-dark(#545e6d, #98a2b2); font-weight: 400; }
td:first-child { font-variant-numeric: tabular-nums; }
.lanes { overflow-x: auto; }
svg { width: 100%; min-width: 44rem; height: auto; font: 13px system-ui, sans-serif; }
svg text { fill: currentColor; }
svg .grid { stroke: currentColor; opacity: .15; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1.5rem; }
th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; }
td { border-top: 1px solid #8884; overflow-wrap: anywhere; }
.time { width: 6rem; }
table { table-layout: fixed; }
.legend span { display: inline-block; margin-right: 1rem; }
.legend i { display: inline-block; width: 1em; height: 1em; margin-right: .4em; vertical-align: -.15em; }
${styles(0)}
@media (prefers-color-scheme: dark) {${styles(1)}}
`;

function styles(index: 0 | 1): string {
  return Object.entries(COLOURS).map(([state, colours]) =>
    `.${state} { fill: ${colours[index]}; background: ${colours[index]}; }`
  ).join("\n");
}

function legend(): string {
  return Object.entries(STATES).map(([state, { words }]) =>
    `<span><i class="${state}"></i>${words}</span>`
  ).join("");
}

/** A lane per session; what happened is under the pointer. */
function picture({ sessions, since, until }: ReportFigures): string {
  if (sessions.length === 0) return "<p>No session did anything.</p>";
  const height = ROW * sessions.length + 30;
  const place = (at: number) => LABEL + (at - since) / (until - since) * (WIDTH - LABEL - END);
  const grid = timesIn(since, until).map((at) => {
    const x = round(place(at));
    return `<line class="grid" x1="${x}" x2="${x}" y1="0" y2="${height - 20}"/>` +
      `<text x="${x}" y="${height - 5}" text-anchor="middle">${
        clockTime(new Date(at), false)
      }</text>`;
  });
  const rows = sessions.map((one, index) => {
    const top = index * ROW;
    // The short and bad ones are drawn last, and wide enough to be seen.
    const isBad = (state: LaneState) => state === "lost" || state === "failed";
    const sorted = one.lanes.toSorted((a, b) => Number(isBad(a.state)) - Number(isBad(b.state)));
    const lanes = sorted.map(({ state, from, to }) => {
      const x = place(from);
      const times = `${clockTime(new Date(from))} – ${clockTime(new Date(to))}`;
      const about = `${one.session}: ${STATES[state].words}, ${times} (${duration(to - from)})`;
      return `<rect class="${state}" x="${round(x)}" y="${top + 6}" height="${ROW - 12}" ` +
        `width="${round(Math.max(isBad(state) ? 4 : 1, place(to) - x))}"><title>${
          safe(about)
        }</title></rect>`;
    });
    const marks = one.asked.map((asked) =>
      `<circle cx="${round(place(asked.at))}" cy="${top + ROW / 2}" r="4" fill="none" ` +
      `stroke="currentColor" stroke-width="2"><title>${safe(askedLine(asked))}</title></circle>`
    );
    const name = `<text x="0" y="${top + ROW / 2 + 5}">${safe(short(one.session, 22))}</text>`;
    return name + lanes.join("") + marks.join("");
  });
  return `<div class="lanes"><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Lanes over time">` +
    `${grid.join("")}${rows.join("\n")}</svg></div>`;
}

const HOURS = [1 / 12, 1 / 6, 1 / 4, 1 / 2, 1, 2, 3, 6, 12, 24, 48, 168];

/** At most a dozen round times, or days. */
function timesIn(since: number, until: number): number[] {
  const hour = 3_600_000;
  const step = HOURS.find((hours) => (until - since) / hour / hours <= 12) ?? 720;
  const first = new Date(since);
  first.setMinutes(0, 0, 0);
  const found: number[] = [];
  for (let at = first.getTime(); at <= until; at += step * hour) if (at >= since) found.push(at);
  return found;
}

function sessionPart(one: SessionFigures): string {
  return [
    `<h2>${safe(one.session)} <small>${safe(one.agent_id)}</small></h2>`,
    `<p>${safe(sessionWords(one).join(" · "))}</p>`,
    rows("Asked", one.asked.map((asked) => [asked.at, askedLine(asked)])),
    rows("Failures", one.failures.map(({ at, what, text }) => [at, `${what}: ${text}`])),
    rows(
      "Commits",
      one.commits.map(({ at, hash, subject }) => [at, `${hash.slice(0, 9)} ${subject}`]),
    ),
  ].filter((part) => part !== "").join("\n");
}

function askedLine({ text, by = "", after_ms, answer, outcome }: AskedFigure): string {
  const end = outcome === undefined
    ? "open"
    : [answer ?? outcome, by && `by ${by}`, after_ms !== undefined && `after ${duration(after_ms)}`]
      .filter((part) => typeof part === "string" && part !== "").join(" ");
  return `${short(onOneLine(text), 300)} → ${short(onOneLine(end), 300)}`;
}

/** Long lists end with their number. */
const MOST_ROWS = 200;

function rows(title: string, all: [at: number, text: string][]): string {
  if (all.length === 0) return "";
  const shown = all.slice(0, MOST_ROWS).map(([at, text]) =>
    `<tr><td>${clockTime(new Date(at))}</td><td>${safe(short(onOneLine(text), 600))}</td></tr>`
  );
  const more = all.length > MOST_ROWS
    ? `<tr><td></td><td>${counted(all.length - MOST_ROWS, "more line")}</td></tr>`
    : "";
  return `<table><colgroup><col class="time"><col></colgroup><tr><th colspan="2">${title}</th></tr>${
    shown.join("")
  }${more}</table>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function short(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

// What a page may not hold, and what reverses or hides text.
const UNSEEN =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const NAMES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text of others in a page: every character that means something there is named. */
export function safe(text: string): string {
  return text.toWellFormed().replace(UNSEEN, "").replace(/[&<>"']/g, (char) => NAMES[char]!);
}
