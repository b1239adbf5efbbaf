import { assertEquals, assertStringIncludes } from "@std/assert";
import { namesIn, readTextIfThere, writeAtomic } from "../lib/files.ts";
import { statusLauncherText } from "../lib/install/status_launcher.ts";
import { launcherPath } from "../lib/install/scope.ts";
import { managedMark } from "../lib/paths.ts";
import { run } from "../lib/process.ts";
import { statusLineFor } from "../lib/sessions/status_settings.ts";
import { TestHome } from "./support/home.ts";
import { installationIn } from "./support/installation_in.ts";
import { writeExecutable } from "./support/executable.ts";

interface Settings {
  user?: unknown;
  project?: unknown;
  local?: unknown;
}

/** What a launch would set, for these settings of Claude Code. */
function lineFor(home: TestHome, { user, project, local }: Settings) {
  const { paths } = home;
  const dir = `${home.dir}/project`;
  const files = {
    [`${paths.claudeConfig}/settings.json`]: user,
    [`${dir}/.claude/settings.json`]: project,
    [`${dir}/.claude/settings.local.json`]: local,
  };
  for (const [file, value] of Object.entries(files)) {
    if (value === undefined) continue;
    Deno.mkdirSync(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
  }
  return statusLineFor(paths, dir);
}

const OWN = { type: "command", command: "~/bin/line --short # mine", padding: 0 };

const cases: [name: string, settings: Settings, expected: (ours: string) => unknown][] = [
  ["shows nothing where there is none", {}, (ours) => ({
    type: "command",
    command: `${ours} >/dev/null`,
  })],
  ["runs the user's own as it is", { user: { statusLine: OWN } }, (ours) => ({
    ...OWN,
    command: `${ours} | {\n~/bin/line --short # mine\n}`,
  })],
  ["leaves that of a project", { project: { statusLine: OWN } }, () => undefined],
  ["leaves that of a person's project", { local: { statusLine: OWN } }, () => undefined],
  ["leaves settings that it cannot read", { user: "{" }, () => undefined],
  [
    "leaves a kind that it does not know",
    { user: { statusLine: { type: "new" } } },
    () => undefined,
  ],
];
for (const [name, settings, expected] of cases) {
  Deno.test(`statusLineFor() ${name}`, async () => {
    await using home = new TestHome();
    const ours = launcherPath(home.paths, "status-line");
    assertEquals(lineFor(home, settings) as unknown, expected(ours));
  });
}

const SAID =
  '{"session_id":"c1","context_window":{"context_window_size":200000},"x":"%s \\\\n `id`"}';
const TMUX = "/tmp/tmux-1000/default,4711,0";

async function inInstallation(
  work: (at: {
    state: string;
    mark: string;
    show: (own: string, env?: Record<string, string>) => Promise<string>;
  }) => Promise<void>,
): Promise<void> {
  const dir = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "gsd-test-" }));
  try {
    const install = await installationIn(dir);
    const launcher = launcherPath(install.paths, "status-line");
    writeExecutable(launcher, statusLauncherText(install));
    const mark = managedMark(install.paths, TMUX, "%3")!;
    await work({
      state: install.paths.state,
      mark,
      async show(own, env = { TMUX, TMUX_PANE: "%3" }) {
        const command = `printf '%s' "$SAID" | '${
          launcher.replaceAll("'", "'\\''")
        }' | {\n${own}\n}`;
        const outcome = await run("/bin/sh", ["-c", command], {
          env: { ...env, SAID, PATH: "/usr/bin:/bin" },
          timeoutMs: 300_000,
        });
        if (outcome.kind !== "finished") throw new Error(outcome.kind);
        return outcome.stdout + outcome.stderr;
      },
    });
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test("status-line passes on what it reads, and keeps it for a managed pane", () =>
  inInstallation(async ({ mark, show }) => {
    writeAtomic(mark, "");
    assertEquals(await show("cat; echo mine"), `${SAID}\nmine\n`);
    assertEquals(readTextIfThere(`${mark}.status.json`), SAID);
    assertEquals(Deno.statSync(`${mark}.status.json`).mode! & 0o777, 0o600);
    assertEquals(namesIn(mark.slice(0, mark.lastIndexOf("/"))), ["%3", "%3.status.json"]);
  }));

Deno.test("status-line is not disturbed by a user's line that does not read", () =>
  inInstallation(async ({ mark, show }) => {
    writeAtomic(mark, "");
    assertEquals(await show("echo mine"), "mine\n");
  }));

for (
  const [name, env] of [
    ["a pane that is not managed", { TMUX, TMUX_PANE: "%4" }],
    ["no tmux", {}],
    ["a path that leads elsewhere", { TMUX: "/../../x,1,0", TMUX_PANE: "%3" }],
    ["a pane that is a path", { TMUX, TMUX_PANE: "%3/../%3" }],
  ] as [string, Record<string, string>][]
) {
  Deno.test(`status-line writes nothing for ${name}`, () =>
    inInstallation(async ({ state, mark, show }) => {
      writeAtomic(mark, "");
      assertStringIncludes(await show("cat", env), SAID);
      const found: string[] = [];
      const walk = (folder: string) => {
        for (const { name, isDirectory } of Deno.readDirSync(folder)) {
          if (isDirectory) walk(`${folder}/${name}`);
          else found.push(name);
        }
      };
      walk(state);
      assertEquals(found, ["%3"]);
    }));
}
