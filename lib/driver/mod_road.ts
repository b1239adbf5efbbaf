/** The road inside: orders for the mod in a running Claude Code, over its companion's socket. */

import { listRoads, type Road } from "../companion/road_file.ts";
import type { ModOrder } from "../companion/mod_messages.ts";
import { isObject, parseIfJson } from "../json.ts";
import type { Paths } from "../paths.ts";
import { messageOf } from "../process.ts";
import { TIME_IS_UP, within } from "../time.ts";

export type RoadAnswer =
  | { kind: "done"; value: unknown; state?: ModState }
  /** Claude Code or the mod has said no: nothing was done. */
  | { kind: "refused"; reason: string }
  /** The companion cannot be reached: nothing was sent. */
  | { kind: "closed"; reason: string }
  /** It was sent, and no answer came: it may have been done. */
  | { kind: "unsure"; reason: string };

export interface ModRoad {
  road: Road;
  order(order: ModOrder, waitMs: number): Promise<RoadAnswer>;
  /** What the companion knows of the session; undefined where it does not answer. */
  state(): Promise<ModState | undefined>;
}

export interface ModState {
  /** A turn is running. */
  isBusy: boolean;
  /** A person stopped the session then, in milliseconds since 1970, and has typed nothing since. */
  stoppedAt?: number;
}

/** The road into the Claude Code of this pane, where its companion has announced one. */
export function modRoad(
  paths: Pick<Paths, "state">,
  at: { pane: string; server: number },
): ModRoad | undefined {
  const road = listRoads(paths).find(({ pane, server }) =>
    pane === at.pane && server === at.server
  );
  if (road === undefined) return undefined;
  const { socket, pane } = road;
  return {
    road,
    async order(order, waitMs) {
      const body = JSON.stringify({ ...order, pane, waitMs });
      const later = order.op === "draft" ? LOOKED_MS : ANSWER_MS;
      const answer = await request(socket, "POST", "/order", body, waitMs + later);
      return answer.kind === "answer" ? readAnswer(answer.status, answer.body) : answer;
    },
    async state() {
      const answer = await request(socket, "GET", "/state", "", ANSWER_MS);
      return answer.kind === "answer" ? readState(parseIfJson(answer.body)) : undefined;
    },
  };
}

function readState(value: unknown): ModState | undefined {
  if (!isObject(value)) return undefined;
  const { turn, stoppedAt } = value;
  return { isBusy: isObject(turn), ...(typeof stoppedAt === "number" ? { stoppedAt } : {}) };
}

/** How much later than the order's own time its answer may come. */
const ANSWER_MS = 5000;
/** A look at the box changes nothing: without an answer another road is taken. */
const LOOKED_MS = 200;

function readAnswer(status: number, body: string): RoadAnswer {
  const value = parseIfJson(body);
  if (!isObject(value)) return { kind: "unsure", reason: "the companion's answer is not JSON" };
  const error = typeof value.error === "string" ? value.error : undefined;
  if (status === 504) return { kind: "unsure", reason: error ?? "no answer" };
  if (error !== undefined) return { kind: "refused", reason: error };
  const state = readState(value.state);
  return { kind: "done", value: value.value, ...(state === undefined ? {} : { state }) };
}

type HttpAnswer =
  | { kind: "answer"; status: number; body: string }
  | { kind: "closed"; reason: string }
  | { kind: "unsure"; reason: string };

/** By hand, since fetch() wants a permission for the host as well as for the socket. */
async function request(
  socket: string,
  method: string,
  target: string,
  body: string,
  timeoutMs: number,
): Promise<HttpAnswer> {
  let connection: Deno.UnixConn;
  try {
    connection = await Deno.connect({ transport: "unix", path: socket });
  } catch (error) {
    return { kind: "closed", reason: messageOf(error) };
  }
  try {
    const bytes = new TextEncoder().encode(body);
    const head = `${method} ${target} HTTP/1.1\r\nHost: companion\r\nConnection: close\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n`;
    await writeAll(connection, new TextEncoder().encode(head));
    await writeAll(connection, bytes);
    const text = await within(readAll(connection), timeoutMs);
    if (text === TIME_IS_UP) return { kind: "unsure", reason: "the companion did not answer" };
    return parseAnswer(text);
  } catch (error) {
    return { kind: "unsure", reason: `the companion's connection broke: ${messageOf(error)}` };
  } finally {
    connection.close();
  }
}

function parseAnswer(text: string): HttpAnswer {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
  const end = text.indexOf("\r\n\r\n");
  if (status === undefined || end === -1) {
    return { kind: "unsure", reason: "the companion ended before it answered" };
  }
  return { kind: "answer", status: Number(status), body: text.slice(end + 4) };
}

async function writeAll(connection: Deno.UnixConn, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += await connection.write(bytes.subarray(written));
  }
}

async function readAll(connection: Deno.UnixConn): Promise<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  for (let count; (count = await connection.read(buffer)) !== null;) {
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
  }
  return text;
}
