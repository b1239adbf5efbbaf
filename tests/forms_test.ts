import { assertEquals, assertStringIncludes } from "@std/assert";
import { fieldsOf, formText, readValues } from "../lib/forms.ts";

const SCHEMA = {
  type: "object",
  properties: {
    host: { type: "string", title: "Host", minLength: 2, maxLength: 20 },
    port: { type: "integer", minimum: 1, maximum: 65535, default: 80 },
    share: { type: "number", maximum: 1 },
    level: { type: "string", oneOf: [{ const: "l", title: "Low" }, { const: "h" }] },
    parts: { type: "array", items: { enum: ["a", "b", "c"] }, minItems: 1 },
    dry: { type: "boolean" },
  },
  required: ["host"],
};
const FIELDS = fieldsOf(SCHEMA)!;

Deno.test("formText() names each field, what it takes, and what it usually is", () => {
  const text = formText("deploy", "Where to?", FIELDS);
  assertEquals(text.split("\n"), [
    "The MCP server deploy asks:",
    "Where to?",
    "",
    "Fields:",
    "- host (string, at least 2 and at most 20 characters): Host",
    "- port (integer, at least 1 and at most 65535, optional); usually 80",
    "- share (number, at most 1, optional)",
    '- level (string, optional): one of "l" (Low), "h"',
    '- parts (several of, at least 1 of them, optional): one of "a", "b", "c"',
    "- dry (boolean, optional)",
  ]);
});

Deno.test("fieldsOf() knows only flat forms of simple values", () => {
  const nested = { type: "object", properties: { a: { type: "object", properties: {} } } };
  const texts = { type: "object", properties: { a: { type: "array", items: {} } } };
  for (const schema of [undefined, null, 1, {}, { properties: { a: 1 } }, nested, texts]) {
    assertEquals(fieldsOf(schema), undefined, JSON.stringify(schema));
  }
});

Deno.test("readValues() takes words and JSON, with the types of the form", () => {
  const content = {
    host: "alpha",
    port: 81,
    share: 0.5,
    level: "h",
    parts: ["a", "c"],
    dry: false,
  };
  const words = ["host=alpha", "port=81", "share=0.5", "level=h", "parts=a,c", "dry=false"];
  assertEquals(readValues(words, FIELDS), { kind: "values", content });
  assertEquals(readValues([JSON.stringify(content)], FIELDS), { kind: "values", content });
  const odd = readValues(["host=a=b {c}"], FIELDS);
  assertEquals(odd, { kind: "values", content: { host: "a=b {c}" } });
});

Deno.test("readValues() says what is wrong, and takes nothing then", () => {
  const cases: [string[], string][] = [
    [["host"], '"host" is not name=value'],
    [["=x"], '"=x" is not name=value'],
    [["{not json"], "no JSON object"],
    [["port=1"], "the form needs host; its fields are host, port"],
    [["host=alpha", "user=me"], 'the form has no field "user"; its fields are host, port'],
    [['{"host":"alpha","__proto__x":1}'], 'the form has no field "__proto__x"'],
    [["host=a"], "host has the wrong length: at least 2, at most 20"],
    [['{"host":5}'], "host is a text"],
    [["host=alpha", "port=0"], "port is out of range: at least 1, at most 65535"],
    [["host=alpha", "port=1.5"], "port is a whole number"],
    [["host=alpha", "port=many"], "port is a number"],
    [["host=alpha", "level=Low"], 'level is one of "l", "h"'],
    [["host=alpha", "parts="], "parts has the wrong number of values: at least 1"],
    [["host=alpha", "parts=a,x"], 'parts takes several of one of "a"'],
    [["host=alpha", "dry=yes"], "dry is true or false"],
  ];
  for (const [words, reason] of cases) {
    const read = readValues(words, FIELDS);
    assertEquals(read.kind, "wrong", words.join(" "));
    if (read.kind === "wrong") assertStringIncludes(read.reason, reason);
  }
});
