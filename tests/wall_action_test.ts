import { assertEquals } from "@std/assert";
import { readMenuArgs } from "../lib/driver/menu_args.ts";
import { orderFrom } from "../lib/wall/wall_action.ts";

/** What the menu driver understands of an action. */
function understood(body: unknown): unknown {
  const order = orderFrom(body);
  if (order.kind === "wrong") return order.reason;
  const read = readMenuArgs(order.words, () => order.stdin);
  return read.kind === "order"
    ? {
      session: read.session,
      verb: read.verb,
      question: read.options.question,
    }
    : read;
}

const session = "shop-main";
const common = { session, question: undefined };

Deno.test("an action of the page is one of the menu driver", () => {
  const cases: [unknown, unknown][] = [
    [{ session, action: "type", text: "Fix it" }, {
      ...common,
      verb: { kind: "type", text: "Fix it" },
    }],
    [{ session, action: "type", text: "--help" }, {
      ...common,
      verb: { kind: "type", text: "--help" },
    }],
    [{ session, action: "type", text: "-" }, { ...common, verb: { kind: "type", text: "-" } }],
    [{ session, action: "choose", number: 2, question: "q-ab12" }, {
      ...common,
      question: "q-ab12",
      verb: { kind: "choose", number: 2 },
    }],
    [{ session, action: "answer", answers: ["1,3", "--by me", "text:- x"], question: "q-ab12" }, {
      ...common,
      question: "q-ab12",
      verb: { kind: "answer", words: ["1,3", "--by me", "text:- x"] },
    }],
    [{ session, action: "allow", question: "p-ab12" }, {
      ...common,
      question: "p-ab12",
      verb: { kind: "allow" },
    }],
    [{ session, action: "deny", question: "p-ab12", text: "--no, use make" }, {
      ...common,
      question: "p-ab12",
      verb: { kind: "deny", message: "--no, use make" },
    }],
    [{ session, action: "deny", question: "p-ab12" }, {
      ...common,
      question: "p-ab12",
      verb: { kind: "deny", message: "" },
    }],
    [{ session, action: "esc" }, { ...common, verb: { kind: "esc" } }],
  ];
  for (const [body, expected] of cases) assertEquals(understood(body), expected);
});

Deno.test("a queued text is typed with --queue", () => {
  const order = orderFrom({ session, action: "queue", text: "then test" });
  const read = order.kind === "order" ? readMenuArgs(order.words, () => order.stdin) : order;
  assertEquals(read.kind === "order" && read.options.queue, true);
});

Deno.test("what is no action does nothing, and says why", () => {
  const cases: [unknown, string][] = [
    [undefined, "the request is not a JSON object"],
    [["type"], "the request is not a JSON object"],
    [{ action: "esc" }, "it names no session"],
    [{ session: "--socket=x", action: "esc" }, "no session has such a name"],
    [{ session, action: "enter" }, "there is no such action"],
    [{ session, action: "snapshot" }, "there is no such action"],
    [{ session, action: "allow" }, "it names no request"],
    [{ session, action: "deny", text: "no" }, "it names no request"],
    [{ session, action: "allow", question: "p-1 --pane %3" }, "the name of the question is wrong"],
    [{ session, action: "allow", question: 7 }, "the name of the question is wrong"],
    [{ session, action: "choose", number: 0, question: "q-1" }, "it names no option"],
    [{ session, action: "choose", number: "2; x", question: "q-1" }, "it names no option"],
    [{ session, action: "answer", answers: [] }, "it has no answers"],
    [{ session, action: "answer", answers: [1] }, "it has no answers"],
    [{ session, action: "type", text: " \n" }, "the text is empty"],
    [{ session, action: "type", text: "x".repeat(100_001) }, "the text is too long"],
    [{ session, action: "type", text: { a: 1 } }, "the text is too long"],
  ];
  for (const [body, why] of cases) {
    assertEquals<unknown>(understood(body), `Nothing was done: ${why}.`, JSON.stringify(body));
  }
});
