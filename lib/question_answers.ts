/** The answers to questions: read from an event, written for a wake and for Claude Code. */

import { barred, type Question, readQuestions } from "./questions.ts";
import { textOf } from "./events.ts";
import { isObject } from "./json.ts";

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
