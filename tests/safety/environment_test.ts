/** Attacks by variables: none decides what our Deno, a shell or the loader runs. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { readTextIfThere } from "../../lib/files.ts";
import { launcherPlaces } from "../../lib/install/installation.ts";
import { installLaunchers } from "../../lib/install/launchers.ts";
import type { Installation } from "../../lib/install/scope.ts";
import { enqueue } from "../../lib/outbox.ts";
import { run } from "../../lib/process.ts";
import { aWake } from "../support/delivery_home.ts";
import { TestHome } from "../support/home.ts";
import { until } from "../support/until.ts";

/** A launcher, its arguments, and whether it gets named variables only. */
const LAUNCHERS: [name: string, args: string[], isNamed: boolean][] = [
  ["menu-driver", ["s", "snapshot"], true],
  ["gsd-code", ["menu-driver", "s", "snapshot"], true],
  ["hook", ["stop"], true],
  ["deliver", ["--wait", "--once"], false],
  ["deliver", ["--agent", "warden"], false],
  ["gsd-code", ["deliver", "--once"], false],
  ["gsd-code", ["status"], false],
  ["recover", ["--dry-run"], false],
];

const STEERING = {
  NODE_OPTIONS: "--require /evil.cjs",
  NODE_PATH: "/evil",
  NODE_V8_COVERAGE: "/evil",
  NODE_TLS_REJECT_UNAUTHORIZED: "0",
  DENO_V8_FLAGS: "--evil",
  DENO_DIR: "/evil",
  DENO_CERT: "/evil",
  DENO_AUTH_TOKENS: "evil@example.org",
  DENO_PERMISSION_BROKER_PATH: "/evil",
  DENO_ANYTHING_NEW: "evil",
  LD_LIBRARY_PATH: "/evil",
  LD_AUDIT: "",
  BASH_ENV: "/evil",
  ENV: "/evil",
  IFS: "/",
};

/** What a Claude Code that is started here, or the gateway, needs. */
const NEEDED = {
  ANTHROPIC_API_KEY: "a key",
  HTTPS_PROXY: "http://proxy:1",
  SSH_AUTH_SOCK: "/agent",
  NODE_EXTRA_CA_CERTS: "/ca.pem",
  MY_TOKEN: "of the gateway",
  TRICKY: "a\nDENO_X=1 LD_y.z=2 NODE_OPTIONS='q' * $(touch pwned)",
};

Deno.test("no launcher hands on a variable that decides what is run; the user's others stay", async () => {
  await using home = new TestHome();
  const install = await installation(home);
  await Deno.symlink("/bin/bash", `${home.dir}/sh`);
  const given = {
    ...{ HOME: home.home, PATH: "/usr/bin:/bin", TERM: "xterm", LANG: "C.UTF-8" },
    ...{ TMUX: "/none,0,0", TMUX_PANE: "%0", NO_COLOR: "1", TMUX_TMPDIR: "/t" },
    ...STEERING,
    ...NEEDED,
    "BASH_FUNC_cd%%": "() { touch pwned; }",
    "BASH_FUNC_env%%": "() { touch pwned; }",
  };
  for (const shell of ["/bin/sh", `${home.dir}/sh`]) {
    for (const [name, args, isNamed] of LAUNCHERS) {
      const words = [`${install.paths.data}/bin/${name}`, ...args];
      const outcome = await run(shell, words, { env: given, timeoutMs: 300_000, cwd: home.dir });
      assert(outcome.kind === "finished");
      const what = `${shell} ${name} ${args.join(" ")}`;
      assertEquals([outcome.code, outcome.stderr], [0, ""], what);
      const seen = await until("Deno to start", () => readTextIfThere(`${home.dir}/seen`));
      await Deno.remove(`${home.dir}/seen`);
      const env = new Map(
        seen.split("\0").map((one) => [one.split("=")[0]!, one.slice(one.indexOf("=") + 1)]),
      );
      const steered = Object.entries(STEERING).filter(([name, value]) => env.get(name) === value);
      assertEquals(steered, [], what);
      assertEquals([...env.keys()].filter((one) => /^(NODE_(?!EX)|LD_|ENV$)/.test(one)), [], what);
      const kept = Object.entries(NEEDED).filter(([name, value]) => env.get(name) === value);
      assertEquals(kept.length, isNamed ? 0 : Object.keys(NEEDED).length, what);
      if (name !== "hook" && isNamed) {
        const own = ["TMUX", "TMUX_PANE", "TMUX_TMPDIR", "NO_COLOR", "TERM", "LANG"];
        for (const one of own) assertEquals(env.get(one), given[one as "TMUX"], what);
        assertEquals(env.get("PATH"), install.path);
      }
      assertEquals(readTextIfThere(`${home.dir}/pwned`), undefined, what);
    }
  }
});

