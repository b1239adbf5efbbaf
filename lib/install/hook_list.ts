/** The one list of our hooks: registration, doctor, docs and tests all read it. */

export interface HookEntry {
  event: string;
  /** Claude Code's matcher; absent means every occurrence. */
  matcher?: string;
  file: string;
  /** Seconds until Claude Code ends the hook. "answer" and "reply": as long as the settings say. */
  timeout: number | "answer" | "reply";
}

export const HOOKS: readonly HookEntry[] = [
  { event: "Stop", file: "stop.ts", timeout: "reply" },
  { event: "StopFailure", file: "stop_failure.ts", timeout: 10 },
  { event: "Notification", file: "notification.ts", timeout: 10 },
  { event: "PreToolUse", matcher: "AskUserQuestion", file: "pre_tool_use.ts", timeout: 10 },
  { event: "PermissionRequest", file: "permission_request.ts", timeout: "answer" },
  { event: "Elicitation", file: "elicitation.ts", timeout: "answer" },
  { event: "PostToolUse", matcher: "AskUserQuestion", file: "post_tool_use.ts", timeout: 10 },
  { event: "PreCompact", file: "pre_compact.ts", timeout: "reply" },
  { event: "UserPromptSubmit", file: "user_prompt_submit.ts", timeout: 10 },
  { event: "SessionStart", file: "session_start.ts", timeout: 10 },
  { event: "SessionEnd", file: "session_end.ts", timeout: 5 },
];
