/** Presses keys in the real Claude Code, and checks the effect of each. */

import { readScreen } from "../../lib/pane.ts";
import { type Clock, realClock } from "../../lib/time.ts";
import { draftIn, LOST_AFTER_MS, type RealClaude } from "./real_claude.ts";
import { until } from "./until.ts";

/** A dialog that has just opened drops keys (Claude Code 2.1.325: for 150 ms). */
const OPENING_MS = 300;

export interface PressOptions {
  times?: number;
  /** Default: the cursor or a row of the dialog has changed. */
  hasWorked?: (screen: string) => boolean;
  clock?: Clock;
}

/** Presses a key in the dialog on the screen, and again only when it was lost. */
export async function press(
  claude: RealClaude,
  key: string,
  { times = 1, hasWorked, clock = realClock }: PressOptions = {},
): Promise<void> {
  await clock.sleep(OPENING_MS);
  const asked = titleOf(await claude.capture());
  // In another dialog the key would do something else.
  const isSafe = (screen: string) => titleOf(screen) === asked;
  for (let pressed = 0; pressed < times; pressed++) {
    const before = rowsIn(await claude.capture());
    const works = hasWorked ?? ((screen: string) => rowsIn(screen) !== before);
    await insist(claude, key, works, { isSafe, clock });
  }
}

/** Moves the cursor of a dialog down to a row. */
export async function moveTo(claude: RealClaude, isIt: (row: string) => boolean): Promise<void> {
  const isThere = (screen: string) => isIt(readScreen(screen).dialog?.focused ?? "");
  while (!isThere(await claude.capture())) await press(claude, "Down");
}

/** Types at the cursor, and waits until the text shows. */
export async function write(claude: RealClaude, text: string): Promise<void> {
  await claude.keys("-l", text);
  await claude.waitForScreen(`"${text}"`, (screen) => screen.includes(text));
}

/** Types a command and sends it: it may open a menu, or end the program. */
export async function command(
  claude: RealClaude,
  text: string,
  clock = realClock,
): Promise<void> {
  const isDraft = (screen: string) => draftIn(screen).startsWith(text);
  await claude.keys("-l", text);
  await claude.waitForScreen(text, isDraft);
  await insist(claude, "Enter", (screen) => !isDraft(screen), { isSafe: isDraft, clock });
}

async function insist(
  claude: RealClaude,
  key: string,
  hasWorked: (screen: string) => boolean,
  { isSafe, clock = realClock }: { isSafe: (screen: string) => boolean; clock?: Clock },
): Promise<void> {
  let last = -Infinity;
  await until(`${key} to work`, async () => {
    if (await claude.hasEnded()) return true;
    const screen = await claude.capture();
    if (hasWorked(screen)) return true;
    if (!isSafe(screen) || clock.now() - last < LOST_AFTER_MS) return false;
    await claude.keys(key);
    last = clock.now();
    return false;
  }, { present: claude.capture, clock });
}

function titleOf(screen: string): string | undefined {
  return readScreen(screen).dialog?.title;
}

/** What a key can change in a dialog. A spinner, clock or hint does not count. */
function rowsIn(screen: string): string {
  const { dialog } = readScreen(screen);
  return JSON.stringify([dialog?.kind, dialog?.title, dialog?.focused, dialog?.options]);
}
