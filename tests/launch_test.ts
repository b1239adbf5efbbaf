import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import {
  assignedIn,
  choosesConversation,
  type Chosen,
  chosenIn,
  programOf,
} from "../lib/doors/command_words.ts";
import { conversationFor, type Launch, launchScript, promptText } from "../lib/sessions/launch.ts";
import { launchesOf, launchFiles } from "../lib/sessions/launch_files.ts";
import { chooseSession, defaultSessionName, sessionNameOf } from "../lib/sessions/session_names.ts";
import { isClaude, isIdleShell, type ProcessInfo, treeBelow } from "../lib/doors/process_tree.ts";
import { mayBeStarting } from "../lib/sessions/session_state.ts";
import { unitText } from "../lib/install/units.ts";
import { inSessionWorld } from "./support/session_world.ts";
import { writeExecutable } from "./support/executable.ts";

const LAUNCH: Launch = {
  session: "warden-main",
  agent_id: "warden",
  working_directory: "/home/me/it's here",
  command: "claude --model 'a b'",
  settings_file: "/data/s.json",
  prompt_file: "/data/p.txt",
  system_prompt: "",
  env: { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "80" },
  claude_session_id: "",
  started_at: "",
};

Deno.test("launchScript() passes every word through the shell unharmed", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const odd = `${dir}/it's "odd" $HOME \`x\``;
    Deno.mkdirSync(odd);
    writeExecutable(`${dir}/claude`, `#!/bin/sh\npwd\nprintf '%s\\n' "$@"\n`);
    const launch = {
      ...LAUNCH,
      working_directory: odd,
      command: `${dir}/claude --model 'a b'`,
      settings_file: `${odd}/s.json`,
    };
    Deno.writeTextFileSync(
      `${dir}/run.sh`,
      launchScript(launch, { kind: "resume", target: "an id" }),
    );
    const { stdout } = await new Deno.Command("/bin/sh", {
      args: [`${dir}/run.sh`],
      env: { SHELL: "/bin/true" },
    }).output();
    const lines = new TextDecoder().decode(stdout).replace("\x1b[H\x1b[2J", "").split("\n");
    assertEquals(lines.slice(0, -1), [
      odd,
      "--model",
      "a b",
      "--settings",
      `${odd}/s.json`,
      "--append-system-prompt-file",
      "/data/p.txt",
      "--resume=an id",
    ]);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("launchScript() leaves the conversation to a command that chooses it", () => {
  const script = launchScript({ ...LAUNCH, command: "claude -c" }, { kind: "chosen" });
  assertEquals(script.includes("--session-id"), false);
  assertMatch(launchScript(LAUNCH, { kind: "new", id: "x" }), /--session-id x$/m);
});

Deno.test("launchScript() ends with the first command, as one word that is no option", () => {
  const line = (first_command: string) =>
    launchScript({ ...LAUNCH, first_command }, { kind: "new", id: "x" });
  assertStringIncludes(line("--help me"), " --session-id x -- '--help me'\n");
  assertStringIncludes(line("/init"), " --session-id x /init\n");
  assertStringIncludes(line("update"), " x 'update\n'\n", "no subcommand of Claude Code");
  assertStringIncludes(line(""), " --session-id x\n");
});

const CHOOSING: [chooses: boolean, commands: string[]][] = [
  [true, ["claude --continue", "claude -r x", "claude --resume=abc", "A=1 my-ai -c"]],
  [true, [`bash -c 'exec /x/claude "$@"' claude --continue`]],
  [false, ["claude", "claude --resume-later", "my-claude-c", "claude --chrome"]],
  // An option of a wrapper, or a word in quotes.
  [false, [
    `bash -c 'ulimit -n 4096; exec /opt/claude "$@"' claude`,
    "docker run -c 512 img claude",
  ]],
  [false, [`bash -c 'exec my-ai "$@" -c' ai`, `claude --append-system-prompt "use -c" '-c'`]],
];
Deno.test("choosesConversation() distinguishes Claude's options from words that look like them", () => {
  for (const [chooses, commands] of CHOOSING) {
    for (const command of commands) assertEquals(choosesConversation(command), chooses, command);
  }
});

Deno.test("programOf() finds the program behind assignments and quotes", () => {
  assertEquals(programOf("claude --x"), "claude");
  assertEquals(programOf("A=1 B='x y' /opt/claude -y"), "/opt/claude");
  assertEquals(programOf(`"/opt/my apps/claude" --x`), "/opt/my apps/claude");
  assertEquals(programOf(`'/opt/it'\\''s/claude' -c`), "/opt/it's/claude");
  assertEquals(programOf("  "), "");
});

Deno.test("assignedIn() reads what is set before the program, and nothing behind it", () => {
  assertEquals(assignedIn("A=1 CLAUDE_CONFIG_DIR='/x y' claude B=2", "CLAUDE_CONFIG_DIR"), "/x y");
  assertEquals(assignedIn("A=1 claude B=2", "B"), undefined);
});

const known = { id: "", hasTranscript: false, resumeTarget: "", hasOthers: false };
const CONVERSATIONS: [string, string, Partial<typeof known>, string][] = [
  ["its own by id", "", { id: "a", hasTranscript: true, resumeTarget: "t" }, "resume a"],
  ["its own by id for the agent's pick too", "resume_then_agent_pick", {
    id: "a",
    hasTranscript: true,
  }, "resume a"],
  ["the same id again when nothing was said yet", "", { id: "a" }, "new a"],
  ["the resume target without an id", "resume", { resumeTarget: "t", hasOthers: true }, "target t"],
  ["the picker without id and target", "resume_then_agent_pick", { hasOthers: true }, "picker"],
  ["the latest in mode continue", "continue", { hasOthers: true }, "continue"],
  ["a new one in a folder without any", "", {}, "new fresh"],
  ["a new one in mode fresh", "fresh", { id: "a", hasTranscript: true }, "new fresh"],
];
for (const [name, mode, more, expected] of CONVERSATIONS) {
  Deno.test(`conversationFor() opens ${name}`, () => {
    const agent = { command: "claude", mode };
    const chosen = conversationFor(agent, { ...known, ...more }, "fresh");
    const words = Object.values(chosen).join(" ");
    assertEquals(words, expected);
  });
}

Deno.test("launchesOf() passes over records that are spoiled or have moved", () =>
  inSessionWorld((world) => {
    const sound = { ...LAUNCH, session: "sound" };
    const recovery = { wake_id: "1", found: "", conversation: { kind: "picker" } };
    const spoiled = [{ moved_to: "x" }, { recovery: "spoiled" }, { env: { A: 1 } }, { command: 1 }];
    Deno.mkdirSync(`${world.paths.data}/launches`);
    for (const [at, change] of [...spoiled, { ...sound, recovery }].entries()) {
      const record = JSON.stringify({ ...LAUNCH, ...change });
      Deno.writeTextFileSync(launchFiles(world.paths, `s${at}`).record, record);
    }
    assertEquals<unknown>(launchesOf(world.paths, "warden"), [{ ...sound, recovery }]);
    return Promise.resolve();
  }));

Deno.test("promptText() appends the agent's words to the default, as written", () => {
  const own = "quotes \" ' $HOME `x`\n\nlast \\";
  assertEquals(promptText("default\n", own), `default\n\n${own}\n`);
  assertEquals(promptText("default\n", ""), "default\n");
});

Deno.test("chooseSession() takes the first free number", () => {
  const name = (running: string[], others: string[] = []) =>
    chooseSession("w-main", new Set(running), new Set(others));
  assertEquals(name([]), "w-main");
  assertEquals(name(["w-main", "w-main-2"]), "w-main-3");
  assertEquals(name(["w-main"], ["w-main-2"]), "w-main-3");
  assertThrows(() => name([], ["w-main"]), Error, "belongs to another agent");
  assertEquals(defaultSessionName("a.b c"), "a_b_c-main");
});

Deno.test("chooseSession() refuses what tmux would call otherwise, in both commands alike", () => {
  for (const base of ["$dollar", "x$y", "a#{host}b", "#S", "back\\slash", "two\nlines", ""]) {
    assertThrows(() => chooseSession(base, new Set(), new Set()), Error, "would call a session");
  }
  for (const base of ["my session", "a$1", "ünï"]) {
    assertEquals(chooseSession(base, new Set(), new Set()), base);
  }
  const agent = { agent_id: "w", tmux_session_name: "v1.2:x" };
  assertEquals(sessionNameOf(agent), "v1_2_x");
  assertEquals(sessionNameOf({ ...agent, tmux_session_name: "" }), "w-main");
});

const CHOSEN: [command: string, expected: Chosen][] = [
  ["claude --continue", { kind: "latest" }],
  ["claude -c --model opus", { kind: "latest" }],
  ["claude --resume 'our work'", { kind: "id", id: "our work" }],
  ["A=1 claude -r x", { kind: "id", id: "x" }],
  ["claude --resume=x", { kind: "id", id: "x" }],
  ["claude --session-id x", { kind: "id", id: "x" }],
  ["claude --resume --model opus", { kind: "id", id: "" }],
  ["claude --resume x --fork-session", { kind: "id", id: "" }],
  ["claude --from-pr 12", { kind: "id", id: "" }],
];
for (const [command, expected] of CHOSEN) {
  Deno.test(`chosenIn() reads ${command}`, () => assertEquals(chosenIn(command), expected));
}

Deno.test("isClaude() and isIdleShell() know who is in a pane", () => {
  const process = (pid: number, parent: number, args: string[], foreground = true) =>
    ({ pid, parent, args, foreground, hasTerminal: true }) satisfies ProcessInfo;
  const all = [
    process(1, 0, ["init"]),
    process(10, 1, ["-bash"], false),
    process(11, 10, ["/usr/bin/claude", "--settings", "x"]),
    process(20, 1, ["/bin/zsh"]),
    process(21, 20, ["gitstatusd"], false),
    process(30, 1, ["sh", "build.sh"]),
    process(40, 1, ["-bash"], false),
    process(41, 40, ["vim"]),
  ];
  assertEquals(treeBelow(all, 10).map((p) => p.pid), [10, 11]);
  assertEquals(treeBelow(all, 10).some((p) => isClaude(p)), true);
  assertEquals(isClaude(process(1, 1, ["node", "/lib/@anthropic-ai/claude-code/cli.js"])), true);
  assertEquals(isClaude(process(1, 1, ["vim", "claude.md"])), false);
  assertEquals(isClaude(process(1, 1, ["/opt/my-ai"]), "/opt/my-ai"), true);
  assertEquals(isClaude(process(1, 1, ["/bin/bash"]), "/bin/bash"), false);
  assertEquals(isIdleShell(treeBelow(all, 10)), false);
  assertEquals(isIdleShell(treeBelow(all, 20)), true);
  assertEquals(isIdleShell(treeBelow(all, 30)), false);
  assertEquals(isIdleShell(treeBelow(all, 40)), false);
});

Deno.test("mayBeStarting() waits for a young wrapper, and not for one that has stayed behind", () => {
  const process = (start?: string) => ({
    ...{ pid: 1, parent: 0, args: ["sh"], foreground: true, hasTerminal: true },
    ...(start === undefined ? {} : { start }),
  });
  const now = 1_000_000;
  assertEquals(mayBeStarting([process("1000"), process("999000")], now), true);
  assertEquals(mayBeStarting([process("1000"), process("2000")], now), false);
  assertEquals(mayBeStarting([process()], now), true);
  assertEquals(mayBeStarting([process("1000")], undefined), true);
});

Deno.test("unitText() quotes for systemd", () => {
  const text = unitText(
    "@ENVIRONMENT@\nExecStart=@BIN@/x --once",
    {
      bin: "/home/my stuff/100%",
      environment: { A: 'say "hi"', B: "50%" },
    },
  );
  assertEquals(
    text,
    'Environment="A=say \\"hi\\""\nEnvironment="B=50%%"\n' +
      'ExecStart="/home/my stuff/100%%/x" --once',
  );
});
