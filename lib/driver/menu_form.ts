/** The actions for the form of an MCP server: fill, decline, leave. Its hook alone can take them. */

import type { GivenDecision } from "../answers.ts";
import { fieldsOf, readValues } from "../forms.ts";
import {
  type ActionResult,
  describe,
  type DriverContext,
  pendingHere,
  refused,
  whyWrongSecret,
} from "./driver_context.ts";
import type { MenuOptions, Verb } from "./menu_order.ts";
import { givenBy, throughHook } from "./settle.ts";

type FormVerb = { kind: "decline" | "leave" } | Extract<Verb, { kind: "fill" }>;

const SAID = { fill: "Filled in", decline: "Declined", leave: "Left to a person" };

export async function settleForm(
  context: DriverContext,
  verb: FormVerb,
  { question }: MenuOptions,
): Promise<ActionResult> {
  const forms = pendingHere(context).filter(({ kind }) => kind === "form");
  const form = forms.find(({ id }) => id === question);
  if (form === undefined || !context.isWaiting(form)) {
    return refused(
      `the form ${question} is no longer open; ${describe(await context.pane.look())}`,
    );
  }
  const why = context.secret === undefined
    ? "use the line of its wake as it stands, with the secret behind the id"
    : whyWrongSecret(context, form) ?? context.whyNoDecision;
  if (why !== undefined) return refused(why);
  const decision = decisionOf(verb, form.tool_input.requested_schema);
  if (typeof decision === "string") return refused(decision);
  const said = `${SAID[verb.kind]} the ${form.tool}`;
  if (context.dryRun) return { kind: "done", said: `Would go through the waiting hook: ${said}` };
  const given = { ...givenBy(context, decision, "hook"), secret: context.secret! };
  const passed = await throughHook(context, form, given);
  if (passed !== "taken") return refused("it is over: the turn was stopped, or its time was up");
  return { kind: "done", said: `${said} (through the waiting hook)`, via: "hook", isAnswer: true };
}

function decisionOf(verb: FormVerb, schema: unknown): GivenDecision | string {
  if (verb.kind === "leave") return { kind: "leave" };
  if (verb.kind !== "fill") return { kind: "form", action: "decline" };
  const values = readValues(verb.words, fieldsOf(schema) ?? []);
  return values.kind === "wrong"
    ? values.reason
    : { kind: "form", action: "accept", content: values.content };
}
