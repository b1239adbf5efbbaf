/**
 * AskUserQuestion: what is asked, how it is shown to the agent, and what PreToolUse notes of it: a
 * file each in the session's folder of `pending/`. The hook beside the dialog has no tool use id. It
 * claims the oldest file with the same questions by renaming it, so that two identical questions
 * get one each.
 */

import { type HookEvent, textOf } from "./events.ts";
import { createNew, ensureDir, namesIn, readTextIfThere } from "./files.ts";
import { isObject } from "./json.ts";
import { hash, type Paths, pendingDir, safeName } from "./paths.ts";
import { isLike, maskTexts } from "./text.ts";

export interface Option {
  label: string;
  description: string;
  preview: string;
}

export interface Question {
  question: string;
  header: string;
  multiSelect: boolean;
  options: Option[];
}

/** The questions of a tool input; what is not one is left out. */
export function readQuestions(toolInput: unknown): Question[] {
  if (!isObject(toolInput) || !Array.isArray(toolInput.questions)) return [];
  return toolInput.questions.filter(isObject).map((entry) => ({
    question: textOf(entry, "question"),
    header: textOf(entry, "header"),
    multiSelect: entry.multiSelect === true,
    options: Array.isArray(entry.options)
      ? entry.options.filter(isObject).map((option) => ({
        label: textOf(option, "label"),
        description: textOf(option, "description"),
        preview: textOf(option, "preview"),
      }))
      : [],
  })).filter((question) => question.question !== "");
}

/**
 *   Question 1 of 2: Which database?
 *   (choose one)
 *     1. SQLite: Embedded, simple
 */
export function formatQuestions(questions: Question[]): string {
  return questions.map((question, index) => {
    const place = questions.length > 1 ? ` ${index + 1} of ${questions.length}` : "";
    const header = question.header ? ` [${unbroken(question.header)}]` : "";
    const how = question.multiSelect ? "choose one or more" : "choose one";
    const options = question.options.map((option, number) => formatOption(option, number + 1));
    const choices = options.length > 0 ? [`(${how}, or answer in your own words)`, ...options] : [
      "(answer in your own words)",
    ];
    return [`Question${place}${header}: ${barred(question.question)}`, ...choices].join("\n");
  }).join("\n\n");
}

function formatOption(option: Option, number: number): string {
  const description = option.description ? `: ${unbroken(option.description)}` : "";
  const preview = option.preview
    ? "\n" + option.preview.split(LINE_END).map((line) => `       | ${line}`).join("\n")
    : "";
  return `  ${number}. ${unbroken(option.label)}${description}${preview}`;
}

const LINE_END = /\r\n?|[\n\v\f\u0085\u2028\u2029]/;

/** On one line: a line of its own could pass for another option. */
export function unbroken(text: string): string {
  return text.split(LINE_END).join(" ⏎ ");
}

/** Further lines behind a bar, for the same reason. */
export function barred(text: string): string {
  return text.split(LINE_END).join("\n  | ");
}

export interface Asking {
  id: string;
  secret_sha256: string;
  wake_id: string;
  tool_use_id: string;
  claude_session_id: string;
  prompt_id: string;
  /** Masked on disk. Compared as a whole: a hash of them can be made to collide. */
  questions: Question[];
}

const TOLD = ".told";
const CLAIMED = ".claimed";
type Ending = typeof TOLD | typeof CLAIMED;

/**
 * `<Claude>.<turn>.<questions>.<when>.<id>.told`: the hashes only save reading files. Sorted by
 * name, those with the same questions are in the order in which they were asked.
 */
function nameOf(asking: Asking, now: number): string {
  return `${beginningOf(asking)}.${now.toString(36).padStart(9, "0")}.${asking.id}${TOLD}`;
}

type Asked = Pick<Asking, "claude_session_id" | "prompt_id" | "questions">;

function beginningOf({ claude_session_id, prompt_id, questions }: Asked): string {
  return [claude_session_id, prompt_id, JSON.stringify(questions)].map(hash).join(".");
}

/** Before the wake is queued, so that a killed hook leaves no wake without it. */
export function noteAsking(paths: Paths, session: string, asking: Asking, now: number): void {
  const dir = pendingDir(paths, session);
  ensureDir(dir); // mostly it is missing: to find that out by an error costs more
  const kept = { ...asking, questions: maskTexts(asking.questions) };
  createNew(`${dir}/${nameOf(asking, now)}`, JSON.stringify(kept)); // read when this hook has ended
}

/** What an event says of its questions. */
export function askedIn(event: HookEvent): Asked & { tool_use_id: string } {
  return {
    claude_session_id: event.sessionId,
    prompt_id: event.promptId,
    questions: readQuestions(event.fields.tool_input),
    tool_use_id: textOf(event.fields, "tool_use_id"),
  };
}

/** All with the questions of this event, claimed or not. */
export function askingsOf(paths: Paths, session: string, event: HookEvent): Asking[] {
  return asSaid(paths, session, askedIn(event), [TOLD, CLAIMED]).map(({ asking }) => asking);
}

/** Takes the oldest that no other hook has taken. */
export function claimAsking(paths: Paths, session: string, event: HookEvent): Asking | undefined {
  for (const { path, asking } of asSaid(paths, session, askedIn(event), [TOLD])) {
    try {
      Deno.renameSync(path, path.slice(0, -TOLD.length) + CLAIMED);
      return asking;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // else another was quicker
    }
  }
  return undefined;
}

/** It was reported, and no hook waits beside its dialog yet: other hooks may delay the dialog. */
export function isToCome(paths: Paths, session: string, id: string): boolean {
  const names = namesIn(pendingDir(paths, session));
  const isTold = names.some((name) => [TOLD, CLAIMED].some((end) => name.endsWith(`.${id}${end}`)));
  return isTold && !names.includes(`${safeName(id)}.json`);
}

/** Those with these endings and these questions, the oldest first. */
function asSaid(
  paths: Paths,
  session: string,
  asked: Asked,
  endings: Ending[],
): { path: string; asking: Asking }[] {
  const dir = pendingDir(paths, session);
  const beginning = `${beginningOf(asked)}.`;
  const text = JSON.stringify(asked.questions);
  return namesIn(dir)
    .filter((name) => name.startsWith(beginning) && endings.some((end) => name.endsWith(end)))
    .map((name) => ({ path: `${dir}/${name}`, asking: readAsking(`${dir}/${name}`) }))
    .filter((one): one is { path: string; asking: Asking } =>
      one.asking !== undefined && isLike(JSON.stringify(one.asking.questions), text)
    );
}

function readAsking(path: string): Asking | undefined {
  try {
    const value: unknown = JSON.parse(readTextIfThere(path) ?? "null");
    return isObject(value) && typeof value.id === "string" &&
        typeof value.secret_sha256 === "string" && Array.isArray(value.questions)
      ? value as unknown as Asking
      : undefined;
  } catch {
    return undefined;
  }
}
