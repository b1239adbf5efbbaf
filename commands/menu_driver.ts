/** Works Claude Code's menus and prompt in a tmux session, for the agent that looks after it. */

import { isWaiting, listPending } from "../lib/answers.ts";
import { findPane, type PaneWorld } from "../lib/claude_pane.ts";
import { loadRegistry } from "../lib/gate.ts";
import { type HeldLock, holdLock } from "../lib/locks.ts";
import { type MenuOptions, readMenuArgs, type Verb } from "../lib/menu_args.ts";
import { clearThen, decides, pressKey, typeAtPrompt } from "../lib/menu_prompt.ts";
import {
  answer,
  byKeys,
  describe,
  lookForDialog,
  openQuestion,
  type Outcome,
  refused,
  type Scene,
  settle,
} from "../lib/menu_verbs.ts";
import { type Env, type Paths, pathsFrom, rootOf, safeName } from "../lib/paths.ts";
import { messageOf } from "../lib/process.ts";
import { findAgent } from "../lib/registry.ts";
import { pause } from "../lib/time.ts";
import { tmuxFrom } from "../lib/tmux.ts";

export interface World {
  env: Env;
  paths: Paths;
  out(text: string): void;
  err(text: string): void;
  readStdin(): string;
}

const HELP = `Works Claude Code's menus and prompt in a tmux session.

Usage: menu-driver [options] <session> <action>

  snapshot             show the screen; with --json what it means: state, question, options, draft
  choose <n>           take option n of the open question or menu
  answer <a> [<a> …]   one answer per open question: a number, several (1,3), a label, or your own
                       words; text:… is always words, 1,3,text:… is both
  type <text>          type a prompt and send it; at an open question: answer in your own words.
                       - alone reads the text from standard input
  clear_then <text>    /clear, then type <text>
  submit               hand in what is chosen already
  enter | esc          press that key
  allow                allow what is asked for (only where answer_permissions is true)
  deny [<message>]     refuse it; Claude reads the message

Options, before the action:
  --question <id>      only if this question (its id is in the wake) is still open
  --notes <text>       a note beside the answer; again for the next question
  --wait <seconds>     how long to wait for a prompt that is not ready (10)
  --queue              type also while Claude works: it reads the text after this turn
  --pane <%id>         which pane, where several run Claude Code
  --socket <name>      the tmux server: a name or a path (also GSD_TMUX_SOCKET)
  --by <name>          who decides, for the journal (the session's agent)
  --dry-run            check everything, press nothing
  --json               for programs
  --help               this text

Examples:
  menu-driver warden-main snapshot
  menu-driver warden-main choose 2
  menu-driver warden-main answer 2 1,3 "none of these, use MIT"
  menu-driver warden-main type "Run the tests and fix what fails"
  menu-driver warden-main clear_then /gsd:resume-work
  echo "a long text" | menu-driver warden-main type -

A hook that waits beside the dialog gets the answer, and no key is pressed; without one the keys
are pressed one at a time, with a look at the screen after each.
Exit codes: 0 done, 1 could not (the reason is on stderr, nothing was sent), 2 wrong usage.
`;

export async function main(args: string[], world: World): Promise<number> {
  const order = readMenuArgs(args, world.readStdin);
  if (order.kind === "help") {
    world.out(HELP);
    return 0;
  }
  if (order.kind === "usage") {
    world.err(`${order.problem} (see menu-driver --help)\n`);
    return 2;
  }
  const { session, verb, options } = order;
  try {
    const outcome = verb.kind === "snapshot"
      ? await snapshot(world, session, options)
      : await inTurn(world, session, options, () => carryOut(world, session, verb, options));
    return report(world, session, verb, options, outcome);
  } catch (error) {
    return report(world, session, verb, options, refused(messageOf(error)));
  }
}

function report(
  world: World,
  session: string,
  verb: Verb,
  options: MenuOptions,
  outcome: Outcome,
): number {
  if (outcome.kind === "refused") {
    const sentence = `Cannot ${verb.kind} in session "${session}": ${outcome.reason}`;
    world.err(sentence.replace(/\s*\n\s*/g, " ") + "\n");
    return 1;
  }
  if (verb.kind === "snapshot") world.out(outcome.said);
  else if (options.json) world.out(JSON.stringify({ done: outcome.said, via: outcome.via }) + "\n");
  else world.out(`${outcome.said}\n`);
  return 0;
}

