/** A queue for people and programs to read: secrets in steps and results are masked. */

import { onOneLine } from "../cli/speaker.ts";
import { maskSecrets } from "../text.ts";
import type { Paths } from "../paths.ts";
import { brief, isOpen, stateOfQueue, type Step } from "../steps.ts";
import { readQueue } from "../steps_file.ts";
import { spanOf } from "./queue_wakes.ts";

export function queueLines(paths: Paths, session: string, { json }: { json: boolean }): string[] {
  const queue = readQueue(paths, session);
  if (json) {
    const state = queue === undefined ? "empty" : stateOfQueue(queue);
    return [JSON.stringify(maskedIn({ session, state, ...queue }), null, 2)];
  }
  if (queue === undefined) return [`The queue of ${session} is empty`];
  const lines = [`${session}: ${stateOfQueue(queue)}`, ...queue.steps.map(lineOf)];
  return lines.map((line) => onOneLine(maskSecrets(line)));
}

/** The same value with each of its texts masked. */
export function maskedIn(value: unknown): unknown {
  if (typeof value === "string") return maskSecrets(value);
  if (Array.isArray(value)) return value.map(maskedIn);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskedIn(one)]));
}

const WORDS: Record<Step["state"], string> = {
  waiting: "waits",
  giving: "is given",
  begun: "runs",
  done: "done",
  failed: "failed",
  skipped: "skipped",
  unsure: "unsure",
};

function lineOf(step: Step): string {
  const took = Date.parse(step.ended_at ?? "") - Date.parse(step.began_at ?? "");
  const notes = [
    Number.isFinite(took) ? spanOf(took) : "",
    step.why ?? "",
    step.after === undefined || !isOpen(step) ? "" : `after ${step.after}`,
    step.if_last_matches === undefined ? "" : `if the last words have "${step.if_last_matches}"`,
    step.stop_on === undefined ? "" : `stops the queue on "${step.stop_on}"`,
  ].filter((note) => note !== "");
  const number = `${step.n}.`.padEnd(4);
  const note = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
  return `${number} ${WORDS[step.state].padEnd(8)}  ${brief(maskSecrets(step.text), 90)}${note}`;
}
