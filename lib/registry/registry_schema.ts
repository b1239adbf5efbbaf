/** The schema of the registry, for commands; hooks read it by registry.ts. */

import { z } from "zod";
import { CLOCK_TIME, LIMITS } from "../hook_settings.ts";

const number = (name: keyof typeof LIMITS) => z.number().min(LIMITS[name][0]).max(LIMITS[name][1]);

const clockTime = z.string().regex(CLOCK_TIME, 'a time is written as "22:00"');

const quietHoursSchema = z.looseObject({
  from: clockTime,
  to: clockTime,
  pass: z.array(z.string()).optional(),
}).refine(({ from, to }) => from !== to, "from and to must differ");

export const hookSettingsSchema = z.looseObject({
  pane_capture_lines: number("pane_capture_lines").int(),
  context_pressure_threshold: number("context_pressure_threshold"),
  autocompact_pct: number("autocompact_pct"),
  hook_mode: z.enum(["async", "bidirectional"]),
  dedup_mode: z.enum(["skip", "lightweight", "off"]),
  min_context_lines: number("min_context_lines").int(),
  max_content_chars: number("max_content_chars").int(),
  answer_timeout_s: number("answer_timeout_s"),
  answer_permissions: z.boolean(),
  form_wait_s: number("form_wait_s"),
  answered_wakes: z.enum(["always", "others", "never"]),
  voice: z.enum(["user", "agent"]),
  bidirectional_timeout_s: number("bidirectional_timeout_s"),
  stall_after_s: number("stall_after_s"),
  escalate_after_s: number("escalate_after_s"),
  resume_after_limit: z.boolean(),
  max_usd_per_session: number("max_usd_per_session"),
  max_usd_per_day: number("max_usd_per_day"),
  max_context_pct: number("max_context_pct"),
  quiet_hours: quietHoursSchema.nullable(),
  queue_wakes: z.enum(["end", "each"]),
}).partial();

export const deliverySchema = z.looseObject({
  transport: z.enum(["auto", "gateway", "cli", "inbox"]),
}).partial();

export const agentSchema = z.looseObject({
  agent_id: z.string().min(1),
  enabled: z.boolean().optional(),
  auto_wake: z.boolean().optional(),
  auto_recover: z.boolean().optional(),
  topic_id: z.union([z.number(), z.string()]).optional(),
  openclaw_session_id: z.string().optional(),
  openclaw_session_key: z.string().optional(),
  working_directory: z.string().optional(),
  tmux_session_name: z.string().optional(),
  claude_resume_target: z.string().optional(),
  claude_launch_command: z.string().optional(),
  claude_post_launch_mode: z.string().optional(),
  system_prompt: z.string().optional(),
  hook_settings: hookSettingsSchema.optional(),
  delivery: deliverySchema.optional(),
});

export const registrySchema = z.looseObject({
  global_status_openclaw_session_id: z.string().optional(),
  global_status_openclaw_session_key: z.string().optional(),
  hook_settings: hookSettingsSchema.optional(),
  delivery: deliverySchema.optional(),
  agents: z.array(agentSchema).superRefine((agents, check) => {
    agents.forEach(({ agent_id }, index) => {
      const first = agents.findIndex((agent) => agent.agent_id === agent_id);
      if (first === index) return;
      const message = `the agent_id "${agent_id}" is there already, at agents[${first}]`;
      check.addIssue({ code: "custom", path: [index, "agent_id"], message });
    });
  }),
});

export type RegistryFile = z.infer<typeof registrySchema>;
export type AgentFile = z.infer<typeof agentSchema>;
