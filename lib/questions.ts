/** AskUserQuestion: what is asked, how it is shown to the agent, what was answered. */

import { textOf } from "./events.ts";
import { isObject } from "./json.ts";

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

export interface Answer {
  question: string;
  answer: string;
  notes: string;
}

/** What PostToolUse reports: an answer per question, "" where a question was left open. */
export function readAnswers(fields: Record<string, unknown>): Answer[] {
  const response = isObject(fields.tool_response) ? fields.tool_response : fields.tool_input;
  if (!isObject(response)) return [];
  const answers = isObject(response.answers) ? response.answers : {};
  const annotations = isObject(response.annotations) ? response.annotations : {};
  const asked = readQuestions(response).map((question) => question.question);
  const questions = asked.length > 0 ? asked : Object.keys(answers);
  return questions.map((question) => {
    const notes = annotations[question];
    return {
      question,
      answer: textOf(answers, question),
      notes: isObject(notes) ? textOf(notes, "notes") : "",
    };
  });
}

/** Milliseconds, where no answer came in time and the question was left (CLAUDE_AFK_TIMEOUT_MS). */
export function timeLimitOf({ tool_response: response }: Record<string, unknown>) {
  const limit = isObject(response) ? response.afkTimeoutMs : undefined;
  return typeof limit === "number" ? limit : undefined;
}

export function formatAnswers(answers: Answer[]): string {
  return answers.map(({ question, answer, notes }) =>
    [
      `Question: ${barred(question)}`,
      answer === "" ? "(not answered)" : `Answer: ${barred(answer)}`,
      ...(notes === "" ? [] : [`Notes: ${barred(notes)}`]),
    ].join("\n")
  ).join("\n\n");
}

/** The answer to one question: numbers of options (from 1), own words, or both. */
export interface Choice {
  options: number[];
  text?: string;
  notes?: string;
}

/** The answers as Claude Code takes them and reports them: by question text, in one string each. */
export function answersFrom(
  questions: Question[],
  choices: Choice[],
): {
  answers: Record<string, string>;
  annotations: Record<string, { preview?: string; notes?: string }>;
} {
  const answers: Record<string, string> = {};
  const annotations: Record<string, { preview?: string; notes?: string }> = {};
  questions.forEach((question, index) => {
    const choice = choices[index]!;
    const chosen = choice.options.map((number) => question.options[number - 1]!);
    const words = [...chosen.map((option) => option.label), ...(choice.text ? [choice.text] : [])];
    answers[question.question] = question.multiSelect ? joinChoices(words) : words[0]!;
    const preview = chosen[0]?.preview;
    if (preview || choice.notes) {
      annotations[question.question] = {
        ...(preview ? { preview } : {}),
        ...(choice.notes ? { notes: choice.notes } : {}),
      };
    }
  });
  return { answers, annotations };
}

/** Joined as Claude Code's own dialog does it. A list would be joined without the quotes. */
function joinChoices(choices: string[]): string {
  return choices.map((choice) => choice.includes(",") ? `"${choice}"` : choice).join(", ");
}

/** The same choices in the words of these questions; undefined where they do not fit them. */
export function answersBy(
  questions: Question[],
  choices: Choice[],
): ReturnType<typeof answersFrom> | undefined {
  const fitting = choices.length === questions.length &&
    choices.every((choice, index) =>
      Array.isArray(choice?.options) &&
      choice.options.every((number) => questions[index]!.options[number - 1] !== undefined) &&
      (choice.options.length > 0 || typeof choice.text === "string")
    );
  return fitting ? answersFrom(questions, choices) : undefined;
}
