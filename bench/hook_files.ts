/** The files that hooks read in a measurement: a registry, requests, transcripts. */

import type { Pending } from "../lib/answers.ts";
import { WARDEN } from "../tests/support/hook_world.ts";

/** A registry as people write it, whose last agent is the one that is woken. */
export function manyAgents(count: number): string {
  const others = Array.from({ length: count - 1 }, (_, at) =>
    [
      `    // agent number ${at}`,
      `    { "agent_id": "a${at}", "enabled": true, /* on */ "tmux_session_name": "a${at}-main",`,
      `      "working_directory": "/home/x/projects/a${at}", "system_prompt": "Be brief.\\nAsk.",`,
      `      "openclaw_session_key": "agent:a${at}:main", // see https://example.org/${at}`,
      "    },",
    ].join("\n"));
  return `{ "agents": [\n${[...others, JSON.stringify(WARDEN)].join("\n")},\n] }\n`;
}

/** A request of another Claude in the session, for which a hook still waits. */
export function openRequest(number: number): Pending {
  const now = Date.now();
  return {
    id: `p-${number}`,
    kind: "permission",
    session: "warden-main",
    claude_session_id: "another",
    agent_id: "warden",
    tool: "Bash",
    tool_input: { command: `echo ${number}` },
    asked_at: new Date(now).toISOString(),
    until: new Date(now + 3_600_000).toISOString(),
    pid: Deno.pid,
    secret_sha256: "",
  };
}

/** A transcript of that size whose last turns are as Claude Code writes them. */
export async function writeTranscript(path: string, bytes: number): Promise<void> {
  const file = await Deno.open(path, { write: true, create: true });
  await file.truncate(bytes);
  await file.seek(0, Deno.SeekMode.End);
  const lines = Array.from({ length: 6 }, (_, turn) => [
    { type: "user", promptId: `prompt-${turn}`, message: { role: "user", content: "go on" } },
    { type: "attachment", attachment: { type: "x", content: "y".repeat(40_000) } },
    {
      type: "assistant",
      message: {
        id: `msg-${turn}`,
        model: "m",
        stop_reason: "end_turn",
        content: [{ type: "text", text: `answer ${turn}` }],
        usage: { input_tokens: 1000, output_tokens: 50 },
      },
    },
    { type: "system", subtype: "turn_duration" },
  ]).flat();
  const text = "\n" + lines.map((line) => JSON.stringify(line)).join("\n") + "\n";
  await file.write(new TextEncoder().encode(text));
  file.close();
}

/** A turn more, as Claude Code writes it: a line for each block of the message. */
export function addTurn(
  path: string,
  blocks: Record<string, unknown>[],
  promptId: string = crypto.randomUUID(),
): string {
  const stop_reason = blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  const usage = { input_tokens: 1000, output_tokens: 50 };
  const lines = [
    { type: "user", promptId, message: { role: "user", content: "go on" } },
    ...blocks.map((block) => ({
      type: "assistant",
      message: { id: `msg-${promptId}`, model: "m", stop_reason, content: [block], usage },
    })),
  ];
  const text = lines.map((line) => JSON.stringify(line) + "\n").join("");
  Deno.writeTextFileSync(path, text, { append: true });
  return promptId;
}
