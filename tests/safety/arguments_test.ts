/** Attacks with values that become arguments: names of folders and sessions, ids of conversations. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main as spawn } from "../../commands/spawn.ts";
import { readDeliverArgs } from "../../lib/delivery/deliver_args.ts";
import { newSession, respawnPane } from "../../lib/doors/tmux_sessions.ts";
import { namesIn, readTextIfThere } from "../../lib/files.ts";
import { conversationFor, launchScript } from "../../lib/sessions/launch.ts";
import { chooseSession } from "../../lib/sessions/session_names.ts";
import { serverAt } from "../../lib/sessions/tmux_servers.ts";
import {
  changeAgent,
  IDLE,
  idOf,
  killServer,
  launchOf,
  readLaunch,
  recover,
  remember,
  spawned,
  writeTranscript,
} from "../support/recovering.ts";
import { agents, inSessionWorld } from "../support/session_world.ts";
import { until } from "../support/until.ts";

const FOLDERS = [
  "x#(cd;touch pwned)",
  "x#{E:#{l:#(cd;touch pwned)}}",
  "x##(cd;touch pwned)",
  "x#[fg=red]",
  "ends;",
  "-x",
  "%Y $(cd;touch pwned) `cd;touch pwned` 'q' \"q\"",
  "line\nbreak",
];

for (const name of FOLDERS) {
  Deno.test(`spawn and recover run nothing of a folder named ${JSON.stringify(name)}`, () =>
    inSessionWorld(async (world) => {
      const dir = `${world.dir}/${name}`;
      Deno.mkdirSync(dir);
      world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
      const where = () => world.tmux("list-panes", "-a", "-F", "#{pane_pid}").then(cwdOf);
      assertEquals(await spawn(["w", "--", dir, ""], world), 0, world.warned.join("\n"));
      assertEquals(await where(), dir);
      await killServer(world);
      assertEquals((await recover(world)).outcomes, { w: "recovered" });
      assertEquals(await where(), dir);
      // tmux runs what it expands in the background: a later answer shows that it had the time.
      await world.tmux("run-shell", "true");
      assertEquals(pwnedBelow(world.dir), []);
    }));
}

Deno.test("respawnPane() and newSession() let tmux expand nothing of a folder", () =>
  inSessionWorld(async (world) => {
    const { tmux } = serverAt(world);
    const dir = `${world.dir}/x#(cd;touch pwned)`;
    Deno.mkdirSync(dir);
    // The server must not end with a session of ours.
    await world.tmux("new-session", "-d", "-s", "keep", "sleep 1000");
    const made = await newSession(tmux, "s", dir, ["/bin/true"]);
    assertEquals(made.kind, "ok");
    await world.tmux("set-option", "-g", "remain-on-exit", "on");
    const second = await newSession(tmux, "t", dir, ["/bin/true"]);
    assertEquals(second.kind, "ok");
    if (second.kind === "failed") return;
    const dead = ["display-message", "-p", "-t", second.stdout, "#{pane_dead}"];
    await until("the pane to be dead", async () => await world.tmux(...dead) === "1");
    assertEquals((await respawnPane(tmux, second.stdout, dir, ["/bin/true"])).kind, "ok");
    await world.tmux("run-shell", "true");
    assertEquals(pwnedBelow(world.dir), []);
  }));

Deno.test("a session name that tmux would expand or split is refused", () => {
  for (const name of ["x#(touch pwned)", "x#{pid}", "ends;", "line\nbreak", "$1", "a\\b", ""]) {
    let reason = "";
    try {
      chooseSession(name, new Set(), new Set());
    } catch (error) {
      reason = String(error);
    }
    assertMatch(reason, /tmux_session_name without/, name);
  }
});

const EVIL_IDS = [
  "--settings=/tmp/evil.json",
  "--dangerously-skip-permissions",
  "-p",
  "../../../etc/passwd",
  "11111111-2222-4333-8444-555555555555\n--settings=/tmp/evil.json",
  "11111111-2222-4333-8444-555555555555 --settings=/tmp/evil.json",
  "'; touch pwned; '",
];

for (const evil of EVIL_IDS) {
  Deno.test(`recover gives Claude Code no id such as ${JSON.stringify(evil)}`, () =>
    inSessionWorld(async (world) => {
      const session = await spawned(world, "anvil");
      const own = idOf(world, session);
      await killServer(world);
      // What a hook, or who else can write the state folder, says of the session.
      const transcript_path = `${world.dir}/evil.jsonl`;
      Deno.writeTextFileSync(transcript_path, "{}\n");
      remember(world, session, { claude_session_id: evil, transcript_path });
      assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
      const args = Deno.readTextFileSync(`${world.dir}/claude.args`).trimEnd().split("\n");
      const { settings_file, prompt_file } = readLaunch(world.paths, session);
      const ours = ["--settings", settings_file, "--append-system-prompt-file", prompt_file];
      assertEquals(args, [...ours, `--resume=${own}`]);
      assertEquals(pwnedBelow(world.dir), []);
    }));
}

Deno.test("a target of the registry that looks like an option stays the value of --resume", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await killServer(world);
    const record = readLaunch(world.paths, session);
    const file = `${world.paths.data}/launches/${session}.json`;
    Deno.writeTextFileSync(file, JSON.stringify({ ...record, claude_session_id: "-p" }));
    writeTranscript(world, "-p");
    changeAgent(world, { claude_resume_target: "--settings=/tmp/evil.json" });
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
    const args = Deno.readTextFileSync(`${world.dir}/claude.args`).trimEnd().split("\n");
    assertEquals(args.slice(4), ["--resume=--settings=/tmp/evil.json"]);
    assertEquals(agents(world).length, 1);
  }));

Deno.test("deliver takes an agent's id for an id, whatever it looks like", () => {
  for (const id of ["--drop", "--all", "-x", "--help", "a=b", "line\nbreak", "=", "--agent=x"]) {
    const { agent, order } = readDeliverArgs([`--agent=${id}`, "--claimed", "7"]);
    assertEquals([agent, order], [id, { kind: "serve" }]);
  }
  const { order } = readDeliverArgs(["--json=--drop"]);
  assertEquals(order, { kind: "usage", problem: '"--json=--drop" is not an option' });
});

Deno.test("launchScript() quotes every word that it adds", () => {
  const evil = "x'; touch pwned; #\n--settings=/evil";
  const launch = launchOf({
    session: evil,
    working_directory: `/${evil}`,
    settings_file: evil,
    prompt_file: evil,
    first_command: `--${evil}`,
    env: { PATH: evil },
  });
  const known = { id: "", hasTranscript: false, resumeTarget: evil, hasOthers: false };
  const conversation = conversationFor({ command: "claude", mode: "" }, known, "");
  const script = launchScript({ ...launch, command: "printf '<%s>' :" }, conversation);
  const dir = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${dir}/s`, script.replace(/^cd .*?\|\| exec.*?$/ms, "true"));
    const env = { SHELL: "/bin/true" };
    const done = new Deno.Command("/bin/sh", {
      args: [`${dir}/s`],
      cwd: dir,
      env,
      clearEnv: true,
    }).outputSync();
    const out = new TextDecoder().decode(done.stdout);
    const words = ["--settings", evil, "--append-system-prompt-file", evil, `--resume=${evil}`];
    assertStringIncludes(out, [...words, "--", `--${evil}`].map((word) => `<${word}>`).join(""));
    assertEquals(namesIn(dir), ["s"]);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

function pwnedBelow(dir: string): string[] {
  return namesIn(dir).flatMap((name) => {
    const path = `${dir}/${name}`;
    if (name === "pwned") return [path];
    return Deno.lstatSync(path).isDirectory ? pwnedBelow(path) : [];
  }).filter((path) => readTextIfThere(path) !== undefined);
}

function cwdOf(pid: string): string {
  return Deno.readLinkSync(`/proc/${pid}/cwd`);
}
