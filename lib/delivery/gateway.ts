/** The door to OpenClaw's gateway: its WebSocket, protocol 4. */

import { addressOf } from "./gateway_address.ts";
import type { GatewayTarget } from "./openclaw_config.ts";
import { messageOf } from "../process.ts";
import { whyHeld } from "./socket_owner.ts";
import { regularFile } from "../files.ts";
import { TIME_IS_UP, within } from "../time.ts";

export type GatewayAnswer =
  | { kind: "ok"; payload: Record<string, unknown> }
  | { kind: "error"; code: string; detail: string; message: string }
  /** No answer: the request may have been carried out or not. */
  | { kind: "lost"; reason: string };

/** The first answer to a run, and the one that comes when the run has ended. */
type Run = { first: GatewayAnswer; final: Promise<GatewayAnswer> };

export type Connecting =
  | { kind: "connected"; gateway: Gateway }
  | { kind: "unreachable"; reason: string; isStarting?: boolean }
  /** Another user of this machine is at its address. */
  | { kind: "held"; reason: string }
  | { kind: "refused"; reason: string };

export interface Gateway {
  request(method: string, params: unknown, timeoutMs: number): Promise<GatewayAnswer>;
  start(params: unknown, timeoutMs: number): Promise<Run>;
  readonly isOpen: boolean;
  /** How long the gateway has been running; 0 when it does not say. */
  upMs(): number;
  close(): void;
}

const CLIENT = { id: "gateway-client", version: "1.0.0", platform: "linux", mode: "backend" };

export async function connect(target: GatewayTarget, timeoutMs: number): Promise<Connecting> {
  const place = addressOf(target.url);
  const hide = (text: string) =>
    [target.token, target.password].reduce<string>(
      (shown, secret) => secret ? shown.replaceAll(secret, "…") : shown,
      text,
    );
  let socket: Socket;
  try {
    socket = new Socket(new WebSocket(target.url, optionsFor(target)), hide);
  } catch (error) {
    const reason = `Cannot reach the gateway at ${place}: ${hide(messageOf(error))}`;
    return { kind: "unreachable", reason };
  }
  const challenge = await within(socket.challenged, timeoutMs);
  if (challenge === TIME_IS_UP || challenge.kind === "lost") {
    socket.close();
    const why = challenge === TIME_IS_UP ? `no answer in ${timeoutMs} ms` : challenge.reason;
    if (target.url.startsWith("wss:") && isCertificateProblem(why)) {
      const reason =
        `Cannot check the certificate of the gateway at ${place} (${why}): trust it with ` +
        `DENO_CERT or gateway.tls.caPath; only OpenClaw's own client accepts a self-signed one`;
      return { kind: "refused", reason };
    }
    return { kind: "unreachable", reason: `Cannot reach the gateway at ${place}: ${why}` };
  }
  // The connection is open: the other end cannot change between this check and the token.
  const held = await whyHeld(target.url, "open");
  if (held !== undefined) {
    socket.close();
    return { kind: "held", reason: `Cannot use the gateway at ${place}: ${held}` };
  }
  const { token, password } = target;
  const hello = await socket.request("connect", {
    minProtocol: 4,
    maxProtocol: 4,
    client: CLIENT,
    role: "operator",
    scopes: ["operator.read", "operator.write"],
    caps: [],
    auth: token !== undefined ? { token } : password !== undefined ? { password } : {},
  }, timeoutMs);
  if (hello.kind === "ok") {
    socket.welcomed(hello.payload);
    return { kind: "connected", gateway: socket };
  }
  socket.close();
  if (hello.kind === "lost" || hello.code === "UNAVAILABLE") {
    const why = hello.kind === "lost" ? hello.reason : hello.message;
    const reason = `The gateway at ${place} is not ready: ${why}`;
    return { kind: "unreachable", reason, isStarting: hello.kind !== "lost" };
  }
  const code = hello.detail ? ` (${hello.detail})` : "";
  const hint = hello.detail.startsWith("AUTH_TOKEN")
    ? `; the token came from ${target.source}`
    : "";
  const reason = `The gateway at ${place} refused us: ${hello.message}${code}${hint}`;
  return { kind: "refused", reason };
}

/** After a refusal over HTTP/1 Deno tries HTTP/2, and reports only that second failure. */
function isCertificateProblem(why: string): boolean {
  return /NoApplicationProtocol|certificate|UnknownIssuer|NotValidForName|CaUsedAsEndEntity/i
    .test(why);
}

function optionsFor(target: GatewayTarget): WebSocketOptions | undefined {
  if (target.certificateFile === undefined || !target.url.startsWith("wss:")) return undefined;
  regularFile(target.certificateFile); // a fifo would block
  const caCerts = [Deno.readTextFileSync(target.certificateFile)];
  return { client: Deno.createHttpClient({ caCerts }) } as WebSocketOptions;
}

