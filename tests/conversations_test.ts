import { assertEquals, assertMatch } from "@std/assert";
import { allProcesses, type ProcessInfo } from "../lib/doors/process_tree.ts";
import {
  conversationOpened,
  firstAgain,
  holderOf,
  knownConversation,
  whoHolds,
} from "../lib/sessions/conversations.ts";
import { memoryFile, readMemory } from "../lib/session_memory.ts";
import { type Conversation, memorySince } from "../lib/sessions/launch.ts";
import {
  claudeIn,
  idOf,
  launchOf,
  readLaunch,
  recover,
  remember,
  spawned,
} from "./support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";
import { until } from "./support/until.ts";

const ID = "11111111-2222-4333-8444-555555555555";
const OTHER = "99999999-2222-4333-8444-555555555555";

/** A conversation of a folder, as Claude Code keeps it. */
function folderHas(world: SessionWorld, dir: string, id: string, at: number): void {
  const project = `${world.paths.claudeConfig}/projects/${dir.replace(/[^A-Za-z0-9]/g, "-")}`;
  Deno.mkdirSync(project, { recursive: true });
  Deno.writeTextFileSync(`${project}/${id}.jsonl`, "{}\n");
  Deno.utimeSync(`${project}/${id}.jsonl`, at, at);
}

Deno.test("conversationOpened() finds two launches that would open the same one", () =>
  inSessionWorld((world) => {
    const dir = `${world.dir}/p`;
    Deno.mkdirSync(dir);
    const opened = (conversation: Conversation, command = "claude") =>
      conversationOpened(conversation, { ...world.paths, command, dir });
    assertEquals(opened({ kind: "continue" }), `the latest of ${dir}`);
    folderHas(world, dir, OTHER, 1);
    folderHas(world, dir, ID, 2);
    assertEquals(opened({ kind: "continue" }), ID);
    assertEquals(opened({ kind: "chosen" }, "claude --continue"), ID);
    assertEquals(opened({ kind: "chosen" }, `claude --resume=${ID}`), ID);
    assertEquals(opened({ kind: "target", target: "shop" }), `"shop" of ${dir}`);
    assertEquals(opened({ kind: "resume", target: ID }), ID);
    assertEquals(opened({ kind: "new", id: ID }), ID);
    assertEquals(opened({ kind: "picker" }), "");
    return Promise.resolve();
  }));

Deno.test("knownConversation() goes by what hooks have said since the launch", () =>
  inSessionWorld((world) => {
    const launch = launchOf({ claude_session_id: ID, first_command: "go", started_at: "2026-02" });
    const seen = () => ({
      launch,
      memory: memorySince(readMemory(world.paths, launch.session), launch),
    });
    const known = () => knownConversation(world.paths, seen(), world.dir);
    const again = () => firstAgain(seen(), { kind: "new", id: ID });
    assertEquals([known(), again()], [{ id: ID, hasTranscript: false, hasOthers: false }, "go"]);
    remember(world, launch.session, { claude_session_id: OTHER, updated_at: "2026-01" });
    assertEquals([known().id, again()], [ID, "go"], "an earlier launch of the same name");
    const transcript_path = `${world.dir}/after-clear.jsonl`;
    Deno.writeTextFileSync(transcript_path, "{}\n");
    remember(world, launch.session, { claude_session_id: OTHER, transcript_path });
    assertEquals([known().id, known().hasTranscript, again()], [OTHER, true, ""]);
    folderHas(world, world.dir, ID, 1);
    assertEquals(known().hasOthers, true);
    return Promise.resolve();
  }));

Deno.test("memorySince() takes what hooks said after the launch, also when the clock is set back", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const remembered = () =>
      memorySince(readMemory(world.paths, session), readLaunch(world.paths, session))?.ended;
    assertEquals(remembered(), undefined);
    const updated_at = new Date(Date.now() - 3_600_000).toISOString();
    const claude_session_id = idOf(world, session);
    remember(world, session, { claude_session_id, ended: "prompt_input_exit", updated_at });
    assertEquals(remembered(), "prompt_input_exit");
    await world.killClaude(session);
    assertEquals((await recover(world, session)).outcomes, { anvil: "recovered" });
    assertEquals(remembered(), undefined, "of the launch before");
    Deno.writeTextFileSync(memoryFile(world.paths, session), "");
    assertEquals(remembered(), undefined, "a power cut has emptied the file");
  }));

