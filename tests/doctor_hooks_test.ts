import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { checkHooks } from "../lib/doctor/hooks_check.ts";
import { ROOT } from "../lib/paths.ts";
import { Clinic, TASK } from "./support/clinic.ts";

/** Commands of the version before bin/hook. */
const INLINE = JSON.parse(
  Deno.readTextFileSync(new URL("./fixtures/inline_hooks.json", import.meta.url)),
);

Deno.test("checkHooks() does not judge time limits without the registry they come from", async () => {
  await using clinic = await Clinic.create();
  clinic.registry({ agents: [{ agent_id: "warden", hook_settings: { answer_timeout_s: 900 } }] });
  clinic.registerHooks();
  for (const text of ["{", undefined]) {
    const { registry } = clinic.world.paths;
    if (text === undefined) await Deno.remove(registry);
    else await Deno.writeTextFile(registry, text);
    const { ok, broken } = await clinic.ask(checkHooks);
    assertEquals(broken, []);
    assertMatch(ok.join(), /each once/);
  }
});

Deno.test("checkHooks() finds hooks that are missing, moved, doubled, changed or switched off", async () => {
  await using clinic = await Clinic.create();
  const { settings } = clinic;
  assertMatch((await clinic.ask(checkHooks)).broken.join(), /not registered in .*settings\.json/);

  clinic.registerHooks();
  const right = clinic.read(settings);
  const { data } = clinic.world.paths;
  assertMatch((await clinic.ask(checkHooks)).ok.join(), /each once/);

  const spoilt: [string, RegExp][] = [
    [right.replaceAll(data, "/old/gsd"), /a folder that is gone: \/old\/gsd/],
    [
      right.replace('/hook stop"', '/hook stop || true"'),
      /Stop hook .* is not as register writes it/,
    ],
    [
      right.replace('"timeout": 610', '"timeout": 5'),
      /PermissionRequest hook .* is not as register writes it/,
    ],
    [
      right.replace('"matcher": "AskUserQuestion"', '"matcher": "Bash"'),
      /PreToolUse hook .* is not as register writes it/,
    ],
    [right.replace('"SessionEnd": [', '"SessionEnd": [],\n"Foo": ['), /SessionEnd hook .* missing/],
  ];
  for (const [text, words] of spoilt) {
    assert(text !== right);
    await Deno.writeTextFile(settings, text);
    assertMatch((await clinic.ask(checkHooks)).broken.join("\n"), words);
    await clinic.fix(checkHooks);
    assertEquals((await clinic.ask(checkHooks)).broken, []);
  }
  const value = JSON.parse(right);
  value.hooks.Stop.push(value.hooks.Stop[0]);
  value.hooks.Stop.push({
    hooks: [{ type: "command", command: "/x/gsd-code-skill/scripts/stop-hook.sh" }],
  });
  value.hooks.Stop.push({ hooks: [{ type: "command", command: "say done" }] });
  await Deno.writeTextFile(settings, JSON.stringify(value));
  const doubled = await clinic.ask(checkHooks);
  assertMatch(doubled.broken.join("\n"), /Stop hook .* is registered 2 times/);
  assertMatch(doubled.broken.join("\n"), /old bash system: stop-hook\.sh/);
  assertMatch(doubled.notes.join("\n"), /1 hook of others: say done/);
  await clinic.fix(checkHooks);
  assertEquals((await clinic.ask(checkHooks)).broken, []);

  await Deno.writeTextFile(settings, right.replace("{", "{ // mine"));
  const skipped = await clinic.ask(checkHooks);
  assertMatch(skipped.broken.join("\n"), /^Claude Code skips all of .* the comment in line 1, /);
  assertStringIncludes(skipped.findings[0]!.fix ?? "", `+1 ${settings}`);
  await Deno.writeTextFile(settings, '{\n "a": [1,],\n}');
  assertMatch((await clinic.ask(checkHooks)).broken.join("\n"), /the trailing comma in line 2, /);

  await Deno.writeTextFile(settings, right.replace("{", '{ "disableAllHooks": true,'));
  assertMatch((await clinic.ask(checkHooks)).broken.join(), /disableAllHooks/);
  await Deno.writeTextFile(settings, "{ broken");
  assertMatch((await clinic.ask(checkHooks)).broken.join(), /Cannot edit .*not JSON/);
});

Deno.test("checkHooks() knows hooks that only spawned sessions have, and those that are outdated", async () => {
  await using clinic = await Clinic.create();
  clinic.registerHooks();
  const launches = `${clinic.world.paths.data}/launches`;
  await Deno.mkdir(launches);
  const spawned = `${launches}/warden-main.settings.json`;
  await Deno.rename(clinic.settings, spawned);
  const { broken, notes } = await clinic.ask(checkHooks);
  assertEquals(broken, []);
  assertEquals(notes.length, 1);
  assertMatch(notes.join(), /only sessions started by spawn have them/);
  const { data } = clinic.world.paths;
  await Deno.writeTextFile(spawned, clinic.read(spawned).replaceAll(data, "/old/gsd"));
  assertMatch((await clinic.ask(checkHooks)).notes.join(), /"warden-main" was spawned with hooks/);
});

Deno.test("checkHooks() takes hooks registered with --allow-all for what they are", async () => {
  await using clinic = await Clinic.create();
  clinic.registerHooks({ allowAll: true });
  assertEquals((await clinic.ask(checkHooks)).broken, []);
});

