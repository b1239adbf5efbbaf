/** The wake message, version 2: its sections, how full the context is, and what can be done. */

import { fenced, guardField, guardText, newFenceId, showUnseen } from "./fence.ts";
import { isFile } from "./files.ts";
import { type HookContext, load, usageOf } from "./hook_context.ts";
import { ownerOf } from "./known_sessions.ts";
import type { Paths } from "./paths.ts";
import type { HookSettings } from "./registry.ts";
import {
  cleanText,
  cutAtLine,
  cutMiddle,
  maskForApproval,
  maskScreen,
  maskSecrets,
  oneLine,
  shellQuote,
} from "./text.ts";

export type State =
  | "menu"
  | "permission_prompt"
  | "awaiting_user_input"
  | "idle"
  | "working"
  | "paused"
  | "error"
  | "terminated"
  | "answer_submitted"
  | "unknown";

export type Section = "CONTENT" | "ASK USER QUESTION" | "ANSWER SELECTED" | "NO CHANGE";

/** What a hook has to say; the rest of the message is the same for all. */
export interface WakeDraft {
  /** From a fixed list, or checked by `plainWord`. */
  trigger: string;
  section: Section;
  /** What Claude said before the body, which is more important: this is cut first. */
  before?: { title: string; text: string };
  /** Foreign text, in a fence. Our own text, such as advice, is one of the `details`. */
  body: string;
  /** The body is masked and cut already: it is shown as it stands, in its fence. */
  isReady?: boolean;
  /** The body is taken from the screen, where a key may be broken over lines. */
  isScreen?: boolean;
  /** The body shows what is to be decided: a mask hides no sign that a shell acts on. */
  isDecision?: boolean;
  /** What still runs: foreign as well, and shown after the body. */
  after?: { title: string; text: string };
  state: State;
  /** A line, then one for each rate limit; absent where the message reports no pressure. */
  pressure?: string;
  /** Further lines of `[TRIGGER]`, such as `question_id`: our own words, or a `plainWord`. */
  details?: Record<string, string>;
  actions: string[];
}

export interface WakeIdentity {
  agent_id: string;
  tmux_session_name: string;
  timestamp: string;
  wake_id: string;
}

export interface RenderedWake {
  message: string;
  /** The whole text, where the message holds only its beginning and its end. */
  wholeText?: string;
}

export function renderWake(
  identity: WakeIdentity,
  draft: WakeDraft,
  /** Without `wholeTextFile` the message names no file; the fence's id is random by default. */
  limit: { maxChars: number; wholeTextFile?: string; fenceId?: () => string },
): RenderedWake {
  // A command may hold a forged fence, too.
  const body = draft.isReady ? guardText(draft.body) : harmless(draft.body, draft);
  const before = harmless(draft.before?.text.trim() ?? "");
  const after = shorten(harmless(draft.after?.text ?? ""), MOST_AFTER);
  const join = (before: string, body: string) =>
    [titled(draft.before?.title, before), body, titled(draft.after?.title, after)]
      .filter((part) => part !== "").join("\n\n");
  const room = Math.max(limit.maxChars - body.length, limit.maxChars / 4);
  const bodyRoom = limit.maxChars - Math.min(before.length, room);
  const wholeText = join(before, body);
  const shown = draft.isReady
    ? wholeText
    : join(shorten(before, Math.floor(room)), shorten(body, Math.floor(bodyRoom)));
  const isCut = shown !== wholeText;

  const trigger = fieldLines({ type: draft.trigger, ...draft.details });
  const file = isCut && limit.wholeTextFile ? `\nwhole_text: ${oneLine(limit.wholeTextFile)}` : "";
  const sections = [
    section("SESSION IDENTITY", fieldLines({ ...identity })),
    section("TRIGGER", trigger + file),
    section(draft.section, fenced(shown, unusedId(shown, limit.fenceId ?? newFenceId))),
    section("STATE HINT", `state: ${draft.state}`),
    ...(draft.pressure === undefined ? [] : [section("CONTEXT PRESSURE", draft.pressure)]),
    section("AVAILABLE ACTIONS", draft.actions.map(actionLine).join("\n")),
  ];
  return { message: sections.join("\n\n") + "\n", ...(isCut ? { wholeText } : {}) };
}

/** What stands in a fence: readable as it was written, but not as a part of the message. */
function harmless(
  text: string,
  { isDecision, isScreen }: Pick<WakeDraft, "isDecision" | "isScreen"> = {},
): string {
  const seen = showUnseen(cleanText(text));
  if (isDecision) return guardText(maskDecision(seen));
  return guardText(isScreen ? maskScreen(seen) : maskSecrets(seen));
}

