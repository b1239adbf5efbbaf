import { assertEquals } from "@std/assert";
import { nearest } from "../lib/cli/nearest.ts";

// deno-fmt-ignore
const CASES: [word: string, known: string[], found: string | undefined][] = [
  ["wardn", ["forge", "warden"], "warden"],
  ["wadren", ["warden"], "warden"],
  ["Warden", ["warden"], "warden"],
  ["hookSettings", ["hook_settings", "agents"], "hook_settings"],
  ["bidirectional_timeout", ["answer_timeout_s", "bidirectional_timeout_s"], "bidirectional_timeout_s"],
  ["session_key", ["agent_id", "openclaw_session_key"], "openclaw_session_key"],
  ["worker2", ["worker1"], undefined],
  ["w", ["x", "warden"], undefined],
  ["colour", ["agents", "delivery"], undefined],
  ["anything", [], undefined],
];
for (const [word, known, found] of CASES) {
  Deno.test(`nearest() finds ${found ?? "nothing"} for ${word}`, () => {
    assertEquals(nearest(word, known), found);
  });
}
