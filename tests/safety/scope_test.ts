/** What a hook could be talked into, under exactly the flags that bin/hook gives it. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { captureLauncherText, shebang } from "../../lib/install/capture_launcher.ts";
import { eventWord, hookLauncherText } from "../../lib/install/hook_launcher.ts";
import { type HookEntry, HOOKS } from "../../lib/install/hook_list.ts";
import { isFile, isThere } from "../../lib/files.ts";
import { run } from "../../lib/process.ts";
import { shellQuote } from "../../lib/text.ts";
import { HookWorld } from "../support/hook_world.ts";
import { installationIn } from "../support/installation_in.ts";
import { writeExecutable } from "../support/executable.ts";

/** "waiting": allowed for a hook that waits; "answering": only for the one beside a dialog. */
type Expected = "allowed" | "refused" | "waiting" | "answering";

function expectedFor({ timeout }: HookEntry, expected: Expected): "allowed" | "refused" {
  if (expected === "waiting") return typeof timeout === "string" ? "allowed" : "refused";
  if (expected === "answering") return timeout === "answer" ? "allowed" : "refused";
  return expected;
}

const ATTEMPTS: [string, Expected, string][] = [
  ["read the registry", "allowed", `Deno.readTextFileSync(P.registry)`],
  ["read a transcript", "allowed", `Deno.readTextFileSync(P.home + "/.claude/projects/a/b.jsonl")`],
  ["write into the state folder", "allowed", `Deno.writeTextFileSync(P.state + "/x", "")`],
  ["rename within the state folder", "allowed", `Deno.renameSync(P.state + "/x", P.state + "/y")`],
  ["sync the state folder", "allowed", `Deno.openSync(P.state, { read: true }).syncSync()`],
  ["see whether a launcher is there", "allowed", `Deno.statSync(P.data + "/bin/deliver")`],
  ["run the deliverer", "waiting", `new Deno.Command(P.data + "/bin/deliver").outputSync()`],
  ["run the capture", "answering", `new Deno.Command(P.data + "/bin/capture").outputSync()`],
  [
    "run tmux",
    "refused",
    `new Deno.Command(P.tmux, { args: ["-V"], clearEnv: true }).outputSync()`,
  ],
  [
    "run what tmux would run",
    "refused",
    `new Deno.Command(P.tmux, { args: ["run-shell", "true"] }).outputSync()`,
  ],
  ["run tmux by its name", "refused", `new Deno.Command("tmux", { args: ["-V"] }).outputSync()`],
  ["run gsd-code", "refused", `new Deno.Command(P.data + "/bin/gsd-code").outputSync()`],
  ["run the hook again", "refused", `new Deno.Command(P.data + "/bin/hook").outputSync()`],
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
    "load a library into a launcher",
    "refused",
    `new Deno.Command(P.data + "/bin/capture", { env: { LD_PRELOAD: P.state + "/x.so" } }).outputSync()`,
  ],
  ["ask for an API key", "refused", `Deno.env.get("ANTHROPIC_API_KEY")`],
  ["ask for the messaging token", "refused", `Deno.env.get("CLAUDE_CODE_MESSAGING_TOKEN")`],
  ["ask for the whole environment", "refused", `Deno.env.toObject()`],
  ["end a process", "refused", `Deno.kill(Deno.ppid, "SIGCONT")`],
  ["listen on a port", "refused", `Deno.listen({ port: 0 }).close()`],
  ["load a library", "refused", `Deno.dlopen("libc.so.6", {})`],
  ["go to the network", "refused", `await fetch("http://127.0.0.1:9/")`],
  ["ask for the host's name", "refused", `Deno.hostname()`],
  ["import from the network", "refused", `await import("http://127.0.0.1:9/x.ts")`],
  ["import a package", "refused", `await import("npm:zod")`],
];

