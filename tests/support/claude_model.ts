/** The model behind Claude Code, scripted: Anthropic's Messages API on loopback, in this process. */

import { pause } from "./until.ts";
import { isObject } from "../../lib/json.ts";

export type Block =
  | { text: string }
  | { thinking: string }
  | { tool: string; input: Record<string, unknown> };

/** One answer of the model. */
export interface Step {
  say?: Block[] | string;
  usage?: Record<string, number>;
  stopReason?: "end_turn" | "tool_use" | "max_tokens" | "refusal";
  /** The answer begins only when this is settled. */
  hold?: Promise<unknown>;
  delayMs?: number;
  /** Between pieces of 40 characters, so that a turn can be watched while it runs. */
  pieceMs?: number;
  error?: { status: number; type?: string; message?: string };
}

/** The answers to one prompt: the first, then one for each time a tool has come back. */
export type Scenario = Step | Step[];

export interface ModelRequest {
  /** "main" is the conversation; "side" titles and suggestions; "compact" the summariser. */
  kind: "main" | "side" | "compact";
  /** The text of the newest user message, without what Claude Code adds in reminders. */
  prompt: string;
  /** What came back from tools in the newest user message. */
  toolResults: string[];
  /** All text of the conversation, oldest first, one entry a message. */
  texts: string[];
  scenario: string;
  body: Record<string, unknown>;
}

export interface ClaudeModelOptions {
  /** Chosen by the newest `SCENARIO:<name>` in the conversation. */
  scenarios?: Record<string, Scenario>;
  /** Asked first for each main and compact request; undefined leaves it to the scenarios. */
  answer?: (request: ModelRequest) => Step | undefined;
}

export class ClaudeModel {
  readonly requests: ModelRequest[] = [];
  readonly scenarios: Record<string, Scenario>;
  /** Taken one by one, before scenarios, by main requests. */
  readonly queue: Step[] = [];
  answer: ClaudeModelOptions["answer"];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #closing = new AbortController();

  constructor(options: ClaudeModelOptions = {}) {
    this.scenarios = { ...options.scenarios };
    this.answer = options.answer;
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: this.#closing.signal },
      (request) => this.#serve(request),
    );
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** The requests of the conversation, or of one kind. */
  asked(kind: ModelRequest["kind"] = "main"): ModelRequest[] {
    return this.requests.filter((request) => request.kind === kind);
  }

  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#server.finished;
  }

  async #serve(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname;
    const text = await request.text();
    if (path === "/v1/messages/count_tokens") {
      return Response.json({ input_tokens: Math.ceil(text.length / 4) });
    }
    if (path !== "/v1/messages" || request.method !== "POST") {
      return request.method === "HEAD"
        ? new Response(null)
        : failure({ status: 404, type: "not_found_error", message: `There is no ${path}` });
    }
    const body: unknown = JSON.parse(text);
    if (!isObject(body)) return failure({ status: 400, type: "invalid_request_error" });
    const read = readRequest(body);
    this.requests.push(read);
    const step = this.#stepFor(read);
    await step.hold;
    if (step.delayMs) await pause(step.delayMs);
    if (step.error) return failure(step.error);
    return body.stream === true ? streamed(body, step) : Response.json(whole(body, step));
  }

  #stepFor(request: ModelRequest): Step {
    if (request.kind === "side") return { say: '{"title":"A title","isNewTopic":false}' };
    const own = this.answer?.(request);
    if (own) return own;
    if (request.kind === "compact") {
      return {
        say: "<analysis>Read it all</analysis>\n<summary>\nWhat was done so far\n</summary>",
      };
    }
    const queued = this.queue.shift();
    if (queued) return queued;
    const scenario = this.scenarios[request.scenario];
    if (scenario === undefined) return { say: "Done." };
    const steps = Array.isArray(scenario) ? scenario : [scenario];
    return steps[Math.min(answersSoFar(request), steps.length - 1)] ?? { say: "Done." };
  }
}

const MARK = /SCENARIO:([A-Za-z0-9_-]+)/g;

function readRequest(body: Record<string, unknown>): ModelRequest {
  const messages = (Array.isArray(body.messages) ? body.messages : []).filter(isObject);
  const texts = messages.map((message) => textOf(message.content));
  const newest = messages.findLast((message) => message.role === "user");
  const prompt = withoutReminders(newest ? textOf(newest.content) : "");
  const marks = [...texts.join("\n").matchAll(MARK)];
  return {
    kind: kindOf(body, prompt),
    prompt,
    toolResults: newest ? resultsIn(newest.content) : [],
    texts,
    scenario: marks.at(-1)?.[1] ?? "",
    body,
  };
}

