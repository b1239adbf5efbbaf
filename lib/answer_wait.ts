/** Waits while a dialog is open: for an answer, its end, or the time limit. */

import {
  dropTaken,
  type Given,
  isStillOpen,
  noteShown,
  type Pending,
  takeAnswer,
} from "./answers.ts";
import { digestOf } from "./request_ids.ts";
import type { Paths } from "./paths.ts";
import type { Dialog, Screen } from "./pane.ts";

export type Waited =
  | { kind: "answered"; given: Given }
  /** The answer came when the dialog had closed: a person was quicker. */
  | { kind: "too late" }
  | { kind: "settled" }
  | { kind: "dialog gone" }
  /** Claude Code shows the dialog only when we have left. */
  | { kind: "not shown yet" }
  | { kind: "claude gone" }
  | { kind: "timeout" };

export interface WaitWorld {
  now(): number;
  /** A hook has nothing else to do; the companion has. */
  sleep(ms: number): void | Promise<void>;
  /** Claude Code has closed the request; for a hook it ends the process. */
  isOver?(): boolean;
  /** Claude Code is our parent; when it has died, our parent changes. */
  parent(): number;
  look(): Promise<Screen>;
  /** Is this the dialog that the hook waits for? */
  isOurs(dialog: Dialog): boolean;
  /** An answer came whose secret is missing or wrong; it was dropped. */
  refused(given: Given): void;
}

const LOOK_EVERY_MS = 50;
/** An answer from elsewhere may be noticed later than the agent's. */
const CLOSED_EVERY_MS = 200;
/** Esc closes a dialog without any event: only the screen shows it. */
const SCREEN_EVERY_MS = 2000;
/** A person may answer at once, and what was never seen is not gone: at first look more often. */
const FIRST_EVERY_MS = 300;
const FIRST_LOOKS_MS = 3000;
/** For a background subagent the dialog comes after its hooks; a person at the terminal waits, too. */
const HELD_BACK_MS = 60_000;

export async function waitForAnswer(
  paths: Paths,
  pending: Pending,
  world: WaitWorld,
): Promise<Waited> {
  const parent = world.parent();
  const began = world.now();
  let nextCheck = began;
  let nextLook = began;
  let missing = 0;
  let isSeen = false;
  const isForm = pending.kind === "form";
  while (true) {
    const given = takeAnswer(paths, pending);
    if (given !== undefined) {
      const isRight = await hasSecret(given, pending);
      const isLate = isForm ? await isOverTwice(world) : isSeen && await hasClosed(world);
      if (isRight && !isLate) return { kind: "answered", given };
      dropTaken(paths, pending);
      if (isRight) return { kind: "too late" };
      world.refused(given);
    }
    if (world.now() >= nextCheck) {
      if (world.isOver?.() || !isStillOpen(paths, pending)) return { kind: "settled" };
      if (world.parent() !== parent) return { kind: "claude gone" };
      if (world.now() >= Date.parse(pending.until)) return { kind: "timeout" };
      nextCheck = world.now() + CLOSED_EVERY_MS;
    }
    if (world.now() >= nextLook) {
      const screen = await world.look();
      const isOurs = screen.dialog !== undefined && world.isOurs(screen.dialog);
      if (isOurs && !isSeen) noteShown(paths, pending);
      isSeen ||= isOurs;
      if (!isSeen && pending.subagent !== undefined && world.now() >= began + HELD_BACK_MS) {
        return { kind: "not shown yet" };
      }
      // Another dialog may wait after ours: once ours was seen, a different one is the next.
      const isNext = ASKING.includes(screen.dialog?.kind ?? "");
      // Claude Code holds a dialog back while a person types: then the prompt says nothing of it.
      const isGone = isForm
        ? screen.state === "idle"
        : isSeen && !isOurs && (isPrompt(screen) || isNext);
      missing = isGone ? missing + 1 : 0;
      // Twice: between two dialogs the prompt may show for an instant.
      if (missing >= 2) return { kind: "dialog gone" };
      const isNew = !isSeen && world.now() < began + FIRST_LOOKS_MS;
      nextLook = world.now() + (isNew ? FIRST_EVERY_MS : SCREEN_EVERY_MS);
    }
    await world.sleep(LOOK_EVERY_MS);
  }
}

/** Twice, as above: a reply to a closed dialog is ignored, and would be reported as ours. */
async function hasClosed(world: WaitWorld): Promise<boolean> {
  if (!isPrompt(await world.look())) return false;
  await world.sleep(LOOK_EVERY_MS);
  return isPrompt(await world.look());
}

/** No dialog belongs to a form that its hook holds back: only an idle prompt shows its end. */
async function isOverTwice(world: WaitWorld): Promise<boolean> {
  if ((await world.look()).state !== "idle") return false;
  await world.sleep(LOOK_EVERY_MS);
  return (await world.look()).state === "idle";
}

async function hasSecret({ secret }: Given, { secret_sha256 }: Pending): Promise<boolean> {
  return typeof secret === "string" && await digestOf(secret) === secret_sha256;
}

/** Dialogs that ask something. A list or a menu on top says nothing about ours. */
const ASKING = ["question", "permission", "plan"];

/** The input box is back. Any other screen, such as the transcript, says nothing about the dialog. */
function isPrompt(screen: Screen): boolean {
  return screen.state === "idle" || screen.state === "working" || screen.state === "error";
}
