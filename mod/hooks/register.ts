// deno-lint-ignore-file no-explicit-any
/**
 * Runs inside Claude Code. It carries out commands and reports events; it decides nothing. Its
 * companion (commands/companion.ts) does: a Deno process that it starts for the life of the session.
 *
 *   companion ──a JSON line on its stdout──→ mod      a command, or the hello
 *   mod ──POST to the companion's socket──→ companion  an event, or a command's result
 */

import { COMPANION } from "./places.ts";

// Claude Code's check wants `$` to be passed to functions of this file only, and names as literals.
type Engine = any;
type Event = any;
type Next = any;

interface Hello {
  socket: string;
  token: string;
}

interface Command {
  id: string;
  op: string;
  text?: string;
  asUser?: boolean;
  command?: string;
  args?: string;
}

/** The companion exits with it where the session has no agent. */
const NOT_NEEDED = 3;
const MOST_WAITING = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Before an event is sent again to a companion that did not take it. */
const SEND_AGAIN_MS = 1000;
/** A companion that does not answer must not hold up the end of a turn. */
const WAIT_MS = 300;
/** Claude Code gives a handler 10 s of its own time, and a pause counts. */
const MOST_PAUSES = 30;

let companion: Hello | undefined;
let isKept = false;
/** Until a companion finds that no agent owns the session. */
let hasAgent = true;
/** `claude -p`: beside the session's own Claude Code, which has the companion. */
let isGuest = false;
/** Has the sender look again. */
let more: () => void = () => {};
const drained: (() => void)[] = [];
let count = 0;
let attempts = 0;
let turnId = "";
let promptId = "";
let sessionId = "";
/** What has asked or ended in this turn, in order: the companion sees by it who left a dialog. */
let happened: string[] = [];
const PAD = "\u2060";
let hasSlash = true;
/** Events that the companion does not have yet, the oldest first. */
const waiting: string[] = [];

function report(_$: Engine, kind: string, data: unknown): void {
  if (!hasAgent) return; // a later companion would take it for something that happens then
  waiting.push(JSON.stringify({ n: ++count, kind, data }));
  if (waiting.length > MOST_WAITING) waiting.shift();
  more();
}

/** Resolves when everything that waits is sent; at once without a companion. */
function send(_$: Engine): Promise<void> {
  if (companion === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    drained.push(resolve);
    more();
  });
}

/**
 * Sends what is reported, with the engine that runs the companion. That of an event is gone when a
 * person presses Esc, just when there is something to report.
 */
async function keepSending($: Engine): Promise<void> {
  while (isKept) {
    const asked = new Promise<void>((resolve) => more = resolve);
    const isSent = await sendAll($);
    for (const done of drained.splice(0)) done();
    // It may live, and then it says no other hello.
    if (isSent) await asked;
    else await Promise.race([asked, $.clock.sleep(SEND_AGAIN_MS)]).catch(() => asked);
  }
}

/**
 * One at a time, so that they arrive in order. False where the companion may not have taken one: it
 * is sent again to this companion, which takes each number once, or to the next one.
 */
async function sendAll($: Engine): Promise<boolean> {
  while (companion !== undefined && waiting.length > 0) {
    const oldest = waiting[0]!;
    try {
      await post($, companion, "/event", oldest);
    } catch {
      return false;
    }
    if (waiting[0] === oldest) waiting.shift();
  }
  return true;
}

function post($: Engine, { socket, token }: Hello, path: string, body: string): Promise<any> {
  return $.http.fetch(`http://companion${path}`, {
    method: "POST",
    socketPath: socket,
    headers: { "content-type": "application/json", "x-gsd-token": token },
    body,
  });
}

async function carryOut($: Engine, { id, op, ...command }: Command): Promise<void> {
  let value: unknown;
  try {
    if (op === "submit") value = await submit($, command.text ?? "", command.asUser ?? false);
    else if (op === "command") {
      value = await $.command.run({ command: command.command, args: command.args ?? "" });
    } else if (op === "abort") {
      if (turnId === "") throw new Error("no turn is running");
      // While the API does not answer, its promise stays open though the turn has ended.
      await Promise.race([$.turn.abort({ turnId }), $.clock.sleep(WAIT_MS)]);
    } else if (op === "draft") value = await $.prompt.read();
    else if (op === "commands") value = await $.command.list();
    else if (op === "usage") value = { ...(await $.session.usage()), sessionId };
    else if (op === "status") value = await $.ui.status(command.text);
    else throw new Error(`there is no ${op}`);
    report($, "result", { id, value });
  } catch (error) {
    // The text: another companion than the one that asked may have to say what was lost.
    report($, "result", { id, text: command.text, error: String(error) });
  }
}

/**
 * Claude Code refuses a text that begins with a slash, as it might be a command. It enters with an
 * invisible character before it, which slash/ takes away: where that is not loaded, it is refused.
 */
async function submit($: Engine, text: string, asUser: boolean): Promise<void> {
  const needsPad = /^\s*[/\u2060]/.test(text);
  if (needsPad && !hasSlash) throw "a text that begins with a slash cannot go this way";
  const given = needsPad ? `${PAD}${text}` : text;
  const entered = await $.prompt.submit({ text: given, ...(asUser ? { asUser: true } : {}) });
  if (entered.drop !== undefined) throw entered.drop;
  if (needsPad && entered.text !== text) hasSlash = false;
}

function hear($: Engine, line: string): void {
  let said: { hello?: Hello } & Command;
  try {
    said = JSON.parse(line);
  } catch {
    return;
  }
  if (said.hello === undefined) return void carryOut($, said);
  companion = said.hello;
  report($, "hello", { turnId });
}