type Waiting = { first: (answer: GatewayAnswer) => void; final?: (answer: GatewayAnswer) => void };

class Socket implements Gateway {
  readonly challenged: Promise<{ kind: "ready" } | { kind: "lost"; reason: string }>;
  private readonly waiting = new Map<string, Waiting>();
  private count = 0;
  private lost: string | undefined;
  private startedAt: number | undefined;

  constructor(private readonly ws: WebSocket, private readonly hide: (text: string) => string) {
    const ready = Promise.withResolvers<{ kind: "ready" } | { kind: "lost"; reason: string }>();
    this.challenged = ready.promise;
    let problem = "";
    ws.onmessage = (event) => {
      const frame = frameOf(event.data);
      if (frame.event === "connect.challenge") ready.resolve({ kind: "ready" });
      else if (frame.type === "res") this.answered(frame);
    };
    ws.onerror = (event) => {
      problem = "message" in event ? String(event.message) : "";
    };
    ws.onclose = (event) => {
      const why = event.reason || problem.replace(/^.*: /, "") || "the connection was closed";
      this.lost = this.hide(why);
      const lost: GatewayAnswer = { kind: "lost", reason: this.lost };
      ready.resolve(lost);
      for (const { first, final } of this.waiting.values()) {
        [first, final].forEach((end) => end?.(lost));
      }
      this.waiting.clear();
    };
  }

  get isOpen(): boolean {
    return this.lost === undefined && this.ws.readyState === WebSocket.OPEN;
  }

  welcomed(hello: Record<string, unknown>): void {
    const upMs = (hello.snapshot as Record<string, unknown> | undefined)?.uptimeMs;
    if (typeof upMs === "number") this.startedAt = performance.now() - upMs;
  }

  upMs(): number {
    return this.startedAt === undefined ? 0 : performance.now() - this.startedAt;
  }

  async request(method: string, params: unknown, timeoutMs: number): Promise<GatewayAnswer> {
    return (await this.send(method, params, timeoutMs, false)).first;
  }

  start(params: unknown, timeoutMs: number): Promise<Run> {
    return this.send("agent", params, timeoutMs, true);
  }

  close(): void {
    try {
      this.ws.close();
    } catch {
      // Not open yet, or already closed.
    }
  }

  private async send(method: string, params: unknown, timeoutMs: number, twice: boolean) {
    const id = `${++this.count}`;
    const first = Promise.withResolvers<GatewayAnswer>();
    const final = Promise.withResolvers<GatewayAnswer>();
    this.waiting.set(id, { first: first.resolve, final: twice ? final.resolve : undefined });
    try {
      if (!this.isOpen) throw new Error(this.lost ?? "the connection is not open");
      this.ws.send(JSON.stringify({ type: "req", id, method, params }));
    } catch (error) {
      this.waiting.delete(id);
      return lostRun(messageOf(error));
    }
    const answer = await within(first.promise, timeoutMs);
    if (answer !== TIME_IS_UP) return { first: answer, final: final.promise };
    this.waiting.delete(id);
    return lostRun(`no answer to "${method}" in ${timeoutMs} ms`);
  }

  private answered(frame: Frame): void {
    const waiting = this.waiting.get(frame.id);
    if (waiting === undefined) return;
    const answer = this.answerOf(frame);
    // A run's first answer says that it was accepted; its end comes under the same id.
    if (waiting.final !== undefined && isTaken(answer)) {
      waiting.first(answer);
      return;
    }
    this.waiting.delete(frame.id);
    waiting.first(answer);
    waiting.final?.(answer);
  }

  private answerOf(frame: Frame): GatewayAnswer {
    if (frame.ok) return { kind: "ok", payload: frame.payload };
    const { code, message, details } = frame.error;
    return {
      kind: "error",
      code: String(code ?? ""),
      detail: String((details as Record<string, unknown> | undefined)?.code ?? ""),
      message: this.hide(String(message ?? "no reason given")),
    };
  }
}

function lostRun(reason: string): Run {
  const lost: GatewayAnswer = { kind: "lost", reason };
  return { first: lost, final: Promise.resolve(lost) };
}

export function isTaken(answer: GatewayAnswer): boolean {
  return answer.kind === "ok" &&
    (answer.payload.status === "accepted" || answer.payload.status === "in_flight");
}

interface Frame {
  type: string;
  event: string;
  id: string;
  ok: boolean;
  payload: Record<string, unknown>;
  error: Record<string, unknown>;
}

function frameOf(data: unknown): Frame {
  let frame: Partial<Frame> | null = null;
  try {
    frame = JSON.parse(String(data));
  } catch {
    // Not of this protocol: treated as an empty frame.
  }
  return {
    type: "",
    event: "",
    id: "",
    ok: false,
    ...frame,
    payload: frame?.payload ?? {},
    error: frame?.error ?? {},
  };
}
