/** The companion's socket: the mod reports here, and drivers hand in orders for it. */

import {
  type ModEvent,
  type ModOrder,
  type ModResult,
  readModEvent,
  readOrder,
} from "./mod_messages.ts";
import { isObject } from "../json.ts";
import { TIME_IS_UP, within } from "../time.ts";

export interface CompanionServer {
  /** What the mod prints its results to. */
  handle(request: Request): Promise<Response>;
  /** Has the mod carry out an order. */
  order(order: ModOrder, waitMs: number): Promise<ModResult | "no answer">;
}

export interface ServerWorld {
  /** Known to the mod alone, which got it on the companion's standard output. */
  token: string;
  /** One line for the mod. */
  say(line: string): void;
  onEvent(event: ModEvent): void;
  onOrder(order: ModOrder): void;
  /** What the companion knows, for whoever asks. */
  state(): unknown;
}

/** An order waits as long as its caller does. */
const MOST_WAIT_MS = 600_000;
const MOST_BODY = 8 * 1024 * 1024;

export function companionServer(world: ServerWorld): CompanionServer {
  const waiting = new Map<string, (result: ModResult) => void>();
  let orders = 0;
  let heard = 0;

  const order = async (order: ModOrder, waitMs: number) => {
    const id = String(++orders);
    const answer = new Promise<ModResult>((resolve) => waiting.set(id, resolve));
    world.onOrder(order);
    world.say(JSON.stringify({ id, ...order }));
    const result = await within(answer, waitMs);
    waiting.delete(id);
    return result === TIME_IS_UP ? "no answer" as const : result;
  };

  const takeEvent = (event: ModEvent) => {
    if (event.n <= heard) return; // sent again, because our answer got lost
    heard = event.n;
    if (event.kind !== "result") return world.onEvent(event);
    const { id, value, error } = event.data;
    const resolve = waiting.get(String(id));
    resolve?.(typeof error === "string" ? { error } : { value });
  };

  return {
    order,
    async handle(request) {
      const { pathname } = new URL(request.url.replace(/^http\+unix:/, "http:"));
      if (request.method === "GET" && pathname === "/state") return Response.json(world.state());
      if (request.method !== "POST") return refusal(404, "there is nothing here");
      const text = await bodyOf(request);
      if (text === undefined) return refusal(413, "the body is too long");
      if (pathname === "/event") {
        if (request.headers.get("x-gsd-token") !== world.token) {
          return refusal(403, "a wrong token");
        }
        const event = readModEvent(text);
        if (event === undefined) return refusal(400, "this is no event");
        takeEvent(event);
        return new Response("ok");
      }
      if (pathname !== "/order") return refusal(404, "there is nothing here");
      const wanted = readOrder(text);
      if (typeof wanted === "string") return refusal(400, wanted);
      const result = await order(wanted, waitOf(text));
      return result === "no answer"
        ? refusal(504, "the mod in Claude Code did not answer")
        : Response.json(result);
    },
  };
}

function refusal(status: number, error: string): Response {
  return Response.json({ error }, { status });
}

function waitOf(text: string): number {
  const value: unknown = JSON.parse(text);
  const ms = isObject(value) ? Number(value.waitMs) : NaN;
  return ms > 0 ? Math.min(ms, MOST_WAIT_MS) : 10_000;
}

async function bodyOf(request: Request): Promise<string | undefined> {
  const length = Number(request.headers.get("content-length") ?? 0);
  if (length > MOST_BODY) return undefined;
  const text = await request.text();
  return text.length > MOST_BODY ? undefined : text;
}
