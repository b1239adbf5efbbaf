/** Why a turn failed, and what the agent can do. */

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
