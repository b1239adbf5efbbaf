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
