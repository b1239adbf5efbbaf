/** bin/hook decides in sh that a session is not managed: real tmux, and no wake may be missed. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openGate } from "../lib/gate.ts";
import { OWNER_FORMAT, paneOwner } from "../lib/events.ts";
import { hookLauncherText } from "../lib/install/hook_launcher.ts";
import { isFile, namesIn, readTextIfThere, removeIfThere, writeAtomic } from "../lib/files.ts";
import { launchesDir } from "../lib/known_sessions.ts";
import { ROOT, safeName } from "../lib/paths.ts";
import { run } from "../lib/process.ts";
import { seeded } from "./support/delivery_home.ts";
import { fixtureEvent } from "./support/fixtures.ts";
import { HookWorld, WARDEN } from "./support/hook_world.ts";
import { until } from "./support/until.ts";
import { writeExecutable } from "./support/executable.ts";

const STOP = fixtureEvent("stop-plain");
const MANY = Number(Deno.env.get("GSD_GATE_CASES") ?? 150);

/** A world whose Deno is a program that only records that it was started. */
async function gateWorld(): Promise<{ world: HookWorld; starts: Starts }> {
  const world = await HookWorld.create({ registry: { agents: [WARDEN] } });
  const deno = `${world.dir}/deno`;
  writeExecutable(deno, "#!/bin/sh\ncat >/dev/null\necho started\n");
  const install = { ...world.installation((name) => world.env()[name]), deno };
  const text = hookLauncherText(install);
  const starts: Starts = async (pane, tmux = {}) => {
    const env = { ...await world.server.env(pane), ...tmux };
    const outcome = await run("/bin/sh", ["-c", text, "hook", "stop"], {
      timeoutMs: 300_000,
      env,
      stdin: "{}",
    });
    assert(outcome.kind === "finished");
    assertEquals([outcome.code, outcome.stderr], [0, ""]);
    return outcome.stdout === "started\n";
  };
  return { world, starts };
}
type Starts = (pane: string, env?: Record<string, string>) => Promise<boolean>;

Deno.test("bin/hook starts no Deno for a session that no agent can have, and leaves no trace", async () => {
  const { world, starts } = await gateWorld();
  await using _ = world;
  for (const name of ["somebody-else", "warden-main-x", "ward", "main", "a_b", "warden-main2"]) {
    assertEquals(await starts(await world.pane(name)), false, name);
  }
  assertEquals(namesIn(`${world.dir}/state`), []);
});

// deno-fmt-ignore
const DOUBTS: Record<string, string | ((world: HookWorld) => unknown)> = {
  "its own name": '{"agents":[{"tmux_session_name":"x_y-1"}]}',
  "its name before the number": '{"agents":[{"tmux_session_name":"x_y"}]}',
  "a dot where tmux writes _": '{"agents":[{"tmux_session_name":"x.y"}]}',
  "a colon where tmux writes _": '{"agents":[{"tmux_session_name":"x:y-1"}]}',
  "its name between comments": '// x\n{"agents":[{"tmux_session_name"/* y */: /* z */ "x_y", },]}',
  "its name in a comment": '{"agents":[] /* was "x_y-1" */}',
  "its name in JSON's escapes": '{"agents":[{"tmux_session_name":"\\u0078_y"}]}',
  "its name in another letter case of escapes": '{"agents":[{"tmux_session_name":"x\\u005Fy-1"}]}',
  "nothing yet, since it is being written": "",
  "no text, being a folder": (world) => { Deno.removeSync(world.paths.registry); Deno.mkdirSync(world.paths.registry); },
  "a memory of the session, and is broken": (world) => {
    Deno.writeTextFileSync(world.paths.registry, '{"agents": [');
    writeAtomic(`${world.paths.state}/sessions/x_y-1.json`, "{}");
  },
  "no such name, but the session has a record": (world) => writeAtomic(`${world.paths.data}/launches/x_y-1.json`, "{"),
};
for (const [what, registry] of Object.entries(DOUBTS)) {
  Deno.test(`bin/hook starts Deno where the registry has ${what}`, async () => {
    const { world, starts } = await gateWorld();
    await using _ = world;
    const pane = await world.pane("x_y-1");
    assertEquals(await starts(pane), false, "and not before");
    if (typeof registry === "string") await world.writeRegistry(registry);
    else registry(world);
    assertEquals(await starts(pane), true);
  });
}

