import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { chooseDeno, pinDeno } from "../lib/doors/deno_binary.ts";
import { namesIn, readTextIfThere } from "../lib/files.ts";
import { launcherPlaces } from "../lib/install/installation.ts";
import { installLaunchers, launchersOf } from "../lib/install/launchers.ts";
import { enqueue, isDelivered } from "../lib/outbox.ts";
import { pathsFrom } from "../lib/paths.ts";
import { run } from "../lib/process.ts";
import type { Installation } from "../lib/install/scope.ts";
import { aWake } from "./support/delivery_home.ts";
import { startFakeGateway } from "./support/fake_gateway.ts";
import { TestHome } from "./support/home.ts";
import { make } from "./support/odd_files.ts";
import { NOBODY } from "./support/other_user.ts";
import { until } from "./support/until.ts";
import { writeExecutable } from "./support/executable.ts";

Deno.test("deliver returns at once and leaves its work to a process that has no parent of ours", async () => {
  await inHome(async ({ install, bin, dir }) => {
    useFakeDeno(install, `until [ -e '${dir}/go' ]; do sleep 0.05; done`);
    installLaunchers(install);
    // Claude Code ends a hook with its whole tree: here, the shell and all that is still below it.
    const shell = new Deno.Command("/bin/sh", {
      args: ["-c", `"${bin}/deliver" --agent warden; echo started; exec sleep 100`],
      stdout: "piped",
      clearEnv: true,
    }).spawn();
    const reader = shell.stdout.getReader();
    await reader.read();
    assertEquals(readTextIfThere(`${dir}/done`), undefined);
    assertEquals(await childrenOf(shell.pid), []);
    shell.kill("SIGKILL");
    await reader.cancel();
    await shell.status;
    await Deno.writeTextFile(`${dir}/go`, "");
    await until("the deliverer to finish its work", () => readTextIfThere(`${dir}/done`));
  });
});

Deno.test("gsd-code lets the caller's places win, names no program that is gone, starts anywhere", async () => {
  await inHome(async ({ install, bin, dir }) => {
    useFakeDeno(install, "true");
    installLaunchers({ ...install, openclaw: `${dir}/moved/openclaw` });
    const gone = `${dir}/gone`;
    const start = async (env: Record<string, string>) => {
      const line = `mkdir '${gone}'; cd '${gone}'; rmdir '${gone}'; exec "${bin}/gsd-code" status`;
      const outcome = await run("/bin/sh", ["-c", line], { timeoutMs: 300_000, env });
      assert(outcome.kind === "finished");
      return readTextIfThere(`${dir}/env`)!.split("\n");
    };
    const plain = await start({});
    const names = (lines: string[]) => lines.map((line) => line.split("=")[0]);
    assertEquals(names(plain).includes("GSD_OPENCLAW"), false);
    assert(plain.includes(`GSD_TMUX=${install.tmux}`));
    assert(plain.includes("PWD=/"));
    assert((await start({ GSD_REGISTRY: "/other.json" })).includes("GSD_REGISTRY=/other.json"));
  });
});

Deno.test("launchers pass words whole and the exit code on; deliver --wait stays", async () => {
  await inHome(async ({ install, bin, dir }) => {
    useFakeDeno(install, `for a in "$@"; do echo "<$a>"; done > "${dir}/words"; exit 7`);
    installLaunchers(install);
    const words = ["it's", "two words", "$HOME", ""];
    const calls: [string, string[], RegExp][] = [
      ["deliver", ["--wait", ...words], /deliver\.ts/],
      ["menu-driver", words, /menu_driver\.ts/],
      ["recover", words, /recover\.ts/],
      ["gsd-code", words, /-A>\n.*gsd_code\.ts/],
      ["gsd-code", ["menu-driver", ...words], /--allow-run=.*\n.*menu_driver\.ts/],
      ["gsd-code", ["deliver", ...words], /--allow-net=.*\n.*deliver\.ts/],
    ];
    for (const [name, args, started] of calls) {
      const outcome = await run(`${bin}/${name}`, args, { timeoutMs: 300_000, env: {} });
      assert(outcome.kind === "finished");
      assertEquals([outcome.code, outcome.stdout, outcome.stderr], [7, "", ""]);
      assertMatch(readTextIfThere(`${dir}/words`)!, started);
      const seen = readTextIfThere(`${dir}/words`)!.trimEnd().split("\n");
      assertEquals(seen.slice(-4), words.map((word) => `<${word}>`));
    }
    const env = readTextIfThere(`${dir}/env`)!;
    assertStringIncludes(env, `HOME=${install.home}\n`);
    assertStringIncludes(env, `GSD_STATE_DIR=${install.paths.state}\n`);
    assertStringIncludes(env, "DENO_NO_UPDATE_CHECK=1\n");
  });
});

