import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { namesIn, readTextIfThere } from "../lib/files.ts";
import { HOOKS } from "../lib/install/hook_list.ts";
import { ROOT } from "../lib/paths.ts";
import { type Finished, run } from "../lib/process.ts";
import { withoutHooks } from "../lib/install/settings_edit.ts";
import { readSettings } from "../lib/install/settings_file.ts";
import { TestHome } from "./support/home.ts";
import { until } from "./support/until.ts";
import { seeded } from "./support/delivery_home.ts";
import { make } from "./support/odd_files.ts";

const USERS = '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [\n      ' +
  '{ "hooks": [{ "type": "command", "command": "say done" }] }\n    ]\n  }\n}\n';

Deno.test("register puts our hooks in, does nothing the second time, and takes them out", async () => {
  await using home = await Home.create();
  const first = await home.register();
  assertEquals([first.code, first.stderr], [0, ""]);
  assertStringIncludes(first.stdout, `Registered our hooks in ${home.settings}`);
  assertStringIncludes(first.stdout, "/gsd-code-skill/bin/gsd-code register --remove\n");
  const text = home.text();
  const reading = readSettings(text, ROOT);
  assert(reading.kind === "settings");
  assertEquals([reading.found.length, reading.foreign.length], [HOOKS.length, 1]);
  // And a Deno, where this one may be swept away: see writeSettings() in installation_test.ts.
  const launchers = namesIn(`${home.data}/bin`).filter((name) => name !== "deno");
  assertEquals(launchers, [
    "capture",
    "companion",
    "deliver",
    "gsd-code",
    "hook",
    "menu-driver",
    "queue-run",
    "recover",
    "sockets",
    "status-line",
  ]);

  const second = await home.register();
  assertEquals(second.code, 0);
  assertStringIncludes(second.stdout, "nothing changed");
  assertEquals(home.text(), text);

  const removed = await home.register("--remove");
  assertEquals(removed.code, 0);
  assertEquals(home.text(), USERS);
});

Deno.test("register leaves settings under 3 kB that can be read aloud", async () => {
  await using home = await Home.create();
  await Deno.writeTextFile(home.settings, "{}");
  await home.register();
  // The folder of this test is longer than a home.
  const text = home.text().replaceAll(home.dir, "/home/u");
  assert(text.length < 3000, `${text.length} bytes`);
  const F = "/home/u/home/.local/share/gsd-code-skill/bin/hook";
  assertEquals(
    JSON.parse(text).hooks.Stop[0].hooks[0].command,
    `[ -z "$TMUX" ] || [ ! -x ${F} ] || exec ${F} stop`,
  );
});

Deno.test("register replaces inline, direct and old hooks at once; --remove leaves what is others'", async () => {
  await using home = await Home.create();
  const inline = JSON.parse(
    Deno.readTextFileSync(new URL("./fixtures/inline_hooks.json", import.meta.url)),
  );
  const group = (command: string) => ({ hooks: [{ type: "command", command }] });
  const mine = group("say done");
  const earlier = {
    model: "opus",
    hooks: {
      Stop: [group(inline["stop.ts"]), mine],
      PermissionRequest: [group(inline["permission_request.ts"])],
      PreCompact: [group(`deno run -A ${ROOT}/hooks/pre_compact.ts`)],
      SessionStart: [group("bash /home/u/gsd-code-skill/scripts/session-start-hook.sh")],
    },
  };
  await Deno.writeTextFile(home.settings, JSON.stringify(earlier, null, 2));
  const { code, stdout } = await home.register();
  assertEquals(code, 0);
  assertMatch(stdout, /Took out hooks of the old bash system: session-start-hook\.sh/);
  const reading = readSettings(home.text(), ROOT);
  assert(reading.kind === "settings");
  assertEquals([reading.found.length, reading.foreign], [HOOKS.length, ["say done"]]);
  assert(!/GSD_|hooks\/|hook\.sh/.test(home.text()));
  assertEquals((await home.register("--remove")).code, 0);
  assertEquals(home.text(), JSON.stringify({ model: "opus", hooks: { Stop: [mine] } }, null, 2));
});