Deno.test("bin/hook starts Deno where the registry cannot be read, and none where it is missing", async () => {
  const { world, starts } = await gateWorld();
  await using _ = world;
  const pane = await world.pane("somebody-else");
  await Deno.remove(world.paths.registry);
  assertEquals(await starts(pane), false);
  if (Deno.uid() === 0) return; // root reads everything
  await world.writeRegistry({ agents: [] });
  await Deno.chmod(world.paths.registry, 0);
  assertEquals(await starts(pane), true);
});

Deno.test("bin/hook starts Deno for odd names, a window of two sessions, and a pane that is gone", async () => {
  const { world, starts } = await gateWorld();
  await using _ = world;
  for (const name of ["two words", "ž🐎", "a,a", "$(x)", "a/b", "it's", "n".repeat(101)]) {
    assertEquals(await starts(await world.pane(name)), true, name);
  }
  const pane = await world.pane("mine");
  assertEquals(await starts(pane), false);
  await world.server.tmux("new-session", "-d", "-t", "mine", "-s", "view");
  assertEquals(await starts(pane), true);
  await world.server.tmux("kill-session", "-t", "view");
  assertEquals(await starts(pane), false);
  const env = await world.server.env(pane);
  await world.server.tmux("kill-session", "-t", "mine");
  assertEquals(await starts(await world.pane("other"), env), true);
  assertEquals(await starts(await world.pane("other"), { TMUX: "/no/server,1,0" }), true);
});

Deno.test("bin/hook follows a session that is renamed, both ways", async () => {
  await using world = await HookWorld.create();
  const pane = await world.pane("private");
  await world.hook("stop.ts", STOP, { session: "private" });
  assertEquals(namesIn(`${world.dir}/state`), []);
  await world.server.tmux("rename-session", "-t", "private", "warden-main");
  world.panes.set("warden-main", pane);
  await world.hook("stop.ts", { ...STOP, prompt_id: "2" });
  assertEquals(world.wakes().length, 1);
  // Its pane is marked now: Deno starts, finds that it is not managed, and writes nothing more.
  await world.server.tmux("rename-session", "-t", "warden-main", "private");
  await world.hook("stop.ts", { ...STOP, prompt_id: "3" });
  assertEquals(world.wakes().length, 1);
  await world.server.tmux("rename-session", "-t", "private", "warden-main-7");
  await world.hook("stop.ts", { ...STOP, prompt_id: "4" });
  assertEquals(world.wakes().length, 2);
});

Deno.test("a managed session's first hook marks its pane, and bin/hook asks the registry no more", async () => {
  const { world, starts } = await gateWorld();
  await using _ = world;
  const pane = await world.pane("warden-main");
  const { TMUX, TMUX_PANE } = await world.server.env(pane);
  await world.hook("stop.ts", STOP);
  const mark = `${world.dir}/state/managed/${TMUX}/${TMUX_PANE}`;
  assert((await Deno.stat(mark)).isFile);
  await world.writeRegistry({ agents: [] });
  await Deno.remove(`${world.dir}/state/sessions`, { recursive: true });
  assertEquals(await starts(pane), true);
  assertEquals(await starts(await world.pane("other")), false, "another pane has no mark");
  await Deno.remove(mark);
  assertEquals(await starts(pane), false);
});

Deno.test("bin/hook reads no more of a mark than a number of lines", async () => {
  await using world = await HookWorld.create();
  const { TMUX, TMUX_PANE } = await world.server.env(await world.pane("warden-main"));
  const mark = `${world.paths.state}/managed${TMUX}/${TMUX_PANE}`;
  writeAtomic(mark, "150");
  await Deno.truncate(mark, 2 ** 40); // without blocks on the disk; sh would take days to read it
  assertEquals((await world.hook("stop.ts", STOP)).code, 0);
  assertEquals(world.wakes().length, 1);
});

