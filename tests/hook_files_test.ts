import { assertEquals, assertMatch } from "@std/assert";
import { findingsOf, type WatchKnowledge } from "../lib/fleet/findings.ts";
import { type HookFacts, HookFiles, whyNoHooks } from "../lib/fleet/hook_files.ts";
import type { SessionObservation } from "../lib/fleet/observation.ts";
import { viewOf } from "../lib/fleet/session_view.ts";
import { isOver } from "../lib/fleet/standing_findings.ts";
import { HOOKS } from "../lib/install/hook_list.ts";
import { hookCommand } from "../lib/install/hook_command.ts";
import { writeExecutable } from "./support/executable.ts";
import { entryOf, memoryOf, minutesAgo, NOW, seen } from "./support/fleet_sessions.ts";
import { TestHome } from "./support/home.ts";
import { section } from "./support/hook_world.ts";
import { spawned } from "./support/recovering.ts";
import { inSessionWorld } from "./support/session_world.ts";
import { says, watcher } from "./support/watching.ts";

const ours = { path: "/h/settings.json", hasOurs: true };
const other = { path: "/p/.claude/settings.json", hasOurs: false };
const launcher = { path: "/d/bin/hook", isThere: true };

const CASES: [name: string, facts: Partial<HookFacts>, why: string | undefined][] = [
  ["all is well", {}, undefined],
  ["they are in one of several files", { files: [other, ours] }, undefined],
  ["they are in no file", { files: [other] }, "none of its settings files has our hooks"],
  ["there is no file", { files: [] }, "none of its settings files has our hooks"],
  ["we do not know its files", { files: [other], args: undefined }, undefined],
  [
    "a project switches hooks off",
    { files: [ours, { ...other, off: "disableAllHooks" }] },
    '/p/.claude/settings.json switches hooks off with "disableAllHooks"',
  ],
  [
    "its launcher is gone",
    { launcher: { ...launcher, isThere: false } },
    "our launcher /d/bin/hook is gone, or cannot be run",
  ],
  ["--bare", { args: ["--bare"] }, "its Claude Code was started with --bare"],
  ["--safe-mode", { args: ["-c", "--safe-mode"] }, "its Claude Code was started with --safe-mode"],
];

for (const [name, facts, why] of CASES) {
  Deno.test(`whyNoHooks() ${name}`, () => {
    assertEquals(whyNoHooks({ args: [], files: [ours], launcher, ...facts }), why);
  });
}

Deno.test("HookFiles reads the settings of a session, and sees what changes in them", async () => {
  await using home = new TestHome();
  const { paths, dir } = home;
  for (const place of [`${paths.data}/bin`, paths.claudeConfig, `${dir}/shop/.claude`]) {
    Deno.mkdirSync(place, { recursive: true });
  }
  const user = `${paths.claudeConfig}/settings.json`;
  const stop = HOOKS.find(({ event }) => event === "Stop")!;
  const hooks = { Stop: [{ hooks: [{ type: "command", command: hookCommand(stop, paths) }] }] };
  const files = new HookFiles(paths);
  const entry = entryOf("idle", { pid: Deno.pid, cwd: `${dir}/shop` });
  const why = () => files.whyNoHooks(seen({ entry }));
  let stamp = Date.now() / 1000 - 600;
  const write = (path: string, settings: unknown) => {
    Deno.writeTextFileSync(path, JSON.stringify(settings));
    Deno.utimeSync(path, ++stamp, stamp);
  };
  write(user, { hooks });
  assertMatch(why()!, /^our launcher .* is gone/);
  writeExecutable(`${paths.data}/bin/hook`, "#!/bin/sh\n");
  assertEquals(why(), undefined);
  write(user, { hooks: { Stop: [{ hooks: [{ type: "command", command: "echo done" }] }] } });
  assertEquals(why(), "none of its settings files has our hooks");
  write(`${dir}/shop/.claude/settings.local.json`, { hooks });
  assertEquals(why(), undefined);
  write(`${dir}/shop/.claude/settings.json`, { disableAllHooks: true });
  assertMatch(why()!, /shop\/\.claude\/settings\.json switches hooks off/);
  Deno.chmodSync(`${paths.data}/bin/hook`, 0o600);
  write(`${dir}/shop/.claude/settings.json`, { disableAllHooks: false });
  assertMatch(why()!, /^our launcher/);
  assertEquals(files.whyNoHooks(seen({ entry, agent: undefined })), undefined);
  assertEquals(files.whyNoHooks(seen({ entry, holds: "shell" })), undefined);
});

