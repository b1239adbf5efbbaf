/** Pastes a text into Claude Code's input box, checks that it shows, and sends it with Enter. */

import type { ClaudePane, PaneScreen } from "./claude_pane.ts";
import { asDrawn } from "../doors/as_drawn.ts";
import { emptyBox } from "./empty_box.ts";
import { waitForReadable, waitForScreen } from "./screen_wait.ts";

export type Typed =
  | { kind: "sent"; screen: PaneScreen }
  /** Claude Code is gone. */
  | { kind: "ended"; reason: string }
  /** Nothing was sent, and the box is empty. */
  | { kind: "refused"; reason: string }
  | { kind: "unsure"; reason: string };

const SHOWN_WITHIN_MS = 10_000;
/** Before this, Enter may only be late: a second one would act on what the first has opened. */
const SENT_WITHIN_MS = 8000;
const OFFERED_WITHIN_MS = 1500;
/** On a busy machine offers are late, as the text was: so many times as late at the most. */
const OFFERED_PER_SHOWN = 10;
const ANSWERED_WITHIN_MS = 1500;
const KEY_PAUSE_MS = 100;

const ENDED: Typed = { kind: "ended", reason: "Claude Code has ended" };

export async function typeText(pane: ClaudePane, text: string): Promise<Typed> {
  const began = pane.clock.now();
  const pasted = await pasteText(pane, text);
  const shownMs = pane.clock.now() - began;
  if (!isOurs(pasted, text)) {
    if (pasted.draft === "") {
      return {
        kind: "unsure",
        reason: "the pasted text did not show, and may still appear: look with snapshot",
      };
    }
    await emptyBox(pane);
    return { kind: "refused", reason: `the box showed something else: "${short(pasted.draft)}"` };
  }
  let screen = await withOffers(pane, pasted, text, shownMs);
  const wrongCommand = whyNoCommand(screen, text);
  if (wrongCommand !== undefined) {
    await emptyBox(pane);
    return { kind: "refused", reason: wrongCommand };
  }
  const isKnown = screen.dialog?.title === "Commands" && !/\s/.test(text.trim());
  let isOver = false;
  const isAnswered = async (now: PaneScreen) => {
    isOver = now.state === "unknown" && await pane.hasEnded();
    return isOver || isSent(now);
  };
  for (let attempt = 0; attempt < 2 && isOurs(screen, text); attempt++) {
    // The screen may be older than a shell that has replaced Claude Code.
    if (attempt > 0 && await pane.hasEnded()) return ENDED;
    await prepareEnter(pane, screen, text);
    await pane.press("Enter");
    screen = await waitForReadable(pane, SENT_WITHIN_MS, isAnswered);
    if (isOver) return ENDED;
    if (isSent(screen)) {
      return isKnown ? { kind: "sent", screen } : await unlessRefused(pane, pasted, text, screen);
    }
  }
  const reason = isOurs(screen, text)
    ? "Enter did not send it; it is still in the box"
    : "Enter was pressed, but the screen cannot be read: look with snapshot";
  return { kind: "unsure", reason };
}

async function pasteText(pane: ClaudePane, text: string): Promise<PaneScreen> {
  if (text.startsWith("!")) return await pasteBang(pane, text);
  await pane.paste(text);
  return await waitForReadable(pane, SHOWN_WITHIN_MS, (screen) => isOurs(screen, text));
}

/**
 * A "!" at the very beginning turns the box into a shell. So it is pasted behind a blank, which is
 * then deleted. The cursor cannot be seen, so a wrong result is cleared and tried again.
 */
async function pasteBang(pane: ClaudePane, text: string): Promise<PaneScreen> {
  let screen = await pane.look();
  for (let attempt = 0; attempt < 3; attempt++) {
    await pane.paste(" !");
    await waitForScreen(pane, SENT_WITHIN_MS, (now) => now.draft === "!");
    await pane.press("C-a");
    await pane.clock.sleep(KEY_PAUSE_MS);
    await pane.press("C-d");
    await waitForScreen(pane, SENT_WITHIN_MS, beginsWithBang);
    await pane.press("C-e");
    await pane.clock.sleep(KEY_PAUSE_MS);
    if (text.length > 1) await pane.paste(text.slice(1));
    const isRight = (now: PaneScreen) => now.ready && beginsWithBang(now) && isOurs(now, text);
    screen = await waitForScreen(pane, SENT_WITHIN_MS, isRight);
    if (isRight(screen)) return screen;
    await emptyBox(pane);
  }
  return await pane.look(); // the box is empty: nothing is sent
}

