import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main } from "../commands/spawn.ts";
import { readTextIfThere } from "../lib/files.ts";
import { readLaunch } from "./support/recovering.ts";
import { agents, inSessionWorld, project, type SessionWorld } from "./support/session_world.ts";
import { until } from "./support/until.ts";
import { writeExecutable } from "./support/executable.ts";

const IDLE = "01-idle-fresh.txt";

Deno.test("spawn registers the agent and starts its session as it can be started again", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
    const dir = project(world);
    const prompt = `"quotes" 'single' $HOME \`id\`\nsecond line \\`;
    const code = await main(["warden", dir, "", "--system-prompt", prompt, "--json"], world);
    assertEquals(code, 0, world.warned.join("\n"));
    const result = JSON.parse(world.said[0]!);
    assertEquals([result.session, result.state, result.registered], ["warden-main", "ready", true]);
    assertEquals(agents(world).map((agent) => [agent.agent_id, agent.tmux_session_name]), [
      ["warden", "warden-main"],
    ]);
    const launch = readLaunch(world.paths, "warden-main");
    assertEquals(launch.working_directory, dir);
    assertEquals(launch.claude_session_id, result.claude_session_id);
    assertEquals(launch.env.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE, "80");
    const args = Deno.readTextFileSync(`${world.dir}/claude.args`).split("\n");
    assertEquals(args.slice(0, 6), [
      "--settings",
      launch.settings_file,
      "--append-system-prompt-file",
      launch.prompt_file,
      "--session-id",
      launch.claude_session_id,
    ]);
    assertStringIncludes(Deno.readTextFileSync(launch.prompt_file), `\n\n${prompt}\n`);
    const settings = JSON.parse(Deno.readTextFileSync(launch.settings_file));
    assertStringIncludes(settings.hooks.Stop[0].hooks[0].command, "/bin/hook stop");
    const size = await world.tmux("display-message", "-p", "-t", "=warden-main:", "#{pane_width}");
    assertEquals(size, "200");
  }));

Deno.test("spawn runs a GSD_CLAUDE whose folder has a blank in its name", () =>
  inSessionWorld(async (world) => {
    Deno.mkdirSync(`${world.dir}/my dir`);
    Deno.renameSync(world.standIn("claude", IDLE), `${world.dir}/my dir/claude`);
    world.variables.GSD_CLAUDE = `${world.dir}/my dir/claude`;
    assertEquals(await main(["w", project(world), ""], world), 0, world.warned.join("\n"));
    assertEquals(agents(world)[0]!.claude_launch_command, `'${world.dir}/my dir/claude'`);
  }));

Deno.test("spawn takes the next free number and keeps the registry as it is", () =>
  inSessionWorld(async (world) => {
    const program = world.standIn("claude", IDLE);
    const dir = project(world);
    world.registry({
      agents: [{ agent_id: "w", tmux_session_name: "door", claude_launch_command: program }],
    });
    await world.tmux("new-session", "-d", "-s", "door", "sleep 1000");
    assertEquals(await main(["w", dir, ""], world), 0, world.warned.join("\n"));
    assertStringIncludes(world.said.join("\n"), "Started door-2 for w");
    assertStringIncludes(world.said.join("\n"), "tmux attach -t '=door-2'");
    assertEquals(agents(world)[0]!.tmux_session_name, "door");
    assertEquals(agents(world)[0]!.working_directory, dir);
  }));

Deno.test("spawn gives each of several at once a session, a record and a prompt of its own", () =>
  inSessionWorld(async (world) => {
    const dir = project(world);
    const claude_launch_command = world.standIn("claude", IDLE);
    world.registry({ agents: [{ agent_id: "anvil", claude_launch_command }] });
    const prompts = ["one", "two", "three", "four"];
    const codes = await Promise.all(
      prompts.map((prompt) => main(["anvil", dir, "", "--system-prompt", prompt, "--json"], world)),
    );
    assertEquals(codes, [0, 0, 0, 0], world.warned.join("\n"));
    const results = world.said.map((text) => JSON.parse(text));
    const names = ["anvil-main", "anvil-main-2", "anvil-main-3", "anvil-main-4"];
    assertEquals(results.map(({ session }) => session).sort(), names);
    assertEquals(
      names.map((name) => readLaunch(world.paths, name).system_prompt).sort(),
      prompts.sort(),
    );
    for (const { session, claude_session_id } of results) {
      const launch = readLaunch(world.paths, session);
      assertEquals(launch.claude_session_id, claude_session_id);
      assertMatch(
        Deno.readTextFileSync(launch.prompt_file),
        new RegExp(`${launch.system_prompt}$`, "m"),
      );
    }
  }));

