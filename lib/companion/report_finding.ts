/** Turns a companion's finding into a wake, in the same way as hooks do. */

import type { HookEvent } from "../events.ts";
import { closePending, contextFrom, type HookContext, loadQueue } from "../hook_context.ts";
import { note } from "../journal.ts";
import { pause } from "../time.ts";
import { interruptedDraft, interruptionOf, saidBefore } from "../interrupted.ts";
import { messageOf } from "../json.ts";
import type { Env, Paths } from "../paths.ts";
import { ownerOf } from "../known_sessions.ts";
import { type Agent, tmuxSessionName } from "../registry.ts";
import { actions, sendWake } from "../sending.ts";
import { readMemory, type SessionMemory } from "../session_memory.ts";
import { droppedDraft, lostDraft, retryingDraft } from "./mod_wakes.ts";
import type { ModFinding } from "./session_facts.ts";

export type CompanionFinding = ModFinding | { kind: "lost" };

export interface ReportPlace {
  session: string;
  pane: string;
  agent: Agent;
  /** A watch runs: it starts lost sessions again. */
  isWatched?: boolean;
}

/** Claude Code takes nothing from a mod then; keys are the way past it. */
const AFTER_ESC = "ask that person; type is refused until somebody has typed at the terminal " +
  "(--road keys is the way past it)";

const AFTER_DIALOG =
  "what was asked is closed; ask that person before you give another instruction";

/** A wake that cannot be made leaves a record; the companion goes on. */
export async function reportFinding(
  paths: Paths,
  env: Env,
  place: ReportPlace,
  finding: CompanionFinding,
): Promise<void> {
  try {
    const memory = readMemory(paths, place.session);
    const event = eventOf(finding, memory);
    const context = contextFrom(place, { event, paths, env, leaveToShell() {} });
    await tell(context, finding, memory, place.isWatched);
  } catch (error) {
    const { session, agent } = place;
    const reason = `Cannot report ${finding.kind}: ${messageOf(error)}`;
    await note(paths, { kind: "problem", session, agent_id: agent.agent_id, reason });
  }
}

function eventOf(finding: CompanionFinding, memory: SessionMemory): HookEvent {
  return {
    name: finding.kind,
    sessionId: memory.claude_session_id,
    transcriptPath: memory.transcript_path,
    cwd: memory.cwd,
    promptId: finding.kind === "interrupted" ? finding.promptId : "",
    fields: {},
  };
}

async function tell(
  context: HookContext,
  finding: CompanionFinding,
  memory: SessionMemory,
  isWatched = false,
): Promise<void> {
  const { claude_session_id: claude } = memory;
  switch (finding.kind) {
    case "interrupted": {
      const said = finding.said.trim() ||
        saidBefore(memory.transcript_path, finding.promptId);
      const { promptId, turnId, isLeft } = finding;
      const advice = isLeft ? AFTER_DIALOG : AFTER_ESC;
      // A dialog does not outlive its turn.
      await closePending(context, { claude });
      (await loadQueue(context))?.turnStopped(context.paths, context.session, context.now);
      await sendWake(context, {
        ...interruptedDraft(said, { at: context.now.getTime(), advice }),
        actions: actions(context, { kind: "prompt" }),
      }, { source: "mod", open: null, identity: interruptionOf({ promptId, turnId }) });
      return;
    }
    case "retrying":
      await sendWake(context, {
        ...retryingDraft(finding.retrying),
        actions: actions(context, { kind: "working" }),
      }, { source: "mod", identity: finding.id });
      return;
    case "dropped":
      await sendWake(context, {
        ...droppedDraft(finding.dropped),
        actions: actions(context, { kind: "prompt" }),
      }, { source: "mod" });
      return;
    case "lost":
      if (await isEndTold(context)) return;
      await closePending(context, { claude });
      await sendWake(context, {
        ...lostDraft(claude, isWatched && isRecoverable(context)),
        actions: actions(context, { kind: "ended" }),
      }, { source: "mod", open: null });
      return;
  }
}

/** As the watch decides it: `recover` knows the session, and its agent wants that. */
function isRecoverable({ paths, session, agent }: HookContext): boolean {
  const isNamed = session === tmuxSessionName(agent.tmux_session_name);
  return agent.auto_recover &&
    (ownerOf(paths, session) !== undefined || (isNamed && agent.working_directory !== ""));
}

/** How long the hook of SessionEnd may take: Claude Code itself has ended. */
const HOOK_MS = 300;

/** A hook reports every end but a crash. */
async function isEndTold({ paths, session }: HookContext): Promise<boolean> {
  const isTold = () => readMemory(paths, session).ended !== "";
  for (const until = Date.now() + HOOK_MS; Date.now() < until; await pause(50)) {
    if (isTold()) return true;
  }
  return isTold();
}
