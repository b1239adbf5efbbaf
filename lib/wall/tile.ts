/** What the page gets of a session. */

import type { Pending } from "../answers.ts";
import { readQuestions } from "../questions.ts";
import { describeRequest } from "../request_text.ts";
import { shellQuote } from "../text.ts";

export interface Tile {
  session: string;
  agent: string;
  /** One of the states of a session, such as `asks` or `working`. */
  state: string;
  /** Since when, as an ISO time. */
  since?: string;
  /** Of a limit: when it ends, as an ISO time. */
  until?: string;
  /** One line: what it asks, what it said last, what it waits for. */
  now: string;
  /** How full the context window is, in percent. */
  context?: number;
  usd?: number;
  /** Rate limits of the account, one line each. */
  limits?: string[];
  /** Wakes that wait. */
  unsent: number;
  /** The line that attaches a terminal to it. */
  attach: string;
  open: OpenRequest[];
  hint?: TileHint;
}

/** What a person can do next, where the page has no button for it. */
export interface TileHint {
  say: string;
  /** A line for a terminal. */
  run?: string;
}

/** A question or request that waits for an answer. */
export interface OpenRequest {
  id: string;
  kind: Pending["kind"];
  asked_at: string;
  questions: {
    question: string;
    many: boolean;
    options: { label: string; description: string }[];
  }[];
  /** Of a permission or a plan: what is asked for. */
  text: string;
  /** Why it cannot be decided here. */
  why_not?: string;
}

/** Longer texts are for the terminal. */
const MOST_OF_A_REQUEST = 4000;
const MOST_OF_A_LINE = 600;
const MOST_ROWS = 30;

export function requestOf(pending: Pending, mayDecide: boolean): OpenRequest {
  const { id, kind, asked_at, tool, tool_input } = pending;
  const isQuestion = kind === "question";
  const request = isQuestion ? undefined : describeRequest(tool, tool_input, MOST_OF_A_REQUEST);
  return {
    id,
    kind,
    asked_at,
    questions: isQuestion
      ? readQuestions(tool_input).slice(0, MOST_ROWS).map((one) => ({
        question: shortened(one.question, MOST_OF_A_REQUEST),
        many: one.multiSelect,
        options: one.options.slice(0, MOST_ROWS).map(({ label, description }) => ({
          label: shortened(label, MOST_OF_A_LINE),
          description: shortened(description, MOST_OF_A_LINE),
        })),
      }))
      : [],
    text: request?.text ?? "",
    ...(kind === "form" ? HELD_FORM : whyNot(isQuestion, mayDecide, request?.cut !== undefined)),
  };
}

const HELD_FORM = { why_not: "Its agent may fill it in. Then the terminal shows it." };

function whyNot(
  isQuestion: boolean,
  mayDecide: boolean,
  isCut: boolean,
): Pick<OpenRequest, "why_not"> {
  if (isQuestion) return {};
  if (!mayDecide) return { why_not: "Decide it in the terminal: answer_permissions is off." };
  return isCut ? { why_not: "Decide it in the terminal: it is too long to show here." } : {};
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** `answerable`: the page has what answers it. */
export function hintFor(
  { session, state, attach }: Pick<Tile, "session" | "state" | "attach">,
  answerable: boolean,
): TileHint | undefined {
  const ours = (command: string) => `gsd-code ${command} ${shellQuote(session)}`;
  switch (state) {
    case "asks":
    case "permission":
      return answerable ? undefined : { say: "Answer it in its terminal.", run: attach };
    case "dialog":
      return { say: "A dialog is open. Answer it in its terminal.", run: attach };
    case "stalled":
      return { say: "No sign of life. Look at its screen; Esc stops the turn." };
    case "lost":
      return { say: "This brings it back, with its conversation:", run: ours("recover") };
    case "held":
      return { say: "Its wakes are held. This lets them go:", run: ours("resume") };
    case "taken":
      return { say: "A person has taken it. This gives it back:", run: ours("give") };
    default:
      return undefined;
  }
}
