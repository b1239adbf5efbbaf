/** The one truth about the registry's form. Commands check with it; hooks take only its types. */

import { z } from "zod";

export const hookSettingsSchema = z.looseObject({
  pane_capture_lines: z.number().int().min(10).max(5000),
  context_pressure_threshold: z.number().min(1).max(100),
  autocompact_pct: z.number().min(1).max(100),
  hook_mode: z.enum(["async", "bidirectional"]),
  dedup_mode: z.enum(["skip", "lightweight", "off"]),
  min_context_lines: z.number().int().min(1).max(1000),
  max_content_chars: z.number().int().min(200).max(1_000_000),
  answer_timeout_s: z.number().min(5).max(3600),
  answer_permissions: z.boolean(),
  bidirectional_timeout_s: z.number().min(1).max(550),
}).partial();

export const deliverySchema = z.looseObject({
  transport: z.enum(["auto", "gateway", "cli", "inbox"]),
}).partial();

export const agentSchema = z.looseObject({
  agent_id: z.string().min(1),
  enabled: z.boolean().optional(),
  auto_wake: z.boolean().optional(),
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
  agents: z.array(agentSchema),
});

export type RegistryFile = z.infer<typeof registrySchema>;
export type AgentFile = z.infer<typeof agentSchema>;
export type HookSettingsFile = z.infer<typeof hookSettingsSchema>;