Deno.test("a mark that cannot be made costs no wake", async () => {
  await using world = await HookWorld.create();
  writeAtomic(`${world.paths.state}/managed`, "in the way");
  await world.hook("stop.ts", STOP);
  assertEquals(world.wakes().length, 1);
});

for (
  const [why, agent] of [["disabled", { enabled: false }], ["mute", { openclaw_session_key: "" }]]
) {
  Deno.test(`a session whose agent is ${why} is marked, too`, async () => {
    await using world = await HookWorld.create({
      registry: { agents: [{ ...WARDEN, ...(agent as object) }] },
    });
    await world.hook("stop.ts", STOP);
    assertEquals(namesIn(`${world.dir}/state`), ["journal", "managed"]);
  });
}

Deno.test(`bin/hook says "not managed" only where openGate() does`, async () => {
  const { world, starts } = await gateWorld();
  await using _ = world;
  const random = seeded(12);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const plain = [
    "a",
    "b",
    "w",
    "A",
    "main",
    "_",
    "_",
    ".",
    ":",
    "-",
    "-",
    "-1",
    "-22",
    "-007",
    "0",
  ];
  const odd = ["é", " ", ",", "$", "#{x}", "\\", "'", '"', "[", "*", "/", "١"];
  const word = () => {
    const parts = random() < 0.8 ? plain : [...plain, ...odd];
    return Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(parts)).join("");
  };
  const note = () => pick(["", "", "", "// note\n", '/* "x" // */', "\r\n"]);
  const escaped = (name: string) =>
    JSON.stringify(name).replace(
      /[a-z._:-]/g,
      (char) => random() < 0.2 ? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}` : char,
    );
  const pane = await world.pane("start");
  let [unmanaged, managed] = [0, 0];
  for (let round = 0; round < MANY; round++) {
    const name = word() + pick(["", "", "-1", "-22"]);
    const isNamed = await world.server.tmux("rename-session", "-t", pane, name).then(
      () => true,
      () => false,
    );
    if (!isNamed) continue;
    // Sometimes a second session shows the same window.
    await world.server.tmux("kill-session", "-a", "-t", pane);
    if (random() < 0.1) {
      const view = ["new-session", "-d", "-t", pane, "-s", word()];
      await world.server.tmux(...view).catch(() => {}); // not every word can be a name
    }
    // Names near the session's own, so that many of them are its agent's.
    const shown = pick(await world.server.sessions());
    const near = [name, name.replace(/-\d+$/, ""), name.replaceAll("_", "."), `${name}-1`, word()]
      .concat(shown, shown.replace(/-\d+$/, ""));
    const agents = Array.from(
      { length: Math.floor(random() * 3) },
      (_, n) =>
        `{${note()}"agent_id": "agent${n}", ${note()} "tmux_session_name":${note()} ${
          random() < 0.3 ? escaped(pick(near)) : JSON.stringify(pick(near))
        }${note()}, "system_prompt": "one\\ntwo"},`,
    );
    const whole = `${pick(["", "", "\uFEFF"])}${note()}{"agents": [${agents.join("\n")}]}`;
    const text = random() < 0.1 ? "{ broken" : whole;
    await world.writeRegistry(text);
    // Sometimes a record says whose it is, whatever its name.
    removeIfThere(launchesDir(world.paths), { recursive: true });
    if (random() < 0.2) {
      const record = { session: shown, agent_id: pick(["agent0", "agent1", "nobody"]) };
      writeAtomic(
        `${launchesDir(world.paths)}/${safeName(shown)}.json`,
        random() < 0.1 ? "{" : JSON.stringify(record),
      );
    }
    const line = await world.server.tmux("display-message", "-p", "-t", pane, OWNER_FORMAT);
    const answer = Promise.resolve(paneOwner(line));
    const query = { pane, madeIn: "$0", socket: "", env: () => undefined, answer };
    const gate = await openGate(world.paths, query, undefined, "");
    const started = await starts(pane);
    if (gate.kind !== "unmanaged") {
      managed++;
      assert(started, `session ${JSON.stringify(name)}, registry ${text}: ${gate.kind}`);
    } else if (!started) unmanaged++;
  }
  assert(managed > MANY / 10 && unmanaged > MANY / 10, `${managed} and ${unmanaged} of ${MANY}`);
});

Deno.test("bin/hook gives Deno named variables only, and takes no function of the caller's shell", async () => {
  const { world } = await gateWorld();
  await using _ = world;
  const deno = `${world.dir}/deno`;
  writeExecutable(deno, "#!/bin/sh\ncat >/dev/null\nenv\n");
  const text = hookLauncherText({ ...world.installation((name) => world.env()[name]), deno });
  const own = await world.server.env(await world.pane("warden-main"));
  const foreign = {
    NODE_OPTIONS: "--require /nowhere.cjs",
    DENO_V8_FLAGS: "--none",
    DENO_DIR: "/nowhere",
    HOME: "/nowhere",
    OPENCLAW_SHELL: "exec",
    SHELLOPTS: "errexit:nounset",
    "BASH_FUNC_grep%%": "() { return 1; }",
    "BASH_FUNC_cd%%": "() { echo gone; }",
    "BASH_FUNC_env%%": "() { echo gone; }",
  };
  for (const sh of ["/bin/sh", "/bin/bash"].filter((path) => isFile(path))) {
    for (const event of ["stop", "permission_request"]) {
      const options = { timeoutMs: 300_000, env: { ...foreign, ...own }, stdin: "{}" };
      const outcome = await run(sh, ["-c", text, "hook", event], options);
      assert(outcome.kind === "finished");
      assertEquals([outcome.code, outcome.stderr], [0, ""], sh);
      const seen = outcome.stdout.split("\n").filter((line) => line !== "");
      const names = seen.map((line) => line.split("=")[0]!).filter((name) =>
        !["PWD", "SHLVL", "_"].includes(name) // the shell that plays Deno adds these
      );
      const [asks, shell] = event === "stop" ? [[], ["GSD_SHELL_DELIVERS"]] : [["GSD_CAPTURE"], []];
      assertEquals(names.sort(), [
        "DENO_DIR", // as it was at the registration
        "DENO_NO_UPDATE_CHECK",
        ...asks,
        "GSD_DATA_DIR",
        "GSD_REGISTRY",
        ...shell,
        "GSD_STATE_DIR",
        "GSD_TMUX",
        "HOME",
        "OPENCLAW_SHELL",
        "PATH",
        "TMUX",
        "TMUX_PANE",
      ]);
      assert(seen.includes(`HOME=${world.dir}/home`), outcome.stdout);
      assert(!seen.includes("DENO_DIR=/nowhere"));
    }
  }
});

const SHELLS = ["/bin/sh", "/bin/bash"].filter((path) => isFile(path));

/** What bin/hook passes to Claude Code where the program that plays Deno does this. */
async function passedOn(world: HookWorld, program: string, sh = "/bin/sh"): Promise<string> {
  const deno = `${world.dir}/deno`;
  writeExecutable(deno, `#!/bin/sh\ncat >/dev/null\n${program}\n`);
  const text = hookLauncherText({ ...world.installation((name) => world.env()[name]), deno });
  const env = await world.server.env(await world.pane("warden-main"));
  const options = { timeoutMs: 300_000, env: { ...env, SHELLOPTS: "monitor" }, stdin: "{}" };
  const outcome = await run(sh, ["-c", text, "hook", "stop"], options);
  assert(outcome.kind === "finished");
  assertEquals([outcome.code, outcome.stderr], [0, ""]);
  return outcome.stdout;
}