const process = (pid: number, args: string[], more: Partial<ProcessInfo> = {}): ProcessInfo => ({
  ...{ pid, parent: 1, args, foreground: true, hasTerminal: true, start: "5" },
  ...more,
});
const CLAUDE = process(10, ["claude", "--resume", ID]);
// deno-fmt-ignore
const HOLDERS: [what: string, list: [pid: number, id: string, start: string][], ProcessInfo[], number?][] = [
  ["by the words it was started with", [], [CLAUDE], 10],
  ["by a word with =", [], [process(10, ["claude", `--session-id=${ID}`])], 10],
  ["not by a word that is no option's", [], [process(10, ["grep", ID])], undefined],
  ["by Claude Code's list after a /clear", [[10, ID, "5"]], [process(10, ["claude"])], 10],
  ["by the list where the words differ", [[10, OTHER, "5"]], [CLAUDE], undefined],
  ["not by an entry of an earlier process", [[10, ID, "1"]], [process(10, ["sh"])], undefined],
  ["not in a tmux server that keeps old words", [], [process(10, ["/usr/bin/tmux", "--resume", ID])], undefined],
  ["in the program below a wrapper", [[11, OTHER, "5"]],
    [process(10, ["sh", "wrap", "--resume", ID]), process(11, ["claude"], { parent: 10 })], undefined],
];
for (const [what, list, processes, expected] of HOLDERS) {
  Deno.test(`holderOf() finds who has a conversation open ${what}`, () =>
    inSessionWorld((world) => {
      const { claudeConfig } = world.paths;
      Deno.mkdirSync(`${claudeConfig}/sessions`, { recursive: true });
      for (const [pid, sessionId, procStart] of list) {
        const entry = JSON.stringify({ pid, sessionId, procStart });
        Deno.writeTextFileSync(`${claudeConfig}/sessions/${pid}.json`, entry);
      }
      assertEquals(holderOf(ID, processes, claudeConfig)?.pid, expected);
      return Promise.resolve();
    }));
}

Deno.test("whoHolds() waits for a Claude Code that is ending, not for one without a terminal", () =>
  inSessionWorld(async (world) => {
    const program = world.standIn("slow", "01-idle-fresh.txt");
    const go = `${world.dir}/go`;
    const ends = `trap "until [ -e '${go}' ]; do sleep 0.1; done" EXIT; trap '' HUP`;
    const text = Deno.readTextFileSync(program);
    Deno.writeTextFileSync(program, text.replace("\n", `\n${ends}\n`));
    const session = await spawned(world, "anvil", { claude_launch_command: program });
    const id = idOf(world, session);
    const ending = await claudeIn(world, session);
    const warned: string[] = [];
    const holder = () =>
      whoHolds(id, world.paths.claudeConfig, [], (line) => {
        warned.push(line);
        Deno.writeTextFileSync(go, "");
      });
    assertEquals([(await holder())?.pid, warned], [ending, []]);
    await world.tmux("kill-server");
    await until("its terminal to be gone", async () => {
      const process = (await allProcesses()).find(({ pid }) => pid === ending);
      return process?.hasTerminal === false;
    });
    assertEquals(await holder(), undefined);
    assertMatch(warned[0]!, new RegExp(`^Waiting for process ${ending}: it is ending`));

    const headless = new Deno.Command("/bin/sh", {
      args: ["-c", "sleep 1000; :", "claude", "--resume", id],
      ...{ detached: true, stdin: "null", stdout: "null", stderr: "null" },
    }).spawn();
    try {
      warned.length = 0;
      assertEquals([(await holder())?.pid, warned], [headless.pid, []]);
    } finally {
      Deno.kill(-headless.pid, "SIGKILL");
      await headless.status;
    }
  }));
