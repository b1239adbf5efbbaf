/** What the roads into the prompt share: how a text is named, what it needs, what is in its way. */

import { decides } from "../dialog_kind.ts";
import type { PaneScreen } from "./claude_pane.ts";

export type RoadName = "mod" | "socket" | "keys";

/** Ends the line that reports success. */
export const ROAD_TAKEN: Record<RoadName, string> = {
  mod: "(through the mod)",
  socket: "(through the inbox socket)",
  keys: "(with keys)",
};

/** How the prompt is to be given. */
export interface Giving {
  /** Also while Claude works: it reads the text after this turn. */
  queue: boolean;
  /** Interrupt the running turn first. */
  now: boolean;
}

/** Commands that end Claude Code. It also accepts those of an editor. */
export const EXITS = /^\s*(\/exit|\/quit|exit|quit|:w?q!?)\s*$/;

/** A short text in quotes; for a longer one, its length. */
export function count(text: string): string {
  const lines = text.split("\n").length;
  const short = text.length <= 60 && lines === 1;
  return short
    ? `"${text}"`
    : `${text.length} characters in ${lines} line${lines === 1 ? "" : "s"}`;
}

/** The open dialog that takes what is typed; a list of commands does not. */
export function dialogInTheWay({ dialog }: PaneScreen): PaneScreen["dialog"] {
  return dialog?.kind === "slash_menu" ? undefined : dialog;
}

/** What an agent can do about an open dialog. `mayDecide`: it has `answer_permissions`. */
export function wayOut(kind: string, mayDecide: boolean): string {
  if (kind === "question") return "choose or answer it, or esc";
  if (kind === "review") return "submit it, or esc";
  if (!decides(kind)) return "esc closes it";
  return mayDecide ? "allow, deny or choose, or esc" : "a person answers it, or esc";
}

/** An escape sequence could end the paste and press keys. Only keys have to refuse it. */
export function whyUnfitForKeys(text: string): string | undefined {
  const control = /(?![\n\r\t])\p{Cc}/u.exec(text);
  if (control === null) return undefined;
  const code = control[0].codePointAt(0)!.toString(16).padStart(4, "0").toUpperCase();
  return `The text holds the control character U+${code}, which a terminal would act on`;
}
