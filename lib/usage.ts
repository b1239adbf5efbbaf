/**
 * How full the context is, what the session has cost, and its rate limits: as the mod reports it, or
 * else the JSON of a status line. Both are files beside the mark of the pane (known_sessions.ts).
 */

import { regularFile } from "./files.ts";
import { isObject } from "./json.ts";
import { type Env, managedMark, type Paths } from "./paths.ts";

export interface UsageLimit {
  kind: string;
  percentUsed: number;
  /** A date in a form that Date.parse reads. */
  resetsAt?: string;
}

export interface Usage {
  percent?: number;
  tokens?: number;
  window?: number;
  usd?: number;
  /** Of that, what this turn has cost. */
  turn_usd?: number;
  limits: UsageLimit[];
}

/** What a companion writes before each Stop. */
export interface KeptUsage extends Usage {
  session_id: string;
  /** The turn it was reported for: only for that one percent and tokens are true. */
  prompt_id: string;
  at: number;
  /** When an API that has failed in this turn can be reached again. */
  api_resets_at?: string;
}

/** Of this pane, the mod's first: it knows more. */
export function usageOfPane(mark: string, turn: Turn): KnownUsage | undefined {
  return readUsageFile(mark + USAGE_ENDINGS.mod, turn) ??
    readUsageFile(mark + USAGE_ENDINGS.statusLine, turn);
}

/** `turn`: while a turn runs, and for the watch alone: hooks report no number that may be old. */
export const USAGE_ENDINGS = {
  ...{ mod: ".usage.json", statusLine: ".status.json", turn: ".turn.json" } as const,
};
/** Neither is near this size. */
const MOST_BYTES = 64 * 1024;

export function usageFile(
  paths: Pick<Paths, "state">,
  env: Env,
  from: keyof typeof USAGE_ENDINGS,
): string | undefined {
  const mark = managedMark(paths, env("TMUX"), env("TMUX_PANE"));
  return mark === undefined ? undefined : mark + USAGE_ENDINGS[from];
}

/** Whose usage it is. */
export interface Turn {
  sessionId: string;
  promptId: string;
}

/** `isOfTurn`: it was reported for this very turn. Without it there is only what changes slowly. */
export type KnownUsage = Usage & {
  isOfTurn: boolean;
  apiResetsAt?: Date;
  /** The cost of the conversation when it was last reported, in this turn or before. */
  lastUsd?: number;
};

/** From the text of either file; undefined where it is of another conversation, or unreadable. */
export function readUsage(text: string, { sessionId, promptId }: Turn): KnownUsage | undefined {
  const value = valueOf(text, sessionId);
  if (value === undefined) return undefined;
  const isOfTurn = promptId !== "" && value.prompt_id === promptId;
  const usage = usageIn(value);
  const last = usage.usd === undefined ? {} : { lastUsd: usage.usd };
  if (isOfTurn) return { ...usage, ...last, isOfTurn };
  // An older number is never reported. The window stays, and limits change slowly.
  const { window, limits } = usage;
  return { ...(window === undefined ? {} : { window }), ...last, limits, isOfTurn };
}

/** What a conversation has cost in all, by the JSON of its status line. */
export function lastTotal(
  text: string,
): { session_id: string; prompt_id: string; usd: number } | undefined {
  const value = parsed(text);
  if (value === undefined || typeof value.session_id !== "string") return undefined;
  const { usd } = usageIn(value);
  if (usd === undefined) return undefined;
  const prompt_id = typeof value.prompt_id === "string" ? value.prompt_id : "";
  return { session_id: value.session_id, prompt_id, usd };
}

/**
 * What a conversation has reported last, with its source; `at`: when the mod has reported it.
 * `apiResetsAt`: only where its last turn has met a limit.
 */
export type LastUsage = Told & { session_id: string; from: "mod" | "status line"; at: number };

type Told = Omit<KnownUsage, "isOfTurn">;

/** The last known usage, for the views: of the conversation that it names. */
export function lastUsage(text: string): LastUsage | undefined {
  const value = parsed(text);
  if (value === undefined || typeof value.session_id !== "string") return undefined;
  const from = "context_window" in value ? "status line" : "mod";
  return { ...usageIn(value), session_id: value.session_id, from, at: Number(value.at) || 0 };
}

