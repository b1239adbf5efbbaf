/** Distinguishes a retry loop from a passing failure, by one turn's attempts to reach the API. */

export interface Attempt {
  /** The HTTP status; absent when no answer came. */
  status?: number;
  /** `retry-after`, `anthropic-ratelimit-unified-reset` and the like, in lower case. */
  headers?: Record<string, string>;
  error?: string;
}

export interface Attempts {
  failures: number;
  /** When the first of them began, in milliseconds since 1970. */
  since?: number;
  /** The start times of the running attempts: a turn may have several at once. */
  open: Record<string, number>;
  last?: Attempt;
  isReported: boolean;
  /** How many troubles of this turn were reported: each is reported once. */
  reported: number;
}

export interface Retrying {
  failures: number;
  forS: number;
  /** `529`, or what went wrong instead of an answer. */
  cause: string;
  kind: "overloaded" | "rate limit" | "server error" | "login" | "no answer" | "error";
  /** When the API says that it can be reached again. */
  resetsAt?: Date;
}

const MANY = 3;
const LONG_MS = 30_000;

export const NONE: Attempts = { failures: 0, open: {}, isReported: false, reported: 0 };

export function attemptBegun(before: Attempts, id: string, now: number): Attempts {
  return { ...before, open: { ...before.open, [id]: now } };
}

/** A success ends the trouble, and the next one is reported anew. */
export function attemptEnded(
  before: Attempts,
  id: string,
  attempt: Attempt,
  now: number,
): Attempts {
  const { [id]: began = now, ...open } = before.open;
  if (attempt.status !== undefined && attempt.status < 400) {
    return { ...NONE, open, reported: before.reported };
  }
  return {
    ...before,
    open,
    failures: before.failures + 1,
    since: before.since ?? began,
    last: attempt,
  };
}

export function troubleReported(before: Attempts): Attempts {
  return { ...before, isReported: true, reported: before.reported + 1 };
}

function sinceWhen({ since, open }: Attempts): number | undefined {
  const times = [...(since === undefined ? [] : [since]), ...Object.values(open)];
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The trouble to report now; undefined while it may pass, and after its report. */
export function trouble(attempts: Attempts, now: number): Retrying | undefined {
  const { failures, last, isReported } = attempts;
  const since = sinceWhen(attempts);
  if (isReported || since === undefined) return undefined;
  const forMs = now - since;
  if (failures < MANY && forMs < LONG_MS) return undefined;
  const resetsAt = last === undefined ? undefined : resetOf(last, now);
  return {
    failures,
    forS: Math.round(forMs / 1000),
    cause: last === undefined ? "no answer" : String(last.status ?? last.error ?? "no answer"),
    kind: last === undefined ? "no answer" : kindOf(last),
    ...(resetsAt === undefined ? {} : { resetsAt }),
  };
}

/** When to look again if no event comes; undefined when no attempt runs. */
export function nextLook(attempts: Attempts): number | undefined {
  const from = sinceWhen(attempts);
  return attempts.isReported || from === undefined ? undefined : from + LONG_MS;
}

function kindOf({ status }: Attempt): Retrying["kind"] {
  if (status === undefined) return "no answer";
  if (status === 529) return "overloaded";
  if (status === 429) return "rate limit";
  if (status === 401 || status === 403) return "login";
  return status >= 500 ? "server error" : "error";
}

/** Seconds, a date, or seconds since 1970. Where the answer has several, the latest counts. */
export function resetOf({ headers = {} }: Attempt, now: number): Date | undefined {
  const after = headers["retry-after"];
  const unified = headers["anthropic-ratelimit-unified-reset"];
  const times = [
    unified === undefined ? undefined : timeOf(unified, 0),
    after === undefined ? undefined : timeOf(after, now),
  ].filter((time) => time !== undefined && time > now);
  return times.length === 0 ? undefined : new Date(Math.max(...times as number[]));
}

/** A number counts in seconds from `base`. */
function timeOf(text: string, base: number): number | undefined {
  const time = /^\d+(\.\d+)?$/.test(text) ? base + Number(text) * 1000 : Date.parse(text);
  return Number.isFinite(time) ? time : undefined;
}
