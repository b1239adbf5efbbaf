/** The door to the `openclaw` program: delivers wakes when the gateway cannot be used directly. */

import { isDoubtful, keyOf, type Reply, replyFrom, replyMs, type TryOutcome } from "./delivery.ts";
import { removeIfThere, writeAtomic } from "../files.ts";
import { agentResult, callResult } from "./openclaw_words.ts";
import { putParams } from "./params_file.ts";
import { letGo, whyRunFailed, withoutHistory, withoutMessages } from "./refusals.ts";
import { placeOfWake, replyInHistory } from "./session_history.ts";
import { Sessions } from "./sessions.ts";
import type { QueuedWake } from "../outbox.ts";
import type { Outcome } from "../process.ts";

export interface CliWorld {
  program: string;
  now(): number;
  /** Runs the program. After the time limit it is not killed, only no longer awaited. */
  run(args: string[], timeoutMs: number, env?: Record<string, string>): Promise<Outcome>;
  /** A folder for messages on their way: none is an argument, which every user could read. */
  folder: string;
}

const CALL_MS = 60_000;
/** From this age on, a gateway of unknown age is asked whether it has the wake: 2 s a call. */
const FRESH_MS = 5_000;
/** A refusal comes within seconds: a call that runs longer was accepted. */
const TAKEN_AFTER_MS = 60_000;

export class CliCarrier {
  private readonly sessions = new Sessions();
  constructor(private readonly world: CliWorld) {}

  async deliver(wake: QueuedWake): Promise<TryOutcome> {
    const session = await this.sessions.of(
      wake,
      (params) => this.call("sessions.resolve", params, CALL_MS),
    );
    if (session.kind !== "session") return session;
    const { sessionKey } = session;
    if (isDoubtful(wake, this.world.now(), FRESH_MS)) {
      const history = await this.call("chat.history", { sessionKey, limit: 1000 }, CALL_MS);
      if (history.kind === "failed") return withoutHistory(history.outcome);
      if (!Array.isArray(history.value.messages)) return withoutMessages(sessionKey);
      if (placeOfWake(history.value, wake.wake_id) !== undefined) {
        return this.taken(wake, sessionKey, "it was in the session already");
      }
    }
    return this.send(wake, sessionKey);
  }

  private async send(wake: QueuedWake, sessionKey: string): Promise<TryOutcome> {
    const file = `${this.world.folder}/${wake.wake_id}-${crypto.randomUUID()}.params`;
    const { message } = wake;
    const params = putParams(file, { message, sessionKey, idempotencyKey: keyOf(wake) });
    const words = callWords("agent", params.argument, CALL_MS);
    const outcome = await this.world.run(words, CALL_MS, params.env);
    const wasRead = params.remove();
    // The program does not run in Node, or ignores NODE_OPTIONS: nothing was sent.
    if (!wasRead && outcome.kind === "finished") return this.sendByAgent(wake, sessionKey);
    const answer = callResult(outcome, this.world.program, "agent");
    if (answer.kind === "failed") return answer.outcome;
    // The cached result of its key. The next try searches the history before it sends it again.
    const why = whyRunFailed(answer.value);
    if (why !== undefined) return letGo(sessionKey, why);
    return this.taken(wake, sessionKey, String(answer.value.status ?? "accepted"));
  }

  /** For parameters without any text of a session. */
  private async call(method: string, params: Record<string, string | number>, timeoutMs: number) {
    const words = callWords(method, JSON.stringify(params), timeoutMs);
    const outcome = await this.world.run(words, timeoutMs);
    return callResult(outcome, this.world.program, method);
  }

  /** By OpenClaw's own option for a file, which waits for the turn and takes no key. */
  private async sendByAgent(wake: QueuedWake, sessionKey: string): Promise<TryOutcome> {
    const file = `${this.world.folder}/${wake.wake_id}.message`;
    writeAtomic(file, wake.message);
    const args = ["agent", "--session-key", sessionKey, "--message-file", file, "--json"];
    const outcome = await this.world.run(args, TAKEN_AFTER_MS);
    removeIfThere(file);
    return agentResult(outcome, this.world.program);
  }

  private taken(wake: QueuedWake, sessionKey: string, detail: string): TryOutcome {
    if (!wake.expects_reply) return { kind: "delivered", detail };
    return { kind: "delivered", detail, reply: this.replyTo(wake, sessionKey) };
  }

  private async replyTo(wake: QueuedWake, sessionKey: string): Promise<Reply> {
    const timeoutMs = replyMs(wake, this.world.now());
    const answer = await this.call(
      "agent.wait",
      { runId: keyOf(wake), timeoutMs },
      timeoutMs + 30_000,
    );
    if (answer.kind === "failed") return { status: "failed", reason: reasonOf(answer.outcome) };
    const reply = replyFrom(answer.value);
    if (reply.status === "failed" || reply.text !== "") return reply;
    const history = await this.call("chat.history", { sessionKey, limit: 50 }, CALL_MS);
    const text = history.kind === "ok" ? replyInHistory(history.value, wake.wake_id) : "";
    return { status: "ok", text };
  }
}

function reasonOf(outcome: TryOutcome): string {
  return outcome.kind === "delivered" ? outcome.detail : outcome.reason;
}

function callWords(method: string, params: string, timeoutMs: number): string[] {
  const limit = ["--timeout", String(timeoutMs - 10_000)];
  return ["gateway", "call", method, "--params", params, ...limit, "--json"];
}

/** Only what OpenClaw needs: no variables of Claude Code, no keys of other programs. */
export function cliEnv(all: Record<string, string>): Record<string, string> {
  const names =
    /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|XDG_\w+|OPENCLAW_\w+|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+)$/;
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.test(name)));
}
