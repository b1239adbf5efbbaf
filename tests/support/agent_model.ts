/** The model behind an OpenClaw agent, scripted: OpenAI's chat completions on loopback. */

import { isObject } from "../../lib/json.ts";

export interface AgentReply {
  text?: string;
  /** A tool of the agent to call instead, for example `exec` with `{command}`. */
  tool?: { name: string; args: Record<string, unknown> };
  hold?: Promise<unknown>;
  status?: number;
}

export interface AgentRequest {
  /** The newest user message, without the time before it and the runtime line after it. */
  message: string;
  /** The agent's id, where the request has it. */
  agent: string;
  /** All messages as text, oldest first, each with its role. */
  texts: { role: string; text: string }[];
  tools: string[];
  body: Record<string, unknown>;
}

export class AgentModel {
  readonly requests: AgentRequest[] = [];
  readonly queue: AgentReply[] = [];
  /** Asked first. Without an answer the queue is used, then "Understood." */
  answer?: (request: AgentRequest) => AgentReply | undefined;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #closing = new AbortController();

  constructor() {
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: this.#closing.signal },
      (request) => this.#serve(request),
    );
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/v1`;
  }

  /** The requests whose newest message holds `part`. */
  asked(part: string): AgentRequest[] {
    return this.requests.filter((request) => request.message.includes(part));
  }

  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#server.finished;
  }

  async #serve(request: Request): Promise<Response> {
    if (request.method === "GET") {
      return Response.json({ object: "list", data: [{ id: "scripted", object: "model" }] });
    }
    const body: unknown = await request.json();
    if (!isObject(body)) return new Response("Not an object", { status: 400 });
    const read = readRequest(body);
    this.requests.push(read);
    const reply = this.answer?.(read) ?? this.queue.shift() ?? {};
    await reply.hold;
    if (reply.status !== undefined && reply.status !== 200) {
      const error = { message: `Scripted failure ${reply.status}`, type: "server_error" };
      return Response.json({ error }, { status: reply.status });
    }
    return body.stream === true ? streamed(body, reply) : Response.json(whole(body, reply));
  }
}

function readRequest(body: Record<string, unknown>): AgentRequest {
  const messages = (Array.isArray(body.messages) ? body.messages : []).filter(isObject);
  const texts = messages.map((message) => ({
    role: String(message.role),
    text: textOf(message.content),
  }));
  const newest = texts.findLast(({ role, text }) =>
    role === "user" && !text.startsWith("<<<BEGIN_OPENCLAW_INTERNAL")
  );
  const tools = (Array.isArray(body.tools) ? body.tools : []).filter(isObject);
  return {
    message: bare(newest?.text ?? ""),
    agent: /\bagent=([\w-]+)/.exec(texts.map(({ text }) => text).join("\n"))?.[1] ?? "",
    texts,
    tools: tools.map((tool) => isObject(tool.function) ? String(tool.function.name) : ""),
    body,
  };
}

function bare(text: string): string {
  return text.replace(/^\[\w{3} [\d-]+ [\d:]+ \w+\] /, "").replace(/\n\nRuntime: agent=.*$/, "");
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.filter(isObject).map((part) => typeof part.text === "string" ? part.text : "")
    .join("");
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

function callOf(tool: NonNullable<AgentReply["tool"]>) {
  return {
    id: `call_${crypto.randomUUID().slice(0, 8)}`,
    type: "function",
    function: { name: tool.name, arguments: JSON.stringify(tool.args) },
  };
}

function headOf(body: Record<string, unknown>) {
  return {
    id: `chatcmpl-${crypto.randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: body.model,
  };
}

function whole(body: Record<string, unknown>, reply: AgentReply): Record<string, unknown> {
  const message = reply.tool
    ? { role: "assistant", content: null, tool_calls: [callOf(reply.tool)] }
    : { role: "assistant", content: reply.text ?? "Understood." };
  const finish_reason = reply.tool ? "tool_calls" : "stop";
  return {
    ...headOf(body),
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason }],
    usage: USAGE,
  };
}

function streamed(body: Record<string, unknown>, reply: AgentReply): Response {
  const head = { ...headOf(body), object: "chat.completion.chunk" };
  const chunk = (delta: Record<string, unknown>, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const said = reply.tool
    ? { tool_calls: [{ index: 0, ...callOf(reply.tool) }] }
    : { content: reply.text ?? "Understood." };
  const chunks = [
    chunk({ role: "assistant", content: "" }),
    chunk(said),
    chunk({}, reply.tool ? "tool_calls" : "stop"),
    { ...head, choices: [], usage: USAGE },
  ];
  const text = chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
  return new Response(`${text}data: [DONE]\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });
}
