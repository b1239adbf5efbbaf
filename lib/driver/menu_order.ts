/** What a call of `menu-driver` orders: an action in a session, and how it is to be done. */

import type { Giver } from "../records.ts";
import type { RoadName } from "./prompt_words.ts";

/** An action, with its words. */
export type Verb =
  | { kind: "snapshot" }
  | { kind: "choose"; number: number }
  | { kind: "type"; text: string }
  | { kind: "clear_then"; text: string }
  | { kind: "enter" | "esc" | "submit" | "allow" | "clear" }
  | { kind: "answer"; words: string[] }
  | { kind: "fill"; words: string[] }
  | { kind: "decline" | "leave" }
  | { kind: "deny"; message: string };

export interface MenuOptions {
  socket?: string;
  pane?: string;
  /** The id behind --question, and the secret behind that. */
  question?: string;
  secret?: string;
  /** The code at the end of a text that the wake shows in part. */
  seen?: string;
  by?: string;
  /** The road that the caller insists on. */
  road?: RoadName;
  /** Interrupt the running turn first. */
  now?: boolean;
  notes: string[];
  waitMs: number;
  queue: boolean;
  /** `type` is for the prompt alone, and never an answer. */
  promptOnly: boolean;
  /** A person says so: also with a draft of another, and in a session that a person has taken. */
  anyway: boolean;
  json: boolean;
  dryRun: boolean;
  /** For later, as a step of the queue. */
  afterTurn?: boolean;
  /** Who gives it, and as which instruction: another caller has added a step before. */
  giver?: Giver & { instruction_id: string };
}

export type MenuOrder =
  | { kind: "help" }
  | { kind: "usage"; problem: string }
  | { kind: "order"; session: string; verb: Verb; options: MenuOptions };

/** Those of a call without options. */
export const EMPTY_OPTIONS: Readonly<MenuOptions> = {
  notes: [],
  waitMs: 10_000,
  queue: false,
  promptOnly: false,
  anyway: false,
  json: false,
  dryRun: false,
};

/** What is done in the session: a snapshot only looks. */
export type DrivingVerb = Exclude<Verb, { kind: "snapshot" }>;