function maskDecision(text: string): string {
  try {
    return maskForApproval(text, "screen").text;
  } catch {
    return maskSecrets(text); // which says that the rules are not loaded
  }
}

function titled(title: string | undefined, text: string): string {
  return title === undefined || text === "" ? "" : `${title}\n${text}`;
}

/** The text cannot know the id; this makes it certain. */
function unusedId(text: string, make: () => string): string {
  const id = make();
  return text.includes(id) ? unusedId(text, make) : id;
}

const MOST_AFTER = 1000;

/** Is there more text than a message has room for? */
export function mayBeCut({ before, body, after }: WakeDraft, maxChars: number): boolean {
  return body.length + (before?.text.length ?? 0) > maxChars ||
    (after?.text.length ?? 0) > MOST_AFTER;
}

function shorten(text: string, max: number): string {
  const cut = cutMiddle(text, max);
  if (cut === undefined) return text;
  const { chars, lines } = cut.missing;
  const counted = `${lines} ${lines === 1 ? "line" : "lines"}`;
  const note = `… ${chars} of ${text.length} characters (${counted}) are not shown here.`;
  // What was in the middle of a line may now begin one.
  return note.length >= chars ? text : `${cut.head}\n${note}\n${guardText(cut.tail)}`;
}

function section(name: string, body: string): string {
  return `[${name}]\n${body}`;
}

const MOST_IN_A_FIELD = 500;
/** Names and numbers that we have given: there is no secret in them. */
const OURS = ["agent_id", "tmux_session_name", "timestamp", "wake_id", "type", "question_id"];

function fieldLines(fields: Record<string, string>): string {
  return Object.entries(fields).map(([name, value]) => {
    const line = showUnseen(oneLine(value));
    const shown = guardField(OURS.includes(name) ? line : maskSecrets(line));
    return `${name}: ${cutAtLine(shown, MOST_IN_A_FIELD).kept}`;
  }).join("\n");
}

/** A name in a command cannot add a line, nor turn the line around. */
function actionLine(command: string): string {
  if (!/[^ -~]/.test(command)) return command;
  return showUnseen(cleanText(command).replaceAll("\n", "\\n"));
}

const CRITICAL_PCT = 80;

/** `72% [WARNING]`, or the tokens where the size of the window is not known, or `unknown`. */
export function formatPressure(
  known: { percent?: number; tokens?: number },
  thresholdPct: number,
): string {
  if (known.percent !== undefined) {
    const level = known.percent >= CRITICAL_PCT
      ? "CRITICAL"
      : known.percent >= thresholdPct
      ? "WARNING"
      : "OK";
    return `${known.percent}% [${level}]`;
  }
  return known.tokens === undefined ? "unknown" : `${known.tokens} tokens in context`;
}

/** The commands that fit a situation, each a line that can be run once its <…> is filled in. */
export function actionsFor(
  driver: string,
  session: string,
  situation: Situation,
): string[] {
  const run = (words: string) => `${driver} ${shellQuote(session)} ${words}`;
  switch (situation.kind) {
    case "prompt":
      return [run("type <text>"), run("clear_then <command>"), run("snapshot")];
    case "question":
      return [...answerActions(situation, run), run("esc"), run("snapshot")];
    case "permission":
      return situation.mayDecide
        ? [
          run(withId(situation.isCut ? "allow --seen <code>" : "allow", situation.id)),
          run(ofId("deny <message>", situation.id)),
          run("snapshot"),
        ]
        : [run("snapshot"), run("esc")];
    case "form":
      return [
        run(withId("fill <name=value …>", situation.id)),
        run(withId("decline", situation.id)),
        run(withId("leave", situation.id)),
        run("snapshot"),
      ];
    case "dialog":
      return [...(situation.hasRows ? [run("choose <n>")] : []), run("snapshot"), run("esc")];
    case "working":
      return [run("snapshot")];
    case "ended":
      return [situation.restart];
  }
}

export type Situation =
  | { kind: "prompt" }
  /** `id`: an answer is for this one alone, also when another has come up since. */
  | { kind: "question"; questions: { multiSelect: boolean }[]; id?: string }
  /** `isCut`: the wake shows it in part, and the code is at the end of its file. */
  | { kind: "permission"; mayDecide: boolean; id?: string; isCut?: boolean }
  /** The form of an MCP server, which a hook holds back. */
  | { kind: "form"; id: string }
  /** Any other dialog: it takes no prompt. `hasRows`: it has numbers, and the agent may take one. */
  | { kind: "dialog"; hasRows: boolean }
  | { kind: "working" }
  | { kind: "ended"; restart: string };

