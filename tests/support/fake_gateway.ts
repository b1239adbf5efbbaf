/** A gateway that speaks protocol 4, records what it accepts, and fails on demand. */

import type { Faults } from "./gateway_faults.ts";
import { pause } from "./until.ts";

export type { Faults, GatewayRequest, Mishap } from "./gateway_faults.ts";

export interface Taken {
  key: string;
  session: string;
  message: string;
  /** By the wall clock. */
  at: number;
}

export interface FakeGateway {
  port: number;
  url: string;
  /** Every run that was started, in order. Each idempotency key is here once. */
  taken: Taken[];
  /** Keys that its history shows as queued: the agent has not read them yet. */
  queued: string[];
  /** How many `agent` requests came for a key. */
  asked: Map<string, number>;
  connections: { now: number; most: number; all: number };
  sessions: Map<string, string>;
  faults: Faults;
  reply: (message: string) => string;
  /** Closes all connections and restarts on the same port; `forget` drops its memory of keys. */
  restart(downMs: number, options?: { forget: boolean; upMs?: number }): Promise<void>;
  stop(): Promise<void>;
}

export interface FakeOptions {
  token?: string;
  sessions?: Record<string, string>;
  scopes?: boolean;
  tls?: { cert: string; key: string };
  faults?: Faults;
  /** The uptime that it reports; an hour by default. */
  upMs?: number;
  /** It listens, but lets nobody in yet. */
  isStarting?: boolean;
  /** Called with every request and its outcome. */
  log?: (line: Record<string, unknown>) => void;
}