const NO_WORDS = ["claude # note", "claude --permission-mode plan;", "bash -lc claude"];
for (const command of NO_WORDS) {
  Deno.test(`spawn says that its words do not reach Claude Code behind ${command}`, () =>
    inSessionWorld(async (world) => {
      const program = world.standIn("claude", IDLE);
      const claude_launch_command = command.replace("claude", program);
      world.registry({ agents: [{ agent_id: "w", claude_launch_command }] });
      assertEquals(await main(["w", project(world), "hello"], world), 1);
      assertMatch(
        world.warned.join("\n"),
        /w-main was started, but .* pass on .* hooks of ours, .* first command; let[^]*'=w-main'$/m,
      );
    }));
}

Deno.test("spawn takes a session name as tmux writes it, blanks and all", () =>
  inSessionWorld(async (world) => {
    const claude_launch_command = world.standIn("claude", IDLE);
    const agent = { agent_id: "w", claude_launch_command };
    for (const [name, called] of [["my session", "my session"], ["v1.2:x", "v1_2_x"]] as const) {
      world.registry({ agents: [{ ...agent, tmux_session_name: name }] });
      world.said.length = 0;
      assertEquals(await main(["w", project(world), "", "--json"], world), 0, world.warned.join());
      assertEquals(JSON.parse(world.said[0]!).session, called);
      assertEquals(agents(world)[0]!.tmux_session_name, name);
    }
    world.registry({ agents: [{ ...agent, tmux_session_name: "a#{host}b" }] });
    assertEquals(await main(["w", project(world), ""], world), 1);
    assertMatch(world.warned.at(-1)!, /give it a tmux_session_name without "#"/);
  }));

const REFUSALS: [name: string, prepare: (world: SessionWorld) => void, reason: RegExp][] = [
  ["the folder is missing", () => {}, /Cannot start w: its folder .*project does not exist/],
  ["the program is missing", (world) => {
    project(world);
    world.variables.GSD_CLAUDE = "no-such-claude";
  }, /the program no-such-claude .* is not installed/],
  ["its tmux server would carry OPENCLAW_SHELL=exec", (world) => {
    project(world);
    world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
    world.variables.OPENCLAW_SHELL = "exec";
  }, /would carry OPENCLAW_SHELL=exec/],
  ["the registry is broken", (world) => {
    project(world);
    Deno.writeTextFileSync(world.paths.registry, `{"agents": [`);
  }, /registry .* is broken at line 1: not JSON/],
];
for (const [name, prepare, reason] of REFUSALS) {
  Deno.test(`spawn refuses when ${name}, and leaves nothing behind`, () =>
    inSessionWorld(async (world) => {
      prepare(world);
      assertEquals(await main(["w", `${world.dir}/project`, ""], world), 1);
      assertMatch(world.warned.join("\n"), reason);
      assertEquals(await world.tmux("list-sessions").catch(() => "none"), "none");
      assertEquals(Array.from(Deno.readDirSync(world.paths.data)), []);
    }));
}

Deno.test("spawn refuses a running tmux server that carries OPENCLAW_SHELL=exec", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
    await world.tmux("new-session", "-d", "-s", "x", "sleep 1000");
    await world.tmux("set-environment", "-g", "OPENCLAW_SHELL", "exec");
    assertEquals(await main(["w", project(world), ""], world), 1);
    assertMatch(world.warned.join("\n"), /hands OPENCLAW_SHELL=exec to every session/);
  }));

const DIALOGS: [pane: string, says: RegExp][] = [
  ["v325-80-trust.txt", /asks whether to trust this folder.*: attach and choose Yes/],
  ["v325-81-bypass.txt", /bypass-permissions mode/],
  ["v325-82-resume-summary.txt", /whole conversation or with its summary/],
];
for (const [pane, says] of DIALOGS) {
  Deno.test(`spawn names the dialog in the way, and keeps the first command: ${pane}`, () =>
    inSessionWorld(async (world) => {
      world.variables.GSD_CLAUDE = world.standIn("claude", pane);
      assertEquals(await main(["w", project(world), "--", "-hello you"], world), 1);
      assertMatch(world.warned.join("\n"), says);
      assertMatch(world.warned.join("\n"), /first command is kept and sent .*: -hello you$/m);
      const args = Deno.readTextFileSync(`${world.dir}/claude.args`).split("\n");
      assertEquals(args.slice(-3), ["--", "-hello you", ""]);
      assertEquals(world.said, [`The agent was added to ${world.paths.registry}`]);
      assertMatch(
        world.warned.at(-1)!,
        /^w cannot be woken: it has neither .*; try \S+\/bin\/gsd-code sync$/,
      );
      assertEquals(await world.tmux("list-sessions", "-F", "#S"), "w-main");
    }));
}

