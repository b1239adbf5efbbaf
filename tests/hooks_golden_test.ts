/**
 * Each folder in golden/ is one event as the real Claude Code sent it and the wake that follows:
 * case.json (which hook, event, transcript, screen) and wake.txt.
 */

import { assertEquals } from "@std/assert";
import { writeAtomic } from "../lib/files.ts";
import { fixtureEvent, fixturePane, fixtureTranscript } from "./support/fixtures.ts";
import { assertGolden } from "./support/golden.ts";
import { HookWorld } from "./support/hook_world.ts";

interface Case {
  hook: string;
  event: string;
  /** Fields laid over the recorded event; null takes one away. */
  change?: Record<string, unknown>;
  transcript?: { name: string; lines: number };
  screen?: string;
  settings?: Record<string, unknown>;
  /** The session's launch record says that it was stopped so many seconds ago. */
  stoppedAgo?: number;
}

const GOLDEN = new URL("./golden/", import.meta.url);

const names = Array.from(Deno.readDirSync(GOLDEN)).filter((entry) => entry.isDirectory)
  .map((entry) => entry.name).sort();

for (const name of names) {
  Deno.test(`golden: ${name.replaceAll("-", " ")}`, async () => {
    const folder = new URL(`${name}/`, GOLDEN);
    const test: Case = JSON.parse(Deno.readTextFileSync(new URL("case.json", folder)));
    const text = await wakeOf(test, "registered");
    assertEquals(text, await wakeOf(test, "all"), "the same with all permissions");
    assertGolden(new URL("wake.txt", folder), text);
  });
}

async function wakeOf(test: Case, permissions: "registered" | "all"): Promise<string> {
  await using world = await HookWorld.create({
    permissions,
    registry: {
      agents: [{
        agent_id: "warden",
        tmux_session_name: "warden-main",
        openclaw_session_key: "agent:warden:main",
        hook_settings: test.settings ?? {},
      }],
    },
  });
  await Deno.writeTextFile(`${world.dir}/data/bin/gsd-code`, "#!/bin/sh\n");
  const event: Record<string, unknown> = { ...fixtureEvent(test.event), ...test.change };
  for (const [name, value] of Object.entries(event)) if (value === null) delete event[name];
  if (test.transcript) {
    event.transcript_path = world.transcript;
    const lines = fixtureTranscript(test.transcript.name).slice(0, test.transcript.lines);
    await Deno.writeTextFile(event.transcript_path as string, lines.join("\n") + "\n");
  }
  if (test.screen) {
    await world.server.show(await world.pane("warden-main"), fixturePane(test.screen));
  }
  if (test.stoppedAgo !== undefined) {
    const stopped_at = new Date(Date.now() - test.stoppedAgo * 1000).toISOString();
    const record = { session: "warden-main", agent_id: "warden", stopped_at };
    writeAtomic(`${world.dir}/data/launches/warden-main.json`, JSON.stringify(record));
  }
  const result = await world.hook(test.hook, event);
  assertEquals({ ...result, ms: 0 }, { code: 0, stdout: "", stderr: "", ms: 0 });
  const wakes = world.wakes();
  return wakes.length === 0 ? "(no wake)\n" : wakes.map((wake) => normal(wake, world)).join("\n");
}

/** Without what differs from run to run. */
function normal(message: string, world: HookWorld): string {
  return message
    .replaceAll(/^wake_id: .*$/gm, "wake_id: WAKE")
    .replaceAll(/^timestamp: .*$/gm, "timestamp: NOW")
    .replaceAll(/(?<=\b[qp]-)[0-9A-Z]{16}\b/g, "ID")
    .replaceAll(/(?<=--question [qp]-ID\.)[0-9A-Z]{20}\b/g, "SECRET")
    .replaceAll(/[0-9A-Z]{26}\.txt/g, "WAKE.txt")
    .replaceAll(/(_UNTRUSTED_CONTENT id=")[0-9a-f]{16}(">>>)$/gm, "$1FENCE$2")
    .replaceAll(/ --socket \S+/g, "")
    .replaceAll(world.dir, "");
}
