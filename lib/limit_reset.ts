/** When an API limit ends, from the words of a failure. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** `at`: when it was said. Undefined where no time is named, or none that can be meant. */
export function resetIn(text: string, at: number): number | undefined {
  const seconds = /(?:limit reached|resets?)\D{0,12}\b(1\d{9})\b/i.exec(text)?.[1];
  if (seconds !== undefined) return plausible(Number(seconds) * 1000, at);
  const iso = /resets?(?: at)? (\d{4}-\d\d-\d\dT[\d:.]+Z)/i.exec(text)?.[1];
  if (iso !== undefined) return plausible(Date.parse(iso), at);
  const inSome = /(?:retry|try again|resets?) (?:in|after) (\d+) ?(s|m|h)/i.exec(text);
  if (inSome !== null) return at + Number(inSome[1]) * UNITS[inSome[2]!.toLowerCase()]!;
  const clock = /resets?(?: at)? (\d{1,2})(?::(\d\d))? ?(am|pm)?\b(?: ?\(([\w/+-]+)\))?/i.exec(
    text,
  );
  if (clock === null) return undefined;
  const [, hour = "", minute = "0", half = "", zone = ""] = clock;
  if (half === "" && !/:\d\d/.test(clock[0])) return undefined;
  return nextTime(hourOf(Number(hour), half), Number(minute), zone === "UTC", at);
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: HOUR_MS };

function hourOf(hour: number, half: string): number {
  if (half === "") return hour;
  return hour % 12 + (/pm/i.test(half) ? 12 : 0);
}

/** The next time a clock shows it: this machine's, or one of UTC. */
function nextTime(hour: number, minute: number, isUtc: boolean, at: number): number | undefined {
  if (hour > 23 || minute > 59) return undefined;
  const day = new Date(at);
  const same = isUtc
    ? Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate(), hour, minute)
    : new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour, minute).getTime();
  return same > at ? same : same + DAY_MS;
}

function plausible(time: number, at: number): number | undefined {
  return time > at - DAY_MS && time < at + 8 * DAY_MS ? time : undefined;
}
