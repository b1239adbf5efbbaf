import { assertEquals, assertMatch } from "@std/assert";
import { main as rename } from "../commands/rename.ts";
import { openPending } from "../lib/answers.ts";
import { holdLock } from "../lib/doors/held_lock.ts";
import { isThere, readTextIfThere, writeAtomic } from "../lib/files.ts";
import { record } from "../lib/journal.ts";
import { readJournal } from "../lib/journal_read.ts";
import { newWake } from "../lib/new_wake.ts";
import { enqueue } from "../lib/outbox.ts";
import { currentName, ownerOf } from "../lib/known_sessions.ts";
import { readMemory } from "../lib/session_memory.ts";
import { followRename } from "../lib/sessions/rename_session.ts";
import { renamedMessage } from "../lib/sessions/session_wakes.ts";
import {
  another,
  IDLE,
  idOf,
  readLaunch,
  recover,
  remember,
  sessions,
  spawned,
} from "./support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";
import { pause, until } from "./support/until.ts";

const WAKE_ID = "01JM8V3T0Q6Y4W2Z9K5N7R1B3D";

/** What hooks would have left of a session. */
function traces(world: SessionWorld, session: string, pid: number): void {
  const { paths } = world;
  remember(world, session, { session, agent_id: "anvil", claude_session_id: "c-1", ended: "" });
  writeAtomic(`${paths.state}/panes/${session}.txt`, "x");
  writeAtomic(`${paths.state}/claude/c-1`, `${session}\n/tmp/s %1`);
  record(paths, { kind: "session", session, reason: "spawned" });
  openPending(paths, {
    ...{ id: "q-1", kind: "question", session, agent_id: "anvil", tool: "AskUserQuestion" },
    ...{ tool_input: { questions: [] }, asked_at: "2026-01-01T00:00:00Z", pid },
    ...{ until: "2999-01-01T00:00:00Z", secret_sha256: "" },
  });
  const to = { agent_id: "anvil", transport: "inbox", openclaw_session_key: "" } as const;
  enqueue(
    paths,
    newWake(paths, { ...to, openclaw_session_id: "", maxChars: 4000 }, session, {
      trigger: "response_complete",
      section: "CONTENT",
      body: `tmux_session_name: ${session}`,
      state: "idle",
      actions: [`/bin/gsd-code menu-driver ${session} type <text>`],
    }, { wakeId: WAKE_ID, now: new Date(0), fenceId: () => "f" }),
  );
}

/** A process id that no process has. */
const NOBODY = 2 ** 30;

Deno.test("rename takes the session's memory, questions, wakes, journal and record along", () =>
  inSessionWorld(async (world) => {
    const { paths } = world;
    const old = await spawned(world, "anvil");
    const id = idOf(world, old);
    traces(world, old, NOBODY);
    assertEquals(await rename([old, "docs", "--dry-run"], world), 0, world.warned.join("\n"));
    assertEquals(await sessions(world), [old]);
    assertEquals(await rename([old, "docs", "--json"], world), 0, world.warned.join("\n"));
    assertEquals(JSON.parse(world.said.at(-1)!), {
      ...{ from: old, session: "docs", agent_id: "anvil", state: "renamed" },
    });
    assertEquals(await sessions(world), ["docs"]);
    assertEquals([ownerOf(paths, old), ownerOf(paths, "docs")], [undefined, "anvil"]);
    assertEquals(currentName(paths, old), "docs");
    assertEquals(readLaunch(paths, "docs").claude_session_id, id);
    const memory = readMemory(paths, "docs");
    assertEquals([memory.session, memory.claude_session_id], ["docs", "c-1"]);
    assertEquals(readTextIfThere(`${paths.state}/claude/c-1`), "docs\n/tmp/s %1");
    const question = JSON.parse(readTextIfThere(`${paths.state}/pending/docs/q-1.json`)!);
    assertEquals(question.session, "docs");
    assertEquals(Array.from(readJournal(paths, "docs"), ({ reason }) => reason), [
      ...["spawned", "spawned", `renamed from ${old}`],
    ]);
    for (const place of [`sessions/${old}.json`, `panes/${old}.txt`, `pending/${old}`]) {
      assertEquals(isThere(`${paths.state}/${place}`), false, place);
    }
    assertEquals(isThere(`${paths.state}/journal/${old}.jsonl`), false);
    const [wake] = world.wakes("anvil") as { session?: string; message: string }[];
    assertEquals(wake!.session, "docs");
    assertMatch(wake!.message, /^tmux_session_name: docs$/m);
    assertMatch(wake!.message, /menu-driver docs type <text>$/m);
    assertMatch(
      wake!.message,
      new RegExp(`^tmux_session_name: ${old}$`, "m"),
      "Claude's words stay",
    );

    assertEquals((await recover(world)).outcomes, { anvil: "alive" });
    // And back again.
    assertEquals(await rename(["docs", old], world), 0, world.warned.join("\n"));
    assertEquals(ownerOf(paths, old), "anvil");
    assertEquals(currentName(paths, "docs"), old);
  }));

