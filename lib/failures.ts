/** Why a turn failed, and what the agent can do. */

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
    { name: error || "unknown", advice: "look at the session" };
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

export function describeFailure(error: string, message: string, details: string): string {
  const kind = failureKind(error, `${message}\n${details}`);
  return [
    `kind: ${kind.name}${error && error !== kind.name ? ` (${error})` : ""}`,
    `advice: ${kind.advice}`,
    ...[message, details].filter((text) => text !== "").map((text) => `\n${text}`),
  ].join("\n");
}