Deno.test("hook, menu-driver and companion may read whose session it is by its record", async () => {
  await inHome(({ install }) => {
    for (const { name, text } of launchersOf(install)) {
      if (!["hook", "menu-driver", "companion"].includes(name)) continue;
      assertStringIncludes(text, `${install.paths.data}/launches`, name);
    }
    return Promise.resolve();
  });
});

Deno.test("gsd-code watch runs for weeks: it is started small, and without what reads words", async () => {
  await inHome(async ({ install, bin, dir }) => {
    useFakeDeno(install, `for a in "$@"; do echo "<$a>"; done > "${dir}/words"`);
    installLaunchers(install);
    const started = async (...args: string[]) => {
      await run(`${bin}/gsd-code`, args, { timeoutMs: 300_000, env: {} });
      return readTextIfThere(`${dir}/words`)!;
    };
    assertMatch(await started("watch"), /--optimize-for-size.*\n(.*\n)*.*\/watch\.ts>\n$/);
    assertMatch(await started("watch", "--once"), /gsd_code\.ts>\n<watch>\n<--once>\n$/);
    // The wall has more to do, and may have options.
    const wall = await started("wall", "--port", "80");
    assertMatch(
      wall,
      /--max-semi-space-size=1>\n(.*\n)*.*gsd_code\.ts>\n<wall>\n<--port>\n<80>\n$/,
    );
    assert(!wall.includes("--lite-mode"), wall);
  });
});

