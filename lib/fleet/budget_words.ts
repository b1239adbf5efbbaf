/** Limits of spending in words: for wakes, the driver's refusal and `gsd-code budget`. */

import { driverWords } from "../sessions/tmux_servers.ts";
import type { Paths } from "../paths.ts";
import { shellQuote } from "../text.ts";
import { commandWords, type WakeDraft } from "../wake.ts";
import type { Budget } from "./budgets.ts";
import { tmuxName } from "./session_commands.ts";
import type { SessionView } from "./session_view.ts";

export const SETTINGS = {
  session: "max_usd_per_session",
  day: "max_usd_per_day",
  context: "max_context_pct",
} as const;

export function dollarsAndCents(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

/** `$20.31 of $20.00 today`. */
export function spentWords({ measure, spent, limit }: Budget): string {
  switch (measure) {
    case "session":
      return `this conversation has cost ${dollarsAndCents(spent)} of ${dollarsAndCents(limit)}`;
    case "day":
      return `all sessions of the agent have cost ${dollarsAndCents(spent)} of ${
        dollarsAndCents(limit)
      } today`;
    case "context":
      return `the context is ${Math.round(spent)} % full, of ${limit} % that are allowed`;
  }
}

export interface BudgetDraftOptions {
  paths: Paths;
  /** The result for each session's turn: "stopped", or why not. */
  stops: ReadonlyMap<string, string>;
}

export function budgetDraft(
  view: SessionView,
  budget: Budget,
  { paths, stops }: BudgetDraftOptions,
): WakeDraft {
  const { level, measure, spent, limit, counted } = budget;
  const isReached = level === "reached";
  const from = new Date(counted).toISOString().replace(/\.\d+Z$/, "Z");
  const since = counted === 0 ? "" : `, counted since ${from}`;
  return {
    ...{ trigger: "budget", section: "CONTENT", state: isReached ? "idle" : "unknown" },
    body: [`${capital(spentWords(budget))}.`, ...isReached ? stopLines(stops) : []].join("\n"),
    details: {
      level: isReached ? "reached" : `${Math.floor(spent / limit * 100)} %`,
      limit: `${SETTINGS[measure]} ${
        measure === "context" ? `${limit} %` : dollarsAndCents(limit)
      }`,
      spent: `${measure === "context" ? `${Math.round(spent)} %` : dollarsAndCents(spent)}${since}`,
      advice: isReached ? ADVICE[measure] : NEAR_ADVICE,
    },
    actions: actionsOf(view, budget, paths),
  };
}

const NEAR_ADVICE =
  "At the limit the turn that runs is stopped. Bring the work to a good end, or " +
  "ask your human for more.";

const ADVICE = {
  session:
    "Instructions are refused until the limit is raised or a new conversation is begun. Ask " +
    "your human before you raise it.",
  day:
    "Instructions are refused until the limit is raised or the day is over. Ask your human before " +
    "you raise it.",
  context:
    "Instructions are refused until the context is compacted or a new conversation is begun.",
};

function stopLines(stops: ReadonlyMap<string, string>): string[] {
  if (stops.size === 0) return ["No turn ran, so none was stopped."];
  return Array.from(
    stops,
    ([session, outcome]) =>
      outcome === "stopped"
        ? `The turn that ran in ${session} was stopped.`
        : `The turn that runs in ${session} could not be stopped: ${outcome}`,
  );
}

function actionsOf(view: SessionView, { measure, level }: Budget, paths: Paths): string[] {
  const session = tmuxName(view.seen);
  const line = (words: string[]) => words.map(shellQuote).join(" ");
  const driver = line([...driverWords(paths, view.seen.socket), session]);
  const more = `${line([...commandWords(paths, "budget"), session])} --more <usd>`;
  const stop = line([...commandWords(paths, "stop"), session]);
  return [
    ...measure === "context" ? [] : [more],
    ...measure === "day" ? [] : [`${driver} type /compact`, `${driver} clear_then <command>`],
    ...level === "reached" ? [stop] : [],
    `${driver} snapshot`,
  ];
}

/** A limit is set, and nothing says what the session costs. */
export function unmeasuredDraft(view: SessionView, missing: string): WakeDraft {
  return {
    ...{ trigger: "budget", section: "CONTENT", state: "unknown" },
    body: `What ${view.session} spends is not known, so its limits cannot be kept.`,
    details: {
      level: "unknown",
      limit: missing,
      advice:
        "Only the mod, or the status line that spawn sets, reports it. gsd-code doctor says what " +
        "is missing; recover starts a session with both.",
    },
    actions: [],
  };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
