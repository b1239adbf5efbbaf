/** Reads the answers of a call and checks them against the questions, before anything is sent. */

import type { Question } from "../questions.ts";

/** The answer to one question: numbers of options (from 1), own words, or both. */
export interface Choice {
  options: number[];
  text?: string;
  notes?: string;
}

export type ChoicesReading = { kind: "choices"; choices: Choice[] } | {
  kind: "wrong";
  reason: string;
};

/**
 * One word per question: `2`, `1,3` where several may be chosen, a label, or free text. Behind
 * `text:` anything is free text, also a number; `1,3,text:and this` is both.
 */
export function readChoices(
  questions: Question[],
  words: string[],
  notes: string[],
): ChoicesReading {
  if (words.length !== questions.length) {
    const asked = questions.map((question, index) => `${index + 1}. ${question.question}`).join(
      " ",
    );
    return wrong(
      `${count(questions.length, "question")} ${questions.length === 1 ? "is" : "are"} open and ` +
        `${count(words.length, "answer")} given; give one for each of: ${asked}`,
    );
  }
  if (notes.length > questions.length) {
    return wrong(`There are ${notes.length} notes for ${count(questions.length, "question")}`);
  }
  const choices: Choice[] = [];
  for (const [index, question] of questions.entries()) {
    const reading = readChoice(question, words[index]!);
    if (reading.kind === "wrong") return reading;
    choices.push({ ...reading.choice, ...(notes[index] ? { notes: notes[index] } : {}) });
  }
  return { kind: "choices", choices };
}

function readChoice(
  question: Question,
  word: string,
): { kind: "choice"; choice: Choice } | { kind: "wrong"; reason: string } {
  const numbers = /^(\d+(?:\s*,\s*\d+)*)(?:\s*,\s*text:([^]+))?$/.exec(word.trim());
  if (numbers === null) return readWords(question, word);
  const options = [...new Set(numbers[1]!.split(",").map(Number))];
  const missing = options.find((number) => number < 1 || number > question.options.length);
  if (missing !== undefined) {
    return wrong(
      `Question "${question.question}" has no option ${missing}; ${optionList(question)}`,
    );
  }
  const text = numbers[2]?.trim();
  if (!question.multiSelect && options.length + (text ? 1 : 0) > 1) {
    return wrong(`Question "${question.question}" takes one answer; ${optionList(question)}`);
  }
  return { kind: "choice", choice: { options, ...(text ? { text } : {}) } };
}

function readWords(
  question: Question,
  word: string,
): { kind: "choice"; choice: Choice } | { kind: "wrong"; reason: string } {
  const own = /^text:([^]*)$/.exec(word)?.[1] ?? word;
  if (own.trim() === "") return wrong(`The answer to "${question.question}" is empty`);
  const label = own === word
    ? question.options.findIndex((option) =>
      option.label.toLowerCase() === own.trim().toLowerCase()
    )
    : -1;
  return {
    kind: "choice",
    choice: label >= 0 ? { options: [label + 1] } : { options: [], text: own },
  };
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

function optionList(question: Question): string {
  const options = question.options.map((option, index) => `${index + 1}. ${option.label}`);
  return `its options are: ${options.join(", ")}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function wrong(reason: string): { kind: "wrong"; reason: string } {
  return { kind: "wrong", reason };
}
