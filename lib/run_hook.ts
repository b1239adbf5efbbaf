/** Runs a hook: reads the event, finds the agent, calls `handle`. */

import {
  BOTH_WAIT,
  type HookEvent,
  QUEUE_WAITS,
  readEvent,
  SHELL_DELIVERS,
  SHELL_READS,
  shellOf,
  splitInput,
  WAKE_WAITS,
} from "./events.ts";
import { askTmux, openGate } from "./gate.ts";
import type { HookContext } from "./hook_context.ts";
import { messageOf } from "./json.ts";
import { knownSession, leaveMark } from "./known_sessions.ts";
import { type Env, later, type Paths, pathsFrom, ROOT } from "./paths.ts";

export type Tools = typeof import("./hook_tools.ts");

export interface Hook {
  event: string;
  /** Returns what Claude Code is to act on; nothing in most cases. */
  handle(context: HookContext, tools: Tools): Promise<string | void> | string | void;
}

/**
 * Runs a hook to its end: silent, and with exit code 0 whatever happens. Only the registered
 * launcher gets a line, or when it is older another code, for what waits. Claude Code gets 0 from it.
 */
export async function runHook(hook: Hook): Promise<never> {
  const env: Env = (name) => Deno.env.get(name);
  const paths = pathsFrom(env, ROOT);
  let session: string | undefined;
  let isWakeLeft = () => false;
  let queued: string | undefined;
  let reply = "";
  try {
    // Read it all, also when it is not needed: Claude Code writes at the other end.
    const input = splitInput(readStdin());
    const asking = askTmux(env, input.tmux);
    const reading = readEvent(input.event);
    if (asking !== undefined && reading.kind === "event" && isFor(hook, reading.event)) {
      const { event } = reading;
      const known = knownSession(paths, event.sessionId, env);
      const loading = known === undefined ? undefined : loadTools(); // while tmux answers
      loading?.catch(() => {}); // thrown where it is awaited
      const gate = await openGate(paths, asking, known, event.sessionId);
      if (gate.kind !== "unmanaged") {
        session = gate.session;
        leaveMark(paths, env, "agent" in gate ? gate.agent.settings.pane_capture_lines : 0);
        const tools = await (loading ?? loadTools());
        const leaveToShell = (isToStart: () => boolean) => void (isWakeLeft = isToStart);
        const leaveQueue = (session: string) => void (queued = session);
        const run = { event, paths, env, tmuxAnswer: input.tmux, leaveToShell, leaveQueue };
        if (gate.kind === "managed") {
          reply = await hook.handle(tools.contextFrom(gate, run), tools) || "";
        } else {
          const { session, reason } = gate;
          if (gate.kind === "mute" && /^Session(Start|End)$/.test(hook.event)) {
            tools.rememberSession(tools.contextFrom(gate, run), { closeDialog: false });
          }
          const agent_id = gate.kind === "mute" ? gate.agent.agent_id : gate.agent_id;
          await tools.note(paths, {
            kind: "problem",
            event: hook.event,
            session,
            agent_id,
            reason,
          });
        }
      }
    }
  } catch (error) {
    if (session !== undefined) await noteFailure(paths, session, hook.event, messageOf(error));
  }
  const isQueueLeft = queued !== undefined && await leaveQueue(paths, env, queued);
  // Claim last, so a killed hook leaves no claim.
  const isLeft = isWakeLeft();
  const code = isLeft ? isQueueLeft ? BOTH_WAIT : WAKE_WAITS : isQueueLeft ? QUEUE_WAITS : 0;
  const isRead = env(SHELL_DELIVERS)?.endsWith(SHELL_READS);
  try {
    writeStdout(isRead ? `${code}${reply && " reply"}\n${reply}` : reply);
  } catch (error) {
    const reason = `Cannot reply to Claude Code: ${messageOf(error)}`;
    if (session !== undefined) await noteFailure(paths, session, hook.event, reason);
  }
  Deno.exit(code);
}

/** True where the registered command is to start the runner of the queue. */
async function leaveQueue(paths: Paths, env: Env, session: string): Promise<boolean> {
  try {
    const starting: typeof import("./queue_runner.ts") = await import(later("./queue_runner.ts"));
    const shell = shellOf(env);
    if (shell !== undefined) return starting.leaveToRunner(paths, shell, session);
    starting.startRunner(paths, env, session);
  } catch (error) {
    await noteFailure(paths, session, "queue", messageOf(error));
  }
  return false;
}

function loadTools(): Promise<Tools> {
  return import(later("./hook_tools.ts"));
}

/** Uses the journal alone: what failed may be the loading of the rest. */
async function noteFailure(
  paths: Paths,
  session: string,
  event: string,
  reason: string,
): Promise<void> {
  try {
    const { note }: typeof import("./journal.ts") = await import(later("./journal.ts"));
    await note(paths, { kind: "problem", session, event, reason });
  } catch {
    // The journal cannot be written either.
  }
}

function isFor(hook: Hook, event: HookEvent): boolean {
  return event.name === hook.event || event.name === "";
}

/** No event is near this size; what is longer is not one. */
const MOST_STDIN = 64 * 1024 * 1024;

function readStdin(): string {
  const chunks: Uint8Array[] = [];
  const buffer = new Uint8Array(64 * 1024);
  let size = 0;
  for (let count; (count = Deno.stdin.readSync(buffer)) !== null;) {
    size += count;
    if (size <= MOST_STDIN) chunks.push(buffer.slice(0, count));
  }
  if (size > MOST_STDIN) return "";
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return new TextDecoder().decode(whole);
}

function writeStdout(text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) {
    written += Deno.stdout.writeSync(bytes.subarray(written));
  }
}
