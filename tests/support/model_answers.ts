/** Answers of a scripted model in the Messages API: whole, streamed, or a failure. */

import { pause } from "./until.ts";

export type Block =
  | { text: string }
  | { thinking: string }
  | { tool: string; input: Record<string, unknown> };

/** One answer of the model. */
export interface Step {
  say?: Block[] | string;
  usage?: Record<string, number>;
  stopReason?: "end_turn" | "tool_use" | "max_tokens" | "refusal";
  /** The answer begins only once this promise is settled. */
  hold?: Promise<unknown>;
  delayMs?: number;
  /** The pause between pieces of 40 characters, to keep a turn running. */
  pieceMs?: number;
  /** Of an answer that is streamed, as the limits of an account are. */
  headers?: Record<string, string>;
  error?: {
    status: number;
    type?: string;
    message?: string;
    headers?: Record<string, string>;
  };
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

export function whole(body: Record<string, unknown>, step: Step): Record<string, unknown> {
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

export function streamed(body: Record<string, unknown>, step: Step): Response {
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
    headers: {
      "content-type": "text/event-stream",
      "request-id": newId("req"),
      ...step.headers,
    },
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

export function failure(error: NonNullable<Step["error"]>): Response {
  const { status, type = "api_error", message = `Scripted failure ${status}` } = error;
  return Response.json({ type: "error", error: { type, message } }, {
    status,
    headers: { "request-id": newId("req"), ...error.headers },
  });
}

function newId(prefix: string): string {
  return `${prefix}_${crypto.randomUUID().replaceAll("-", "")}`;
}