/** Two drivers on one session take turns. */
async function inTurn(
  world: World,
  session: string,
  options: MenuOptions,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  const until = performance.now() + Math.max(options.waitMs, 1000);
  let lock: HeldLock | undefined;
  while ((lock = holdLock(`${world.paths.state}/locks/keys-${safeName(session)}`)) === undefined) {
    if (performance.now() > until) return refused("another menu driver is at work on it");
    await pause(50);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function carryOut(
  world: World,
  session: string,
  verb: Exclude<Verb, { kind: "snapshot" }>,
  options: MenuOptions,
): Promise<Outcome> {
  const found = await findPane(paneWorld(world, options), session, options.pane);
  if (found.kind === "none") return refused(found.reason);
  const scene = sceneFor(world, session, options, found.pane);
  switch (verb.kind) {
    case "choose":
      return await choose(scene, verb.number, options);
    case "answer":
      return await answerOpen(scene, verb.words, options);
    case "type":
      return await type(scene, verb.text, options);
    case "clear_then":
      return await clearThen(scene, verb.text);
    case "enter":
      return await pressKey(scene, "Enter");
    case "esc":
      return await pressKey(scene, "Escape");
    case "submit":
      return await submit(scene);
    case "allow":
      return await decide(scene, { kind: "allow" }, options);
    case "deny":
      return await decide(scene, { kind: "deny", message: verb.message }, options);
  }
}

async function choose(scene: Scene, number: number, options: MenuOptions): Promise<Outcome> {
  const screen = await lookForDialog(scene);
  const { dialog } = screen;
  const asks = dialog === undefined || dialog.kind === "question" || dialog.kind === "other";
  if (asks || options.question !== undefined) {
    const open = openQuestion(scene, screen, options.question);
    if (open.kind === "open") {
      return await answer(scene, open.open, [String(number)], options.notes);
    }
    if (dialog?.kind !== "other" || dialog.options.length === 0) return refused(open.reason);
  }
  if (decides(dialog!.kind) && scene.whyNoDecision !== undefined) {
    return refused(`${scene.whyNoDecision}; ${describe(screen)}`);
  }
  const row = dialog!.options.find((option) => option.number === number);
  if (row === undefined) {
    const rows = dialog!.options.map((option) => `${option.number}. ${option.label}`).join(", ");
    return refused(`there is no option ${number}; the options are: ${rows}; ${describe(screen)}`);
  }
  const goal = { kind: "row", dialog: dialog!.kind, number } as const;
  const chosen = {
    kind: "answers",
    answers: { [dialog!.title]: row.label },
    annotations: {},
  } as const;
  const given = {
    by: scene.by,
    via: "keys",
    at: new Date().toISOString(),
    decision: chosen,
  } as const;
  return await byKeys(scene, undefined, given, goal, `Chose "${row.label}"`);
}

async function answerOpen(scene: Scene, words: string[], options: MenuOptions): Promise<Outcome> {
  const open = openQuestion(scene, await lookForDialog(scene), options.question);
  return open.kind === "none"
    ? refused(open.reason)
    : await answer(scene, open.open, words, options.notes);
}

/** At an open question the text is the answer; one that opens only now was not meant. */
async function type(scene: Scene, text: string, options: MenuOptions): Promise<Outcome> {
  const screen = options.question === undefined
    ? await scene.pane.look()
    : await lookForDialog(scene);
  if (options.question === undefined && screen.dialog?.kind !== "question") {
    return await typeAtPrompt(scene, text, options.queue);
  }
  const open = openQuestion(scene, screen, options.question);
  return open.kind === "none"
    ? refused(open.reason)
    : await answer(scene, open.open, [`text:${text}`], options.notes);
}

async function submit(scene: Scene): Promise<Outcome> {
  const screen = await scene.pane.look();
  if (screen.dialog === undefined || screen.dialog.kind === "slash_menu") {
    return await pressKey(scene, "Enter");
  }
  if (screen.dialog.kind !== "question" && screen.dialog.kind !== "review") {
    return refused(`there is nothing to submit; ${describe(screen)}`);
  }
  const chosen = { kind: "answers", answers: {}, annotations: {} } as const;
  const given = {
    by: scene.by,
    via: "keys",
    at: new Date().toISOString(),
    decision: chosen,
  } as const;
  return await byKeys(scene, undefined, given, { kind: "submit" }, "Submitted what was chosen");
}

async function decide(
  scene: Scene,
  decision: { kind: "allow" } | { kind: "deny"; message: string },
  options: MenuOptions,
): Promise<Outcome> {
  const screen = await lookForDialog(scene);
  const { dialog } = screen;
  const open = listPending(scene.paths, scene.session);
  const pending = open.findLast((one) =>
    options.question === undefined ? kindShown(one.kind, dialog?.kind) : one.id === options.question
  );
  if (options.question !== undefined && pending === undefined) {
    return refused(`the request ${options.question} is no longer open; ${describe(screen)}`);
  }
  const declines = decision.kind === "deny" && dialog?.kind === "question";
  if (!declines && scene.whyNoDecision !== undefined) {
    return refused(`${scene.whyNoDecision}; ${describe(screen)}`);
  }
  if (!declines && dialog?.kind !== "permission" && dialog?.kind !== "plan") {
    return refused(`nothing asks for permission; ${describe(screen)}`);
  }
  if (declines && (pending === undefined || !isWaiting(pending, Date.now(), scene.isAlive))) {
    return refused(`no hook waits for this question: esc declines it; ${describe(screen)}`);
  }
  const said = decision.kind === "allow" ? "Allowed" : "Denied";
  return await settle(scene, pending, decision, decision, `${said} "${dialog?.title ?? ""}"`);
}

function kindShown(pending: string, shown: string | undefined): boolean {
  return pending === shown || (pending === "question" && shown === "review");
}

async function snapshot(world: World, session: string, options: MenuOptions): Promise<Outcome> {
  const found = await findPane(paneWorld(world, options), session, options.pane);
  if (found.kind === "none") return refused(found.reason);
  const { text, ...screen } = found.screen;
  const scene = sceneFor(world, session, options, found.pane);
  const pending = listPending(world.paths, session).map((one) => ({
    ...one,
    waiting: isWaiting(one, Date.now(), scene.isAlive),
  }));
  if (options.json) {
    const reading = { session, pane: found.pane.id, ...screen, pending, text };
    return { kind: "done", said: JSON.stringify(reading, null, 1) + "\n" };
  }
  const waiting = pending.filter((one) => one.waiting).map((one) =>
    `, ${one.id} waits for an answer`
  );
  const state = describe(found.screen).replace(/^the present state is /, "state: ");
  return { kind: "done", said: `${text.trimEnd()}\n\n[${state}${waiting.join("")}]\n` };
}

function sceneFor(
  world: World,
  session: string,
  options: MenuOptions,
  pane: Scene["pane"],
): Scene {
  const registry = loadRegistry(world.paths.registry);
  const match = registry.kind === "registry" ? findAgent(registry.registry, session) : undefined;
  const agent = match?.kind === "agent" ? match.agent : undefined;
  const whyNoDecision = agent?.settings.answer_permissions
    ? undefined
    : agent === undefined
    ? `no enabled agent of the registry ${world.paths.registry} owns this session, so nobody may decide`
    : `agent "${agent.agent_id}" may not decide: answer_permissions is not true in its hook_settings`;
  return {
    paths: world.paths,
    session,
    pane,
    agentId: agent?.agent_id ?? "",
    by: options.by ?? agent?.agent_id ?? "menu-driver",
    whyNoDecision,
    waitMs: options.waitMs,
    dryRun: options.dryRun,
    isAlive,
    tell: () => {},
  };
}

/** Not allowed to ask (a launcher's scope) means perhaps: the hand-over itself will tell. */
function isAlive(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGCONT");
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}

function paneWorld(world: World, options: MenuOptions): PaneWorld {
  const socket = options.socket ?? world.env("GSD_TMUX_SOCKET");
  const path = socket?.includes("/") ? socket : undefined;
  // tmux takes the path of a server's socket from $TMUX as well.
  const env: Env = (name) => name === "TMUX" && path ? `${path},0,0` : world.env(name);
  const folder = world.env("TMUX_TMPDIR");
  const common = {
    ...(socket && !path ? { socket } : {}),
    ...(folder ? { env: { TMUX_TMPDIR: folder } } : {}),
    timeoutMs: 10_000,
  };
  return {
    tmux: tmuxFrom(env, common),
    feed: (text, ...args) => tmuxFrom(env, { ...common, stdin: text }).call(...args),
  };
}

/** A variable outside of a launcher's scope is not there. */
function envOf(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    return undefined;
  }
}

function readStdin(): string {
  const chunks: Uint8Array[] = [];
  const buffer = new Uint8Array(64 * 1024);
  for (let count; (count = Deno.stdin.readSync(buffer)) !== null;) {
    chunks.push(buffer.slice(0, count));
  }
  return new TextDecoder().decode(new Uint8Array(chunks.flatMap((chunk) => [...chunk])));
}

export function realWorld(): World {
  const encoder = new TextEncoder();
  return {
    env: envOf,
    paths: pathsFrom(envOf, rootOf(import.meta.url)),
    out: (text) => void Deno.stdout.writeSync(encoder.encode(text)),
    err: (text) => void Deno.stderr.writeSync(encoder.encode(text)),
    readStdin,
  };
}

if (import.meta.main) Deno.exit(await main(Deno.args, realWorld()));
