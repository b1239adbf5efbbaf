/** The recorded events of Claude Code, each made the one that the plan names. */

import { fixtureEvent } from "../support/fixtures.ts";
import type { EventKind, PlannedEvent } from "./plan.ts";

interface Recording {
  hook: string;
  file: string;
  mark(recorded: Record<string, unknown>, marker: string): Record<string, unknown>;
}

const said = (text: string) => (_: unknown, marker: string) => ({
  last_assistant_message: `${text} ${marker}`,
});
const notice = (type: string, text: string) => (_: unknown, marker: string) => ({
  notification_type: type,
  message: `${text} ${marker}`,
});
const asked = (recorded: Record<string, unknown>, marker: string) => ({
  ...JSON.parse(JSON.stringify(recorded).replaceAll("Which database", `${marker}: which database`)),
  tool_use_id: `toolu_${marker}`,
});

const RECORDINGS: Record<EventKind, Recording> = {
  Stop: { hook: "Stop", file: "stop-plain", mark: said("All is done.") },
  StopFailure: { hook: "StopFailure", file: "stop_failure-server_error", mark: said("API Error:") },
  idle: {
    hook: "Notification",
    file: "notification-idle_prompt",
    mark: notice("idle_prompt", "Claude is waiting for your input"),
  },
  permission: {
    hook: "Notification",
    file: "notification-permission_prompt",
    mark: notice("permission_prompt", "Claude needs your permission"),
  },
  notice: {
    hook: "Notification",
    file: "notification-permission_prompt",
    mark: notice("soak_notice", "Something new"),
  },
  question: { hook: "PreToolUse", file: "pre_tool_use-ask-single", mark: asked },
  answer: { hook: "PostToolUse", file: "post_tool_use-ask-single", mark: asked },
  PreCompact: {
    hook: "PreCompact",
    file: "pre_compact-manual",
    mark: (_, marker) => ({ custom_instructions: `Keep ${marker}` }),
  },
};

export interface Claude {
  session_id: string;
  transcript_path: string;
}

/** What Claude Code writes to the hook, and for which event it is registered. */
export function hookInput(
  { kind, marker, prompt }: PlannedEvent,
  claude: Claude,
): { hook: string; input: Record<string, unknown> } {
  const { hook, file, mark } = RECORDINGS[kind];
  const recorded = fixtureEvent(file);
  const marked = mark(recorded, marker);
  return { hook, input: { ...recorded, ...marked, ...claude, prompt_id: prompt } };
}

/** The transcript has the turn as the event has it, with its usage, when Stop fires. */
export function writeTurn(event: PlannedEvent, input: Record<string, unknown>, claude: Claude) {
  if (event.kind !== "Stop") return;
  const lines = [
    { type: "user", promptId: event.prompt, message: { role: "user", content: "go on" } },
    {
      type: "assistant",
      message: {
        id: `msg-${event.marker}`,
        model: "claude",
        role: "assistant",
        stop_reason: "end_turn",
        content: [{ type: "text", text: input.last_assistant_message }],
        usage: { input_tokens: 1000, output_tokens: 50 },
      },
    },
  ];
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  Deno.writeTextFileSync(claude.transcript_path, `${text}\n`, { append: true });
}