export async function startFakeGateway(options: FakeOptions = {}): Promise<FakeGateway> {
  const token = options.token ?? "fake-token";
  const spent = new Set<string>();
  let known = new Set<string>();
  /** Accepted, then lost: listed as interrupted, never run. */
  const interrupted = new Map<string, string>();
  /** Accepted, then stopped by a person: never run. */
  const cancelled = new Set<string>();
  let server: Deno.HttpServer<Deno.NetAddr> | undefined;
  let startedAt = performance.now() - (options.upMs ?? 3_600_000);
  const sockets = new Set<WebSocket>();
  // Drop the requests from before a restart, even where the sender has hung up.
  let life = 0;
  const gateway: FakeGateway = {
    port: 0,
    url: "",
    taken: [],
    queued: [],
    asked: new Map(),
    connections: { now: 0, most: 0, all: 0 },
    sessions: new Map(Object.entries(options.sessions ?? {})),
    faults: options.faults ?? {},
    reply: () => "OK",
    async restart(downMs, { forget, upMs = 0 } = { forget: false }) {
      await gateway.stop();
      if (forget) known = new Set();
      await pause(downMs);
      startedAt = performance.now() - upMs;
      await listen();
    },
    async stop() {
      life++;
      for (const socket of sockets) hangUp(socket);
      await server?.shutdown();
      server = undefined;
    },
  };
  const chance = (share: number | undefined) =>
    share !== undefined && (gateway.faults.random ?? Math.random)() < share;

  async function listen() {
    for (let tries = 0; server === undefined; tries++) {
      try {
        server = Deno.serve(
          {
            hostname: "127.0.0.1",
            port: gateway.port,
            onListen() {},
            cert: options.tls?.cert,
            key: options.tls?.key,
          },
          (request) => {
            const { socket, response } = Deno.upgradeWebSocket(request);
            welcome(socket);
            return response;
          },
        ) as Deno.HttpServer<Deno.NetAddr>;
      } catch (error) {
        if (tries > 50) throw error;
        await pause(50);
      }
    }
    gateway.port = server.addr.port;
    gateway.url = `${options.tls ? "wss" : "ws"}://127.0.0.1:${gateway.port}`;
  }

  function welcome(socket: WebSocket) {
    const { connections } = gateway;
    const born = life;
    sockets.add(socket);
    connections.all++;
    connections.most = Math.max(connections.most, ++connections.now);
    const send = (frame: unknown) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
    };
    socket.onopen = () => send({ type: "event", event: "connect.challenge", payload: {} });
    socket.onclose = () => {
      sockets.delete(socket);
      connections.now--;
    };
    socket.onerror = () => {};
    socket.onmessage = async ({ data }) => {
      const { id, method, params } = JSON.parse(data);
      const ok = (payload: unknown) => send({ type: "res", id, ok: true, payload });
      const no = (code: string, message: string, details?: unknown) =>
        send({ type: "res", id, ok: false, error: { code, message, details } });
      if (method === "connect") {
        if (params.maxProtocol < 4 || params.minProtocol > 4) {
          return no("INVALID_REQUEST", "protocol mismatch", { code: "PROTOCOL_MISMATCH" });
        }
        if (params.auth.token !== token) {
          // The real gateway does not repeat it. This one does, to test what follows.
          no("INVALID_REQUEST", `unauthorized: token mismatch: ${params.auth.token}`, {
            code: "AUTH_TOKEN_MISMATCH",
          });
          return socket.close(1008, "unauthorized");
        }
        if (options.isStarting) return no("UNAVAILABLE", "gateway starting; retry shortly");
        const uptimeMs = performance.now() - startedAt;
        return ok({ type: "hello-ok", protocol: 4, snapshot: { uptimeMs } });
      }
      if (options.scopes === false) return no("FORBIDDEN", "missing scope: operator.write");
      if (gateway.faults.slowMs) await pause(gateway.faults.slowMs);
      if (born !== life) return;
      const upMs = performance.now() - startedAt;
      const mishap = gateway.faults.decide?.({ method, params, upMs });
      const key = params.idempotencyKey;
      options.log?.({ at: new Date().toISOString(), method, key, for: params.sessionKey, mishap });
      if (mishap?.kind === "dropBefore") return hangUp(socket);
      if (mishap?.kind === "error") return no("INTERNAL", "something broke in here");
      if (mishap?.kind === "answer") return ok(mishap.payload);
      if (mishap?.kind === "swallow" && method !== "agent") return;
      if (method === "sessions.resolve") {
        const key = params.key ??
          [...gateway.sessions].find(([, sessionId]) => sessionId === params.sessionId)?.[0];
        return gateway.sessions.has(key)
          ? ok({ ok: true, key })
          : no("INVALID_REQUEST", `No session found: ${params.key ?? params.sessionId}`);
      }
      if (method === "chat.history") return ok(history(params.sessionKey, params.limit));
      if (method === "agent.wait") {
        const run = gateway.taken.find((taken) => taken.key === params.runId);
        const text = run && gateway.reply(run.message);
        return ok({ runId: params.runId, status: "ok", terminalReply: { text } });
      }
      if (method !== "agent") return no("INVALID_REQUEST", `unknown method: ${method}`);
      const { message, sessionKey } = params;
      const accepted = () => ok({ runId: key, status: "accepted", sessionKey });
      const take = () => {
        known.add(key);
        gateway.taken.push({ key, session: sessionKey, message, at: Date.now() });
      };
      gateway.asked.set(key, (gateway.asked.get(key) ?? 0) + 1);
      if (chance(gateway.faults.dropBefore)) return hangUp(socket);
      if (spent.has(key)) return no("UNAVAILABLE", "Pending input ownership ended");
      const aborted = () =>
        ok({ runId: key, status: "timeout", summary: "aborted", stopReason: "rpc" });
      if (cancelled.has(key)) return aborted();
      if (known.has(key)) return ok({ runId: key, status: "in_flight", sessionKey });
      if (mishap?.kind === "unavailable" || chance(gateway.faults.unavailable)) {
        spent.add(key);
        return no("UNAVAILABLE", "the agent cannot take it now");
      }
      if (mishap?.kind === "revoke" || chance(gateway.faults.revoke)) {
        spent.add(key);
        accepted();
        await pause(mishap?.kind === "revoke" ? mishap.afterMs : 200);
        return no("UNAVAILABLE", "Session changed while starting work. Retry.");
      }
      if (mishap?.kind === "fail") {
        if (mishap.kept) take();
        spent.add(key);
        accepted();
        await pause(1);
        return no("UNAVAILABLE", "the run could not begin");
      }
      if (mishap?.kind === "abort") {
        if (mishap.kept) take();
        else cancelled.add(key);
        accepted();
        await pause(1);
        return aborted();
      }
      if (mishap?.kind === "queue") {
        gateway.queued.push(key);
        return accepted();
      }
      if (mishap?.kind === "swallow") {
        if (mishap.kept) take();
        return;
      }
      if (mishap?.kind === "break") {
        if (mishap.kept) take();
        else interrupted.set(key, sessionKey);
        if (mishap.forgotten) known.delete(key);
        else if (!mishap.kept) spent.add(key);
        accepted();
        await pause(mishap.afterMs);
        if (born !== life) return;
        return mishap.crash ? crash() : hangUp(socket);
      }
      take();
      if (mishap?.kind === "dropAfter" || chance(gateway.faults.dropAfter)) {
        return mishap?.kind === "dropAfter" && mishap.crash ? crash() : hangUp(socket);
      }
      accepted();
      await pause(mishap?.kind === "slow" ? mishap.afterMs : 5);
      ok({ runId: key, status: "ok", result: { payloads: [{ text: gateway.reply(message) }] } });
    };
  }

  /** Killed and restarted at once: no connections, no memory of keys, young. */
  function crash() {
    life++;
    known = new Set();
    startedAt = performance.now();
    for (const socket of sockets) hangUp(socket);
  }

  function history(session: string, limit: number) {
    const messages = gateway.taken.filter((taken) => taken.session === session)
      .map(({ key }) => ({ role: "user", content: "…", idempotencyKey: `${key}:user` }));
    const items = [...interrupted].filter(([, place]) => place === session)
      .map(([runId]) => ({ runId, state: "interrupted" }));
    items.push(...gateway.queued.map((runId) => ({ runId, state: "queued" })));
    items.push(...Array.from(cancelled, (runId) => ({ runId, state: "cancelled" })));
    return { messages: messages.slice(-limit), pendingInputs: { items } };
  }

  await listen();
  return gateway;
}

/** Like a killed process: without a close frame, which a client could take for an answer. */
function hangUp(socket: WebSocket): void {
  try {
    socket.close(1011);
  } catch {
    // Already gone.
  }
}