/** Read from the screen, because a draft is read without the blanks around it. */
function beginsWithBang({ text }: PaneScreen): boolean {
  const box = text.split("\n").findLast((line) => line.startsWith("❯"));
  return /^❯[ \u00a0]!/.test(box ?? "");
}

/** Claude Code's offers for a command or a name appear a moment after the text. */
async function withOffers(
  pane: ClaudePane,
  screen: PaneScreen,
  text: string,
  shownMs: number,
): Promise<PaneScreen> {
  if (!/^\/\S*$|(^|\s)@\S*$/.test(text)) return screen;
  const soon = Math.max(OFFERED_WITHIN_MS, OFFERED_PER_SHOWN * shownMs);
  const within = Math.min(soon, SHOWN_WITHIN_MS);
  return await waitForScreen(pane, within, (now) => now.dialog !== undefined);
}

/** Enter behind a backslash makes a new line; in a list of names it takes one of them. */
async function prepareEnter(pane: ClaudePane, screen: PaneScreen, text: string): Promise<void> {
  if (text.endsWith("\\")) await pane.press("C-a");
  if (screen.dialog?.title === "Suggestions") {
    await pane.press("Escape");
    await waitForScreen(pane, SENT_WITHIN_MS, (now) => now.dialog === undefined);
  }
}

/** Enter takes the first command offered, even if it only resembles the text. */
function whyNoCommand(screen: PaneScreen, text: string): string | undefined {
  const { dialog } = screen;
  if (dialog?.title !== "Commands" || /\s/.test(text.trim())) return undefined;
  const first = dialog.options.find((option) => option.focused) ?? dialog.options[0];
  if (first !== undefined && namesIn(first.label).includes(text.trim())) return undefined;
  const instead = first === undefined ? "" : ` (it would take ${first.label})`;
  return `Claude Code has no command "${text.trim()}"${instead}`;
}

/** `/exit (quit)` is /exit and /quit. */
function namesIn(label: string): string[] {
  const [name = "", ...others] = label.split(/[ (,)]+/);
  return [name, ...others.filter((other) => other !== "").map((other) => `/${other}`)];
}

/** Of a command that was not offered, only Claude Code's reply shows that it is unknown. */
async function unlessRefused(
  pane: ClaudePane,
  before: PaneScreen,
  text: string,
  sent: PaneScreen,
): Promise<Typed> {
  const name = /^\/\S+(?=\s|$)/.exec(text)?.[0];
  if (name === undefined) return { kind: "sent", screen: sent };
  const refusals = (screen: PaneScreen) => screen.text.split(`Unknown command: ${name}`).length;
  const isRefused = (screen: PaneScreen) => refusals(screen) > refusals(before);
  const isOpen = ({ dialog }: PaneScreen) => dialog !== undefined && dialog.kind !== "slash_menu";
  const isAnswered = (screen: PaneScreen) => isRefused(screen) || isOpen(screen);
  const screen = await waitForScreen(pane, ANSWERED_WITHIN_MS, isAnswered);
  return isRefused(screen)
    ? { kind: "unsure", reason: `Claude Code refused it: it has no command "${name}"` }
    : { kind: "sent", screen };
}

/** The box shows the text, a long part of it, or a placeholder for a long paste. */
export function isOurs(screen: PaneScreen, text: string): boolean {
  if (screen.draft === "") return false;
  if (/\[Pasted text #\d+/.test(screen.draft)) return true;
  const shown = asDrawn(screen.draft);
  const wanted = asDrawn(text);
  return shown === wanted || (shown.length > 100 && wanted.includes(shown));
}

function isSent(screen: PaneScreen): boolean {
  return screen.state !== "unknown" && screen.draft === "";
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
