import { assertEquals } from "@std/assert";
import { splitInput } from "../lib/events.ts";

// deno-fmt-ignore
const INPUTS: Record<string, [string, ReturnType<typeof splitInput>]> = {
  "an event that comes alone": ['{"a":1}\n', { event: '{"a":1}\n' }],
  "session and screen before it": ["warden-main\n❯ x\n\n\x1e{}", { event: "{}", tmux: { session: "warden-main", capture: "❯ x\n\n" } }],
  "a pane that has gone": ["\n\x1e{}", { event: "{}", tmux: { session: "", capture: "" } }],
  "a tmux that said nothing": ["\x1e{}", { event: "{}", tmux: { session: "", capture: "" } }],
  "an event that holds the mark itself": ['s\n\x1e{"a":"\x1e"}', { event: '{"a":"\x1e"}', tmux: { session: "s", capture: "" } }],
  "nothing": ["", { event: "" }],
};
for (const [title, [text, expected]] of Object.entries(INPUTS)) {
  Deno.test(`splitInput() takes ${title}`, () => assertEquals(splitInput(text), expected));
}
