/** The orders of the driver, for the journal. */

import { keepText } from "../doors/kept_texts.ts";
import { MOST_TEXT, record } from "../journal.ts";
import { instruction } from "../records.ts";
import { maskSecrets } from "../text.ts";
import type { ActionResult, DriverContext } from "./driver_context.ts";
import type { DrivingVerb } from "./menu_order.ts";

/** Answers and decisions have their own records, unless they failed. */
export function noteInstruction(
  context: DriverContext,
  verb: DrivingVerb,
  instruction_id: string,
  result: ActionResult,
  began: Date,
): void {
  const { paths, session, agentId: agent_id, by, byKind: by_kind, caller } = context;
  // A session that is not managed has no journal.
  if (agent_id === "" || context.dryRun || (result.kind === "done" && result.isAnswer)) return;
  const text = instructionText(verb);
  record(
    paths,
    instruction({
      ...{ session, agent_id, instruction_id, by, by_kind, caller, action: verb.kind },
      ...(text === undefined ? {} : { text }),
      via: result.kind === "done" ? result.via ?? "keys" : "keys",
      ...(result.kind === "refused" ? { refused: result.reason } : {}),
    }),
    began,
  );
  if ((text?.length ?? 0) > MOST_TEXT) keepText(paths, session, instruction_id, maskSecrets(text!));
}

function instructionText(verb: DrivingVerb): string | undefined {
  switch (verb.kind) {
    case "type":
    case "clear_then":
      return verb.text;
    case "answer":
    case "fill":
      return verb.words.join("  ");
    case "choose":
      return String(verb.number);
    case "deny":
      return verb.message;
    default:
      return undefined;
  }
}