function kindOf(body: Record<string, unknown>, prompt: string): ModelRequest["kind"] {
  if (/detailed summary of (the|this)|Respond with TEXT ONLY/i.test(prompt)) return "compact";
  const hasTools = Array.isArray(body.tools) && body.tools.length > 0;
  return hasTools && !/SUGGESTION MODE/.test(prompt) ? "main" : "side";
}

/** How often the model has answered since the scenario was named. */
function answersSoFar(request: ModelRequest): number {
  const messages = (Array.isArray(request.body.messages) ? request.body.messages : [])
    .filter(isObject);
  const named = messages.findLastIndex((message) =>
    message.role === "user" && textOf(message.content).includes(`SCENARIO:${request.scenario}`)
  );
  return messages.slice(named + 1).filter((message) => message.role === "assistant").length;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.filter(isObject).filter((block) => block.type === "text")
    .map((block) => String(block.text)).join("\n");
}

function resultsIn(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return content.filter(isObject).filter((block) => block.type === "tool_result")
    .map((block) => typeof block.content === "string" ? block.content : textOf(block.content));
}

function withoutReminders(text: string): string {
  return text.replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "").trim();
}

function blocksOf(step: Step): Record<string, unknown>[] {
  const blocks = typeof step.say === "string" ? [{ text: step.say }] : step.say ?? [];
  return blocks.map((block) => {
    if ("tool" in block) {
      return { type: "tool_use", id: newId("toolu"), name: block.tool, input: block.input };
    }
    return "thinking" in block
      ? { type: "thinking", thinking: block.thinking, signature: "c2lnbmVk" }
      : { type: "text", text: block.text };
  });
}

function whole(body: Record<string, unknown>, step: Step): Record<string, unknown> {
  const content = blocksOf(step);
  const usesTool = content.some((block) => block.type === "tool_use");
  return {
    id: newId("msg"),
    type: "message",
    role: "assistant",
    model: body.model,
    content,
    stop_reason: step.stopReason ?? (usesTool ? "tool_use" : "end_turn"),
    stop_sequence: null,
    usage: {
      input_tokens: 1000,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 50,
      ...step.usage,
    },
  };
}

function streamed(body: Record<string, unknown>, step: Step): Response {
  const events = eventsOf(whole(body, step))[Symbol.iterator]();
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = events.next();
      if (next.done) return controller.close();
      const event = next.value;
      if (step.pieceMs && event.type === "content_block_delta") await pause(step.pieceMs);
      const text = `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
      controller.enqueue(encoder.encode(text));
    },
  });
  return new Response(stream, {
    headers: { "content-type": "text/event-stream", "request-id": newId("req") },
  });
}

type Event = { type: string } & Record<string, unknown>;

function* eventsOf(message: Record<string, unknown>): Generator<Event> {
  const blocks = message.content as Record<string, unknown>[];
  const usage = message.usage as Record<string, unknown>;
  yield {
    type: "message_start",
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  };
  for (const [index, block] of blocks.entries()) {
    const { empty, field, kind, text } = deltaOf(block);
    yield { type: "content_block_start", index, content_block: empty };
    for (let at = 0; at < text.length; at += 40) {
      const delta = { type: kind, [field]: text.slice(at, at + 40) };
      yield { type: "content_block_delta", index, delta };
    }
    if (block.type === "thinking") {
      const delta = { type: "signature_delta", signature: block.signature };
      yield { type: "content_block_delta", index, delta };
    }
    yield { type: "content_block_stop", index };
  }
  const delta = { stop_reason: message.stop_reason, stop_sequence: null };
  yield { type: "message_delta", delta, usage };
  yield { type: "message_stop" };
}

function deltaOf(block: Record<string, unknown>) {
  switch (block.type) {
    case "tool_use":
      return {
        empty: { ...block, input: {} },
        field: "partial_json",
        kind: "input_json_delta",
        text: JSON.stringify(block.input),
      };
    case "thinking":
      return {
        empty: { type: "thinking", thinking: "", signature: "" },
        field: "thinking",
        kind: "thinking_delta",
        text: String(block.thinking),
      };
    default:
      return {
        empty: { type: "text", text: "" },
        field: "text",
        kind: "text_delta",
        text: String(block.text),
      };
  }
}

function failure(error: NonNullable<Step["error"]>): Response {
  const { status, type = "api_error", message = `Scripted failure ${status}` } = error;
  return Response.json({ type: "error", error: { type, message } }, {
    status,
    headers: { "request-id": newId("req") },
  });
}

function newId(prefix: string): string {
  return `${prefix}_${crypto.randomUUID().replaceAll("-", "")}`;
}