Deno.test("register links gsd-code into ~/.local/bin where that is on PATH, and takes it away", async () => {
  await using home = await Home.create();
  const bin = `${home.dir}/home/.local/bin`;
  const link = `${bin}/gsd-code`;
  const env = { PATH: `${home.dir}/home/bin:${bin}:${Deno.env.get("PATH")}` };
  assertMatch((await home.register()).stdout, /~\/\.local\/bin is not on PATH/);
  assertEquals(namesIn(bin), []);
  assertMatch((await home.run([], env)).stdout, /Command: gsd-code \(.*leads to .*bin\/gsd-code\)/);
  assertEquals(Deno.readLinkSync(link), `${home.data}/bin/gsd-code`);
  assert(!(await home.run([], env)).stdout.includes("Command:"), "said once");
  assertMatch((await home.run(["--remove"], env)).stdout, /Removed the link .*gsd-code/);
  assertEquals(namesIn(bin), []);

  await Deno.symlink("/gone/gsd-code-skill/bin/gsd-code", link); // of a folder that has moved
  await home.run([], env);
  assertEquals(Deno.readLinkSync(link), `${home.data}/bin/gsd-code`);

  await Deno.remove(link);
  await Deno.writeTextFile(link, "somebody's");
  assertMatch((await home.run([], env)).stdout, /gsd-code is not ours and stays as it is/);
  await home.run(["--remove"], env);
  assertEquals(readTextIfThere(link), "somebody's");
});

Deno.test("register says that Claude Code skips a file with a comment or a trailing comma", async () => {
  const cases = [
    [USERS.replace("{\n", "{\n  // mine\n"), "comment in line 2"],
    ['\uFEFF{\n  "model": "opus", /* mine */\n}\n', "comment in line 2"],
    ['{\n  "url": "http://x",\n  "list": [1, 2,\n  ]\n}\n', "trailing comma in line 3"],
    ['{\n  "model": "opus",\n\n}\n', "trailing comma in line 2"],
  ] as const;
  for (const [text, what] of cases) {
    await using home = await Home.create();
    await Deno.writeTextFile(home.settings, text);
    const shown = await home.register("--dry-run");
    assertEquals(shown.code, 1);
    assertEquals(
      shown.stderr,
      `Claude Code skips all of ${home.settings} because of the ${what}, so that our hooks do ` +
        "not run: take comments and trailing commas out of it\n",
    );
    for (const word of ["do not run yet", "nothing changed"]) {
      const done = await home.register();
      assertEquals(done.code, 1);
      // Our hooks may have moved the comma.
      assertMatch(done.stderr, /^Claude Code skips .* (comment|trailing comma) in line \d+, .*\n$/);
      assertStringIncludes(done.stdout, word);
    }
    const told = JSON.parse((await home.register("--json")).stdout).skipped_by_claude_code;
    assertMatch(told, /^Claude Code skips all of /);
    const removed = await home.register("--remove");
    assertEquals([removed.code, removed.stderr], [0, ""]);
    assertEquals(
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(Deno.readFileSync(home.settings)),
      text,
    );
  }
});

Deno.test("register takes a file with a byte order mark for what it is: Claude Code reads it", async () => {
  await using home = await Home.create();
  await Deno.writeTextFile(home.settings, `\uFEFF${USERS}`);
  const done = await home.register();
  assertEquals([done.code, done.stderr], [0, ""]);
});

Deno.test("register fits the time limits to the registry, and says that it has to be run again", async () => {
  await using home = await Home.create();
  const registry = {
    hook_settings: { answer_timeout_s: 30 },
    agents: [
      { agent_id: "a", hook_settings: { answer_timeout_s: 1200 } },
      { agent_id: "b", hook_settings: { hook_mode: "bidirectional", bidirectional_timeout_s: 90 } },
    ],
  };
  const { stdout } = await home.register("--print");
  assertEquals(limits(stdout), { Stop: 10, PermissionRequest: 610, SessionEnd: 5 });
  await Deno.writeTextFile(`${home.dir}/registry.json`, JSON.stringify(registry));
  const fitted = await home.register("--print");
  assertEquals(limits(fitted.stdout), { Stop: 100, PermissionRequest: 1210, SessionEnd: 5 });
  assertStringIncludes((await home.register("--help")).stdout, "time limits in the registry");

  function limits(text: string) {
    const { hooks } = JSON.parse(text);
    const of = (event: string) => hooks[event][0].hooks[0].timeout;
    return {
      Stop: of("Stop"),
      PermissionRequest: of("PermissionRequest"),
      SessionEnd: of("SessionEnd"),
    };
  }
});