/** Runs the companion until it ends, and again when it was ended from outside. */
async function keepCompanion($: Engine): Promise<void> {
  if (isKept || isGuest) return;
  isKept = hasAgent = true;
  void keepSending($);
  try {
    for (let pause = 250;; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      let rest = "";
      const child = $.process.spawn({ argv: [COMPANION] });
      for await (const { stream, text } of child) {
        if (stream !== "stdout") continue;
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) hear($, line);
        pause = 250;
      }
      companion = undefined;
      if ((await child.result).code === NOT_NEEDED) {
        hasAgent = false;
        waiting.length = 0;
        return;
      }
      await $.clock.sleep(pause);
    }
  } catch (error) {
    $.ui.log(`gsd-code: the companion cannot run: ${String(error)}`, { to: "debug" });
  } finally {
    isKept = false;
    more();
  }
}

export function register(on: any): void {
  on("session.start", async ($: Engine, e: Event, next: Next) => {
    const started = await next(e);
    isGuest = e.isInteractive === false;
    void keepCompanion($);
    report($, "session.start", {});
    return started;
  });
  on("session.end", async ($: Engine, e: Event, next: Next) => {
    report($, "session.end", { reason: e.reason, sessionId: e.sessionId });
    await Promise.race([send($), $.clock.sleep(WAIT_MS)]); // else the end looks like a crash
    return await next(e);
  });
  on("turn.start", ($: Engine, e: Event, next: Next) => {
    if (e.agentId === undefined) {
      turnId = e.turnId;
      happened = [];
      void keepCompanion($);
      report($, "turn.start", { turnId });
    }
    return next(e);
  });
  on("turn.complete", ($: Engine, e: Event, next: Next) => {
    if (e.agentId === undefined) {
      const { turnId: ended, reason, answer, durationMs } = e;
      report($, "turn.complete", { turnId: ended, promptId, reason, happened, answer, durationMs });
      turnId = "";
    }
    return next(e);
  });
  on("classic.Stop", reportUsage).catch(goOn);
  on("classic.StopFailure", reportUsage).catch(goOn);
  on("classic.UserPromptSubmit", (_$: Engine, e: Event, next: Next) => {
    promptId = e.prompt_id;
    sessionId = e.session_id;
    return next(e);
  }).catch(goOn);
  // The hook waits first, as long as its settings say. Then the companion does.
  on("classic.PermissionRequest", async ($: Engine, e: Event, next: Next) => {
    note(e.agent_id === undefined ? "asked" : "a subagent asked");
    const said = await next(e);
    if (said?.decision !== undefined || next.signal.aborted) return said;
    const decision = await heldDecision($, e, next.signal);
    return decision === undefined ? said : { ...said, decision };
  }).catch(goOn);
  on("session.measure", ($: Engine, e: Event, next: Next) => {
    report($, "session.measure", { context: e.context, rateLimits: e.rateLimits, cost: e.cost });
    return next(e);
  });
  on("prompt.submit", async ($: Engine, e: Event, next: Next) => {
    const entered = await next(e);
    if (entered.drop === undefined) report($, "prompt.submit", { from: e.origin?.kind });
    return entered;
  }).catch(goOn);
  on("http.fetch", async ($: Engine, e: Event, next: Next) => {
    if (next.origin.plugin !== "engine" || !/\/v1\/messages\b/.test(e.url)) return next(e);
    const id = String(++attempts);
    report($, "api.begin", { id });
    try {
      const answer = await next(e);
      const { status, headers } = answer.value ?? {};
      report($, "api.end", { id, status, headers: limitsIn(headers) });
      return answer;
    } catch (error) {
      report($, "api.end", { id, error: String(error) });
      throw error;
    }
  }).catch(goOn);
}

function goOn(_$: Engine, e: Event, next: Next): unknown {
  return next(e);
}

function note(what: string): void {
  if (happened.at(-1) !== what) happened.push(what);
}

/** Before the hooks of a turn's end run: their wakes say how full the context is. */
async function reportUsage($: Engine, e: Event, next: Next): Promise<unknown> {
  note("stopped");
  const { context, cost, rateLimits } = await $.session.usage();
  const { session_id: sessionId, prompt_id: promptId } = e;
  report($, "usage", { sessionId, promptId, context, cost, rateLimits });
  await Promise.race([send($), $.clock.sleep(WAIT_MS)]);
  return await next(e);
}

/** Asks the companion until it has an answer, or Claude Code has closed the dialog. */
async function heldDecision($: Engine, event: Event, signal: AbortSignal): Promise<unknown> {
  const id = crypto.randomUUID();
  const release = () => report($, "released", { id });
  signal.addEventListener("abort", release);
  try {
    for (let pauses = 0; isKept && !signal.aborted && pauses < MOST_PAUSES;) {
      const answer = await askCompanion($, "/hold", JSON.stringify({ id, event }));
      if (answer?.kind === "decided") return answer.decision;
      if (answer?.kind === "none") return undefined;
      if (answer === undefined) {
        pauses++; // its companion is just being started again
        await $.clock.sleep(250);
      }
    }
    return undefined;
  } finally {
    signal.removeEventListener("abort", release);
    release();
  }
}

async function askCompanion($: Engine, path: string, body: string): Promise<Event> {
  if (companion === undefined) return undefined;
  try {
    const answer = await post($, companion, path, body);
    return answer.ok ? JSON.parse(answer.text) : undefined;
  } catch {
    return undefined;
  }
}

/** Only what says when the API can be reached again. */
function limitsIn(headers: Record<string, string> = {}): Record<string, string> {
  const names = Object.keys(headers).filter((name) =>
    /^(retry-after|anthropic-ratelimit-unified-)/i.test(name)
  );
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), headers[name]!]));
}