Deno.test("spawn says when Claude Code does not have its first command", () =>
  inSessionWorld(async (world) => {
    const program = world.standIn("claude", IDLE);
    const said = "printf '● Unknown command: /nosuch. Did you mean /nosuchlike?\\n'\ncat";
    Deno.writeTextFileSync(program, Deno.readTextFileSync(program).replace("cat", () => said));
    world.variables.GSD_CLAUDE = program;
    assertEquals(await main(["w", project(world), "/nosuch thing"], world), 1);
    const reason = 'its first command failed: Claude Code has no command "/nosuch"';
    assertStringIncludes(world.warned.join("\n"), reason);
  }));

Deno.test("spawn says what Claude Code said when it ends at once", () =>
  inSessionWorld(async (world) => {
    const program = `${world.dir}/claude`;
    const script = "#!/bin/sh\nprintf '\\033[31merror: unknown option\\033[0m\\n'\nexit 1\n";
    writeExecutable(program, script);
    world.variables.GSD_CLAUDE = program;
    assertEquals(await main(["w", project(world), ""], world), 1);
    assertMatch(world.warned.join("\n"), /ended as soon as it was started[^]*unknown option/);
    assertEquals(world.warned.join("").includes("\x1b"), false);
  }));

Deno.test("spawn lets Claude Code go on at once after a Ctrl-Z, for which no shell waits", () =>
  inSessionWorld(async (world) => {
    const program = world.standIn("claude", IDLE);
    // As Claude Code does it: it stops itself, and draws nothing until it is continued.
    const stops = `trap ': > ${world.dir}/back' CONT\nread -r line; kill -TSTP $$\nwhile`;
    Deno.writeTextFileSync(program, Deno.readTextFileSync(program).replace("while", () => stops));
    world.variables.GSD_CLAUDE = program;
    assertEquals(await main(["w", project(world), ""], world), 0, world.warned.join());
    await world.tmux("send-keys", "-t", "=w-main:", "z", "Enter");
    const isBack = () => readTextIfThere(`${world.dir}/back`) !== undefined;
    await until("it to go on", isBack);
    await world.killClaude("w-main");
  }));

Deno.test("spawn --dry-run changes nothing", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
    Deno.writeTextFileSync(`${project(world)}/code.ts`, "");
    assertEquals(await main(["w", "project", "--dry-run"], world), 0);
    assertStringIncludes(world.said.join("\n"), `Would start w-main for w in ${world.dir}/project`);
    assertStringIncludes(world.said.join("\n"), "First command: /init");
    assertEquals(await world.tmux("list-sessions").catch(() => "none"), "none");
    assertEquals(Array.from(Deno.readDirSync(world.paths.data)), []);
  }));

Deno.test("spawn called wrongly gives 2 and the way to its help", async () => {
  await inSessionWorld(async (world) => {
    for (
      const args of [[], ["w"], ["w", "/tmp", "--what"], ["w", "/tmp", "--timeout", "x"], [
        "w",
        "/tmp",
        "--system-prompt",
      ], ["w", "/tmp", "--system-prompt", "./no.md"]]
    ) {
      assertEquals(await main(args, world), 2, args.join(" "));
    }
    assertEquals(world.warned.every((line) => line.endsWith("see deno task spawn --help")), true);
    assertEquals(await main(["--help"], world), 0);
  });
});

Deno.test("spawn gives a session any name with --name, and its record makes it the agent's", () =>
  inSessionWorld(async (world) => {
    const claude_launch_command = world.standIn("claude", IDLE);
    world.registry({
      agents: [
        { agent_id: "w", tmux_session_name: "w-main", claude_launch_command },
        { agent_id: "forge", tmux_session_name: "forge-main" },
      ],
    });
    const dir = project(world);
    assertEquals(await main(["w", dir, "", "--name", "docs"], world), 0, world.warned.join("\n"));
    assertEquals(await world.tmux("list-sessions", "-F", "#S"), "docs");
    assertEquals(readLaunch(world.paths, "docs").agent_id, "w");
    assertEquals(agents(world)[0]!.tmux_session_name, "w-main");
    await world.tmux("new-session", "-d", "-s", "mine", "cat");
    for (
      const [name, reason] of [
        ["docs", /w has a session "docs" already: gsd-code remove docs gives that up/],
        ["mine", /a tmux session "mine" is there already/],
        ["forge-main-2", /by its name the session "forge-main-2" belongs to forge/],
        ["a.b", /tmux would call it "a_b"/],
        ["x;", /tmux would call a session/],
      ] as const
    ) {
      assertEquals(await main(["w", dir, "", "--name", name], world), 1);
      assertMatch(world.warned.at(-1)!, reason);
    }
    assertEquals(await main(["w", dir, "", "--name"], world), 2);
  }));
