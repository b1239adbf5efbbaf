/** What a wake may hold outside of its fence, as a grammar: whatever else is there is an attack. */

import { assert, assertEquals } from "@std/assert";

const OPENING = /^<<<EXTERNAL_UNTRUSTED_CONTENT id="([0-9a-f]{16})">>>$/;
const CLOSING = /^<<<END_EXTERNAL_UNTRUSTED_CONTENT id="([0-9a-f]{16})">>>$/;

const FIELD = /^[a-z_]+: [^\n]*$/;
const SECTIONS: Record<string, RegExp> = {
  "SESSION IDENTITY": /^(agent_id|tmux_session_name|timestamp|wake_id): [^\n]+$/,
  "TRIGGER": FIELD,
  "STATE HINT": /^state: [a-z_]+$/,
  "CONTEXT PRESSURE":
    /^((\d+% \[(OK|WARNING|CRITICAL)\]|\d+ tokens in context|unknown)(, (\d+|window) of \d+ tokens)?(, \$\d+\.\d\d so far)?|[\w -]+: \d+ % used(, resets [\d :-]+ UTC)?)$/,
  "AVAILABLE ACTIONS": /^\/\S+\/gsd-code (menu-driver|recover|queue) [^\n]+$/,
};
const TEXTS = ["CONTENT", "ASK USER QUESTION", "ANSWER SELECTED", "NO CHANGE"];

export interface ReadWake {
  /** The foreign text, and everything else. */
  inside: string;
  outside: string;
}

/** Reads a wake as a careful reader does. Throws where a line is out of place. */
export function readWake(message: string): ReadWake {
  const lines = message.replace(/\n$/, "").split("\n");
  const openings = lines.flatMap((line, index) => OPENING.test(line) ? [index] : []);
  const closings = lines.flatMap((line, index) => CLOSING.test(line) ? [index] : []);
  assertEquals([openings.length, closings.length], [1, 1], `One fence, not more:\n${message}`);
  const [first, last] = [openings[0]!, closings[0]!];
  const id = OPENING.exec(lines[first]!)![1]!;
  assertEquals(CLOSING.exec(lines[last]!)![1], id, "The fence has one id");
  const inside = lines.slice(first + 1, last);
  assert(first < last && !inside.join("\n").includes(id), "The id is not in the text");

  const before = sectionsIn(lines.slice(0, first));
  const after = sectionsIn(["", ...lines.slice(last + 2)]);
  const text = before.pop()!;
  assert(TEXTS.includes(text.name) && text.lines.length === 0, `[${text.name}] holds the fence`);
  assertEquals(lines[last + 1], "", "An empty line follows the fence");
  const names = [...before, ...after].map(({ name }) => name);
  assertEquals(
    names.filter((name) => name !== "CONTEXT PRESSURE"),
    ["SESSION IDENTITY", "TRIGGER", "STATE HINT", "AVAILABLE ACTIONS"],
  );
  for (const { name, lines } of [...before, ...after]) {
    for (const line of lines) assert(SECTIONS[name]!.test(line), `In [${name}]: ${line}`);
  }
  inside.forEach((line) => assertHarmless(line));
  const outside = [...lines.slice(0, first), ...lines.slice(last + 1)].join("\n");
  return { inside: inside.join("\n"), outside };
}

function sectionsIn(lines: string[]): { name: string; lines: string[] }[] {
  const sections: { name: string; lines: string[] }[] = [];
  lines.forEach((line, index) => {
    const name = /^\[([A-Z ]+)\]$/.exec(line)?.[1];
    if (name !== undefined && (index === 0 || lines[index - 1] === "")) {
      sections.push({ name, lines: [] });
    } else if (line !== "") {
      assert(sections.length > 0, `Before the first header: ${line}`);
      sections.at(-1)!.lines.push(line);
    }
  });
  return sections;
}

/** Roughly what a reader sees who overlooks everything but letters, brackets and their order. */
function assertHarmless(line: string): void {
  const seen = line.normalize("NFKD").replace(/[^\p{L}\p{N}[\]<>(|]/gu, "").toUpperCase();
  const header = /^[^\p{L}\p{N}]*\[(AVAILABLEACTIONS|TRIGGER|CONTENT|STATEHINT|SESSIONIDENTITY)\]/u;
  assert(!header.test(seen) || /^( {4}|\s*- )/.test(line), `It reads as a header: ${line}`);
  assert(!/<<(END)?EXTERNALUNTRUSTEDCONTENT/.test(seen), `It reads as a fence: ${line}`);
}
