/** What a page asks to be done, as words for the menu driver. */

import { isObject } from "../json.ts";

export type WallOrder =
  | { kind: "order"; session: string; words: string[]; stdin: string }
  | { kind: "wrong"; reason: string };

const MOST_TEXT = 100_000;

/** Texts go by standard input, so that no text is read as an option. */
export function orderFrom(body: unknown): WallOrder {
  if (!isObject(body)) return wrong("the request is not a JSON object");
  const { session, action } = body;
  if (typeof session !== "string" || session === "") return wrong("it names no session");
  if (session.startsWith("-")) return wrong("no session has such a name");
  const text = body.text ?? "";
  if (typeof text !== "string" || text.length > MOST_TEXT) return wrong("the text is too long");
  const about = questionOf(body.question);
  if (about === undefined) return wrong("the name of the question is wrong");
  const order = (options: string[], ...words: string[]): WallOrder => ({
    kind: "order",
    session,
    words: [...about, ...options, session, ...words],
    stdin: text,
  });
  switch (action) {
    case "choose":
      return Number.isInteger(body.number) && Number(body.number) > 0
        ? order([], "choose", String(body.number))
        : wrong("it names no option");
    case "answer":
      return areAnswers(body.answers)
        ? order([], "answer", "--", ...body.answers)
        : wrong("it has no answers");
    case "type":
    case "queue":
      if (text.trim() === "") return wrong("the text is empty");
      return order(action === "queue" ? ["--queue"] : [], "type", "-");
    case "allow":
    case "deny":
      // A decision without a name could reach the request that comes after it.
      if (about.length === 0) return wrong("it names no request");
      return order([], action, ...(action === "deny" && text.trim() !== "" ? ["-"] : []));
    case "esc":
      return about.length === 0 ? order([], "esc") : wrong("esc is for no question");
    default:
      return wrong("there is no such action");
  }
}

function areAnswers(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 &&
    value.every((one) => typeof one === "string" && one.length <= MOST_TEXT);
}

/** Without a secret: the answer goes to the screen, and only where this question is on it. */
function questionOf(id: unknown): string[] | undefined {
  if (id === undefined || id === "") return [];
  return typeof id === "string" && /^[pq]-[0-9a-zA-Z]+$/.test(id) ? ["--question", id] : undefined;
}

function wrong(reason: string): WallOrder {
  return { kind: "wrong", reason: `Nothing was done: ${reason}.` };
}