Deno.test("NODE_OPTIONS, DENO_DIR and DENO_V8_FLAGS change nothing in a launcher's real Deno", async () => {
  await using home = new TestHome();
  const install = await installation(home, Deno.execPath());
  const evil = `${home.dir}/evil`;
  const script = `require("fs").writeFileSync(${JSON.stringify(evil)}, "ran");`;
  Deno.writeTextFileSync(`${home.dir}/evil.cjs`, script);
  const env = {
    HOME: home.home,
    PATH: home.env.PATH!,
    NODE_OPTIONS: `--require ${home.dir}/evil.cjs`,
    DENO_DIR: `${home.dir}/empty`,
    XDG_CACHE_HOME: `${home.dir}/empty`,
    DENO_V8_FLAGS: "--no-such-flag",
  };
  const calls = [["menu-driver", "--help"], ["gsd-code", "doctor", "--help"], [
    "recover",
    "--help",
  ]];
  for (const [name, ...args] of [...calls, ["deliver", "--wait", "--help"]]) {
    const outcome = await run(`${install.paths.data}/bin/${name}`, args, {
      env,
      timeoutMs: 300_000,
    });
    assert(outcome.kind === "finished");
    assertEquals([outcome.code, outcome.stderr], [0, ""], name);
    assertEquals(readTextIfThere(evil), undefined, name);
  }
});

Deno.test("deliver finds an openclaw that came after the registration, in its own PATH alone", async () => {
  await using home = new TestHome();
  await Deno.mkdir(`${home.dir}/later`);
  home.env.PATH = `${home.dir}/later:${home.env.PATH}`;
  const install = await installation(home, Deno.execPath());
  home.writeProgram("later/openclaw", `echo ran >> '${home.dir}/ran'; exit 1`);
  await Deno.mkdir(`${home.dir}/here`);
  home.writeProgram("here/openclaw", `echo evil >> '${home.dir}/evil'; exit 1`);
  enqueue(home.paths, aWake({ transport: "cli" }));
  const outcome = await run(`${install.paths.data}/bin/deliver`, ["--wait", "--once"], {
    env: { PATH: `.:${home.dir}/here`, GSD_OPENCLAW: `${home.dir}/here/openclaw` },
    timeoutMs: 300_000,
    cwd: `${home.dir}/here`,
  });
  assert(outcome.kind === "finished");
  assertMatch(readTextIfThere(`${home.dir}/ran`) ?? outcome.stderr, /^ran\n/);
  assertEquals(readTextIfThere(`${home.dir}/evil`), undefined);
});

/** Launchers, by default of a Deno that only writes down its environment. */
async function installation(home: TestHome, deno?: string): Promise<Installation> {
  const { dir, paths } = home;
  const fake = home.writeProgram(
    "deno",
    `env -0 > '${dir}/part'; mv '${dir}/part' '${dir}/seen'; echo 0`,
  );
  home.writeRegistry({ agents: [{ agent_id: "w", tmux_session_name: "w" }] });
  await Deno.mkdir(`${dir}/cache`);
  const install: Installation = {
    paths,
    home: home.home,
    deno: deno ?? fake,
    tmux: home.writeProgram("tmux", "echo w,w"),
    transcripts: [],
    allowAll: false,
    ...launcherPlaces(home.variable, undefined),
  };
  installLaunchers(install);
  return install;
}
