import { assertEquals, assertMatch } from "@std/assert";
import { main as remove } from "../commands/remove.ts";
import { main as rename } from "../commands/rename.ts";
import { isThere, namesIn, writeAtomic } from "../lib/files.ts";
import { filesOf, moveFiles, removeFiles } from "../lib/sessions/kept_files.ts";
import { enqueue, type QueuedWake } from "../lib/outbox.ts";
import { TestHome } from "./support/home.ts";
import { idOf, promptIn, remember, sessions, spawned } from "./support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";

/** Every file below a folder. */
function filesBelow(folder: string): string[] {
  return namesIn(folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    return Deno.lstatSync(path).isDirectory ? filesBelow(path) : [path];
  });
}

function kept(world: SessionWorld): string[] {
  const { state, data } = world.paths;
  return [...filesBelow(state), ...filesBelow(`${data}/launches`)]
    .map((path) => path.replace(`${world.dir}/`, ""))
    .filter((path) => !path.startsWith("state/locks/"));
}

Deno.test("filesOf() leaves what belongs to an agent of the same name", async () => {
  await using home = new TestHome();
  const folders = ["paused-agents", "quiet", "budgets", "sessions", "stopped"];
  for (const folder of folders) writeAtomic(`${home.paths.state}/${folder}/docs.json`, "{}");
  assertEquals(filesOf(home.paths, "docs").map(({ folder }) => folder), ["sessions", "stopped"]);
});

Deno.test("filesOf() leaves the watch its files when a session has the name of one", async () => {
  await using home = new TestHome();
  const { paths } = home;
  const files = ["memory.json", "screens.json", "spending.json", "told/1.json"]
    .map((name) => `${paths.state}/watch/${name}`);
  for (const file of files) writeAtomic(file, "{}");
  for (const session of ["memory", "screens", "spending", "told"]) {
    moveFiles(paths, session, "docs");
    removeFiles(paths, session);
  }
  assertEquals(filesBelow(`${paths.state}/watch`), files);
});

Deno.test("remove leaves nothing of a session but its journal", () =>
  inSessionWorld(async (world) => {
    const { paths } = world;
    const old = await spawned(world, "anvil");
    const socket = await world.tmux("display-message", "-p", "#{socket_path},#{pid},0/%0");
    writeAtomic(`${paths.state}/managed${socket}`, "");
    writeAtomic(`${paths.state}/managed${socket.replace(/,\d+,0/, ",1,0")}`, ""); // a server before
    remember(world, old, { claude_session_id: idOf(world, old) });
    writeAtomic(`${paths.state}/claude/${idOf(world, old)}`, `${old}\n/s %0`);
    writeAtomic(`${paths.state}/pending/${old}/q-1.told`, "{}");
    writeAtomic(`${paths.state}/queue/${old}/1.json`, "{}");
    writeAtomic(`${paths.state}/panes/${old}.txt`, "");
    assertEquals(await rename([old, "docs"], world), 0, world.warned.join("\n"));

    assertEquals(await remove(["docs"], world), 1);
    assertMatch(world.warned.at(-1)!, /Claude Code runs in it: gsd-code stop ends that first$/);
    await world.killClaude("docs");
    await promptIn(world, "docs");
    const before = kept(world);
    assertEquals(await remove(["docs", "--dry-run"], world), 0, world.warned.join("\n"));
    assertEquals(kept(world), before);
    assertEquals(await remove(["docs", "--json"], world), 0, world.warned.join("\n"));
    assertEquals(JSON.parse(world.said.at(-1)!), {
      ...{ session: "docs", agent_id: "anvil", dropped: [], state: "removed" },
    });
    assertEquals(kept(world), ["state/journal/docs.jsonl"]);
    assertEquals(
      namesIn(`${paths.state}/locks`).filter((name) => /docs|anvil-main/.test(name)),
      [],
    );
    assertEquals(await sessions(world), [""]);
    assertEquals(await remove(["docs"], world), 1, "a second time");
  }));

Deno.test("remove keeps a session with a program in it, and one whose wakes wait", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await world.killClaude(session);
    await promptIn(world, session);
    await world.tmux("split-window", "-t", `=${session}:`, "cat");
    assertEquals(await remove([session], world), 1);
    assertMatch(world.warned.at(-1)!, /a program runs in pane %\d+ of its tmux session/);
    await world.tmux("kill-pane", "-t", `=${session}:`);

    const wake_id = "01JM8V3T0Q6Y4W2Z9K5N7R1B3D";
    const wake = { wake_id, agent_id: "anvil", session, message: "m", trigger: "t" };
    enqueue(world.paths, wake as QueuedWake);
    assertEquals(await remove([session], world), 1);
    assertMatch(world.warned.at(-1)!, /of its wakes 1 wait: .* --drop-wakes drops them all$/);
    assertEquals(await remove([session, "--drop-wakes"], world), 0, world.warned.join("\n"));
    assertEquals(isThere(`${world.paths.state}/outbox/anvil/${wake_id}.json`), false);
  }));
