/** Gives a prompt by the inbox socket: Claude reads it as the message of another session. */

import { type ActionResult, type DriverContext, refused, unsure } from "./driver_context.ts";
import {
  type InboxRoad,
  LONGEST_LINE,
  messageLines,
  noteSent,
  readSent,
  sendToInbox,
  whyDropped,
} from "./inbox_road.ts";
import { count, type Giving, ROAD_TAKEN } from "./prompt_words.ts";

const TAKEN_WITHIN_MS = 10_000;

export async function typeBySocket(
  context: DriverContext,
  inbox: InboxRoad,
  text: string,
  { now }: Giving,
): Promise<ActionResult> {
  const { paths, session, pane } = context;
  const message = { text, priority: now ? "now" : "next" } as const;
  if (new TextEncoder().encode(messageLines({}, message)).length > LONGEST_LINE) {
    return refused("the text is too long for the inbox socket, which takes 1 MiB");
  }
  const at = context.now().getTime();
  const held = whyDropped(readSent(paths, session), text, at);
  if (held !== undefined) return refused(held);
  const words = inbox.status === "idle" || now ? "Typed" : "Queued:";
  const said = `${words} ${count(text)} ${ROAD_TAKEN.socket}`;
  if (context.dryRun) {
    return { kind: "done", said: `Would type ${count(text)} ${ROAD_TAKEN.socket}`, via: "socket" };
  }
  noteSent(paths, session, text, at);
  context.beforePrompt(text);
  const answer = await sendToInbox(inbox, message, { clock: pane.clock, waitMs: TAKEN_WITHIN_MS });
  switch (answer.kind) {
    case "taken":
      return { kind: "done", said, via: "socket" };
    case "closed":
      return refused(answer.reason);
    case "unsure":
      return unsure(`${answer.reason}; it may have been done: look before you try again`);
  }
}
