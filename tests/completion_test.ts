import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { complete, optionsIn } from "../lib/cli/complete.ts";
import { COMMANDS } from "../lib/cli/commands.ts";
import { SCRIPTS } from "../lib/cli/completion_scripts.ts";
import { onPath } from "../lib/doors/programs.ts";
import { GsdCode } from "./support/gsd_code.ts";
import { TmuxServer } from "./support/tmux_server.ts";
import { until } from "./support/until.ts";

const NAMES = {
  sessions: () => ["warden-main", "warden-main-2"],
  agents: () => ["anvil", "warden"],
};

Deno.test("complete() knows commands, options, and the names of sessions and agents", async () => {
  const cases: [string[], string[]][] = [
    [[], [...COMMANDS.map(({ name }) => name), "help"]],
    [["s"], ["status", "send", "spawn", "stop", "sync"]],
    [["-"], ["--help", "--version"]],
    [["help", "sp"], ["spawn"]],
    [["help", "spawn", ""], []],
    [["nosuch", ""], []],
    [["send", ""], NAMES.sessions()],
    [["send", "warden-main", ""], []],
    [["spawn", ""], NAMES.agents()],
    [["spawn", "warden", "/"], []], // a folder: the shell knows those
    [["spawn", "--timeout", ""], []],
    [["spawn", "--timeout", "5", ""], NAMES.agents()],
    [["spawn", "--json", "w"], ["warden"]],
    [["spawn", "--d"], ["--dry-run"]],
    [["spawn", "warden", "--", "-"], []],
    [["recover", "--agent", ""], NAMES.agents()],
    [["recover", ""], NAMES.sessions()],
    [["adopt", "warden-main", ""], NAMES.agents()],
    [["status", "w"], ["warden-main", "warden-main-2", "warden"]],
    [["menu-driver", "warden-main", "s"], ["snapshot", "submit"]],
    [["completion", ""], ["bash", "zsh"]],
  ];
  for (const [words, expected] of cases) {
    const found = await complete(words, NAMES);
    assertEquals(found.map(({ word }) => word), expected, words.join(" "));
  }
});

Deno.test("optionsIn() reads a help text's options and whether they take a value", () => {
  const help =
    "Usage: gsd-code x [--json]\n\n  --agent <id>  only this\n  --json        for programs\n";
  assertEquals(optionsIn(help), [
    { word: "--agent", about: "only this", takesValue: true },
    { word: "--json", about: "for programs", takesValue: false },
  ]);
});

const TABBED = [
  ["gsd-code stat", "gsd-code status"],
  ["gsd-code send ward", "gsd-code send warden-main"],
  ["gsd-code spawn --sys", "gsd-code spawn --system-prompt"],
  ["gsd-code send od", "gsd-code send odd\\ name"],
  ["gsd-code spawn warden a-f", "gsd-code spawn warden a-folder/"],
] as const;

for (const shell of ["bash", "zsh"] as const) {
  const ignore = onPath((name) => Deno.env.get(name), shell) === undefined;
  Deno.test({
    name: `${shell} completes gsd-code on Tab, with the script loaded as its help says`,
    ignore,
    fn: async () => {
      await using home = await GsdCode.create([
        { agent_id: "warden", tmux_session_name: "warden-main" },
        { agent_id: "anvil", tmux_session_name: "odd name" },
      ]);
      await using server = new TmuxServer();
      await Deno.mkdir(`${home.dir}/elsewhere/a-folder`);
      const rc = `${home.dir}/home/.${shell}rc`;
      await Deno.writeTextFile(rc, `PS1='ready> '\nsource <(gsd-code completion ${shell})\n`);
      const env = Object.entries(home.env).map(([name, value]) => `${name}='${value}'`).join(" ");
      const start = shell === "bash" ? `bash --noprofile --rcfile '${rc}' -i` : "zsh -d -i";
      const inFolder = `cd '${home.dir}/elsewhere'; env -i ${env} ${start}`;
      const pane = await server.session("shell", inFolder);
      const present = async () => (await server.tmux("capture-pane", "-p", "-t", pane)).trimEnd();
      const shows = (text: string) =>
        until(`${shell} shows ${text}`, async () => (await present()).endsWith(text), { present });
      for (const [typed, completed] of TABBED) {
        await shows("ready>");
        await server.tmux("send-keys", "-t", pane, "-l", typed);
        await server.tmux("send-keys", "-t", pane, "Tab");
        await shows(completed);
        await server.tmux("send-keys", "-t", pane, "C-u");
      }
    },
  });

  Deno.test({
    name: `gsd-code completion ${shell} prints a script that ${shell} can read`,
    ignore,
    fn: async () => {
      await using home = await GsdCode.create();
      const { code, out, err } = await home.run("gsd-code", "completion", shell);
      assertEquals([code, err], [0, ""]);
      assertEquals(out, SCRIPTS[shell]("gsd-code completion"));
      const file = `${home.dir}/script`;
      await Deno.writeTextFile(file, out);
      assertEquals(await home.run(shell, "-n", file), { code: 0, out: "", err: "" });
    },
  });
}

Deno.test("gsd-code completion without a shell it knows is called wrongly", async () => {
  await using home = await GsdCode.create();
  for (const words of [[], ["fish"]]) {
    const { code, out, err } = await home.run("gsd-code", "completion", ...words);
    assertEquals([code, out], [2, ""]);
    assertStringIncludes(err, "bash or zsh; see gsd-code completion --help");
  }
});

Deno.test("gsd-code completion --words answers without a registry, and with a broken one", async () => {
  await using home = await GsdCode.create();
  await Deno.writeTextFile(`${home.dir}/registry.json`, "{");
  const none = { code: 0, out: "", err: "" };
  assertEquals(await home.run("gsd-code", "completion", "--words", "send", ""), none);
  await Deno.remove(`${home.dir}/registry.json`);
  assertEquals(await home.run("gsd-code", "completion", "--words", "send", ""), none);
  const data = `${home.dir}/home/.local/share/gsd-code-skill`;
  await Deno.mkdir(`${data}/launches`);
  const put = (session: string, more = {}) =>
    Deno.writeTextFile(`${data}/launches/${session}.json`, JSON.stringify({ session, ...more }));
  await put("warden-main-2");
  await put("old", { moved_to: "warden-main-2" });
  const { out } = await home.run("gsd-code", "completion", "--words", "send", "");
  assert(out === "warden-main-2\tsession\n", out);
});

Deno.test("complete() offers --dry-run and --json for all that steers a session or its life", async () => {
  const all = ["queue", "send", "pause", "resume", "take", "give"];
  for (const name of [...all, "spawn", "adopt", "rename", "stop", "remove"]) {
    const offered = (await complete([name, "--"], NAMES)).map(({ word }) => word);
    assertEquals(["--dry-run", "--json"].filter((word) => !offered.includes(word)), [], name);
  }
});