/** Where a link points; nothing where it is gone. */
function linkIn(path: string): string[] {
  try {
    return [Deno.readLinkSync(path)];
  } catch {
    return [];
  }
}

/** The process group, by the file that Linux has for a process. */
function groupIn(path: string): string | undefined {
  return /.*\) \S \d+ (\d+) /s.exec(Deno.readTextFileSync(path))?.[1];
}

const REPLY = '{"decision":"block","reason":"Go on.\\nThen  stop."}';

for (const sh of SHELLS) {
  Deno.test(`${sh}: bin/hook ends with the first line of its Deno, which may still be ending`, async () => {
    await using world = await HookWorld.create({ registry: { agents: [WARDEN] } });
    const gate = `${world.dir}/gate`;
    Deno.writeTextFileSync(gate, "");
    const stat = Deno.build.os === "linux" ? `cat /proc/$$/stat >'${world.dir}/stat'` : ":";
    // It stays while the file is there: with a wait for its end this would never return.
    const stays = `${stat}\necho 0\nwhile [ -e '${gate}' ]; do sleep 0.05; done >/dev/null`;
    assertEquals(await passedOn(world, stays, sh), "");
    // Claude Code ends a hook that waits by its group.
    if (Deno.build.os === "linux") {
      assertEquals(groupIn(`${world.dir}/stat`), groupIn("/proc/self/stat"));
    }
  });

  Deno.test(`${sh}: bin/hook passes on a reply alone, and starts what the line names`, async () => {
    await using world = await HookWorld.create({ registry: { agents: [WARDEN] } });
    const started = (name: string) => readTextIfThere(`${world.dir}/${name}`) ?? "";
    for (const name of ["deliver", "queue-run"]) {
      const files = Deno.build.os === "linux" ? "; ls -l /proc/$$/fd" : "";
      const program = `#!/bin/sh\n{ echo "$*"${files}; } >>'${world.dir}/${name}'\n`;
      writeExecutable(`${world.paths.data}/bin/${name}`, program);
    }
    assertEquals(await passedOn(world, `echo '0 reply'; printf '%s' '${REPLY}'`, sh), REPLY);
    assertEquals(await passedOn(world, "echo 0", sh), "");
    const own = `echo "--claimed \${GSD_SHELL_DELIVERS%,reads}" >'${world.dir}/words'`;
    const both = `${own}; echo '12 reply'; printf '%s' '${REPLY}'`;
    assertEquals(await passedOn(world, both, sh), REPLY);
    const words = Deno.readTextFileSync(`${world.dir}/words`);
    const inherited = namesIn("/proc/self/fd").flatMap((fd) => linkIn(`/proc/self/fd/${fd}`));
    for (const name of ["deliver", "queue-run"]) {
      await until(
        name,
        () => /\n.*\n.* 2 -> .*\n/s.test(started(name)) || Deno.build.os !== "linux",
      );
      assert(started(name).startsWith(words), started(name));
      // Nothing of Claude Code's is open in what outlives the hook; 10 is the script itself.
      const open = Array.from(started(name).matchAll(/(\d+) -> (.*)/g), ([, , file]) => file!);
      const foreign = (file: string) =>
        !["/dev/null", ...inherited].includes(file) && !file.startsWith(world.dir);
      assertEquals(open.filter(foreign), []);
    }
  });

  Deno.test(`${sh}: bin/hook starts a deliverer where its Deno says nothing: a wake may wait`, async () => {
    await using world = await HookWorld.create({ registry: { agents: [WARDEN] } });
    const started = `${world.dir}/started`;
    writeExecutable(`${world.paths.data}/bin/deliver`, `#!/bin/sh\necho "$*" >'${started}'\n`);
    assertEquals(await passedOn(world, "exit 10", sh), "");
    await until("a deliverer", () => /^--claimed \d+\n$/.test(readTextIfThere(started) ?? ""));
  });

  Deno.test(`${sh}: bin/hook passes on the whole reply of a hook that has no such line`, async () => {
    await using world = await HookWorld.create({ registry: { agents: [WARDEN] } });
    const reply = `${REPLY}\n two \n`;
    assertEquals(await passedOn(world, `printf '%s\\n' '${REPLY}' ' two '`, sh), reply);
  });

  Deno.test(`${sh}: bin/hook is silent without standard input`, async () => {
    await using world = await HookWorld.create({ registry: { agents: [WARDEN] } });
    const deno = `${world.dir}/deno`;
    writeExecutable(deno, "#!/bin/sh\ncat >/dev/null\necho 0\n");
    const text = hookLauncherText({ ...world.installation((name) => world.env()[name]), deno });
    const path = `${world.dir}/hook`;
    writeExecutable(path, text);
    const env = await world.server.env(await world.pane("warden-main"));
    const words = ["-c", `exec ${sh} '${path}' stop <&-`];
    const outcome = await run("/bin/sh", words, { timeoutMs: 300_000, env });
    assertEquals(outcome, { kind: "finished", code: 0, stdout: "", stderr: "" });
  });
}

