/** docs/registry.md names every field of the registry, and gives the defaults of the code. */

import { assertEquals } from "@std/assert";
import { ROOT } from "../lib/paths.ts";
import { DEFAULT_SETTINGS, LIMITS, readRegistry } from "../lib/registry.ts";
import { checkRegistry } from "../lib/registry/registry_file.ts";
import { unknownKeys } from "../lib/registry/registry_keys.ts";
import {
  agentSchema,
  deliverySchema,
  hookSettingsSchema,
  registrySchema,
} from "../lib/registry/registry_schema.ts";
import { POST_LAUNCH_MODES } from "../lib/sessions/launch.ts";

const page = Deno.readTextFileSync(`${ROOT}/docs/registry.md`);

interface DocumentedField {
  type: string;
  default: string;
  example: string;
}

/** The `### field` blocks below a `## heading`, each with its line of facts. */
function fieldsUnder(heading: string): Map<string, DocumentedField> {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  const blocks = section.split(/^### `/m).slice(1);
  return new Map(blocks.map((block) => {
    const facts = /^Type: (.+)\. Default: (.+)\.\nExample: `(.+)`\.$/m.exec(block);
    const [, type = "", fallback = "", example = ""] = facts ?? [];
    return [block.slice(0, block.indexOf("`")), { type, default: fallback, example }];
  }));
}

const SECTIONS = [
  {
    heading: "Top level",
    schema: registrySchema,
    put: (entry: object) => ({ agents: [], ...entry }),
  },
  {
    heading: "Each agent",
    schema: agentSchema,
    put: (entry: object) => ({ agents: [{ agent_id: "warden", ...entry }] }),
  },
  {
    heading: "hook_settings",
    schema: hookSettingsSchema,
    put: (entry: object) => ({ hook_settings: entry, agents: [] }),
  },
  {
    heading: "delivery",
    schema: deliverySchema,
    put: (entry: object) => ({ delivery: entry, agents: [] }),
  },
];

for (const { heading, schema, put } of SECTIONS) {
  Deno.test(`docs/registry.md has every field under "${heading}", and no other`, () => {
    const documented = [...fieldsUnder(heading).keys()].sort();
    assertEquals(documented, Object.keys(schema.shape).sort());
  });

  Deno.test(`docs/registry.md has a valid example of every field under "${heading}"`, () => {
    for (const [name, { example }] of fieldsUnder(heading)) {
      const entry = JSON.parse(`{${example}}`);
      assertEquals(Object.keys(entry), [name]);
      const text = JSON.stringify(put(entry));
      assertEquals([...checkRegistry(text), ...unknownKeys(text)], [], name);
    }
  });
}

Deno.test("docs/registry.md has the defaults of hook_settings and what each may be", () => {
  for (const [name, field] of fieldsUnder("hook_settings")) {
    const value = DEFAULT_SETTINGS[name as keyof typeof DEFAULT_SETTINGS];
    assertEquals(field.default, `\`${JSON.stringify(value)}\``, name);
    assertEquals(field.type, typeOf(name), name);
  }
});

function typeOf(name: string): string {
  const limits = LIMITS[name as keyof typeof LIMITS];
  const { shape } = hookSettingsSchema;
  const schema = shape[name as keyof typeof shape].unwrap();
  if (name === "quiet_hours") return "object or `null`";
  if (limits === undefined) {
    return "options" in schema
      ? schema.options.map((option: string) => `\`"${option}"\``).join(", ")
      : "`true` or `false`";
  }
  const isWhole = schema.safeParse(limits[0] + 0.5).success === false;
  return `${isWhole ? "whole number" : "number"} from ${limits[0]} to ${limits[1]}`;
}

Deno.test("docs/registry.md has the defaults of an agent and of delivery", () => {
  const reading = readRegistry(`{ "agents": [{ "agent_id": "warden" }] }`);
  if (reading.kind === "broken") throw new Error(reading.reason);
  const agent: Record<string, unknown> = { ...reading.registry.agents[0]! };
  // Objects have no default of their own; the reader does not look at topic_id, only sync does.
  const others = ["agent_id", "topic_id", "hook_settings", "delivery"];
  for (const [name, field] of fieldsUnder("Each agent")) {
    if (others.includes(name)) assertEquals(field.default, "none", name);
    else assertEquals(field.default, `\`${JSON.stringify(agent[name])}\``, name);
  }
  const { transport } = reading.registry;
  assertEquals(fieldsUnder("delivery").get("transport")?.default, `\`"${transport}"\``);
});

Deno.test("docs/registry.md names every claude_post_launch_mode", () => {
  const type = fieldsUnder("Each agent").get("claude_post_launch_mode")?.type;
  assertEquals(type, POST_LAUNCH_MODES.map((mode) => `\`"${mode}"\``).join(", "));
});

Deno.test("docs/registry.md shows registries that are valid", () => {
  const shown = Array.from(page.matchAll(/^```json\n([^]*?)^```$/gm), ([, text]) => text!);
  assertEquals(shown.length > 0, true);
  for (const text of shown) assertEquals([...checkRegistry(text), ...unknownKeys(text)], []);
});