Deno.test("checkHooks() finds an entry that was changed, and --fix writes it again", async () => {
  await using clinic = await Clinic.create();
  clinic.registerHooks();
  const right = JSON.parse(clinic.read(clinic.settings));
  const stop = right.hooks.Stop[0].hooks[0];
  const changed = (change: Record<string, unknown>) => ({
    ...right.hooks,
    Stop: [{ hooks: [{ ...stop, ...change }] }],
  });
  const inline = INLINE["stop.ts"].replaceAll("/srv/it'\\''s here/gsd", ROOT);
  const cases: Record<string, unknown>[] = [
    { ...right.hooks, TaskCreated: right.hooks.Stop },
    changed({ async: true }),
    changed({ type: "http" }),
    changed({ command: stop.command.replace("hook stop", "hook notification") }),
    changed({ command: `${stop.command} || true` }),
    changed({ command: inline }),
  ];
  for (const hooks of cases) {
    await Deno.writeTextFile(clinic.settings, JSON.stringify({ ...right, hooks }, null, 2));
    assertMatch(
      (await clinic.ask(checkHooks)).broken.join(),
      /^The Stop hook .* is not as register writes it$|for TaskCreated, which it does not handle$/,
    );
    await clinic.fix(checkHooks);
    assertEquals(JSON.parse(clinic.read(clinic.settings)), right);
    assertEquals((await clinic.ask(checkHooks)).broken, []);
  }
});

Deno.test("checkHooks() finds hooks switched off in a file that holds none of ours", async () => {
  await using clinic = await Clinic.create();
  clinic.registerHooks();
  const local = `${clinic.dir}/home/.claude/settings.local.json`;
  await Deno.writeTextFile(local, '{\n  "disableAllHooks": true\n}');
  const { findings, ok } = await clinic.ask(checkHooks);
  const off = findings.find(({ level }) => level === "broken");
  assertMatch(off!.text, /settings\.local\.json switches all hooks off/);
  assertEquals(off!.fix, `\${EDITOR:-vi} +2 ${local}`);
  assertEquals(ok.length, 1);
});

Deno.test("checkHooks() knows where else our hooks were registered, and how", async () => {
  await using clinic = await Clinic.create();
  const elsewhere = `${clinic.dir}/my app/.claude/settings.json`;
  await Deno.mkdir(`${clinic.dir}/my app/.claude`, { recursive: true });
  clinic.registerHooks({ allowAll: true, file: elsewhere });
  const { broken, ok } = await clinic.ask(checkHooks);
  assertEquals([broken, ok], [[], [`Registered in ${elsewhere}, each once`]]);

  await Deno.writeTextFile(
    elsewhere,
    clinic.read(elsewhere).replace('"timeout": 5', '"timeout": 6'),
  );
  const { findings } = await clinic.ask(checkHooks);
  const wrong = findings.find(({ level }) => level === "broken");
  assertMatch(wrong!.text, /SessionEnd hook .* is not as register writes it/);
  assertEquals(wrong!.fix, `deno ${TASK} register --settings '${elsewhere}' --allow-all`);

  clinic.registerHooks(); // the user's own, with few permissions
  assertEquals((await clinic.ask(checkHooks)).ok, [`Registered in ${clinic.settings}, each once`]);
});

Deno.test("checkHooks() says that nothing is registered although another file is broken", async () => {
  await using clinic = await Clinic.create();
  await Deno.mkdir(`${clinic.dir}/.claude`);
  await Deno.writeTextFile(`${clinic.dir}/.claude/settings.json`, "{ broken");
  const words = (await clinic.ask(checkHooks)).broken.join("\n");
  assertMatch(words, /Cannot edit .*\/\.claude\/settings\.json/);
  assertMatch(words, /Our hooks are not registered/);
});

Deno.test("checkHooks() leaves the hooks of another checkout to its owner while that is there", async () => {
  await using clinic = await Clinic.create();
  clinic.registerHooks();
  const other = `${clinic.dir}/other/gsd-code-skill`;
  const right = clinic.read(clinic.settings);
  await Deno.mkdir(`${other}/bin/hook`, { recursive: true });
  const { data } = clinic.world.paths;
  await Deno.writeTextFile(clinic.settings, right.replaceAll(data, other));
  const there = (await clinic.ask(checkHooks)).findings.filter(({ level }) => level === "broken");
  assertStringIncludes(there[0]!.text, `which still exists: ${other}. Register in`);
  assert(there.every(({ autofix }) => autofix === undefined));
  await Deno.remove(`${other}/bin/hook`);
  await clinic.fix(checkHooks);
  assertEquals(clinic.read(clinic.settings), right);
});

Deno.test("checkHooks() knows a file that is no UTF-8 text, and converts nothing itself", async () => {
  await using clinic = await Clinic.create();
  const bytes = new Uint8Array([...new TextEncoder().encode('{"a":"gr'), 0xfc, 0xdf, 0x22, 0x7d]);
  await Deno.writeFile(clinic.settings, bytes);
  const { findings } = await clinic.ask(checkHooks);
  assertMatch(findings[0]!.text, /Cannot edit .*not UTF-8 text/);
  await clinic.paste(findings[0]!.fix!);
  assertEquals(clinic.read(clinic.settings), '{"a":"grüß"}');
  assertMatch((await clinic.ask(checkHooks)).broken.join(), /not registered/);
});
