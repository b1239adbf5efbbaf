/** A queue for people and programs to read: secrets in steps and results are masked. */

import { onOneLine } from "../cli/speaker.ts";
import { holdsOn, listHolds } from "../doors/holds.ts";
import { maskSecrets, maskTexts } from "../text.ts";
import type { Paths } from "../paths.ts";
import { brief, isOpen, isWaiting, type Queue, stateOfQueue, type Step } from "../steps.ts";
import { readQueue } from "../steps_file.ts";
import type { QueueAction, QueueCallOptions } from "./queue_args.ts";
import { spanOf } from "./queue_wakes.ts";

/** `isGone`: no Claude Code runs in the session. */
export function queueLines(
  paths: Paths,
  session: string,
  { json, isGone = false }: { json: boolean; isGone?: boolean },
): string[] {
  const queue = readQueue(paths, session);
  const held = queue && heldWords(paths, session, queue.agent_id);
  const isStill = queue?.paused === undefined && queue?.steps.some(isWaiting);
  const why = held || (isGone && isStill ? NOBODY_THERE : "");
  const state = queue === undefined ? "empty" : `${stateOfQueue(queue)}${why}`;
  if (json) return [JSON.stringify(maskTexts({ session, state, ...queue }), null, 2)];
  if (queue === undefined) return [`The queue of ${session} is empty`];
  const lines = [`${session}: ${state}`, ...queue.steps.map(lineOf)];
  return lines.map((line) => onOneLine(maskSecrets(line)));
}

const NOBODY_THERE = "; no Claude Code runs in the session: steps wait until one does";

/** Why no step is given now: the session is paused or taken. "" where steps are given. */
export function heldWords(paths: Paths, session: string, agent_id: string): string {
  const holds = listHolds(paths).filter(({ kind }) => kind !== "quiet");
  const [hold] = holdsOn(holds, { agent_id, session, trigger: "" });
  if (hold === undefined) return "";
  if (hold.kind === "taken") {
    return "; a person has taken the session: steps wait for gsd-code give";
  }
  const what = hold.kind === "agent" ? `the agent ${hold.name}` : "the session";
  const until = hold.until === undefined
    ? "for gsd-code resume"
    : `until ${hold.until.slice(0, 16)}Z`;
  return `; ${what} is paused: steps wait ${until}`;
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

/** What an action is called when it is done. */
export const STATUS: Record<QueueAction["kind"], { name: string; isOfStep?: true }> = {
  add: { name: "added", isOfStep: true },
  drop: { name: "dropped", isOfStep: true },
  move: { name: "moved", isOfStep: true },
  list: { name: "listed" },
  clear: { name: "cleared" },
  pause: { name: "paused" },
  resume: { name: "resumed" },
};

/** What was done, as a line or as JSON. */
export function reportOf(
  paths: Paths,
  { session, agent }: { session: string; agent: { agent_id: string } },
  { kind }: QueueAction,
  { queue, steps }: { queue: Queue | undefined; steps: Step[] },
  { json, dryRun }: Pick<QueueCallOptions, "json" | "dryRun">,
): string {
  const held = queue === undefined ? "" : heldWords(paths, session, agent.agent_id);
  if (json) {
    const state = queue === undefined ? "empty" : `${stateOfQueue(queue)}${held}`;
    return JSON.stringify(maskTexts({ session, [kind]: steps, state, dry_run: dryRun }));
  }
  const named = `${steps.length === 1 ? "step" : "steps"} ${numbersOf(steps)}`;
  const what = STATUS[kind].isOfStep ? named : "the queue";
  const state = queue === undefined ? "the queue is empty" : `${stateOfQueue(queue)}${held}`;
  const verb = dryRun ? `Would have ${STATUS[kind].name}` : capitalised(STATUS[kind].name);
  return onOneLine(maskSecrets(`${verb} ${what}: ${session}: ${state}`));
}

/** `2, 5 to 9` */
function numbersOf(steps: Step[]): string {
  const spans: [first: number, last: number][] = [];
  for (const { n } of steps) {
    const span = spans.at(-1);
    if (span !== undefined && span[1] === n - 1) span[1] = n;
    else spans.push([n, n]);
  }
  return spans.map(([first, last]) =>
    last - first > 3
      ? `${first} to ${last}`
      : Array.from({ length: last - first + 1 }, (_, at) => first + at).join(", ")
  ).join(", ");
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
