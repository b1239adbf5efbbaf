/** Why a turn failed, and what the agent can do. */

import { resetIn } from "./limit_reset.ts";
import { plainWord } from "./text.ts";

interface Kind {
  name: string;
  advice: string;
}

/** Claude Code's `error`, its message and the API's details, to what kind of failure it is. */
export function failureKind(error: string, message: string): Kind {
  if (/prompt is too long/i.test(message)) {
    return { name: "too long", advice: "compact or clear the conversation, then go on" };
  }
  if (error === "rate_limit" || /\b429\b/.test(message)) {
    return { name: "rate limit", advice: "wait, then send the instruction again" };
  }
  if (/\b529\b|overloaded/i.test(message)) {
    return { name: "overload", advice: "wait a little, then send the instruction again" };
  }
  return (Object.hasOwn(KINDS, error) ? KINDS[error] : undefined) ??
    { name: plainWord(error) ?? "unknown", advice: "look at the session" };
}

const KINDS: Record<string, Kind> = {
  server_error: { name: "server error", advice: "usually temporary: send the instruction again" },
  authentication_failed: { name: "login", advice: "a person has to log in or fix the API key" },
  billing_error: { name: "billing", advice: "a person has to look after the account" },
  invalid_request: { name: "invalid request", advice: "look at the session" },
  max_output_tokens: {
    name: "output limit",
    advice: "ask for the rest, or for the work in smaller parts",
  },
};

export interface Failure {
  /** Claude Code's own word is added where it is one. */
  kind: string;
  advice: string;
  /** What Claude Code and the API said. */
  text: string;
}

export function describeFailure(error: string, message: string, details: string): Failure {
  const { name, advice } = failureKind(error, `${message}\n${details}`);
  const word = plainWord(error);
  const unread = word === undefined && error !== "" ? `error: ${error}` : "";
  return {
    kind: word === undefined || word === name ? name : `${name} (${word})`,
    advice,
    text: [unread, message, details].filter((text) => text !== "").join("\n\n") ||
      "(Claude Code gave no message.)",
  };
}

/** A limit of the account that has stopped a turn. */
export interface AccountLimit {
  /** `5-hour limit`, in the words of Claude Code. */
  kind: string;
  /** An ISO date. */
  resets_at?: string;
}

const LIMIT =
  /\b(?:(\d+-(?:hour|day)|hourly|daily|weekly|monthly|session|usage|spend(?:ing)?) )limit\b/i;

/**
 * Undefined where the API was only busy: neither a limit nor its end is named. `resets`: when it
 * ends, where the mod knows it.
 */
export function limitIn(
  { kind, text }: Pick<Failure, "kind" | "text">,
  at: number,
  resets?: Date,
): AccountLimit | undefined {
  if (!kind.startsWith("rate limit")) return undefined;
  const end = resets?.getTime() ?? resetIn(text, at);
  const [name = "rate limit"] = LIMIT.exec(text) ?? [];
  if (end === undefined && name === "rate limit") return undefined;
  return {
    kind: name.toLowerCase(),
    ...(end === undefined ? {} : { resets_at: new Date(end).toISOString() }),
  };
}