Deno.test("a renamed session takes nothing of an earlier one without a record for its own", () =>
  inSessionWorld(async (world) => {
    const { paths } = world;
    const session = await spawned(world, "anvil", {}, "--name", "docs");
    const about = { agent_id: "anvil", ended: "prompt_input_exit" };
    const updated_at = "2026-01-01T00:00:00.000Z";
    for (const to of ["anvil-main", "anvil-main-2"]) {
      remember(world, to, { ...about, session: to, claude_session_id: "c-0", updated_at });
    }
    remember(world, session, { session, agent_id: "anvil", claude_session_id: "c-1" });
    assertEquals(await rename([session, "anvil-main"], world), 0, world.warned.join("\n"));
    assertEquals(readMemory(paths, "anvil-main").claude_session_id, "c-1");
    await world.tmux("rename-session", "-t", "=anvil-main", "anvil-main-2");
    assertEquals(await followRename(world, "anvil-main", "anvil-main-2"), { kind: "moved" });
    assertEquals(readMemory(paths, "anvil-main-2").claude_session_id, "c-1");
  }));

Deno.test("rename refuses a name in use, a foreign session, and a question whose hook waits", () =>
  inSessionWorld(async (world) => {
    const old = await spawned(world, "anvil");
    await world.tmux("new-session", "-d", "-s", "mine", "cat");
    traces(world, old, Deno.pid);
    for (
      const [from, to, reason] of [
        [old, "docs", /: a question or a request is open in it/],
        [old, "mine", /: a tmux session "mine" is there already$/],
        [old, "a.b", /: tmux would call it "a_b"/],
        [old, old, /: it has that name already$/],
        ["anvil-main-9", "anvil-main-9", /: Claude Code does not run in it, and nothing is kept/],
        ["mine", "docs", /: the tmux session "mine" has no agent; gsd-code adopt gives it one$/],
        ["nothing", "docs", /: there is no session "nothing"$/],
      ] as const
    ) {
      assertEquals(await rename([from, to], world), 1);
      assertMatch(world.warned.at(-1)!, reason);
    }
    assertEquals(await rename(["--", old, "-x"], world), 1);
    assertMatch(world.warned.at(-1)!, /a name that begins with "-" would be read as an option$/);
    assertEquals(await sessions(world), [old, "mine"].sort());
    assertEquals(ownerOf(world.paths, "docs"), undefined);
  }));

Deno.test("followRename() lets everything follow a name that was given with tmux", () =>
  inSessionWorld(async (world) => {
    const old = await spawned(world, "anvil");
    traces(world, old, Deno.pid);
    await world.tmux("rename-session", "-t", `=${old}`, "docs");
    assertEquals((await followRename(world, old, "docs")).kind, "later");
    assertEquals(ownerOf(world.paths, "docs"), undefined);
    Deno.removeSync(`${world.paths.state}/pending/${old}`, { recursive: true });
    // A hook has already written under the new name.
    record(world.paths, { kind: "session", session: "docs", reason: "later" });
    assertEquals(await followRename(world, old, "docs"), { kind: "moved" });
    assertEquals(ownerOf(world.paths, "docs"), "anvil");
    assertEquals(Array.from(readJournal(world.paths, "docs"), ({ reason }) => reason), [
      ...["spawned", "spawned", "later", `renamed from ${old}`],
    ]);
    assertEquals((await followRename(world, "other", "docs")).kind, "no record");
  }));

Deno.test("followRename() moves the memory before a hook under the new name can find its agent", () =>
  inSessionWorld(async (world) => {
    const { paths } = world;
    const old = await spawned(world, "anvil");
    remember(world, old, { session: old, agent_id: "anvil", claude_session_id: "c-1", ended: "" });
    await world.tmux("rename-session", "-t", `=${old}`, "docs");
    const hook = holdLock(`${paths.state}/locks/session-${old}`)!; // a hook writes the memory
    let owners: unknown[] = [];
    const following = followRename(world, old, "docs");
    for (let looks = 0; looks < 10; looks++) {
      await pause(20);
      owners = [...owners, ownerOf(paths, "docs")];
    }
    hook.release();
    assertEquals(await following, { kind: "moved" });
    assertEquals(new Set(owners), new Set([undefined]));
    assertEquals(readMemory(paths, "docs").claude_session_id, "c-1");
  }));

