/** What goes on after a turn has ended, and whether it is sure to wake Claude. */

import { backgroundTasks, type HookEvent, textOf } from "./events.ts";
import { isObject } from "./json.ts";
import { oneLine } from "./text.ts";

export interface StillRunning {
  /** One line each, of foreign text. */
  lines: string[];
  tasks: number;
  /** A subagent ends and a time comes. A server may run forever, and wakes no agent. */
  willWake: boolean;
  /** The same without what is set again and again: that never ends. */
  willEnd: boolean;
  /** When Claude Code wakes Claude, where a time is set: `16:59`. */
  resumesAt?: string;
}

/** Kinds of tasks that come to an end, at which Claude Code wakes Claude. */
const ENDING = ["subagent", "workflow"];
/** ScheduleWakeup takes an hour at most. What is set for later is no reason to wait. */
const MOST_MINUTES = 60;

export function stillRunning(event: HookEvent, now: Date): StillRunning {
  const tasks = backgroundTasks(event);
  const set = scheduled(event, now);
  const times = set.flatMap(({ at }) => at === undefined ? [] : [at]);
  const first = times.sort((a, b) => a.getTime() - b.getTime())[0];
  const isEnding = tasks.some(({ type }) => ENDING.includes(type));
  return {
    lines: [
      ...tasks.map((task) => oneLine(`- ${task.type} "${task.description}"`)),
      ...set.map(({ prompt, when }) => oneLine(`- scheduled (${when}) "${prompt}"`)),
    ],
    tasks: tasks.length,
    willWake: first !== undefined || isEnding,
    willEnd: isEnding || set.some(({ at, isRecurring }) => at !== undefined && !isRecurring),
    ...(first === undefined ? {} : { resumesAt: hourAndMinute(first) }),
  };
}

/** What Claude Code is to tell Claude at the times that are set. Foreign text. */
export function scheduledPrompts(event: HookEvent): string[] {
  return scheduled(event, new Date(0)).map(({ prompt }) => prompt);
}

interface Scheduled {
  prompt: string;
  when: string;
  /** Within the hour. */
  at?: Date;
  isRecurring: boolean;
}

function scheduled({ fields }: HookEvent, now: Date): Scheduled[] {
  const crons = Array.isArray(fields.session_crons) ? fields.session_crons.filter(isObject) : [];
  return crons.map((cron) => {
    const schedule = textOf(cron, "schedule");
    const at = nextTime(schedule, now);
    const when = at === undefined ? schedule : hourAndMinute(at);
    const isRecurring = cron.recurring === true;
    return {
      prompt: textOf(cron, "prompt"),
      when,
      isRecurring,
      ...(at === undefined ? {} : { at }),
    };
  });
}

/** The next time of a schedule in cron's five fields, if it is within the hour. */
export function nextTime(schedule: string, now: Date): Date | undefined {
  const fields = schedule.trim().split(/\s+/);
  if (fields.length !== 5) return undefined;
  for (let minutes = 1; minutes <= MOST_MINUTES; minutes++) {
    const at = new Date(now);
    at.setMinutes(now.getMinutes() + minutes, 0, 0);
    const parts = [at.getMinutes(), at.getHours(), at.getDate(), at.getMonth() + 1, at.getDay()];
    if (fields.every((field, index) => includes(field, parts[index]!))) return at;
  }
  return undefined;
}

// `5`, `1,2`, `9-17`, `*`, and the last two with a step: `*/10`.
function includes(field: string, value: number): boolean {
  return field.split(",").some((part) => {
    const [range = "", step = "1"] = part.split("/");
    const [first, last = first] = range === "*" ? ["0", "59"] : range.split("-");
    const from = Number(first);
    return value >= from && value <= Number(last) && (value - from) % Number(step) === 0;
  });
}

/** In the time of the machine: a person reads it. */
export function hourAndMinute(at: Date): string {
  return `${String(at.getHours()).padStart(2, "0")}:${String(at.getMinutes()).padStart(2, "0")}`;
}