Deno.test("installLaunchers() fixes what is not right and leaves the rest alone", async () => {
  await inHome(({ install, bin }) => {
    assertEquals(installLaunchers(install).length, 10);
    assertEquals(installLaunchers(install), []);
    Deno.chmodSync(`${bin}/deliver`, 0o644);
    Deno.writeTextFileSync(`${bin}/recover`, "#!/bin/sh\n");
    assertEquals(installLaunchers(install), [`${bin}/deliver`, `${bin}/recover`]);
    assertEquals(namesIn(bin), [
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
  });
});

Deno.test("deliver delivers within its own permissions, to an inbox and to the gateway", async () => {
  const gateway = await startFakeGateway({ sessions: { "agent:warden:main": "id-1" } });
  try {
    await inHome(async ({ install, bin }) => {
      const config = { gateway: { port: gateway.port, auth: { token: "fake-token" } } };
      await Deno.mkdir(`${install.home}/.openclaw`);
      await Deno.writeTextFile(`${install.home}/.openclaw/openclaw.json`, JSON.stringify(config));
      const env: Record<string, string> = { HOME: install.home };
      installLaunchers({ ...install, ...launcherPlaces((name) => env[name], undefined) });
      const wakes = [aWake({ transport: "inbox" }), aWake({ transport: "gateway" })];
      for (const wake of wakes) enqueue(install.paths, wake);
      const outcome = await run(`${bin}/deliver`, ["--wait", "--once", "--agent", "warden"], {
        timeoutMs: 300_000,
        env: {},
      });
      assert(outcome.kind === "finished");
      assertEquals(outcome.stderr, "");
      for (const wake of wakes) assert(isDelivered(install.paths, wake));
      assertEquals(gateway.taken.map(({ session }) => session), ["agent:warden:main"]);
    });
  } finally {
    await gateway.stop();
  }
});

Deno.test({
  name: "launchers refuse to work as root in another user's state folder",
  ignore: Deno.uid() !== 0,
  async fn() {
    await inHome(async ({ install, bin }) => {
      installLaunchers(install);
      const { state } = install.paths;
      enqueue(install.paths, aWake({ transport: "inbox" }));
      make("chown", "-R", `${NOBODY}:${NOBODY}`, state);
      const deliver = async () => {
        const words = ["deliver", "--once"];
        const outcome = await run(`${bin}/gsd-code`, words, { timeoutMs: 300_000, env: {} });
        assert(outcome.kind === "finished");
        return outcome;
      };
      const { code, stdout, stderr } = await deliver();
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, /^Cannot deliver as root: .* belongs to user/);
      assertEquals(namesIn(state), ["outbox"]);
      make("chown", "-R", "0:0", state);
      assertEquals((await deliver()).stdout, "1 delivered, 0 dead letters, 0 waiting\n");
    });
  },
});

Deno.test("chooseDeno() pins what a cache or a temporary folder holds, and follows links", () => {
  const paths = pathsFrom((name) => name === "GSD_DATA_DIR" ? "/data" : undefined, "/root");
  const chosen = (exec: string, links: string[] = []) => chooseDeno(exec, paths, links);
  const pin = (from: string) => ({ kind: "pin", path: "/data/bin/deno", from } as const);
  const keep = (path: string) => ({ kind: "as it is", path } as const);
  const cached = "/home/u/.npm/_npx/1a2b/node_modules/deno/deno";
  assertEquals(chosen(cached), pin(cached));
  assertEquals(chosen("/tmp/deno"), pin("/tmp/deno"));
  assertEquals(chosen("/data/bin/deno"), keep("/data/bin/deno"));
  assertEquals(chosen("/home/u/.deno/bin/deno"), keep("/home/u/.deno/bin/deno"));
  const cellar = "/opt/homebrew/Cellar/deno/2.9.6/bin/deno";
  assertEquals(chosen(cellar, ["/opt/homebrew/bin/deno"]), keep("/opt/homebrew/bin/deno"));
  assertEquals(chosen(cellar), keep(cellar));
});

Deno.test("pinDeno() links or copies a program that then runs, once and again", async () => {
  await inHome(async ({ dir }) => {
    const [original, pinned] = [`${dir}/cache/deno`, `${dir}/data/bin/deno`];
    await Deno.mkdir(`${dir}/cache`);
    writeExecutable(original, "#!/bin/sh\necho one\n");
    pinDeno(original, pinned);
    pinDeno(original, pinned);
    await Deno.remove(original);
    const says = async () => {
      const outcome = await run(pinned, [], { timeoutMs: 300_000, env: {} });
      return outcome.kind === "finished" ? outcome.stdout : outcome.kind;
    };
    assertEquals(await says(), "one\n");
    writeExecutable(original, "#!/bin/sh\necho two\n");
    pinDeno(original, pinned);
    assertEquals(await says(), "two\n");
    assertEquals(namesIn(`${dir}/data/bin`), ["deno"]);
  });
});

interface Home {
  install: Installation;
  bin: string;
  dir: string;
}

async function inHome(work: (home: Home) => Promise<void> | void): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "gsd-launchers-" });
  try {
    const { home, paths } = new TestHome({ dir, home: `${dir}/a home` });
    const install: Installation = {
      paths,
      home,
      deno: Deno.execPath(),
      tmux: "/usr/bin/tmux",
      transcripts: [],
      allowAll: false,
      ...launcherPlaces(() => undefined, undefined),
    };
    await work({ install, bin: `${paths.data}/bin`, dir });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** A program in Deno's place that records how it was called. */
function useFakeDeno(install: Installation, script: string): void {
  const dir = install.paths.state.replace(/\/state$/, "");
  install.deno = `${dir}/de no`;
  const text =
    `#!/bin/sh\nenv > "${dir}/env"\n(${script})\ncode=$?\necho yes > "${dir}/done"\nexit $code\n`;
  writeExecutable(install.deno, text);
}

async function childrenOf(pid: number): Promise<string[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-A", "-o", "ppid=,comm="] }).output();
  return new TextDecoder().decode(stdout).split("\n").map((line) => line.trim().split(/\s+/))
    .filter(([parent]) => Number(parent) === pid).map(([, name]) => name!);
}

Deno.test("launchersOf() names no permission beside -A, which takes no others", async () => {
  await inHome(({ install }) => {
    const texts = launchersOf({ ...install, allowAll: true }).filter(({ name }) =>
      name === "menu-driver" || name === "companion"
    );
    assertEquals(texts.length, 2);
    for (const { name, text } of texts) assertEquals(text.includes("--allow-"), false, name);
    const [driver] = launchersOf(install).filter(({ name }) => name === "menu-driver");
    assertStringIncludes(driver!.text, '${roads:+"--allow-net=$roads"}');
  });
});
