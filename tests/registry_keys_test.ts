import { assertEquals } from "@std/assert";
import { checkRegistry } from "../lib/registry/registry_file.ts";
import { unknownKeys } from "../lib/registry/registry_keys.ts";

const TEXT = `{
  // mine
  "$schema": "./registry.schema.json", "_note": "a comment",
  "hook_setings": {},
  "hook_settings": {
    "bidirectional_timeout": 300,
    "_why": "slow",
    "transport": "cli",
  },
  "delivery": { "transprot": "inbox" },
  "agents": [
    { "agent_id": "a" },
    {
      "agent_id": "b",
      "answer_permissions": true,
      "tmux_session": "x",
      "$schema": "x",
      "colour": { "hook_mode": "red" },
      "hook_settings": { "dedupMode": "off" },
      "delivery": { "retries": 3 }
    }
  ],
  "working_directory": "/w"
}
`;

const NO_EFFECT = "nothing reads it, so it has no effect";
const meant = (key: string) => `${NO_EFFECT}; did you mean ${key}?`;

Deno.test("unknownKeys() names each key that nothing reads, its line, and what was meant", () => {
  assertEquals(checkRegistry(TEXT), []);
  assertEquals(unknownKeys(TEXT).map(({ line, field, problem }) => [line, field, problem]), [
    [4, "hook_setings", meant("hook_settings")],
    [6, "hook_settings.bidirectional_timeout", meant("bidirectional_timeout_s")],
    [8, "hook_settings.transport", meant("delivery.transport")],
    [10, "delivery.transprot", meant("transport")],
    [15, "agents[1].answer_permissions", meant("hook_settings.answer_permissions")],
    [16, "agents[1].tmux_session", meant("tmux_session_name")],
    [17, "agents[1].$schema", NO_EFFECT],
    [18, "agents[1].colour", NO_EFFECT],
    [19, "agents[1].hook_settings.dedupMode", meant("dedup_mode")],
    [20, "agents[1].delivery.retries", NO_EFFECT],
    [23, "working_directory", meant("agents[].working_directory")],
  ]);
});

Deno.test("unknownKeys() has nothing to say of the example, nor of what is no registry", () => {
  const example = new URL("../config/recovery-registry.example.json", import.meta.url);
  assertEquals(unknownKeys(Deno.readTextFileSync(example)), []);
  for (const text of ["", "{", "[]", "7", `{"agents": 5}`]) assertEquals(unknownKeys(text), []);
});
