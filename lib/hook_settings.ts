/** How an agent wants its hooks: each field from its own entry, the registry's, or the default. */

import { isObject } from "./json.ts";

export interface HookSettings {
  pane_capture_lines: number;
  context_pressure_threshold: number;
  autocompact_pct: number;
  hook_mode: "async" | "bidirectional";
  dedup_mode: "skip" | "lightweight" | "off";
  min_context_lines: number;
  max_content_chars: number;
  answer_timeout_s: number;
  answer_permissions: boolean;
  /** How long a form of an MCP server waits for the agent before a person sees it; 0: not at all. */
  form_wait_s: number;
  /** Whether an answer to a question wakes the agent; "others": not its own answer. */
  answered_wakes: "always" | "others" | "never";
  /** As whose words Claude reads a prompt that the mod gives it. */
  voice: "user" | "agent";
  bidirectional_timeout_s: number;
  /** At work without a sign of life for this long: the watch reports it. */
  stall_after_s: number;
  /** Unanswered for this long: the watch notifies the global status session. */
  escalate_after_s: number;
  /** When an API limit ends: the watch sends Claude on, instead of waking the agent. */
  resume_after_limit: boolean;
  /** What one conversation may cost, and all sessions of the agent on one day; 0: no limit. */
  max_usd_per_session: number;
  max_usd_per_day: number;
  /** How full the context may become; 0: no limit. */
  max_context_pct: number;
  /** When wakes that can wait are held; null: never. */
  quiet_hours: QuietHours | null;
  /** Whether the turn of each step of a queue wakes the agent, or the end of the queue alone. */
  queue_wakes: "end" | "each";
}

/** Local times of the machine, as `22:00`. */
export interface QuietHours {
  from: string;
  to: string;
  /** Triggers that are sent nevertheless. */
  pass?: string[];
}

export const DEFAULT_SETTINGS: HookSettings = {
  pane_capture_lines: 100,
  context_pressure_threshold: 50,
  autocompact_pct: 80,
  hook_mode: "async",
  dedup_mode: "skip",
  min_context_lines: 10,
  max_content_chars: 16000,
  answer_timeout_s: 600,
  answer_permissions: false,
  form_wait_s: 60,
  answered_wakes: "always",
  voice: "user",
  bidirectional_timeout_s: 120,
  stall_after_s: 900,
  escalate_after_s: 1800,
  resume_after_limit: false,
  max_usd_per_session: 0,
  max_usd_per_day: 0,
  max_context_pct: 0,
  quiet_hours: null,
  queue_wakes: "end",
};

/** Each field on its own: the agent's, else the global one, else the default. */
export function settingsFrom(own: unknown, global: unknown, problems: string[]): HookSettings {
  const settings: Record<string, unknown> = { ...DEFAULT_SETTINGS };
  for (const name of Object.keys(DEFAULT_SETTINGS) as (keyof HookSettings)[]) {
    for (const source of [own, global]) {
      const value = isObject(source) ? source[name] : undefined;
      if (value === undefined) continue;
      if (isSetting(name, value)) {
        settings[name] = value;
        break;
      }
      problems.push(`hook_settings.${name} cannot be ${JSON.stringify(value)}`);
    }
  }
  return settings as unknown as HookSettings;
}

function isSetting(name: keyof HookSettings, value: unknown): boolean {
  switch (name) {
    case "hook_mode":
      return value === "async" || value === "bidirectional";
    case "dedup_mode":
      return value === "skip" || value === "lightweight" || value === "off";
    case "answered_wakes":
      return value === "always" || value === "others" || value === "never";
    case "queue_wakes":
      return value === "end" || value === "each";
    case "voice":
      return value === "user" || value === "agent";
    case "answer_permissions":
    case "resume_after_limit":
      return typeof value === "boolean";
    case "quiet_hours":
      return value === null || isQuietHours(value);
    default: {
      const [least, most] = LIMITS[name];
      return typeof value === "number" && value >= least && value <= most &&
        (Number.isInteger(value) || !WHOLE.includes(name));
    }
  }
}

export const CLOCK_TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

function isQuietHours(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { from, to, pass = [] } = value;
  return from !== to && [from, to].every((at) => typeof at === "string" && CLOCK_TIME.test(at)) &&
    Array.isArray(pass) && pass.every((trigger) => typeof trigger === "string");
}

const WHOLE: string[] = ["pane_capture_lines", "min_context_lines", "max_content_chars"];

/** The least and the most of each number; the schema takes them from here. */
export const LIMITS = {
  pane_capture_lines: [10, 5000],
  context_pressure_threshold: [1, 100],
  autocompact_pct: [1, 100],
  min_context_lines: [1, 1000],
  max_content_chars: [200, 1_000_000],
  answer_timeout_s: [5, 3600],
  form_wait_s: [0, 3600],
  bidirectional_timeout_s: [1, 550],
  stall_after_s: [10, 86_400],
  escalate_after_s: [10, 604_800],
  max_usd_per_session: [0, 1_000_000],
  max_usd_per_day: [0, 1_000_000],
  max_context_pct: [0, 100],
} as const satisfies Partial<Record<keyof HookSettings, readonly [number, number]>>;
