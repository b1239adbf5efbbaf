/** A turn has ended: wakes the agent with Claude's text; the agent may answer with what comes next. */

import { type Hook, runHook } from "../lib/hook_utils.ts";

const NO_WORD = "(The turn ended without a word from Claude.)";
const STEP = "it is the turn of a step: the queue goes on, or reports its end";
const SHELL_LINE = "a person ran a shell line, and Claude said nothing to it";

export const hook: Hook = {
  event: "Stop",
  async handle(context, tools) {
    const { event, paths, session, settings } = context;
    const [reading, sending] = await Promise.all([tools.load("content"), tools.load("sending")]);
    const looking = context.capture(); // where tmux is asked now, it answers while we read
    const said = await reading.turnText(event);
    const capture = await looking;
    const pane = reading.paneText(paths, session, capture, settings.min_context_lines);
    // The screen of a turn without a word shows the turn before it.
    const fromPane = said.text === "" && said.silent === undefined ? await pane.text() : "";
    const source = said.text !== "" ? said.source : fromPane !== "" ? "pane" : "none";

    // After a block the agent gets the result, but cannot block again: that prevents a loop.
    const again = event.fields.stop_hook_active === true;
    const running = await tools.runningAfter(context);
    const text = said.text || fromPane;
    const queue = await tools.loadQueue(context);
    const atStop = said.silent === "shell"
      ? undefined
      : await queue?.turnEnded(context, { text, willGoOn: running.willEnd });
    const isStep = atStop?.kind === "step";
    const expectsReply = settings.hook_mode === "bidirectional" && !again && !isStep;
    const { turn_usd: cost } = await tools.usageOf(context) ?? {};
    const sent = await sending.sendWake(context, {
      trigger: "response_complete",
      section: "CONTENT",
      body: text || NO_WORD,
      isScreen: source === "pane",
      after: { title: "Still running in the background:", text: running.lines.join("\n") },
      state: running.willWake ? "paused" : "idle",
      pressure: await sending.pressureLine(context, said.tokens),
      details: {
        ...(again ? { stop_hook_active: "true" } : {}),
        ...(expectsReply ? { reply_expected: sending.replyExpected(settings) } : {}),
        ...(running.tasks === 0 ? {} : { background_tasks: String(running.tasks) }),
        ...(running.resumesAt === undefined ? {} : { resumes_at: running.resumesAt }),
        ...await tools.suggestedBy(context, said.text),
      },
      actions: sending.actions(context, { kind: "prompt" }),
    }, {
      source,
      expectsReply,
      open: null,
      ...(cost === undefined ? {} : { cost }),
      ...(said.message === undefined ? {} : { message: { id: said.message, ifTold: NO_WORD } }),
      isRunningOn: running.lines.length > 0 && !running.willWake,
      ...(said.silent === "shell" ? { nothingNew: SHELL_LINE } : {}),
      ...(isStep && settings.queue_wakes === "end" ? { quiet: STEP } : {}),
    });

    if (sent.kind !== "suppressed") pane.keep();
    // A dialog does not outlive its turn, except that of a subagent.
    const keepSubagents = tools.runsSubagents(event);
    await tools.closePending(context, { claude: event.sessionId, keepSubagents });
    // Without the mod, and with a draft in the box: the queue's next step is given here.
    if (isStep && atStop.next !== undefined) {
      return JSON.stringify({ decision: "block", reason: atStop.next });
    }
    if (!expectsReply || sent.kind !== "queued") return;
    const { waitForDecision } = await tools.loadWaiting();
    const decision = waitForDecision(context, sent.wake_id);
    if (decision.kind !== "block") return;
    return JSON.stringify({ decision: "block", reason: decision.reason });
  },
};

if (import.meta.main) await runHook(hook);
