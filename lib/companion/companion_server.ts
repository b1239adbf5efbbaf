/** The companion's socket: the mod reports here, and drivers hand in orders for it. */

import {
  type ModEvent,
  type ModOrder,
  type ModResult,
  readHeldDialog,
  readModEvent,
  readOrder,
} from "./mod_messages.ts";
import { isObject } from "../json.ts";
import { TIME_IS_UP, within } from "../time.ts";

export interface CompanionServer {
  handle(request: Request): Promise<Response>;
  /** Has the mod carry out an order. */
  order(order: ModOrder, waitMs: number): Promise<OrderResult>;
}

export type OrderResult = ModResult | "no answer" | "queued";

export interface ServerWorld {
  /** Only the mod knows it, from the companion's standard output. */
  token: string;
  /** The pane of its Claude Code; orders for another one are refused. */
  pane: string;
  /** One line for the mod. */
  say(line: string): void;
  onEvent(event: ModEvent): void;
  onOrder(order: ModOrder): void;
  /** A text that Claude Code has not taken, after its caller got the result "queued". */
  onDropped(text: string, reason: string): void;
  /** The mod asks for a decision on what a dialog asks; `id` stays the same while it does. */
  onHold(id: string, event: unknown): Promise<unknown>;
  /** What the companion knows about the session. */
  state(): object;
}

/** An order waits as long as its caller does. */
const MOST_WAIT_MS = 600_000;
const MOST_BODY = 8 * 1024 * 1024;
/** Claude Code refuses a text within this time, or queues it. */
const REFUSED_WITHIN_MS = 100;

export function companionServer(world: ServerWorld): CompanionServer {
  const waiting = new Map<string, (result: ModResult) => void>();
  const run = crypto.randomUUID().slice(0, 8);
  let orders = 0;
  let heard = 0;

  /** Sends the order; `forget` when no caller waits for its result any more. */
  const give = (order: ModOrder) => {
    // Not a number alone: results for an earlier companion of this session may still come.
    const id = `${run}-${++orders}`;
    const answer = new Promise<ModResult>((resolve) => waiting.set(id, resolve));
    world.onOrder(order);
    world.say(JSON.stringify({ id, ...order }));
    return { answer, forget: () => waiting.delete(id) };
  };

  const order = async (wanted: ModOrder, waitMs: number): Promise<OrderResult> => {
    const { answer, forget } = give(wanted);
    try {
      if (wanted.op === "submit" && wanted.queue) return await queued(answer, waitMs);
      const result = await within(answer, waitMs);
      return result === TIME_IS_UP ? "no answer" : result;
    } finally {
      forget();
    }
  };

  /** The mod takes orders in turn: its word on a later one shows that Claude Code has this one. */
  const queued = async (answer: Promise<ModResult>, waitMs: number): Promise<OrderResult> => {
    const later = give({ op: "draft" });
    const passed = later.answer.then(() => "passed" as const);
    const first = await within(Promise.race([answer, passed]), waitMs);
    later.forget();
    if (first === TIME_IS_UP) return "no answer";
    if (first !== "passed") return first;
    const early = await within(answer, REFUSED_WITHIN_MS);
    return early === TIME_IS_UP ? "queued" : early;
  };

  const takeEvent = (event: ModEvent) => {
    if (event.n <= heard) return; // sent again, because our answer got lost
    heard = event.n;
    if (event.kind !== "result") return world.onEvent(event);
    const { id, value, error, text } = event.data;
    const resolve = waiting.get(String(id));
    if (resolve !== undefined) resolve(typeof error === "string" ? { error } : { value });
    else if (typeof error === "string" && typeof text === "string") world.onDropped(text, error);
  };

  return {
    order,
    async handle(request) {
      const { pathname } = new URL(request.url.replace(/^http\+unix:/, "http:"));
      if (request.method === "GET" && pathname === "/state") return Response.json(world.state());
      if (request.method !== "POST") return refusal(404, "there is nothing here");
      const text = await bodyOf(request);
      if (text === undefined) return refusal(413, "the body is too long");
      if (pathname === "/event" || pathname === "/hold") {
        if (request.headers.get("x-gsd-token") !== world.token) {
          return refusal(403, "a wrong token");
        }
        if (pathname === "/hold") return await held(text, world);
        const event = readModEvent(text);
        if (event === undefined) return refusal(400, "this is not an event");
        takeEvent(event);
        return new Response("ok");
      }
      if (pathname !== "/order") return refusal(404, "there is nothing here");
      const wanted = readOrder(text);
      if (typeof wanted === "string") return refusal(400, wanted);
      const { pane, waitMs } = addressOf(text);
      if (pane !== world.pane) return refusal(409, `this is the companion of pane ${world.pane}`);
      const result = await order(wanted, waitMs);
      if (result === "no answer") return refusal(504, "the mod in Claude Code did not answer");
      const value = result === "queued" ? { value: { queued: true } } : result;
      return Response.json({ ...value, state: world.state() });
    },
  };
}

async function held(text: string, { onHold }: ServerWorld): Promise<Response> {
  const asked = readHeldDialog(text);
  if (asked === undefined) return refusal(400, "this is not a request");
  return Response.json(await onHold(asked.id, asked.event));
}

function refusal(status: number, error: string): Response {
  return Response.json({ error }, { status });
}

/** Of a text that is an order. */
function addressOf(text: string): { pane: unknown; waitMs: number } {
  const value: unknown = JSON.parse(text);
  const { pane, waitMs } = isObject(value) ? value : {};
  const ms = Number(waitMs);
  return { pane, waitMs: ms > 0 ? Math.min(ms, MOST_WAIT_MS) : 10_000 };
}

async function bodyOf(request: Request): Promise<string | undefined> {
  const length = Number(request.headers.get("content-length") ?? 0);
  if (length > MOST_BODY) return undefined;
  const text = await request.text();
  return text.length > MOST_BODY ? undefined : text;
}
