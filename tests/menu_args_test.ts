import { assertEquals, assertStringIncludes } from "@std/assert";
import { readMenuArgs } from "../lib/driver/menu_args.ts";
import { newId, newSecret, withSecret } from "../lib/request_ids.ts";

const read = (...args: string[]) => readMenuArgs(args, () => "from stdin\r\nline\n");

Deno.test("readMenuArgs() takes everything after type as text, whatever it looks like", () => {
  const cases: [string[], string][] = [
    [["s", "type", "-rf"], "-rf"],
    [["s", "type", "--json", "x"], "--json x"],
    [["s", "type", "--", "--help"], "--help"],
    [["s", "type", "--"], "--"],
    [["s", "type", "two", "words"], "two words"],
    [["s", "type", "-"], "from stdin\nline"],
    [["s", "type", "a\r\nb\n\n"], "a\nb"],
  ];
  for (const [args, text] of cases) {
    const order = read(...args);
    assertEquals(order.kind === "order" && order.verb, { kind: "type", text }, args.join(" "));
  }
});

Deno.test("readMenuArgs() takes options before the action, and behind one that is no text", () => {
  const order = read(
    "--socket=other",
    "s",
    "--question",
    "q-1",
    "answer",
    "1",
    "--notes",
    "n",
    "-1",
  );
  assertEquals(order, {
    kind: "order",
    session: "s",
    verb: { kind: "answer", words: ["1", "-1"] },
    options: {
      socket: "other",
      question: "q-1",
      notes: ["n"],
      waitMs: 10_000,
      queue: false,
      promptOnly: false,
      anyway: false,
      json: false,
      dryRun: false,
    },
  });
});

Deno.test("readMenuArgs() says what is wrong with a call", () => {
  const cases: [string[], string][] = [
    [[], "Which session?"],
    [["s"], 'What to do in session "s"?'],
    [["s", "jump"], '"jump" is no action of the menu driver'],
    [["s", "choose"], "choose needs the number"],
    [["s", "choose", "two"], "choose needs the number"],
    [["s", "choose", "1", "2"], "choose needs the number"],
    [["s", "choose", "0"], "choose needs the number"],
    [["s", "answer"], "answer needs one answer per question"],
    [["s", "type"], "type needs a text"],
    [["--question", "q-1", "s", "esc"], "--question goes with choose"],
    [["s", "clear", "x"], "clear takes no further words"],
    [["--question", "q-1", "s", "clear_then", "x"], "--question goes with choose"],
    [["", "snapshot"], "Which session?"],
    [["s", "type", "  \n"], "type needs a text"],
    [["--road", "keys", "s", "type", "\u001b[201~"], "U+001B"],
    [["--question", "q-1", "s", "type", "\u001b[201~"], "U+001B"],
    [["--road", "tunnel", "s", "type", "x"], "--road is mod, socket or keys"],
    [["--road", "socket", "s", "esc"], "--road socket goes with type only"],
    [["--road", "socket", "s", "clear_then", "x"], "--road socket goes with type only"],
    [["--now", "s", "enter"], "--now goes with type only"],
    [["--now", "s", "clear_then", "x"], "--now goes with type only"],
    [["s", "answer", "a\u0003"], "U+0003"],
    [["s", "deny", "a\u0003"], "U+0003"],
    [["s", "enter", "now"], 'enter takes no further words, but "now" was given'],
    [["--wat", "s", "enter"], '"--wat" is not an option'],
    [["--wait", "soon", "s", "enter"], "--wait needs seconds"],
    [["--socket"], "--socket needs a value"],
  ];
  for (const [args, problem] of cases) {
    const order = read(...args);
    assertEquals(order.kind, "usage", args.join(" "));
    assertStringIncludes(order.kind === "usage" ? order.problem : "", problem);
  }
});

Deno.test("readMenuArgs() helps wherever help is asked for, but not inside a text", () => {
  assertEquals(read("--help").kind, "help");
  assertEquals(read("s", "--help").kind, "help");
  assertEquals(read("s", "choose", "--help").kind, "help");
  assertEquals(read("-h").kind, "help");
  assertEquals(read("s", "type", "--help").kind, "order");
});

Deno.test("readMenuArgs() refuses a text with the name of a question at its end", () => {
  const [id, secret] = [newId("q"), newSecret()];
  const name = withSecret(id, secret);
  const calls = [
    ["s", "type", "sqlite please", "--question", name],
    ["s", "type", "sqlite", `--question=${id}`],
    ["s", "type", `sqlite please --question ${name}`],
    ["s", "type", `sqlite please --question ${name}.`],
    ["s", "deny", "no", "--question", name],
  ];
  for (const call of calls) {
    const order = read(...call);
    const problem = order.kind === "usage" ? order.problem : "";
    assertStringIncludes(problem, `: menu-driver s --question <id> ${call[1]} <text>`);
    assertEquals(problem.includes(secret), false);
  }
  const clear = read("s", "clear_then", "go on", "--question", name);
  assertStringIncludes(clear.kind === "usage" ? clear.problem : "", "--question goes with choose");
  for (const text of [["what does --question q-1 mean"], ["--", `--question ${name}`]]) {
    assertEquals(read("s", "type", ...text).kind, "order");
  }
});

Deno.test("readMenuArgs() takes --question apart: the secret is no part of the id", () => {
  const options = (...args: string[]) => {
    const order = readMenuArgs([...args, "s", "allow"], () => "");
    if (order.kind !== "order") throw new Error(JSON.stringify(order));
    const { question, secret, seen } = order.options;
    return [question, secret, seen];
  };
  assertEquals(options("--question", "p-1.S"), ["p-1", "S", undefined]);
  assertEquals(options("--question=p-1"), ["p-1", undefined, undefined]);
  assertEquals(options("--question", "p-1.", "--seen", "C"), ["p-1", undefined, "C"]);
  assertEquals(readMenuArgs(["--question", ".S", "s", "allow"], () => ""), {
    kind: "usage",
    problem: "--question needs a value",
  });
});
