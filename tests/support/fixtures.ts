/** Recordings of the real Claude Code, by name. */

const FIXTURES = new URL("../fixtures/", import.meta.url);

export function fixtureEvent(name: string): Record<string, unknown> {
  return JSON.parse(Deno.readTextFileSync(new URL(`events/${name}.json`, FIXTURES)));
}

/** The tool that an event is about. */
export function fixtureRequest(
  name: string,
): { tool: string; tool_input: Record<string, unknown> } {
  const { tool_name, tool_input } = fixtureEvent(name);
  return { tool: tool_name as string, tool_input: tool_input as Record<string, unknown> };
}

export function fixtureEventNames(prefix = ""): string[] {
  return Array.from(Deno.readDirSync(new URL("events/", FIXTURES)), (entry) => entry.name)
    .filter((name) => name.startsWith(prefix)).map((name) => name.replace(/\.json$/, "")).sort();
}

/** The lines of a transcript, without the empty one after its last newline. */
export function fixtureTranscript(name: string): string[] {
  return Deno.readTextFileSync(new URL(`transcripts/${name}.jsonl`, FIXTURES)).trimEnd()
    .split("\n");
}

export function fixturePane(name: string): string {
  return Deno.readTextFileSync(new URL(`panes/${name}.txt`, FIXTURES));
}
