import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { hookCommand } from "../lib/install/hook_command.ts";
import { hookLauncherText } from "../lib/install/hook_launcher.ts";
import { launcherPlaces } from "../lib/install/installation.ts";
import { HOOKS } from "../lib/install/hook_list.ts";
import { run } from "../lib/process.ts";
import { type Installation, whyUnsafe } from "../lib/install/scope.ts";
import { installationIn } from "./support/installation_in.ts";
import { writeExecutable } from "./support/executable.ts";

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
        timeoutMs: 300_000,
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
        const outcome = await run("/bin/sh", ["-c", command], { timeoutMs: 300_000, env });
        assertEquals(outcome, { kind: "finished", code: 0, stdout: "", stderr: "" }, entry.event);
      }
    }
    const command = putHook(install, HOOKS[0]!);
    await Deno.remove(`${install.paths.data}/bin/hook`);
    const env = { TMUX: "/x,1,1", TMUX_PANE: "%1" };
    const outcome = await run("/bin/sh", ["-c", command], { timeoutMs: 300_000, env });
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
  writeExecutable(launcher, hookLauncherText(install));
  return hookCommand(entry, install.paths);
}
