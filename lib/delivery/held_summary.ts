/** One wake instead of the held ones: what happened meanwhile, and the last wake in full. */

import type { Hold, HoldKind } from "../doors/holds.ts";
import { isObject } from "../json.ts";
import { newWake, type Receiver } from "../new_wake.ts";
import type { QueuedWake } from "../outbox.ts";
import type { Paths } from "../paths.ts";
import { actionsFor, type Section, type State } from "../wake.ts";
import { span } from "./late_wake.ts";
import { TurnEnds } from "./turn_ends.ts";

/** A wake's message, taken apart again. */
export interface WakeParts {
  /** The lines of `[TRIGGER]`. */
  fields: Record<string, string>;
  section: Section;
  body: string;
  state: State;
  pressure?: string;
  actions: string[];
}

const FENCED =
  /^<<<EXTERNAL_UNTRUSTED_CONTENT id="([^"]+)">>>\n([^]*)\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="\1">>>$/m;
const BODIES = ["CONTENT", "ASK USER QUESTION", "ANSWER SELECTED", "NO CHANGE"];

export function partsOf(message: string): WakeParts {
  const fence = FENCED.exec(message);
  const body = fence?.[2] ?? "";
  // Remove the body first, so that none of its lines is read as a header.
  const rest = fence === null ? message : message.replace(fence[0], () => "");
  const sections = new Map<string, string>();
  for (const part of rest.split(/^(?=\[[A-Z ]+\]$)/m)) {
    const [, name = "", text = ""] = /^\[([A-Z ]+)\]\n([^]*)$/.exec(part) ?? [];
    sections.set(name, text.trim());
  }
  const fields = Object.fromEntries(
    (sections.get("TRIGGER") ?? "").split("\n").filter((line) => line !== "")
      .map((line) => line.split(/: (.*)/s)).map(([name = "", value = ""]) => [name, value]),
  );
  const pressure = sections.get("CONTEXT PRESSURE");
  return {
    fields,
    section: (BODIES.find((name) => sections.has(name)) ?? "CONTENT") as Section,
    body,
    state: (/^state: (\w+)$/m.exec(sections.get("STATE HINT") ?? "")?.[1] ?? "unknown") as State,
    ...(pressure === undefined ? {} : { pressure }),
    actions: (sections.get("AVAILABLE ACTIONS") ?? "").split("\n").filter((line) => line !== ""),
  };
}

export interface SummaryOf {
  hold: Hold;
  session: string;
  /** The wakes that were held, oldest first. */
  wakes: QueuedWake[];
  /** What the journal has of the session. */
  records: Iterable<Record<string, unknown>>;
  wakeId: string;
  now: Date;
  fenceId?: () => string;
}

/** Lines of the last wake that are no longer true, or that the summary has itself. */
const OLD_FIELDS = ["type", "delayed", "reply_expected", "stop_hook_active", "whole_text"];
const MOST_LISTED = 50;

export function summaryOf(paths: Paths, to: Receiver, of: SummaryOf): QueuedWake {
  const { hold, session, wakeId, now, fenceId } = of;
  const wakes = withoutReminders(of.wakes);
  const last = wakes.at(-1);
  const parts = last === undefined ? undefined : partsOf(last.message);
  const isGiven = hold.kind === "taken";
  const earlier = meanwhile({ ...of, wakes });
  const kept = Object.entries(parts?.fields ?? {}).filter(([name]) => !OLD_FIELDS.includes(name));
  const whole = parts?.fields.whole_text;
  const said = hold.said ?? "";
  return newWake(paths, to, session, {
    trigger: isGiven ? "given_back" : "resumed",
    section: parts?.section ?? "CONTENT",
    ...(earlier === "" ? {} : { before: { title: "Meanwhile, oldest first:", text: earlier } }),
    body: bodyOf(parts, last, earlier !== ""),
    isReady: true, // it was masked and guarded when the wake was made
    ...(said === ""
      ? {}
      : { after: { title: "The person who had the session says:", text: said } }),
    state: parts?.state ?? "unknown",
    ...(parts?.pressure === undefined ? {} : { pressure: parts.pressure }),
    details: {
      [LASTED[hold.kind]]: lasted(hold, now),
      held: `${wakes.length} ${wakes.length === 1 ? "wake" : "wakes"}`,
      ...(last === undefined ? {} : { last: last.trigger, last_at: atSecond(last.created_at) }),
      ...(whole === undefined ? {} : { last_whole_text: whole }),
      advice: last === undefined ? NOTHING_HELD : LAST_SHOWN,
      ...Object.fromEntries(kept),
    },
    actions: parts?.actions ?? promptActions(session, hold.driver),
  }, { wakeId, now, ...(fenceId === undefined ? {} : { fenceId }) });
}

const LASTED: Record<HoldKind, string> = {
  ...{ agent: "paused_for", session: "paused_for", taken: "taken_for", quiet: "quiet_for" },
};

const LAST_SHOWN =
  "The content ends with the last wake that was held. Look (snapshot) before you act.";
const NOTHING_HELD = "Nothing was held. Look (snapshot) before you act.";

/** An idle reminder says nothing that the end of its turn does not say. */
function withoutReminders(wakes: QueuedWake[]): QueuedWake[] {
  const ends = new TurnEnds();
  return wakes.filter((wake) => {
    if (ends.endOfSameTurn(wake) !== undefined) return false;
    ends.add(wake);
    return true;
  });
}

function bodyOf(
  parts: WakeParts | undefined,
  last: QueuedWake | undefined,
  hasMore: boolean,
): string {
  if (parts === undefined) return "No wake was held.";
  return hasMore ? `Last, ${last?.trigger}:\n${parts.body}` : parts.body;
}

function lasted({ since }: Hold, now: Date): string {
  const ms = now.getTime() - Date.parse(since);
  if (Number.isNaN(ms)) return "an unknown time";
  return ms < 60_000 ? "less than a minute" : span(ms);
}

/** A line for each earlier wake, and for each prompt that a person gave. */
function meanwhile({ hold, wakes, records }: SummaryOf): string {
  const earlier = wakes.slice(0, -1).map((wake) => ({
    at: wake.created_at,
    text: `${wake.trigger}: ${brief(partsOf(wake.message).body)}`,
  }));
  const prompts = Array.from(records).filter((line) => isByHand(line, hold.since))
    .map((line) => ({ at: String(line.at), text: `prompt by hand: ${brief(`${line.text}`)}` }));
  const all = [...earlier, ...prompts].sort((a, b) => a.at < b.at ? -1 : 1);
  const shown = all.slice(-MOST_LISTED);
  const left = all.length - shown.length;
  return [
    ...(left === 0 ? [] : [`(${left} earlier ones are in the journal)`]),
    ...shown.map(({ at, text }) => `${atSecond(at)} ${text}`),
  ].join("\n");
}

function isByHand(line: Record<string, unknown>, since: string): boolean {
  return isObject(line) && line.kind === "prompt" && typeof line.text === "string" &&
    typeof line.at === "string" && line.at >= since &&
    (line.by_kind === "keyboard" || line.by_kind === "person");
}

const LINE_CHARS = 160;

/** Its beginning, on one line. */
function brief(text: string): string {
  const line = text.slice(0, 4 * LINE_CHARS).replace(/\s+/g, " ").trim() || "(no text)";
  return line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS).toWellFormed()}…` : line;
}

function atSecond(at: string): string {
  return at.replace(/\.\d+Z$/, "Z");
}

function promptActions(session: string, driver: string | undefined): string[] {
  return driver === undefined ? [] : actionsFor(driver, session, { kind: "prompt" });
}