const KNOWN: WatchKnowledge = {
  isTold: () => false,
  seenSince: () => minutesAgo(60),
  firstLook: () => minutesAgo(60),
  hasGlobal: true,
};

const late = (minutes: number, more = {}) => ({
  ...{ kind: "queued", trigger: "response_complete", source: "watch", wake_id: `W${minutes}` },
  ...{ at: new Date(minutesAgo(minutes)).toISOString(), ...more },
});
const said = (minutes: number) => ({
  ...{ identity: "", wake_id: `W${minutes}`, trigger: "response_complete", prompt_id: "p-1" },
  at: minutesAgo(minutes),
});
const told = { memory: memoryOf({ said: [said(4), said(9)] }) };

const FOUND: [name: string, change: Partial<SessionObservation>, isFound: boolean][] = [
  ["its settings have none", { ...told, hooksOff: "none" }, true],
  ["two turns that the watch told", { ...told, journal: [late(9), late(4)] }, true],
  ["one turn that the watch told", { ...told, journal: [late(4)] }, false],
  ["two, and a hook has run before", {
    ...told,
    journal: [late(30, { source: "event", event: "Stop" }), late(9), late(4)],
  }, false],
  ["two of an earlier Claude Code", {
    ...{ ...told, journal: [late(700), late(650), late(4)] },
  }, false],
  ["it was renamed", { ...told, journal: [late(9), late(4)], renamedTo: "mine" }, false],
  ["Claude Code is gone", { holds: "shell", entry: undefined, hooksOff: "none" }, false],
];

for (const [name, change, isFound] of FOUND) {
  Deno.test(`findingsOf() no hooks: ${name}`, () => {
    const { ripe } = findingsOf([viewOf(seen(change), NOW)], KNOWN, NOW);
    assertEquals(ripe.some(({ kind }) => kind === "hooks"), isFound);
  });
}

Deno.test("isOver() ends what was reported only where the same Claude Code has its hooks back", () => {
  const off = viewOf(seen({ ...told, hooksOff: "none" }), NOW);
  const { lasting } = findingsOf([off], KNOWN, NOW);
  const { key } = lasting.find(({ kind }) => kind === "hooks")!;
  const on = viewOf(seen(told), NOW);
  assertEquals(isOver(key, [off], lasting), false);
  assertEquals(isOver(key, [on], []), true);
  assertEquals(isOver(key, [], []), false, "nothing was read");
  assertEquals(isOver('["turn","shop-main"]', [on], []), false);
});

Deno.test("watch reports that hooks were removed, once, and again when they are removed again", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await says(world, session, { status: "idle", startedAt: Date.now() + 3_600_000 });
    const { start } = watcher(world);
    const watch = start();
    const file = `${world.paths.data}/launches/${session}.settings.json`;
    const settings = Deno.readTextFileSync(file);
    let stamp = Date.now() / 1000 - 600;
    const write = (text: string) => {
      Deno.writeTextFileSync(file, text);
      Deno.utimeSync(file, ++stamp, stamp);
    };
    write(settings);
    assertEquals([await watch.look(0), await watch.look(30)], [[], []]);
    write("{}");
    assertEquals(await watch.look(1), []);
    assertEquals(await watch.look(25), [`${session} hooks`]);
    assertEquals([await watch.look(60), await start().look(60)], [[], []]);
    const [wake] = world.wakes("anvil");
    assertEquals(wake!.trigger, "session_changed");
    assertMatch(
      section(wake!.message, "TRIGGER"),
      /change: hooks\nadvice: .*register puts the hooks/,
    );
    assertMatch(section(wake!.message, "TRIGGER"), /evidence: none of its settings files has our/);
    assertMatch(
      section(wake!.message, "AVAILABLE ACTIONS"),
      /register\.ts\n.*doctor(\.ts)? anvil$/,
    );
    for (const text of ["{}", JSON.stringify({ disableAllHooks: true })]) {
      write(settings);
      await watch.look(1);
      write(text);
      await watch.look(1);
      assertEquals(await watch.look(25), [`${session} hooks`]);
    }
  }));