Deno.test("a hook tells an older bin/hook by its exit code what waits, and prints its reply alone", async () => {
  await using world = await HookWorld.create({ registry: { agents: [WARDEN] } });
  const tmux = await world.server.env(await world.pane("warden-main"));
  const words = ["run", "-A", "--no-config", "--quiet", `${ROOT}/hooks/stop.ts`];
  const stop = (by: string) =>
    run(Deno.execPath(), words, {
      timeoutMs: 300_000,
      env: { ...world.env(), ...tmux, GSD_SHELL_DELIVERS: by },
      stdin: JSON.stringify({ ...STOP, prompt_id: crypto.randomUUID() }),
    });
  const told = (stdout: string) => ({ kind: "finished" as const, code: 10, stdout, stderr: "" });
  assertEquals(await stop("4711"), told(""));
  assertEquals(Deno.readTextFileSync(`${world.paths.state}/locks/starts-warden`), "4711");
  Deno.removeSync(`${world.paths.state}/locks/starts-warden`);
  assertEquals(await stop("4711,reads"), told("10\n"));
  assertEquals(Deno.readTextFileSync(`${world.paths.state}/locks/starts-warden`), "4711");
});

Deno.test("a hook whose line nothing reads any more records that, and its wake waits", async () => {
  await using world = await HookWorld.create({ registry: { agents: [WARDEN] } });
  const tmux = await world.server.env(await world.pane("warden-main"));
  // Its event comes when the other end of its output is closed.
  const line = `mkfifo "$DIR/in"; "$DENO" run -A --no-config --quiet "$HOOK" <"$DIR/in" |
    { exec 0<&-; printf '%s' "$EVENT" >"$DIR/in"; }`;
  const outcome = await run("/bin/sh", ["-c", line], {
    timeoutMs: 300_000,
    env: {
      ...world.env(),
      ...tmux,
      DIR: world.dir,
      DENO: Deno.execPath(),
      HOOK: `${ROOT}/hooks/stop.ts`,
      EVENT: JSON.stringify(STOP),
      GSD_SHELL_DELIVERS: "4711,reads",
    },
  });
  assert(outcome.kind === "finished");
  assertEquals(outcome.stderr, "");
  assertEquals(world.wakes().length, 1);
  const [problem] = world.journal().filter(({ kind }) => kind === "problem");
  assertStringIncludes(String(problem?.reason), "Cannot reply to Claude Code: Broken pipe");
});

// deno-fmt-ignore
const UNREADABLE: Record<string, (file: string) => void> = {
  "is gone, as after register --remove": (file) => Deno.removeSync(file),
  "is damaged": (file) => Deno.writeTextFileSync(file, "{ bad"),
  "is null": (file) => Deno.writeTextFileSync(file, "null"),
};
for (const [what, spoil] of Object.entries(UNREADABLE)) {
  Deno.test(`a hook that waits for a reply starts bin/deliver where install.json ${what}`, async () => {
    const hook_settings = { hook_mode: "bidirectional", bidirectional_timeout_s: 1 };
    await using world = await HookWorld.create({
      registry: { agents: [{ ...WARDEN, hook_settings }] },
    });
    const script = `#!/bin/sh\ntouch '${world.dir}/started'\n`;
    writeExecutable(`${world.dir}/data/bin/deliver`, script);
    spoil(`${world.dir}/data/install.json`);
    await world.hook("stop.ts", STOP);
    await until("the deliverer", () => isFile(`${world.dir}/started`));
  });
}
