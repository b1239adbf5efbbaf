/** The face that hooks import: what they need, by name, and the run of a hook. */

import { type HookEvent, readEvent } from "./events.ts";
import { openGate } from "./gate.ts";
import { record } from "./journal.ts";
import { readScreen, type Screen } from "./pane.ts";
import { type Env, type Paths, pathsFrom, rootOf } from "./paths.ts";
import { messageOf } from "./process.ts";
import type { Agent, HookSettings } from "./registry.ts";
import { capturePane, type Tmux, tmuxFrom } from "./tmux.ts";

export { backgroundTasks, textOf } from "./events.ts";
export { waitForDecision } from "./bidirectional.ts";
export { finalText, paneText, textSoFar } from "./content.ts";
export { describeFailure } from "./failures.ts";
export { record } from "./journal.ts";
export {
  formatAnswers,
  formatQuestions,
  questionId,
  readAnswers,
  readQuestions,
} from "./questions.ts";
export { sendWake } from "./send_wake.ts";
export { cleanUpSession, rememberSession } from "./session_memory.ts";
export { actions, pressureLine } from "./situation.ts";
export { oneLine } from "./text.ts";
export type { WakeDraft } from "./wake.ts";

export interface HookContext {
  event: HookEvent;
  session: string;
  pane: string;
  agent: Agent;
  settings: HookSettings;
  paths: Paths;
  env: Env;
  tmux: Tmux;
  now: Date;
  /** The pane as it is now, asked from tmux at most once. */
  screen(): Promise<Screen & { capture: string | undefined }>;
}

export interface Hook {
  event: string;
  /** Returns what Claude Code is to act on; nothing in most cases. */
  handle(context: HookContext): Promise<string | void> | string | void;
}

/** Runs a hook to its end: silent, and with exit code 0 whatever happens. */
export async function runHook(hook: Hook): Promise<never> {
  const env: Env = (name) => Deno.env.get(name);
  const paths = pathsFrom(env, rootOf(import.meta.url));
  let session: string | undefined;
  try {
    // Read to the end even where nothing comes of it: Claude Code is writing at the other end.
    const reading = readEvent(readStdin());
    if (reading.kind === "event" && isFor(hook, reading.event)) {
      const { event } = reading;
      const tmux = tmuxFrom(env);
      const gate = await openGate(paths, env, tmux, event);
      if (gate.kind !== "unmanaged") session = gate.session;
      if (gate.kind === "refused") {
        const { agent_id, reason } = gate;
        record(paths, {
          kind: "problem",
          session: gate.session,
          agent_id,
          event: event.name,
          reason,
        });
      } else if (gate.kind === "managed") {
        const reply = await hook.handle(contextFrom(gate, { event, paths, env, tmux }));
        if (reply) writeStdout(reply);
      }
    }
  } catch (error) {
    if (session !== undefined) {
      record(paths, { kind: "problem", session, event: hook.event, reason: messageOf(error) });
    }
  }
  Deno.exit(0);
}

function isFor(hook: Hook, event: HookEvent): boolean {
  return event.name === hook.event || event.name === "";
}

function contextFrom(
  gate: { session: string; pane: string; agent: Agent },
  world: { event: HookEvent; paths: Paths; env: Env; tmux: Tmux },
): HookContext {
  let screen: Promise<Screen & { capture: string | undefined }> | undefined;
  const { settings } = gate.agent;
  const look = async () => {
    const capture = await capturePane(world.tmux, gate.pane, settings.pane_capture_lines);
    return { ...readScreen(capture ?? ""), capture };
  };
  return { ...gate, ...world, settings, now: new Date(), screen: () => screen ??= look() };
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
