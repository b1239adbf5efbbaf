/** Reads the output of the `openclaw` program: what it means for a wake. */

import { replyFrom, type TryOutcome } from "./delivery.ts";
import { type Called, isUnknownSession, judged } from "./refusals.ts";
import { isObject } from "../json.ts";
import type { Outcome } from "../process.ts";

/** The output of `gateway call`: its JSON decides, the exit code only without JSON. */
export function callResult(outcome: Outcome, program: string, method: string): Called {
  const failed = (outcome: TryOutcome, isUnknown = false): Called => ({
    kind: "failed",
    isUnknown,
    outcome,
  });
  const ended = endedOrWhy(outcome, program);
  if (ended.kind !== "ended") return failed(ended);
  const { value, words } = ended;
  const error = value !== undefined && isObject(value.error) ? value.error : undefined;
  if (
    value !== undefined && error === undefined && outcome.kind === "finished" &&
    outcome.code === 0
  ) {
    return { kind: "ok", value };
  }
  const message = String(error?.message ?? words).replace(/^Error: /, "");
  const what = `${program} gateway call ${method} failed`;
  // 2026.2 prints the gateway's refusal as text.
  const bare = message.replace(
    /^[^]*?(?:GatewayClientRequestError|Gateway call failed): (?:Error: )?/,
    "",
  );
  return failed(
    judgedWords(String(error?.code ?? ""), bare, what),
    isUnknownSession(bare),
  );
}

/** The output of `agent --json`. A turn that failed was delivered, too. */
export function agentResult(outcome: Outcome, program: string): TryOutcome {
  if (outcome.kind === "timeout") {
    return { kind: "delivered", detail: "taken, the turn still runs" };
  }
  const ended = endedOrWhy(outcome, program);
  if (ended.kind !== "ended") return ended;
  const { value, words } = ended;
  if (knowsNoFile(words)) {
    return {
      kind: "unfit",
      reason: `${program} takes no message from a file (it has no "agent --message-file", and ` +
        "does not use NODE_OPTIONS): update OpenClaw, or use its gateway",
    };
  }
  const hasRun = value !== undefined &&
    (typeof value.runId === "string" || isObject(value.result) || Array.isArray(value.payloads));
  if (hasRun) {
    const reply = replyFrom(value);
    const detail = reply.status === "ok" ? "completed" : `taken, but ${reply.reason}`;
    return { kind: "delivered", detail, reply: Promise.resolve(reply) };
  }
  const error = value !== undefined && isObject(value.error) ? value.error : undefined;
  const message = String(error?.message ?? words);
  return judgedWords(String(error?.code ?? ""), message, `${program} agent failed`);
}

/** 2026.2 reports a missing `--message` before it reports unknown options. */
function knowsNoFile(words: string): boolean {
  return /(unknown|not recognize) option.*--(message-file|session-key)/i.test(words) ||
    /required option .*--message\b.* not specified/i.test(words);
}

function judgedWords(code: string, message: string, what: string): TryOutcome {
  if (/would lose inter-session attribution/i.test(message)) {
    return {
      kind: "later",
      scope: "all",
      elsewhere: true,
      reason: "OpenClaw refuses to send from within an agent's own shell (OPENCLAW_SHELL=exec, " +
        "which the tmux server has from the shell that started it): start the tmux server " +
        "outside of the agent, or deliver by the timer or over the gateway",
    };
  }
  if (
    /not reachable|ECONNREFUSED|gateway closed|timeout|requires credentials|unauthorized/i.test(
      message,
    )
  ) {
    return { kind: "later", scope: "all", reason: `${what}: ${firstLine(message)}` };
  }
  return judged({ kind: "error", code, detail: "", message: firstLine(message) }, what);
}

type Ended = { kind: "ended"; value: Record<string, unknown> | undefined; words: string };

function endedOrWhy(outcome: Outcome, program: string): Ended | TryOutcome {
  switch (outcome.kind) {
    case "missing":
      return { kind: "unfit", reason: `Cannot start ${program}: ${outcome.reason}` };
    case "timeout":
      return {
        kind: "later",
        scope: "all",
        reason: `${program} gave no answer in ${outcome.afterMs / 1000} s`,
      };
    case "finished": {
      const value = jsonIn(outcome.stdout);
      const words = outcome.stderr.trim() || outcome.stdout.trim() || `exit code ${outcome.code}`;
      return { kind: "ended", value, words };
    }
  }
}

/** The JSON object of the output; notices may come before it. */
function jsonIn(stdout: string): Record<string, unknown> | undefined {
  for (let at = stdout.indexOf("{"); at !== -1; at = stdout.indexOf("\n{", at) + 1 || -1) {
    try {
      const value: unknown = JSON.parse(stdout.slice(at));
      if (isObject(value)) return value;
    } catch {
      // Not the beginning of the answer.
    }
  }
  return undefined;
}

function firstLine(text: string): string {
  return text.split("\n").map((line) => line.trim()).find((line) => line !== "") ??
    "no reason given";
}
