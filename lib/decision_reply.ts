/** What the hook of PermissionRequest or Elicitation says to Claude Code, in the form it takes. */

import type { GivenDecision, PendingKind } from "./answers.ts";

export function kindOfTool(tool: string): PendingKind {
  return tool === "AskUserQuestion" ? "question" : tool === "ExitPlanMode" ? "plan" : "permission";
}

/**
 * An allow always repeats the input: bare, it makes a question vanish unanswered. Undefined where
 * the decision does not fit what is asked.
 */
export function decisionReply(
  kind: PendingKind,
  toolInput: Record<string, unknown>,
  given: GivenDecision,
): string | undefined {
  if (kind === "form") return given.kind === "form" ? formReply(given) : undefined;
  if (given.kind === "deny") {
    return reply({ behavior: "deny", message: given.message || "Denied by the agent" });
  }
  if (kind !== "question") {
    return given.kind === "allow"
      ? reply({ behavior: "allow", updatedInput: toolInput })
      : undefined;
  }
  if (given.kind !== "answers" || Object.keys(given.answers).length === 0) return undefined;
  const { answers, annotations } = given;
  return reply({ behavior: "allow", updatedInput: { ...toolInput, answers, annotations } });
}

function formReply({ action, content }: Extract<GivenDecision, { kind: "form" }>): string {
  return JSON.stringify({
    hookSpecificOutput: { hookEventName: "Elicitation", action, content },
  });
}

function reply(decision: Record<string, unknown>): string {
  return JSON.stringify({
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision },
  });
}
