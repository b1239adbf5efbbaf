/** Times that people give and read: `22:00`, `2h`, `5 min 41 s`. All in local time. */

const UNITS: Record<string, number> = {
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** The latest such moment before now; undefined when the text is no time. */
export function momentOf(text: string, now: Date): Date | undefined {
  const ago = /^(\d{1,5}) ?(s|m|min|h|d)$/.exec(text);
  if (ago !== null) return new Date(now.getTime() - Number(ago[1]) * UNITS[ago[2]!]!);
  const clock = /^(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(text);
  if (clock !== null) {
    const [hours, minutes, seconds] = clock.slice(1).map((part) => Number(part ?? 0)) as [
      number,
      number,
      number,
    ];
    if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
    const then = new Date(now);
    then.setHours(hours, minutes, seconds, 0);
    // Not 24 hours back: a day may have 23 or 25.
    if (then.getTime() > now.getTime()) then.setDate(then.getDate() - 1);
    return then;
  }
  const day = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(
    text,
  );
  if (day === null) return undefined;
  const then = new Date(`${day[1]}T${day[2] ?? "00:00"}${day[3] ?? ""}`);
  return Number.isNaN(then.getTime()) ? undefined : then;
}

export const SINCE_FORMS = "a time (22:00), a date (2026-11-16 or 2026-11-16 22:00) or an age " +
  "(90s, 30min, 12h, 7d)";

const two = (value: number) => String(value).padStart(2, "0");

export function clockTime(date: Date, withSeconds = true): string {
  const minutes = `${two(date.getHours())}:${two(date.getMinutes())}`;
  return withSeconds ? `${minutes}:${two(date.getSeconds())}` : minutes;
}

export function dayOf(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** `84 ms`, `28 s`, `5 min 41 s`, `3 h 10 min`, `2 d 4 h`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  const pair = (big: number, unit: string, small: number, rest: string) =>
    small === 0 ? `${big} ${unit}` : `${big} ${unit} ${small} ${rest}`;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return pair(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return pair(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const hours = Math.round(minutes / 60);
  return pair(Math.floor(hours / 24), "d", hours % 24, "h");
}

/** The same without seconds, where they say little. */
export function roughly(ms: number): string {
  return duration(ms < 5 * 60_000 ? ms : Math.round(ms / 60_000) * 60_000);
}

export function dollars(usd: number): string {
  return usd > 0 && usd < 0.005 ? "under $0.01" : `$${usd.toFixed(2)}`;
}
