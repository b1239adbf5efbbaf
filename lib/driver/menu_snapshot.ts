/** `menu-driver snapshot`: the screen as it is, or what it means. */

import { listPending } from "../answers.ts";
import { readScreen } from "../pane.ts";
import { maskFields, maskForApproval } from "../text.ts";
import { UNKNOWN_CALLER } from "./caller.ts";
import { findPane } from "./claude_pane.ts";
import { type ActionResult, describe, refused } from "./driver_context.ts";
import { driverLock } from "./driver_turn.ts";
import { contextFor, type DriverWorld, paneWorld } from "./driver_world.ts";
import type { MenuOptions } from "./menu_order.ts";
import { lookWithRoom, needsRoom } from "./window_room.ts";

/** The output shows no secret that the wake has masked. */
export function shown(sentence: string): string {
  return maskForApproval(sentence, "screen").text;
}

export async function snapshot(
  world: DriverWorld,
  session: string,
  options: MenuOptions,
): Promise<ActionResult> {
  const panes = paneWorld(world, options);
  const found = await findPane(panes, session, options.pane, "of Claude");
  if (found.kind === "none") return refused(found.reason);
  const larger = needsRoom(found.screen) && !options.dryRun
    ? await lookWithRoom(panes, found.pane, await driverLock(world, session))
    : undefined;
  const whole = larger ?? found.screen;
  const { text, ...screen } = whole;
  const context = await contextFor(world, session, options, found.pane, UNKNOWN_CALLER);
  const pending = listPending(world.paths, session).map((one) => {
    const { secret_sha256: _, ...open } = one;
    return { ...open, waiting: context.isWaiting(one) };
  });
  if (options.json) {
    // A row joins lines, and a key with them: it is masked while it is one.
    const { dialog } = readScreen(maskForApproval(text, "screen").text);
    const seen = dialog?.kind === screen.dialog?.kind ? { dialog } : {};
    const reading = { session, pane: found.pane.id, ...screen, ...seen, pending, text };
    return { kind: "done", said: JSON.stringify(maskFields(reading, "screen"), null, 1) };
  }
  const waiting = pending.filter((one) => one.waiting).map((one) =>
    `, ${one.id} waits for an answer`
  );
  const state = describe(whole).replace(/^the present state is /, "state: ") +
    (larger === undefined ? "" : ", seen in a higher window than it has");
  // An agent decides by what it sees here: nothing that a shell acts on is hidden.
  return { kind: "done", said: `${shown(text.trimEnd())}\n\n[${shown(state)}${waiting.join("")}]` };
}
