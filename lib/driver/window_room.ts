/**
 * Makes the window of Claude Code higher for a look, and puts it back. In a low window a dialog is
 * not drawn in full, and a dialog that cannot be read in full is not decided.
 */

import type { ClaudePane, PaneScreen, PaneWorld } from "./claude_pane.ts";
import { decides } from "../dialog_kind.ts";
import { type DriverContext, mayUseHook } from "./driver_context.ts";
import type { HeldLock } from "../doors/held_lock.ts";
import { listPending } from "../answers.ts";
import type { Verb } from "./menu_order.ts";
import type { TmuxResult } from "../tmux.ts";
import { waitForScreen } from "./screen_wait.ts";

export interface WindowRoom {
  /** The screen in the larger window. */
  screen: PaneScreen;
  restore(): Promise<void>;
}

/** The rows of the larger pane: enough for every known dialog. */
const ROWS = 100;
const DRAWN_WITHIN_MS = 2000;
/** If we are killed, tmux puts the window back by itself after this. */
const RESTORED_AFTER_S = 30;
/** A window option that is set while the window is larger. Each look has its own value. */
const MARK = "@gsd-room";

/** Whether the screen cannot be read, or only in part. */
export function needsRoom({ state, dialog }: PaneScreen): boolean {
  if (dialog === undefined) return state === "unknown";
  // Pages without rows are common. One line alone is what is below a draft higher than the window.
  if (dialog.kind === "other" && dialog.options.length === 0) return !dialog.text.includes("\n");
  const isCut = decides(dialog.kind) || ["question", "review", "other"].includes(dialog.kind);
  return isCut && !dialog.whole;
}

/** The hook takes its answer without a screen, and Escape leaves every dialog. */
export function mayNeedRoom(context: DriverContext, verb: Verb, question?: string): boolean {
  const isForHook = listPending(context.paths, context.session)
    .some((one) => one.id === question && mayUseHook(context, one));
  return !context.dryRun && !isForHook && verb.kind !== "esc";
}

/** The screen in a larger window. A look needs no turn, and disturbs no driver that has one. */
export async function lookWithRoom(
  world: PaneWorld,
  pane: ClaudePane,
  lock: HeldLock | undefined,
): Promise<PaneScreen | undefined> {
  if (lock === undefined) return undefined;
  try {
    const room = await makeRoom(world, pane);
    await room?.restore();
    // Some screens cannot be read at any size.
    return room?.screen.state === "unknown" ? undefined : room?.screen;
  } finally {
    lock.release();
  }
}

/** Undefined where the window must stay as it is: a terminal is attached, or it is high already. */
export async function makeRoom(
  { tmux }: PaneWorld,
  pane: ClaudePane,
  restoredAfterS = RESTORED_AFTER_S,
): Promise<WindowRoom | undefined> {
  const format = "#{window_id} #{window_width} #{window_height} #{pane_height} #{window_panes} " +
    `#{window_zoomed_flag} #{window_layout} #{${MARK}}`;
  const shown = outputOf(await tmux.call("display-message", "-p", "-t", pane.id, format));
  const [window = "", width, height, rows, panes, zoomed, layout, mark = ""] = shown.split(" ");
  const missing = ROWS - Number(rows);
  // Another look still has it, or has left it so: tmux puts it back soon.
  if (!/^@\d+$/.test(window) || !(missing > 0) || mark !== "") return undefined;
  if (await isWatched(tmux, window)) return undefined;

  const set = outputOf(await tmux.call("show-options", "-w", "-v", "-t", window, "window-size"));
  const token = crypto.randomUUID();
  const back = [
    `resize-window -t ${window} -x ${width} -y ${height}`,
    // resize-window has set it to "manual".
    `set-option -w ${/^[a-z]+$/.test(set) ? "" : "-u "}-t ${window} window-size ${set}`.trim(),
    // The other panes would stay a row off; the layout ends a zoom.
    ...(Number(panes) > 1 ? [`select-layout -t ${window} "${layout}"`] : []),
    ...(zoomed === "1" ? [`resize-pane -Z -t ${window}`] : []),
    `set-option -w -u -t ${window} ${MARK}`,
  ].join(" ; ");
  const restore = ["if-shell", "-F", "-t", window, `#{==:#{${MARK}},${token}}`, back];
  // ##: run-shell expands its text at once, but the mark counts when the time is up.
  const later = `if-shell -F -t ${window} "##{==:##{${MARK}},${token}}" '${back}'`;
  const larger = Number(height) + missing * Number(panes);
  // One call: tmux has its order to put the window back, also if we are killed.
  const made = await tmux.call(
    ...["run-shell", "-b", "-d", String(restoredAfterS), "-C", later, ";"],
    ...["set-option", "-w", "-t", window, MARK, token, ";"],
    ...["resize-window", "-t", window, "-y", String(larger)],
  );
  const room = async () => void await tmux.call(...restore);
  if (made.kind === "failed") {
    await room();
    return undefined;
  }
  try {
    let last = "";
    const isDrawn = (screen: PaneScreen) => {
      const isSame = screen.text === last;
      last = screen.text;
      return isSame && !needsRoom(screen);
    };
    return { screen: await waitForScreen(pane, DRAWN_WITHIN_MS, isDrawn), restore: room };
  } catch (error) {
    await room();
    throw error;
  }
}

/** Is a terminal attached to any session that has this window? */
async function isWatched(tmux: PaneWorld["tmux"], window: string): Promise<boolean> {
  const listed = await tmux.call("list-windows", "-a", "-F", "#{window_id} #{session_attached}");
  if (listed.kind === "failed") return true;
  return listed.stdout.split("\n").some((line) => {
    const [id, attached] = line.split(" ");
    return id === window && attached !== "0";
  });
}

function outputOf(result: TmuxResult): string {
  return result.kind === "ok" ? result.stdout.trimEnd() : "";
}
