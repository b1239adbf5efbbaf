/** An MCP server on stdin and stdout. Its tool `ask` asks for input, and returns what it got. */

import { isObject } from "../../lib/json.ts";

const FORM = {
  message: "Where shall it be deployed?",
  requestedSchema: {
    type: "object",
    properties: {
      host: { type: "string", title: "Host", description: "Name of the host" },
      port: { type: "integer", minimum: 1, maximum: 65535, default: 80 },
      level: { type: "string", enum: ["low", "high"] },
      dry: { type: "boolean" },
    },
    required: ["host"],
  },
};

function send(message: Record<string, unknown>): void {
  console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
}

function answer(call: unknown, message: Record<string, unknown>): unknown {
  const { id, method, params, result, error } = message;
  const { protocolVersion } = isObject(params) ? params : {};
  if (method === "initialize") {
    const serverInfo = { name: "forms", version: "1" };
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") {
    const inputSchema = { type: "object", properties: {} };
    send({ id, result: { tools: [{ name: "ask", description: "Asks", inputSchema }] } });
  } else if (method === "tools/call") {
    send({ id: `form-${id}`, method: "elicitation/create", params: FORM });
    return id;
  } else if (id === `form-${call}`) {
    const text = `The form: ${JSON.stringify(result ?? error)}`;
    send({ id: call, result: { content: [{ type: "text", text }] } });
  } else if (id !== undefined && method !== undefined) {
    send({ id, error: { code: -32601, message: "There is no such method" } });
  }
  return call;
}

if (import.meta.main) {
  let call: unknown;
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines.filter((line) => line.trim() !== "")) {
      call = answer(call, JSON.parse(line));
    }
  }
}
