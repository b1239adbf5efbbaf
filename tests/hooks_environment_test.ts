import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readTextIfThere } from "../lib/files.ts";
import { launcherPlaces } from "../lib/install/installation.ts";
import { installLaunchers } from "../lib/install/launchers.ts";
import { enqueue } from "../lib/outbox.ts";
import { run } from "../lib/process.ts";
import { aWake } from "./support/delivery_home.ts";
import { fixtureEvent } from "./support/fixtures.ts";
import { HookWorld } from "./support/hook_world.ts";
import { until } from "./support/until.ts";

const SECRETS = {
  ANTHROPIC_API_KEY: "sk-ant-secret-1",
  ANTHROPIC_AUTH_TOKEN: "secret-2",
  CLAUDE_CODE_MESSAGING_TOKEN: "secret-3",
  CLAUDE_CODE_MESSAGING_SOCKET: "/tmp/secret-4",
  GITHUB_TOKEN: "secret-5",
};

Deno.test("a hook hands no key or token on to tmux, the deliverer or openclaw", async () => {
  await using world = await HookWorld.create();
  const { dir, paths } = world;
  const recorder = async (path: string, then: string) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const text = `#!/bin/sh\n{ echo "$@"; env; } >> '${dir}/seen-${name}'\n${then}\n`;
    await Deno.writeTextFile(path, text);
    await Deno.chmod(path, 0o755);
    return path;
  };
  const tmux = await recorder(`${dir}/tmux`, 'exec tmux "$@"');
  const openclaw = await recorder(`${dir}/openclaw`, 'echo "{}"');
  await recorder(`${paths.data}/bin/deliver`, "true");

  const event = fixtureEvent("stop-plain");
  const { code } = await world.hook("stop.ts", event, { env: { ...SECRETS, GSD_TMUX: tmux } });
  assertEquals(code, 0);
  assertEquals(world.wakes().length, 1);
  await until("the deliverer to be called", () => readTextIfThere(`${dir}/seen-deliver`));

  // The launcher itself, in an environment that was not cleaned.
  const install = {
    paths,
    home: `${dir}/home`,
    deno: Deno.execPath(),
    tmux,
    transcripts: [],
    allowAll: false,
    ...launcherPlaces((name) => world.env()[name], openclaw),
  };
  await Deno.remove(`${paths.data}/bin/deliver`);
  installLaunchers(install);
  enqueue(paths, aWake({ transport: "cli" }));
  const env = { ...world.env(), ...SECRETS };
  await run(`${paths.data}/bin/deliver`, ["--wait", "--once"], { timeoutMs: 300_000, env });

  for (const name of ["tmux", "deliver", "openclaw"]) {
    const seen = readTextIfThere(`${dir}/seen-${name}`);
    assert(seen !== undefined, `${name} was called`);
    assertStringIncludes(seen, "PWD=");
    for (const [variable, value] of Object.entries(SECRETS)) {
      assert(!seen.includes(value), `${name} was given ${variable}:\n${seen}`);
    }
  }
});