Deno.test("register --dry-run shows the difference and touches nothing", async () => {
  await using home = await Home.create();
  const shown = await home.register("--dry-run");
  assertEquals(shown.code, 0);
  assertMatch(shown.stdout, /^\+ .*"command": .*\/bin\/hook session_end", "timeout": 5 \}\] \}$/m);
  assertEquals(shown.stdout.match(/^\+ .*\/bin\/hook /gm)?.length, HOOKS.length);
  assert(!shown.stdout.includes("opus"), "changed lines alone");
  assertEquals(home.text(), USERS);
  assertEquals(namesIn(home.dir), ["home", "project"]);
  const told = JSON.parse((await home.register("--dry-run", "--json")).stdout);
  assertEquals([told.changed, told.dry_run, told.settings], [true, true, home.settings]);
});

Deno.test("register --project and --allow-all register there, with all permissions", async () => {
  await using home = await Home.create();
  const { code, stdout } = await home.register("--project", "project", "--allow-all");
  assertEquals(code, 0);
  const settings = `${home.project}/.claude/settings.json`;
  assertStringIncludes(stdout, `Registered our hooks in ${settings}`);
  assertStringIncludes(
    stdout,
    `/gsd-code-skill/bin/gsd-code register --remove --settings ${settings}\n`,
  );
  const text = readTextIfThere(`${home.data}/bin/hook`)!;
  assertStringIncludes(text, "  -A \\\n");
  assert(!text.includes("--allow-read"));
  assertEquals((await home.register("--project", home.project, "--remove")).code, 0);
  assertEquals(readTextIfThere(settings), undefined);
});

Deno.test("register refuses in one sentence what it cannot do, and touches nothing", async () => {
  await using home = await Home.create();
  const inside = { GSD_STATE_DIR: `${home.dir}/home/.local` };
  const cases: [Record<string, string>, string[], number, string][] = [
    [inside, [], 1, "lies in the state folder"],
    [{ GSD_TMUX: "/nowhere/tmux" }, [], 1, "GSD_TMUX is /nowhere/tmux"],
    [{ HOME: "" }, [], 1, "HOME is not set"],
    [{}, ["--bogus"], 2, 'does not take "--bogus"'],
    [{}, ["warden"], 2, 'does not take "warden"'],
    [{}, ["--settings"], 2, "--settings needs a path"],
    [{}, ["--settings", "a", "--project", "b"], 2, "exclude each other"],
    [{}, ["--print", "--remove"], 2, "exclude each other"],
    [{}, ["--print", "--settings", "a"], 2, "--print and --settings exclude each other"],
    [{}, ["--print", "--project", "b"], 2, "--print and --project exclude each other"],
    [{}, ["--project", "typo/dir"], 1, "typo/dir: there is no such folder"],
    [{}, ["--settings", "typo/own.json"], 1, "typo/own.json: there is no folder "],
    [{}, ["--settings", "typo/.claude/settings.json"], 1, "there is no folder "],
  ];
  for (const [env, args, code, words] of cases) {
    const outcome = await home.run(args, env);
    assertEquals([outcome.code, outcome.stdout], [code, ""], outcome.stderr);
    assertStringIncludes(outcome.stderr, words);
    assertEquals(outcome.stderr.trimEnd().split("\n").length, 1);
  }
  assertEquals(home.text(), USERS);
  assertEquals(namesIn(home.dir), ["home", "project"]);
});

Deno.test("register refuses to put a file in the place of a fifo or a device, and makes nothing", async () => {
  await using home = await Home.create();
  make("mkfifo", `${home.dir}/fifo`);
  Deno.symlinkSync(`${home.dir}/fifo`, `${home.dir}/link`);
  const kinds: [string, string][] = [["fifo", "a fifo"], ["link", "a fifo"]];
  // A device of the test's own, as /dev/null is one; only root can make it.
  if (Deno.uid() === 0) {
    make("mknod", `${home.dir}/null`, "c", "1", "3");
    kinds.push(["null", "a device"]);
  }
  const kindOf = (name: string) => Deno.lstatSync(`${home.dir}/${name}`).mode! >> 12;
  const before = namesIn(home.dir).map((name) => [name, kindOf(name)]);
  for (const [name, kind] of kinds) {
    for (const more of [[], ["--dry-run"], ["--remove"]]) {
      const file = `${home.dir}/${name}`;
      const { code, stdout, stderr } = await home.register("--settings", file, ...more);
      const said = `Cannot change the settings: ${file} is ${kind}, not a file\n`;
      assertEquals([code, stdout, stderr], [1, "", said]);
    }
  }
  assertEquals(namesIn(home.dir).map((name) => [name, kindOf(name)]), before);
  assertEquals(namesIn(home.data), []);
});

Deno.test("registers at the same time leave one registration and everything of the user's", async () => {
  await using home = await Home.create();
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => home.register()));
  assertEquals(outcomes.map(({ code }) => code), [0, 0, 0, 0, 0]);
  const reading = readSettings(home.text(), ROOT);
  assert(reading.kind === "settings");
  assertEquals([reading.found.length, reading.foreign.length], [HOOKS.length, 1]);
  await home.register("--remove");
  assertEquals(home.text(), USERS);
});