function answerActions(
  { questions, id }: Extract<Situation, { kind: "question" }>,
  run: (words: string) => string,
): string[] {
  if (questions.length > 1) {
    const answers = questions.map(({ multiSelect }) => multiSelect ? "<n,n,…>" : "<n>").join(" ");
    return [run(withId(`answer ${answers}`, id))];
  }
  const choose = questions[0]?.multiSelect ? "answer <n,n,…>" : "choose <n>";
  return [run(withId(choose, id)), run(ofId("type <text>", id))];
}

function withId(words: string, id: string | undefined): string {
  return id === undefined ? words : `${words} --question ${shellQuote(id)}`;
}

/** Before a verb whose every further word is text. */
function ofId(words: string, id: string | undefined): string {
  return id === undefined ? words : `--question ${shellQuote(id)} ${words}`;
}

export async function pressureLine(context: HookContext, tokens?: number): Promise<string> {
  const threshold = context.settings.context_pressure_threshold;
  const usage = await usageOf(context);
  if (usage === undefined) {
    return formatPressure({ percent: await screenPercent(context), tokens }, threshold);
  }
  const { bestPressure, limitLines } = await load("usage");
  const percent = usage.percent === undefined ? await screenPercent(context) : undefined;
  const { words, ...known } = bestPressure({ usage, percent, tokens });
  const first = formatPressure(known, threshold) + words;
  return [first, ...limitLines(usage.limits, context.now)].join("\n");
}

async function screenPercent(context: HookContext): Promise<number | undefined> {
  // Where there is no percentage at all, the screen need not be understood.
  const hasPercentage = (await context.capture())?.includes("%") ?? false;
  return hasPercentage ? (await context.screen()).pressurePct : undefined;
}

export function actions(
  context: HookContext,
  situation: Exclude<Situation, { kind: "ended" }> | { kind: "ended"; isStopped?: boolean },
): string[] {
  if (situation.kind === "ended") {
    // A session that is named is recovered however it ended: stopped, left, or closed.
    const isNamed = situation.isStopped || ownerOf(context.paths, context.session) !== undefined;
    const which = isNamed ? [context.session] : ["--agent", context.agent.agent_id];
    const recover = [...commandWords(context.paths, "recover"), ...which];
    return actionsFor("", context.session, {
      kind: "ended",
      restart: recover.map(shellQuote).join(" "),
    });
  }
  const socket = otherSocket(context.env("TMUX") ?? "");
  const place = socket === undefined ? [] : ["--socket", socket];
  const words = [...commandWords(context.paths, "menu-driver"), ...place];
  // Two panes may run Claude Code: the driver does not guess, and there is no queue.
  const isOneOfTwo = (context.panes ?? 1) > 1;
  if (isOneOfTwo) words.push("--pane", context.pane);
  const lines = actionsFor(words.map(shellQuote).join(" "), context.session, situation);
  if (situation.kind !== "prompt" || isOneOfTwo) return lines;
  const queue = [...commandWords(context.paths, "queue"), ...place, context.session, "add"];
  return lines.toSpliced(2, 0, `${queue.map(shellQuote).join(" ")} <text> <text>`);
}

/** A line of `[TRIGGER]`: the hook waits, and Claude with it. */
export function replyExpected({ bidirectional_timeout_s: seconds }: HookSettings): string {
  return `within ${seconds} s`;
}

/** The server's socket, where `tmux` alone would not find it: `$TMUX` is `socket,pid,session`. */
export function otherSocket(tmuxVariable: string): string | undefined {
  const path = tmuxVariable.replace(/,\d+,\d+$/, "");
  return path === "" || /^(\/private)?\/tmp\/tmux-\d+\/default$/.test(path) ? undefined : path;
}

/** How the agent calls one of our commands: by `gsd-code` where that is, else by Deno itself. */
export function commandWords(
  paths: Paths,
  name: "menu-driver" | "recover" | "budget" | "stop" | "doctor" | "queue",
): string[] {
  const bin = `${paths.data}/bin`;
  if (isFile(`${bin}/gsd-code`)) return [`${bin}/gsd-code`, name];
  // An earlier version registered the hooks, and made only this one.
  if (isFile(`${bin}/${name}`)) return [`${bin}/${name}`];
  const script = `${paths.root}/commands/${name.replace("-", "_")}.ts`;
  return [Deno.execPath(), "run", "-A", script];
}
