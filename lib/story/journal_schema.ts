/** The one schema of the journal's records. docs/journal.md explains each field. */

import { z } from "zod";

const text = z.string();
const name = z.string().min(1);
const ms = z.number().int().nonnegative();

/** Every field that a record may have. */
const FIELDS = {
  at: z.iso.datetime(),
  session: name,
  agent_id: text,
  event: name,
  // Wakes
  wake_id: name,
  trigger: text,
  source: text,
  text,
  text_chars: ms,
  prompt_id: text,
  prompted_by: z.literal("human"),
  failure: text,
  duration_ms: ms,
  turn_ms: ms,
  cost_usd: z.number().nonnegative(),
  total_usd: z.number().nonnegative(),
  limit: z.strictObject({
    kind: text,
    resets_at: z.iso.datetime().optional(),
  }),
  // Delivery
  transport: text,
  why: text,
  detail: text,
  tries: ms,
  of: text,
  status: text,
  reason: text,
  // Who
  by: name,
  by_kind: z.enum(["agent", "person", "keyboard", "claude", "program", "unknown"]),
  caller: text,
  via: name,
  // Instructions, answers and decisions
  instruction_id: name,
  action: name,
  outcome: z.enum(["done", "refused", "given", "left", "unknown", "timeout", "claude gone"]),
  question_id: name,
  tool: name,
  asked: text,
  decision: z.union([text, z.record(text, z.unknown())]),
  after_ms: ms,
  // Steps of a queue
  step: z.number().int().positive(),
  // Claude Code's own sessions
  claude_session_id: text,
  guest: text,
};

type FieldName = keyof typeof FIELDS;

/** What each kind must have; `at` and `session` are in all. The others are optional. */
const REQUIRED = {
  queued: ["wake_id"],
  delivered: [],
  suppressed: ["reason"],
  failed: ["reason"],
  dead: ["reason"],
  answered: [],
  decided: [],
  instruction: ["instruction_id", "action", "by", "by_kind", "via", "outcome"],
  prompt: ["agent_id", "prompt_id", "by", "by_kind"],
  session: [],
  step: ["status"],
  problem: ["reason"],
} as const satisfies Record<string, readonly FieldName[]>;

function kindSchema(kind: keyof typeof REQUIRED) {
  const required = new Set<string>(["at", "session", ...REQUIRED[kind]]);
  const shape = Object.fromEntries(
    Object.entries(FIELDS).map((
      [name, type],
    ) => [name, required.has(name) ? type : type.optional()]),
  );
  return z.strictObject({ kind: z.literal(kind), ...shape });
}

export const RECORD_KINDS = Object.keys(REQUIRED) as (keyof typeof REQUIRED)[];
export const RECORD_FIELDS = Object.keys(FIELDS);

const SCHEMAS = new Map<unknown, z.ZodType>(RECORD_KINDS.map((kind) => [kind, kindSchema(kind)]));

/** What is wrong with a record; undefined when nothing is. */
export function whyNoRecord(value: Record<string, unknown>): string | undefined {
  const schema = SCHEMAS.get(value.kind);
  if (schema === undefined) return `kind: ${JSON.stringify(value.kind)} is not a kind of record`;
  const read = schema.safeParse(value);
  if (read.success) return undefined;
  return read.error.issues.map(({ path, message }) => `${path.join(".") || "record"}: ${message}`)
    .join("; ");
}