for (const entry of HOOKS) {
  Deno.test(`the permissions of ${entry.event} let it do its work and nothing else`, async () => {
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
      const text = hookLauncherText(install);
      const probing = text.replace(/^script=.*$/m, `script=${shellQuote(probe)}`);
      assert(probing !== text);
      await Deno.writeTextFile(paths.registry, "{}");
      const words = ["-c", probing, "hook", eventWord(entry.file)];
      const outcome = await run("/bin/sh", words, {
        timeoutMs: 300_000,
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
      const expected = ATTEMPTS.map(([name, result]) => [name, expectedFor(entry, result)]);
      assertEquals(JSON.parse(outcome.stdout), Object.fromEntries(expected));
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  });
}

// deno-fmt-ignore
const PANES: Record<string, string[]> = {
  "no pane": [],
  "an empty one": [""],
  "a session": ["warden-main"],
  "a number alone": ["1"],
  "a percent sign alone": ["%"],
  "a second command of tmux": ["%0 ; run-shell 'touch MARK'"],
  "a second command as arguments": ["%0", ";", "run-shell", "touch MARK"],
  "a separator at its end": ["%0;"],
  "a format that runs a program": ["%0#(touch MARK)"],
  "an option": ["-t%0"],
  "a second line": ["%0\nrun-shell 'touch MARK'"],
  "two panes": ["%0", "%1"],
};
Deno.test("bin/capture takes the id of one pane and nothing else", async () => {
  await using world = await HookWorld.create();
  const pane = await world.pane("warden-main");
  await world.server.show(pane, "what is shown");
  const { TMUX } = await world.server.env(pane);
  const capture = captureIn(world);
  const ok = await capture([pane], { TMUX: TMUX! });
  assertEquals([ok.code, ok.stderr], [0, ""]);
  assertStringIncludes(ok.stdout, "warden-main\t40\t");
  assertStringIncludes(ok.stdout, "what is shown");
  for (const [what, words] of Object.entries(PANES)) {
    const args = words.map((word) => word.replace("MARK", `${world.dir}/mark`));
    const outcome = await capture(args, { TMUX: TMUX! });
    assertEquals([outcome.code, outcome.stdout], [2, ""], what);
    assertStringIncludes(outcome.stderr, "Cannot capture: ");
  }
  assert(!isThere(`${world.dir}/mark`));
});

Deno.test("bin/capture asks no server whose socket a hook could have made", async () => {
  await using world = await HookWorld.create();
  const { state } = world.paths;
  Deno.mkdirSync(`${state}/deep`, { recursive: true });
  Deno.symlinkSync(state, `${world.dir}/link`);
  using listener = Deno.listen({ transport: "unix", path: `${state}/deep/s` });
  const capture = captureIn(world);
  const places = [
    `${state}/deep/s`,
    `${state}/../state/deep/s`,
    `/${state}//deep/./s`,
    `${world.dir}/link/deep/s`,
    `/proc/self/root${state}/deep/s`,
    "state/deep/s",
    "",
  ];
  for (const place of places) {
    const outcome = await capture(["%0"], { TMUX: `${place},1,0` });
    assertEquals([outcome.code, outcome.stdout], [2, ""], place);
  }
  assertEquals((await capture(["%0"], {})).code, 2);
  listener.close();
});

Deno.test("bin/capture takes nothing from its caller that decides what is run", async () => {
  await using world = await HookWorld.create();
  const pane = await world.pane("warden-main");
  const { TMUX } = await world.server.env(pane);
  const mark = `${world.dir}/mark`;
  const evil = `${world.dir}/evil`;
  Deno.mkdirSync(evil);
  for (const name of ["env", "tmux", "cd", "sh"]) {
    writeExecutable(`${evil}/${name}`, `#!/bin/sh\ntouch ${mark}\n`);
  }
  const env = {
    TMUX: TMUX!,
    PATH: evil,
    GSD_TMUX: `${evil}/tmux`,
    CDPATH: evil,
    ENV: `${evil}/env`,
    BASH_ENV: `${evil}/env`,
    SHELLOPTS: "xtrace:noglob:nounset",
    PS4: `$(touch ${mark})`,
    IFS: "/%",
    "BASH_FUNC_env%%": `() { touch ${mark}; }`,
    "BASH_FUNC_cd%%": `() { touch ${mark}; }`,
  };
  for (const sh of [["/bin/sh"], ["/bin/bash", "-p"]].filter(([sh]) => isFile(sh!))) {
    const outcome = await captureIn(world, sh)([pane], env);
    assertEquals([outcome.code, outcome.stderr], [0, ""], sh[0]);
    assertStringIncludes(outcome.stdout, "warden-main\t");
  }
  assert(!isThere(mark));
});

Deno.test("shebang() keeps bash from running what is in the environment", () => {
  assertEquals(shebang("/usr/bin/bash"), "#!/bin/sh -p");
  assertEquals(shebang("/usr/bin/dash"), "#!/bin/sh");
});

/** Runs the launcher's text in a shell. */
function captureIn(world: HookWorld, [sh = "/bin/sh", ...options]: string[] = []) {
  const file = `${world.dir}/capture`;
  const install = world.installation((name) => world.env()[name]);
  Deno.writeTextFileSync(file, captureLauncherText(install));
  return async (args: string[], env: Record<string, string>) => {
    const outcome = await run(sh, [...options, file, ...args], {
      timeoutMs: 300_000,
      env,
      cwd: "/",
    });
    assert(outcome.kind === "finished", JSON.stringify(outcome));
    return outcome;
  };
}
