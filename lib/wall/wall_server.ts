/** The wall's server: its page, what changes, the story of a session, and actions. */

import { messageOf } from "../json.ts";
import { type Access, HEADERS } from "./access.ts";
import type { Feed, FeedEvent } from "./feed.ts";
import { orderFrom, type WallOrder } from "./wall_action.ts";

export interface StoryRow {
  at: string;
  who: string;
  kind: string;
  text: string;
  /** How long it took, what it cost. */
  note: string;
  tone: string;
}

export interface ActionOutcome {
  done: boolean;
  said: string;
}

export interface WallParts {
  access: Access;
  feed: Feed;
  story(session: string): Promise<StoryRow[]> | StoryRow[];
  act(order: WallOrder & { kind: "order" }): Promise<ActionOutcome>;
}

/** The only files that are served. */
const PAGE: Readonly<Record<string, string>> = {
  "index.html": "text/html; charset=utf-8",
  "wall.css": "text/css; charset=utf-8",
  "wall.js": "text/javascript; charset=utf-8",
  "tiles.js": "text/javascript; charset=utf-8",
  "detail.js": "text/javascript; charset=utf-8",
  "screen.js": "text/javascript; charset=utf-8",
  "requests.js": "text/javascript; charset=utf-8",
  "elements.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
};

const MOST_BODY = 1_000_000;

export function answerer(parts: WallParts): (request: Request) => Promise<Response> {
  return async (request) => {
    const verdict = parts.access.judge(request);
    if (verdict.kind === "refused") return plain(verdict.status, verdict.reason);
    try {
      const response = await route(request, parts);
      if (verdict.cookie !== undefined) response.headers.set("set-cookie", verdict.cookie);
      return response;
    } catch (error) {
      return plain(500, messageOf(error));
    }
  };
}

async function route(request: Request, parts: WallParts): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (request.method === "POST") {
    return pathname === "/act" ? await act(request, parts) : plain(404, "There is no such place.");
  }
  if (request.method !== "GET") return plain(405, "Only GET and POST are known here.");
  switch (pathname) {
    case "/events":
      return events(parts.feed);
    case "/story":
      return json(200, await parts.story(searchParams.get("session") ?? ""));
    default:
      return await file(pathname === "/" ? "index.html" : pathname.slice(1));
  }
}

async function file(name: string): Promise<Response> {
  const type = Object.hasOwn(PAGE, name) ? PAGE[name] : undefined;
  if (type === undefined) return plain(404, "There is no such page.");
  const text = await Deno.readTextFile(new URL(`page/${name}`, import.meta.url));
  return new Response(text, { headers: { ...HEADERS, "content-type": type } });
}

async function act(request: Request, { act, feed }: WallParts): Promise<Response> {
  // A form of another page cannot send this type.
  if (request.headers.get("content-type") !== "application/json") {
    return plain(415, "An action is JSON.");
  }
  if (Number(request.headers.get("content-length") ?? Infinity) > MOST_BODY) {
    return plain(413, "An action is not that long.");
  }
  let body: unknown;
  try {
    body = await request.json();
  } catch {
    return plain(400, "An action is JSON.");
  }
  const order = orderFrom(body);
  if (order.kind === "wrong") return json(400, { done: false, said: order.reason });
  const outcome = await act(order);
  feed.nudge();
  return json(outcome.done ? 200 : 409, outcome);
}

/** A page that reads too slowly is cut off. It comes back by itself, and gets all of it anew. */
const MOST_WAITING = 500;
const BEAT_MS = 15_000;

function events(feed: Feed): Response {
  const encoder = new TextEncoder();
  let stop = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let ended = false;
      let silence = () => {};
      const beat = setInterval(() => send(": beat\n\n"), BEAT_MS);
      const end = () => {
        if (ended) return;
        ended = true;
        silence();
        clearInterval(beat);
        try {
          controller.close();
        } catch {
          // The page has gone already.
        }
      };
      const send = (text: string) => {
        if (ended) return;
        if ((controller.desiredSize ?? 0) < -MOST_WAITING) end();
        else controller.enqueue(encoder.encode(text));
      };
      stop = end;
      send("retry: 1000\n\n");
      silence = feed.listen((event) => event.kind === "end" ? end() : send(asLine(event)));
      if (ended) silence();
    },
    cancel: () => stop(),
  });
  return new Response(body, { headers: { ...HEADERS, "content-type": "text/event-stream" } });
}

function asLine(event: FeedEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

function json(status: number, value: unknown): Response {
  const headers = { ...HEADERS, "content-type": "application/json" };
  return new Response(JSON.stringify(value), { status, headers });
}

function plain(status: number, text: string): Response {
  const headers = { ...HEADERS, "content-type": "text/plain; charset=utf-8" };
  return new Response(`${text}\n`, { status, headers });
}
