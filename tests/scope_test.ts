import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { hookCommand } from "../lib/install/hook_command.ts";
import { eventWord, hookLauncherText } from "../lib/install/hook_launcher.ts";
import { launcherPlaces } from "../lib/install/installation.ts";
import { HOOKS } from "../lib/install/hook_list.ts";
import { run } from "../lib/process.ts";
import { type Installation, whyUnsafe } from "../lib/install/scope.ts";
import { shellQuote } from "../lib/text.ts";
import { TestHome } from "./support/home.ts";

/** What a hook could be talked into, and whether its registered permissions let it. */
const ATTEMPTS: [string, "allowed" | "refused", string][] = [
  ["read the registry", "allowed", `Deno.readTextFileSync(P.registry)`],
  ["read a transcript", "allowed", `Deno.readTextFileSync(P.home + "/.claude/projects/a/b.jsonl")`],
  ["write into the state folder", "allowed", `Deno.writeTextFileSync(P.state + "/x", "")`],
  ["rename within the state folder", "allowed", `Deno.renameSync(P.state + "/x", P.state + "/y")`],
  ["sync the state folder", "allowed", `Deno.openSync(P.state, { read: true }).syncSync()`],
  ["see whether a launcher is there", "allowed", `Deno.statSync(P.data + "/bin/deliver")`],
  [
    "run tmux",
    "allowed",
    `new Deno.Command(P.tmux, { args: ["-V"], clearEnv: true }).outputSync()`,
  ],
  ["run the deliverer", "allowed", `new Deno.Command(P.data + "/bin/deliver").outputSync()`],
  ["ask for TMUX_PANE", "allowed", `Deno.env.get("TMUX_PANE")`],
  ["read a file of the user", "refused", `Deno.readTextFileSync(P.home + "/.ssh/id")`],
  [
    "read Claude Code's credentials",
    "refused",
    `Deno.readTextFileSync(P.home + "/.claude/.credentials.json")`,
  ],
  [
    "climb out of the state folder",
    "refused",
    `Deno.readTextFileSync(P.state + "/../home/.ssh/id")`,
  ],
  ["read /etc/passwd", "refused", `Deno.readTextFileSync("/etc/passwd")`],
  ["read its own environment from /proc", "refused", `Deno.readTextFileSync("/proc/self/environ")`],
  ["write the registry", "refused", `Deno.writeTextFileSync(P.registry, "{}")`],
  ["write another launcher", "refused", `Deno.writeTextFileSync(P.data + "/bin/menu-driver", "")`],
  ["write what recovery will start", "refused", `Deno.writeTextFileSync(P.data + "/x.sh", "")`],
  ["write a launcher", "refused", `Deno.writeTextFileSync(P.data + "/bin/deliver", "")`],
  [
    "move a file onto a launcher",
    "refused",
    `Deno.renameSync(P.state + "/y", P.data + "/bin/deliver")`,
  ],
  [
    "write the settings",
    "refused",
    `Deno.writeTextFileSync(P.home + "/.claude/settings.json", "")`,
  ],
  ["write our own code", "refused", `Deno.writeTextFileSync(P.root + "/lib/evil.ts", "")`],
  ["write into /tmp", "refused", `Deno.makeTempFileSync()`],
  ["link out of the state folder", "refused", `Deno.symlinkSync("/", P.state + "/all")`],
  ["run a shell", "refused", `new Deno.Command("/bin/sh", { args: ["-c", "true"] }).outputSync()`],
  ["run Deno", "refused", `new Deno.Command(Deno.execPath(), { args: ["-V"] }).outputSync()`],
  ["run the menu driver", "refused", `new Deno.Command(P.data + "/bin/menu-driver").outputSync()`],
  [
    "run another tmux by PATH",
    "refused",
    `Deno.writeTextFileSync(P.state + "/tmux", "#!/bin/sh", { mode: 0o755 }); ` +
    `new Deno.Command("tmux", { env: { PATH: P.state } }).outputSync()`,
  ],
  [
    "load a library into tmux",
    "refused",
    `new Deno.Command(P.tmux, { env: { LD_PRELOAD: P.state + "/x.so" } }).outputSync()`,
  ],
  ["ask for an API key", "refused", `Deno.env.get("ANTHROPIC_API_KEY")`],
  ["ask for the messaging token", "refused", `Deno.env.get("CLAUDE_CODE_MESSAGING_TOKEN")`],
  ["ask for the whole environment", "refused", `Deno.env.toObject()`],
  ["go to the network", "refused", `await fetch("http://127.0.0.1:9/")`],
  ["ask for the host's name", "refused", `Deno.hostname()`],
  ["import from the network", "refused", `await import("http://127.0.0.1:9/x.ts")`],
  ["import a package", "refused", `await import("npm:zod")`],
];