Deno.test("followRename() keeps the memory of the new name, also where the clock was set back", () =>
  inSessionWorld(async (world) => {
    const { paths } = world;
    const old = await spawned(world, "anvil");
    const about = { agent_id: "anvil", claude_session_id: "c-1" };
    remember(world, old, { ...about, session: old });
    await world.tmux("rename-session", "-t", `=${old}`, "docs");
    const updated_at = "2026-01-01T00:00:00.000Z"; // by a hook, after the clock was set back
    remember(world, "docs", { ...about, session: "docs", cwd: "/newer", updated_at });
    assertEquals(await followRename(world, old, "docs"), { kind: "moved" });
    assertEquals(readMemory(paths, "docs").cwd, "/newer");
  }));

Deno.test("rename finishes what was interrupted after tmux had the new name", () =>
  inSessionWorld(async (world) => {
    const old = await spawned(world, "anvil");
    traces(world, old, NOBODY);
    const record = readLaunch(world.paths, old);
    writeAtomic(
      `${world.paths.data}/launches/docs.json`,
      JSON.stringify({ ...record, session: "docs" }),
    );
    await world.tmux("rename-session", "-t", `=${old}`, "docs");
    assertEquals(await rename([old, "docs"], world), 0, world.warned.join("\n"));
    assertEquals(readMemory(world.paths, "docs").claude_session_id, "c-1");
    assertEquals(currentName(world.paths, old), "docs");
  }));

Deno.test("spawn takes no name that a session in use had before", () =>
  inSessionWorld(async (world) => {
    const old = await spawned(world, "anvil");
    for (const [from, to] of [[old, "docs"], ["docs", "pages"]] as const) {
      assertEquals(await rename([from, to], world), 0, world.warned.join("\n"));
    }
    assertEquals(await another(world, "anvil"), `${old}-2`);
    await world.tmux("kill-session", "-t", "=pages");
    assertEquals(await another(world, "anvil"), old);
  }));

Deno.test("recover takes no name that a session in use had before", () =>
  inSessionWorld(async (world) => {
    const old = await spawned(world, "anvil");
    assertEquals(await rename([old, "docs"], world), 0, world.warned.join("\n"));
    const occupied = await another(world, "anvil");
    await world.killClaude(occupied);
    await world.tmux("respawn-pane", "-k", "-t", `=${occupied}:`, "sleep", "1000");
    const { agents } = await recover(world);
    assertEquals(agents.map(({ session, outcome }) => [session, outcome]).sort(), [
      [`${old}-3`, "recovered"],
      ["docs", "alive"],
    ]);
    assertEquals(currentName(world.paths, old), "docs");
  }));

Deno.test("renamedMessage() changes a name with blanks in the actions, and nothing in the fence", () => {
  const message = (name: string, quoted: string) =>
    [
      ...["[SESSION IDENTITY]", `tmux_session_name: ${name}`, "", "[CONTENT]"],
      ...['<<<EXTERNAL_UNTRUSTED_CONTENT id="x">>>', "[AVAILABLE ACTIONS]", "run 'a b' type"],
      ...['<<<END_EXTERNAL_UNTRUSTED_CONTENT id="x">>>', "", "[AVAILABLE ACTIONS]"],
      `/bin/gsd-code menu-driver ${quoted} type <text>`,
    ].join("\n");
  assertEquals(renamedMessage(message("a b", "'a b'"), "a b", "docs"), message("docs", "docs"));
});

Deno.test("rename works while recover waits for the prompt, which follows the new name", () =>
  inSessionWorld(async (world) => {
    const { paths } = world;
    const old = await spawned(world, "anvil");
    const id = idOf(world, old);
    await world.killClaude(old);
    const slow = world.standIn("claude", IDLE);
    const waits = `until [ -e '${world.dir}/go' ]; do sleep 0.1; done; cat`;
    Deno.writeTextFileSync(slow, Deno.readTextFileSync(slow).replace("cat", waits));
    const recovering = recover(world);
    await until("the start", () => readLaunch(paths, old).recovery !== undefined);
    assertEquals(await rename([old, "docs"], world), 0, world.warned.join("\n"));
    Deno.writeTextFileSync(`${world.dir}/go`, "");

    const { agents: [one] } = await recovering;
    assertEquals([one!.session, one!.outcome], ["docs", "recovered"], one!.detail);
    assertEquals([currentName(paths, old), readLaunch(paths, "docs").recovery], [
      "docs",
      undefined,
    ]);
    const [wake] = world.wakes("anvil");
    assertMatch(wake!.message, /menu-driver .* docs type <text>$/m);
    assertMatch(wake!.message, new RegExp(`Claude Code was not running in docs: .*\n.*${id}`));
    assertEquals((await recover(world)).outcomes, { anvil: "alive" });
  }));
