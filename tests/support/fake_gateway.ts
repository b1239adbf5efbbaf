/** A gateway that speaks protocol 4, remembers what it took, and fails as it is told to. */

import { pause } from "./until.ts";

export interface Taken {
  key: string;
  session: string;
  message: string;
}

export interface Faults {
  /** Each drawn from `random` anew: the share of requests that meet this end. */
  dropBefore?: number;
  dropAfter?: number;
  unavailable?: number;
  /** Accepted, and let go again some moments later, as after a start in an agent's turn. */
  revoke?: number;
  slowMs?: number;
  random?: () => number;
}

export interface FakeGateway {
  port: number;
  url: string;
  /** Every run that was begun, in order: an idempotency key is here once or the gateway is broken. */
  taken: Taken[];
  /** How many `agent` requests came for a key. */
  asked: Map<string, number>;
  connections: { now: number; most: number; all: number };
  sessions: Map<string, string>;
  faults: Faults;
  reply: (message: string) => string;
  /** Ends all connections and comes back on the same port; `forget`: its memory of keys is gone. */
  restart(downMs: number, options?: { forget: boolean }): Promise<void>;
  stop(): Promise<void>;
}

export interface FakeOptions {
  token?: string;
  sessions?: Record<string, string>;
  scopes?: boolean;
  tls?: { cert: string; key: string };
  faults?: Faults;
}

export async function startFakeGateway(options: FakeOptions = {}): Promise<FakeGateway> {
  const token = options.token ?? "fake-token";
  const spent = new Set<string>();
  let known = new Set<string>();
  let server: Deno.HttpServer<Deno.NetAddr> | undefined;
  // As if it had been up for an hour, until it is restarted.
  let startedAt = performance.now() - 3_600_000;
  const sockets = new Set<WebSocket>();
  // Requests of an earlier life are dropped, also those whose sender has hung up already.
  let life = 0;
  const gateway: FakeGateway = {
    port: 0,
    url: "",
    taken: [],
    asked: new Map(),
    connections: { now: 0, most: 0, all: 0 },
    sessions: new Map(Object.entries(options.sessions ?? {})),
    faults: options.faults ?? {},
    reply: () => "OK",
    async restart(downMs, { forget } = { forget: false }) {
      await gateway.stop();
      if (forget) known = new Set();
      await pause(downMs);
      startedAt = performance.now();
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
          // The real one does not repeat it: ours does, to see what becomes of it.
          no("INVALID_REQUEST", `unauthorized: token mismatch: ${params.auth.token}`, {
            code: "AUTH_TOKEN_MISMATCH",
          });
          return socket.close(1008, "unauthorized");
        }
        const uptimeMs = performance.now() - startedAt;
        return ok({ type: "hello-ok", protocol: 4, snapshot: { uptimeMs } });
      }
      if (options.scopes === false) return no("FORBIDDEN", "missing scope: operator.write");
      if (gateway.faults.slowMs) await pause(gateway.faults.slowMs);
      if (born !== life) return;
      if (method === "sessions.resolve") {
        const key = params.key ??
          [...gateway.sessions].find(([, sessionId]) => sessionId === params.sessionId)?.[0];
        return gateway.sessions.has(key)
          ? ok({ ok: true, key })
          : no("INVALID_REQUEST", `No session found: ${params.key ?? params.sessionId}`);
      }
      if (method === "chat.history") {
        const messages = gateway.taken.filter((taken) => taken.session === params.sessionKey)
          .map(({ key }) => ({ role: "user", content: "…", idempotencyKey: `${key}:user` }));
        return ok({ messages: messages.slice(-params.limit) });
      }
      if (method === "agent.wait") {
        const run = gateway.taken.find((taken) => taken.key === params.runId);
        const text = run && gateway.reply(run.message);
        return ok({ runId: params.runId, status: "ok", terminalReply: { text } });
      }
      if (method !== "agent") return no("INVALID_REQUEST", `unknown method: ${method}`);
      const { message, sessionKey, idempotencyKey: key } = params;
      gateway.asked.set(key, (gateway.asked.get(key) ?? 0) + 1);
      if (chance(gateway.faults.dropBefore)) return hangUp(socket);
      if (spent.has(key)) return no("UNAVAILABLE", "Pending input ownership ended");
      if (known.has(key)) return ok({ runId: key, status: "in_flight", sessionKey });
      if (chance(gateway.faults.unavailable)) {
        spent.add(key);
        return no("UNAVAILABLE", "the agent cannot take it now");
      }
      if (chance(gateway.faults.revoke)) {
        spent.add(key);
        ok({ runId: key, status: "accepted", sessionKey });
        await pause(200);
        return no("UNAVAILABLE", "Session changed while starting work. Retry.");
      }
      known.add(key);
      gateway.taken.push({ key, session: sessionKey, message });
      if (chance(gateway.faults.dropAfter)) return hangUp(socket);
      ok({ runId: key, status: "accepted", sessionKey });
      await pause(5);
      ok({ runId: key, status: "ok", result: { payloads: [{ text: gateway.reply(message) }] } });
    };
  }

  await listen();
  return gateway;
}

/** As a process that is killed: no close frame that a client could take for an answer. */
function hangUp(socket: WebSocket): void {
  try {
    socket.close(1011);
  } catch {
    // Already gone.
  }
}