Deno.test("registers killed at any moment leave a valid file and everything of the user's", async () => {
  await using home = await Home.create();
  const random = seeded(5);
  for (let round = 0; round < 12; round++) {
    const loops = await Promise.all([home.startLoop(), home.startLoop()]);
    await new Promise((done) => setTimeout(done, 20 + random() * 120));
    for (const loop of loops) loop.kill("SIGKILL");
    for (const loop of loops) await loop.status;
    const text = home.text();
    assertEquals(readSettings(text, ROOT).kind, "settings", text);
    assertEquals(withoutHooks(text, ROOT, { original: USERS }), USERS);
  }
  assertEquals((await home.register()).code, 0);
  const beside = namesIn(`${home.dir}/home/.claude`);
  assertEquals(beside.filter((name) => name.endsWith(".tmp")), []);
  assert(beside.length <= 6, beside.join());
  assertEquals((await home.register("--remove")).code, 0);
  assertEquals(home.text(), USERS);
});

class Home implements AsyncDisposable {
  readonly home = new TestHome({ isDefault: true });
  readonly dir = this.home.dir;
  readonly project = `${this.dir}/project`;
  readonly settings = `${this.home.home}/.claude/settings.json`;
  readonly data = this.home.paths.data;

  static async create(): Promise<Home> {
    const home = new Home();
    await Deno.mkdir(`${home.dir}/home/.claude`, { recursive: true });
    await Deno.mkdir(home.project);
    await Deno.mkdir(`${home.dir}/home/bin`);
    await Deno.symlink(Deno.execPath(), `${home.dir}/home/bin/deno`);
    await Deno.writeTextFile(home.settings, USERS);
    return home;
  }

  text(): string {
    return Deno.readTextFileSync(this.settings);
  }

  register(...args: string[]): Promise<Finished> {
    return this.run(args, {});
  }

  async run(args: string[], more: Record<string, string>): Promise<Finished> {
    const env = {
      ...this.home.env,
      // With `deno` on it, whichever way that came to the machine.
      PATH: `${this.dir}/home/bin:${this.home.env.PATH}`,
      ...more,
    };
    const words = ["run", "-A", "--quiet", "--cached-only", `${ROOT}/register.ts`, ...args];
    const outcome = await run(Deno.execPath(), words, { timeoutMs: 120_000, env, cwd: this.dir });
    assert(outcome.kind === "finished", JSON.stringify(outcome));
    return outcome;
  }

  async startLoop(): Promise<Deno.ChildProcess> {
    const script = `${ROOT}/tests/support/register_loop.ts`;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--cached-only", script, this.settings, this.data],
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const reader = child.stdout.getReader();
    await until("the loop to start", async () => (await reader.read()).value !== undefined);
    reader.releaseLock();
    await child.stdout.cancel();
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.home[Symbol.asyncDispose]();
  }
}