function valueOf(text: string, sessionId: string): Record<string, unknown> | undefined {
  const value = parsed(text);
  return value?.session_id === sessionId && sessionId !== "" ? value : undefined;
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function usageIn(value: Record<string, unknown>): Told {
  return "context_window" in value ? ofStatusLine(value) : ofMod(value);
}

function ofMod(value: Record<string, unknown>): Told {
  const resets = dateOf(value.api_resets_at);
  return {
    ...numbers(value, ["percent", "tokens", "window", "usd", "turn_usd"]),
    limits: limitsIn(value.limits),
    ...(resets === undefined ? {} : { apiResetsAt: resets }),
  };
}

/** Claude Code calls a status line after the Stop hooks, so it is mostly of the turn before. */
function ofStatusLine(value: Record<string, unknown>): Usage {
  const context = isObject(value.context_window) ? value.context_window : {};
  const cost = isObject(value.cost) ? value.cost : {};
  const rates = isObject(value.rate_limits) ? value.rate_limits : {};
  const limits = Object.entries(rates).map(([kind, rate]) => {
    const { used_percentage: percentUsed, resets_at: at } = isObject(rate) ? rate : {};
    const resetsAt = typeof at === "number" ? new Date(at * 1000).toISOString() : at;
    return { kind, percentUsed, resetsAt };
  });
  const known = {
    percent: context.used_percentage,
    tokens: context.total_input_tokens,
    window: context.context_window_size,
    usd: cost.total_cost_usd,
  };
  const names = ["percent", "tokens", "window", "usd"] as const;
  return { ...numbers(known, [...names]), limits: limitsIn(limits) };
}

function readUsageFile(path: string, turn: Turn): KnownUsage | undefined {
  try {
    const size = regularFile(path)?.size ?? 0;
    if (size === 0 || size > MOST_BYTES) return undefined;
    return readUsage(Deno.readTextFileSync(path), turn);
  } catch {
    return undefined;
  }
}

function numbers<N extends string>(
  from: Record<string, unknown>,
  names: N[],
): { [K in N]?: number } {
  const known = names.filter((name) =>
    typeof from[name] === "number" && Number.isFinite(from[name]) && from[name] >= 0
  );
  return Object.fromEntries(known.map((name) => [name, from[name]])) as { [K in N]?: number };
}

function limitsIn(value: unknown): UsageLimit[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).flatMap(({ kind, percentUsed, resetsAt }) => {
    if (typeof kind !== "string" || typeof percentUsed !== "number") return [];
    const at = dateOf(resetsAt);
    return [{ kind, percentUsed, ...(at === undefined ? {} : { resetsAt: at.toISOString() }) }];
  });
}

function dateOf(value: unknown): Date | undefined {
  const time = typeof value === "string" ? Date.parse(value) : NaN;
  return Number.isFinite(time) ? new Date(time) : undefined;
}

const NAMES: Record<string, string> = {
  five_hour: "5-hour limit",
  seven_day: "7-day limit",
  seven_day_opus: "7-day limit of Opus",
  seven_day_sonnet: "7-day limit of Sonnet",
  spend_limit: "spend limit",
};
const MOST_LIMITS = 6;

/** `5-hour limit: 83 % used, resets 14:40 UTC`, a line each. */
export function limitLines(limits: UsageLimit[], now: Date): string[] {
  return limits.slice(0, MOST_LIMITS).map(({ kind, percentUsed, resetsAt }) => {
    const name = NAMES[kind] ?? `${kind.replace(/[^A-Za-z0-9]+/g, " ").trim().slice(0, 40)} limit`;
    const resets = resetsAt === undefined ? "" : `, resets ${utcTime(new Date(resetsAt), now)}`;
    return `${name}: ${Math.round(percentUsed)} % used${resets}`;
  });
}

/** `14:40 UTC`; on another day with its date. */
export function utcTime(at: Date, now: Date): string {
  const [day, time] = at.toISOString().split("T") as [string, string];
  const isToday = day === now.toISOString().slice(0, 10);
  return `${isToday ? "" : `${day} `}${time.slice(0, 5)} UTC`;
}

export interface PressureFacts {
  usage: KnownUsage;
  /** By the screen. */
  percent?: number;
  /** Of the turn's last call, by the transcript. */
  tokens?: number;
}

/** The best that is known: the mod's word, tokens of the window, the screen. */
export function bestPressure(
  { usage, percent, tokens }: PressureFacts,
): { percent?: number; tokens?: number; words: string } {
  const { window, usd } = usage;
  const used = usage.tokens ?? tokens;
  const counted = used === undefined || !window
    ? undefined
    : Math.min(100, Math.round(used / window * 100));
  const best = usage.percent ?? counted ?? percent;
  return {
    ...(best === undefined ? {} : { percent: Math.round(best) }),
    ...(used === undefined ? {} : { tokens: used }),
    words: usageWords({ tokens: used, window, usd }),
  };
}

/** `, 144000 of 200000 tokens, $1.25 so far`: what stands after the percentage. */
function usageWords({ tokens, window, usd }: Omit<Usage, "limits">): string {
  const size = window === undefined
    ? ""
    : tokens === undefined
    ? `, window of ${window} tokens`
    : `, ${tokens} of ${window} tokens`;
  return size + (usd === undefined ? "" : `, $${usd.toFixed(2)} so far`);
}
