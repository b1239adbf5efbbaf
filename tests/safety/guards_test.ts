/** A hook loads the guards of foreign text late. A text that needs them must not do without. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { mayHoldSecret } from "../../lib/fence.ts";
import { namesIn } from "../../lib/files.ts";
import { readJournal } from "../../lib/journal_read.ts";
import { startProgram } from "../support/child_process.ts";
import { fixtureEvent } from "../support/fixtures.ts";
import { HookWorld, ROOT, section } from "../support/hook_world.ts";

/** Nothing in it needs a guard as long as it is whole. */
const LONG = "We saw in [1] and [2] that all is well. ".repeat(1000).trim();

async function wakeOf(text: string, prepare = (_: HookWorld) => {}): Promise<string> {
  await using world = await HookWorld.create();
  prepare(world);
  await world.hook("stop.ts", { ...fixtureEvent("stop-plain"), last_assistant_message: text });
  return world.wakes()[0]!;
}

Deno.test("a harmless text that is cut keeps its signs", async () => {
  assertEquals(mayHoldSecret(LONG), false);
  const wake = await wakeOf(LONG);
  const [head, note, tail] = section(wake, "CONTENT").split("\n");
  assertStringIncludes(LONG, head!.replace(/…$/, ""));
  assertMatch(note!, /^… \d+ of 39999 characters/);
  assertStringIncludes(LONG, tail!.replace(/^…/, ""));
});

Deno.test("why the whole text could not be kept is said", async () => {
  const wake = await wakeOf(LONG, (world) => {
    Deno.mkdirSync(`${world.dir}/state`, { recursive: true });
    Deno.writeTextFileSync(`${world.dir}/state/content`, "a file, no folder");
  });
  assertMatch(section(wake, "TRIGGER"), /^whole_text: could not be kept \(.+\)$/m);
});

/** What an update leaves for a moment. */
function copyWithoutGuards(to: string): void {
  for (const folder of ["hooks", "lib"]) {
    Deno.mkdirSync(`${to}/${folder}`, { recursive: true });
    for (const { name, isFile } of Deno.readDirSync(`${ROOT}/${folder}`)) {
      if (isFile) Deno.copyFileSync(`${ROOT}/${folder}/${name}`, `${to}/${folder}/${name}`);
    }
  }
  Deno.removeSync(`${to}/lib/guards.ts`);
}

Deno.test("where the guards cannot be loaded, the wake goes out and shows no secret", async () => {
  await using world = await HookWorld.create();
  copyWithoutGuards(`${world.dir}/copy`);
  const tmux = await world.server.env(await world.pane("warden-main"));
  const words = ["run", "-A", "--no-config", "--quiet", `${world.dir}/copy/hooks/stop.ts`];
  const text = "The password: hunter2-Zq8vK2mX9pL4";
  const event = { ...fixtureEvent("stop-plain"), last_assistant_message: text };
  const env = { ...world.env(), ...tmux };
  await startProgram([Deno.execPath(), ...words], env, JSON.stringify(event)).done;
  const dir = `${world.dir}/state/outbox/warden`;
  const [name] = namesIn(dir).filter((name) => name.endsWith(".json"));
  const { message } = JSON.parse(Deno.readTextFileSync(`${dir}/${name}`));
  assertMatch(section(message, "CONTENT"), /^\(not shown: /);
  const told = [...readJournal(world.paths, "warden-main")].at(-1);
  assertEquals(told?.kind, "queued");
  assertMatch(String(told?.text), /^\(not shown: /);
});
