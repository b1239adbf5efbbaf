/** The model behind Claude Code, scripted: Anthropic's Messages API on loopback, in this process. */

import { isObject } from "../../lib/json.ts";
import { failure, type Step, streamed, whole } from "./model_answers.ts";
import { pause } from "./until.ts";

export type { Block, Step } from "./model_answers.ts";

/** The answers to one prompt: the first, then one after each tool result. */
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
  /** Asked first for each main and compact request. Without an answer the scenarios are used. */
  answer?: (request: ModelRequest) => Step | undefined;
}

export class ClaudeModel {
  readonly requests: ModelRequest[] = [];
  readonly scenarios: Record<string, Scenario>;
  /** Used one by one for main requests, before the scenarios. */
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