Deno.test("a hook's registered permissions let it do its work and nothing else", async () => {
  const dir = await Deno.makeTempDir({ prefix: "gsd-scope-" });
  try {
    const install = await installationIn(dir);
    const { paths, tmux, home } = install;
    const places = { ...paths, tmux, home };
    const probe = `${dir}/probe.ts`;
    const tries = ATTEMPTS.map(([name, , code]) =>
      `try { ${code}; results[${JSON.stringify(name)}] = "allowed"; } catch (e) {
        results[${
        JSON.stringify(name)
      }] = /NotCapable|TypeError/.test(e.name) ? "refused" : String(e);
      }`
    );
    await Deno.writeTextFile(
      probe,
      `const P = ${JSON.stringify(places)}; const results = {};\n${tries.join("\n")}\n` +
        `console.log(JSON.stringify(results));`,
    );
    for (const entry of HOOKS) {
      const text = hookLauncherText(install);
      const probing = text.replace(/^script=.*$/m, `script=${shellQuote(probe)}`);
      assert(probing !== text);
      await Deno.writeTextFile(paths.registry, "{}");
      const words = ["-c", probing, "hook", eventWord(entry.file)];
      const outcome = await run("/bin/sh", words, {
        timeoutMs: 60_000,
        env: {
          HOME: home,
          PATH: Deno.env.get("PATH") ?? "",
          TMUX: "/x,1,1",
          TMUX_PANE: "%1",
          ANTHROPIC_API_KEY: "sk-secret",
          CLAUDE_CODE_MESSAGING_TOKEN: "secret",
        },
      });
      assert(outcome.kind === "finished", JSON.stringify(outcome));
      assertEquals(outcome.stderr, "");
      const expected = Object.fromEntries(ATTEMPTS.map(([name, result]) => [name, result]));
      assertEquals(JSON.parse(outcome.stdout), expected);
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("hookCommand() starts nothing outside tmux, and survives a folder that is gone", async () => {
  const dir = await Deno.makeTempDir({ prefix: "gsd-scope-" });
  try {
    const install = { ...await installationIn(dir), deno: `${dir}/deno says so` };
    await Deno.writeTextFile(install.deno, `#!/bin/sh\npwd\necho "$GSD_STATE_DIR"\necho "$*"\n`);
    await Deno.chmod(install.deno, 0o755);
    await Deno.writeTextFile(install.paths.registry, "{}");
    const command = putHook(install, HOOKS[0]!);
    const gone = `${dir}/gone`;
    const sh = (env: Record<string, string>) =>
      run("/bin/sh", ["-c", `mkdir ${gone}; cd ${gone}; rmdir ${gone}; ${command}`], {
        timeoutMs: 60_000,
        env: { PATH: Deno.env.get("PATH") ?? "", ...env },
      });
    const outside = await sh({});
    assertEquals(outside, { kind: "finished", code: 0, stdout: "", stderr: "" });
    const inside = await sh({ TMUX: "/x,1,1", TMUX_PANE: "%1" });
    assert(inside.kind === "finished");
    const [cwd, state, args] = inside.stdout.split("\n");
    assertEquals(cwd, "/");
    assertEquals(state, install.paths.state);
    assertStringIncludes(args!, "run --no-lock --no-config --no-npm --no-remote --cached-only");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("hookCommand() is silent when Deno, this folder or the launcher was removed", async () => {
  const dir = await Deno.makeTempDir({ prefix: "gsd-scope-" });
  try {
    const install = await installationIn(dir);
    const gone = [
      { ...install, deno: `${dir}/no deno` },
      { ...install, paths: { ...install.paths, root: `${dir}/no folder` } },
    ];
    for (const entry of HOOKS) {
      for (const one of gone) {
        const command = putHook(one, entry);
        const env = { PATH: Deno.env.get("PATH") ?? "", TMUX: "/x,1,1", TMUX_PANE: "%1" };
        const outcome = await run("/bin/sh", ["-c", command], { timeoutMs: 60_000, env });
        assertEquals(outcome, { kind: "finished", code: 0, stdout: "", stderr: "" }, entry.event);
      }
    }
    const command = putHook(install, HOOKS[0]!);
    await Deno.remove(`${install.paths.data}/bin/hook`);
    const env = { TMUX: "/x,1,1", TMUX_PANE: "%1" };
    const outcome = await run("/bin/sh", ["-c", command], { timeoutMs: 60_000, env });
    assertEquals(outcome, { kind: "finished", code: 0, stdout: "", stderr: "" });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("whyUnsafe() refuses a state folder that holds what hooks must not write", async () => {
  const paths = {
    root: "/opt/gsd",
    registry: "/etc/gsd/registry.json",
    state: "/var/state/gsd",
    data: "/var/data/gsd",
    claudeConfig: "/home/u/.claude",
  };
  const install: Installation = {
    paths,
    home: "/home/u",
    deno: "/usr/bin/deno",
    tmux: "/usr/bin/tmux",
    transcripts: [],
    allowAll: false,
    ...launcherPlaces(() => undefined, undefined),
  };
  const why = (change: Partial<typeof paths>) =>
    whyUnsafe({ ...install, paths: { ...paths, ...change } });
  assertEquals(why({}), undefined);
  assertStringIncludes(why({ data: "/var/state/gsd/data" })!, "the launchers");
  assertStringIncludes(why({ registry: "/var/state/gsd/r.json" })!, "the registry");
  assertStringIncludes(why({ state: "/" })!, "lies in the state folder /");
  assertStringIncludes(why({ state: "/home/u" })!, "Claude Code's folder");
  assertEquals(why({ state: "/var/data/gsd-state" }), undefined);
  const dir = await Deno.makeTempDir({ prefix: "gsd-scope-" });
  try {
    await Deno.symlink(dir, `${dir}/link`);
    assertStringIncludes(why({ state: `${dir}/link`, data: `${dir}/data` })!, "the launchers");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
  assertStringIncludes(why({ state: "/var/a,b" })!, "comma");
  assertEquals(
    whyUnsafe({ ...install, allowAll: true, paths: { ...paths, state: "/a,b" } }),
    undefined,
  );
});

/** Writes the launcher; the command that runs it. */
function putHook(install: Installation, entry: typeof HOOKS[number]): string {
  const launcher = `${install.paths.data}/bin/hook`;
  Deno.writeTextFileSync(launcher, hookLauncherText(install), { mode: 0o755 });
  return hookCommand(entry, install.paths);
}

async function installationIn(dir: string): Promise<Installation> {
  const odd = { dir, home: `${dir}/it's home`, data: `${dir}/da ta` };
  const { home, paths } = new TestHome(odd);
  for (
    const folder of [paths.state, `${paths.data}/bin`, `${home}/.claude/projects/a`, `${home}/.ssh`]
  ) {
    await Deno.mkdir(folder, { recursive: true });
  }
  for (const file of [`${home}/.ssh/id`, `${home}/.claude/projects/a/b.jsonl`]) {
    await Deno.writeTextFile(file, "x");
  }
  for (const name of ["deliver", "menu-driver"]) {
    await Deno.writeTextFile(`${paths.data}/bin/${name}`, "#!/bin/sh\n", { mode: 0o755 });
  }
  const which = new TextDecoder().decode(
    new Deno.Command("/bin/sh", { args: ["-c", "command -v tmux"] }).outputSync().stdout,
  ).trim();
  return {
    paths,
    home,
    deno: Deno.execPath(),
    tmux: which,
    transcripts: [`${home}/.claude/projects`],
    allowAll: false,
    ...launcherPlaces((name) => Deno.env.get(name), undefined),
  };
}
