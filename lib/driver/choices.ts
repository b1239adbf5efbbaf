/** Reads the answers of a call and checks them against the questions, before anything is sent. */

import type { Question } from "../questions.ts";
import type { Choice } from "../question_answers.ts";
import { isLike } from "../text.ts";

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
  const named = own === word ? numbersOf(question, own.trim().toLowerCase()) : [];
  if (named.length > 1) {
    return wrong(
      `Several options of "${question.question}" read so: give a number; ${optionList(question)}`,
    );
  }
  return {
    kind: "choice",
    choice: named.length === 1 ? { options: named } : { options: [], text: own },
  };
}

/** The options with this label. A masked label may be given as it is shown or in full. */
function numbersOf({ options }: Question, label: string): number[] {
  const all = options.map((option, index) => ({
    label: option.label.toLowerCase(),
    number: index + 1,
  }));
  const same = all.filter((option) => option.label === label);
  const found = same.length > 0 ? same : all.filter((option) => isLike(option.label, label));
  return found.map(({ number }) => number);
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
