/** The door to the `openclaw` program: carries wakes where the gateway cannot be asked directly. */

import {
  type Carrier,
  isDoubtful,
  keyOf,
  type Reply,
  replyFrom,
  type TryOutcome,
} from "./delivery.ts";
import { removeIfThere, writeAtomic } from "./files.ts";
import {
  holdsWake,
  isUnknownSession,
  judged,
  REPLY_MS,
  replyInHistory,
  unknownSession,
} from "./gateway_carrier.ts";
import { isObject } from "./json.ts";
import type { QueuedWake } from "./outbox.ts";
import type { Outcome } from "./process.ts";

export interface CliWorld {
  program: string;
  now(): number;
  /** Runs the program with these arguments; it is never ended, only no longer waited for. */
  run(args: string[], timeoutMs: number): Promise<Outcome>;
  /** A folder of ours for messages too long for a command line. */
  folder: string;
}

const CALL_MS = 60_000;
/** How old a wake may be before a gateway of unknown age is asked whether it has it: 2 s a call. */
const FRESH_MS = 5_000;
/** Linux ends an argument at 128 KiB; the JSON around and in it needs room. */
const ARGUMENT_BYTES = 100_000;
/** A refusal comes within seconds: what runs longer has been taken. */
const TAKEN_AFTER_MS = 60_000;

export class CliCarrier implements Carrier {
  private readonly keys = new Map<string, string>();
  constructor(private readonly world: CliWorld) {}

  async deliver(wake: QueuedWake): Promise<TryOutcome> {
    const session = await this.sessionOf(wake);
    if (session.kind !== "session") return session;
    const { sessionKey } = session;
    if (isDoubtful(wake, this.world.now(), FRESH_MS)) {
      const history = await this.call("chat.history", { sessionKey, limit: 1000 }, CALL_MS);
      if (history.kind === "ok" && holdsWake(history.value, wake.wake_id)) {
        return this.taken(wake, "it was in the session already");
      }
    }
    const params = { message: wake.message, sessionKey, idempotencyKey: keyOf(wake) };
    if (bytesOf(JSON.stringify(params)) > ARGUMENT_BYTES) return this.sendLong(wake, sessionKey);
    const answer = await this.call("agent", params, CALL_MS);
    if (answer.kind === "ok") return this.taken(wake, String(answer.value.status ?? "accepted"));
    return answer.outcome;
  }

  close(): void {}

  private async sessionOf(
    wake: QueuedWake,
  ): Promise<{ kind: "session"; sessionKey: string } | TryOutcome> {
    const { openclaw_session_key: key, openclaw_session_id: id } = wake;
    const known = this.keys.get(key || id);
    if (known !== undefined) return { kind: "session", sessionKey: known };
    const params = key ? { key } : { sessionId: id };
    const answer = await this.call("sessions.resolve", params, CALL_MS);
    if (answer.kind === "failed") return answer.isUnknown ? unknownSession(wake) : answer.outcome;
    const sessionKey = typeof answer.value.key === "string" ? answer.value.key : key;
    this.keys.set(key || id, sessionKey);
    return { kind: "session", sessionKey };
  }

  private async call(method: string, params: unknown, timeoutMs: number) {
    const outcome = await this.world.run([
      "gateway",
      "call",
      method,
      "--params",
      JSON.stringify(params),
      "--timeout",
      String(timeoutMs - 10_000),
      "--json",
    ], timeoutMs);
    return callResult(outcome, this.world.program, method);
  }

  /** Too long for a command line: by file, where this OpenClaw can, and for the whole turn. */
  private async sendLong(wake: QueuedWake, sessionKey: string): Promise<TryOutcome> {
    const file = `${this.world.folder}/${wake.wake_id}.message`;
    writeAtomic(file, wake.message);
    const args = ["agent", "--session-key", sessionKey, "--message-file", file, "--json"];
    const outcome = await this.world.run(args, TAKEN_AFTER_MS);
    removeIfThere(file);
    return agentResult(outcome, this.world.program, bytesOf(wake.message));
  }

  private taken(wake: QueuedWake, detail: string): TryOutcome {
    if (!wake.expects_reply) return { kind: "delivered", detail };
    return { kind: "delivered", detail, reply: this.replyTo(wake) };
  }

  private async replyTo(wake: QueuedWake): Promise<Reply> {
    const wait = { runId: keyOf(wake), timeoutMs: REPLY_MS };
    const answer = await this.call("agent.wait", wait, REPLY_MS + 30_000);
    if (answer.kind === "failed") return { status: "failed", reason: reasonOf(answer.outcome) };
    const reply = replyFrom(answer.value);
    if (reply.status === "failed" || reply.text !== "") return reply;
    const sessionKey = this.keys.get(wake.openclaw_session_key || wake.openclaw_session_id);
    const history = await this.call("chat.history", { sessionKey, limit: 50 }, CALL_MS);
    const text = history.kind === "ok" ? replyInHistory(history.value, wake.wake_id) : "";
    return { status: "ok", text };
  }
}

export type CallResult =
  | { kind: "ok"; value: Record<string, unknown> }
  | { kind: "failed"; isUnknown: boolean; outcome: TryOutcome };

/** What `gateway call` said: its JSON decides, the exit code only where there is none. */
export function callResult(outcome: Outcome, program: string, method: string): CallResult {
  const failed = (outcome: TryOutcome, isUnknown = false): CallResult => ({
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

/** What `agent --json` said. A turn that went wrong was delivered all the same. */
export function agentResult(outcome: Outcome, program: string, bytes: number): TryOutcome {
  if (outcome.kind === "timeout") {
    return { kind: "delivered", detail: "taken, the turn still runs" };
  }
  const ended = endedOrWhy(outcome, program);
  if (ended.kind !== "ended") return ended;
  const { value, words } = ended;
  if (
    /unknown option|does not recognize option/i.test(words) &&
    /--(message-file|session-key)/.test(words)
  ) {
    return {
      kind: "never",
      reason:
        `This OpenClaw has no "agent --message-file", and ${bytes} bytes are too long for a ` +
        `command line: update it, or lower max_content_chars in the registry`,
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

function judgedWords(code: string, message: string, what: string): TryOutcome {
  if (/would lose inter-session attribution/i.test(message)) {
    return {
      kind: "later",
      scope: "all",
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

/** The JSON object of the output: notices may stand before it. */
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

function reasonOf(outcome: TryOutcome): string {
  return outcome.kind === "delivered" ? outcome.detail : outcome.reason;
}

function firstLine(text: string): string {
  return text.split("\n").map((line) => line.trim()).find((line) => line !== "") ??
    "no reason given";
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Only what OpenClaw needs: nothing of Claude Code's, no keys of other programs. */
export function cliEnv(all: Record<string, string>): Record<string, string> {
  const names =
    /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|XDG_\w+|OPENCLAW_\w+|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+)$/;
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.test(name)));
}
