/** Removes a session. Only its log stays. */

import type { World } from "../cli/world.ts";
import { allProcesses, isIdleShell, treeBelow } from "../doors/process_tree.ts";
import { panesOf, runsNoServer } from "../doors/tmux_sessions.ts";
import { recordCall } from "../driver/record_call.ts";
import { namesIn, removeIfThere } from "../files.ts";
import { launchesDir } from "../known_sessions.ts";
import type { Paths } from "../paths.ts";
import { findSession, type FoundSession, whyNotOurs } from "./find_session.ts";
import { allLaunches, launchFiles } from "./launch_files.ts";
import { launchingAlone } from "./launch_lock.ts";
import { removeFiles } from "./kept_files.ts";
import { dropWakes, wakesOf } from "./session_wakes.ts";
import type { SeenServer } from "./tmux_servers.ts";

export interface RemoveWish {
  session: string;
  /** Remove it even if it has waiting wakes or dead letters. */
  dropWakes: boolean;
  dryRun: boolean;
}

export interface RemoveResult {
  session: string;
  agent_id: string;
  state: "planned" | "removed";
  /** The wakes that are dropped with it. */
  dropped: string[];
}

/** Throws the reason where it cannot be removed. A second run finishes an interrupted one. */
export function removeSession(wish: RemoveWish, world: World): Promise<RemoveResult> {
  return wish.dryRun ? remove(wish, world) : launchingAlone(world, () => remove(wish, world));
}

async function remove(wish: RemoveWish, world: World): Promise<RemoveResult> {
  const { paths } = world;
  const found = await findSession(world, wish.session);
  const { session, launch, agent, server, state } = found;
  const refused = whyNotOurs(world, found) ?? await whyInUse(found);
  if (refused !== undefined) throw new Error(refused);
  const wakes = wakesOf(paths, session);
  if (wakes.length > 0 && !wish.dropWakes) throw new Error(whyWakes(wakes));
  const agent_id = agent?.agent_id ?? launch?.agent_id ?? "";
  const result = { session, agent_id, dropped: wakes.map(({ wake }) => wake.wake_id) };
  if (wish.dryRun) return { ...result, state: "planned" };

  if (state.kind !== "gone") await server.tmux.call("kill-session", "-t", `=${session}`);
  dropWakes(paths, session, world.now());
  removeLaunch(paths, session);
  removeFiles(paths, session);
  await removeMarks(paths, server);
  await recordCall(world, { session, agent_id, reason: "removed" });
  return { ...result, state: "removed" };
}

function whyWakes(wakes: ReturnType<typeof wakesOf>): string {
  const waiting = wakes.filter(({ state }) => state === "waiting").length;
  const counted = [
    ...(waiting > 0 ? [`${waiting} wait`] : []),
    ...(wakes.length > waiting ? [`${wakes.length - waiting} are dead letters`] : []),
  ].join(" and ");
  return `of its wakes ${counted}: gsd-code deliver sends what waits, --drop-wakes drops them all`;
}

/** Only shells at their prompt are closed. */
async function whyInUse({ state, server, session }: FoundSession): Promise<string | undefined> {
  if (state.kind === "alive") return "Claude Code runs in it: gsd-code stop ends that first";
  if (state.kind === "gone") return undefined;
  const processes = await allProcesses();
  const busy = (await panesOf(server.tmux, session)).find(({ pid, dead }) =>
    !dead && !isIdleShell(treeBelow(processes, pid))
  );
  return busy === undefined
    ? undefined
    : `a program runs in pane ${busy.pane} of its tmux session: end that first`;
}

/** Its record, its files, and the records that lead to it from earlier names. */
function removeLaunch(paths: Paths, session: string): void {
  const all = allLaunches(paths);
  const gone = new Set([session]);
  for (let size = 0; size < gone.size;) {
    size = gone.size;
    for (const { session: name, moved_to } of all) {
      if (moved_to !== undefined && gone.has(moved_to)) gone.add(name);
    }
  }
  const kept = all.filter((launch) => !gone.has(launch.session));
  const used = new Set(kept.flatMap((launch) => [launch.settings_file, launch.prompt_file]));
  const own = all.filter((launch) => gone.has(launch.session));
  const places = own.flatMap((launch) => [launch.settings_file, launch.prompt_file])
    .filter((file) => file.startsWith(`${launchesDir(paths)}/`));
  const files = [...gone].flatMap((name) => Object.values(launchFiles(paths, name)));
  for (const file of new Set([...places, ...files])) {
    if (!used.has(file)) removeIfThere(file);
  }
}

/** Removes the marks of panes that are gone or belonged to an earlier server. */
async function removeMarks(paths: Paths, { tmux, socket, run }: SeenServer): Promise<void> {
  if (socket === undefined) return;
  const listed = await tmux.call("list-panes", "-a", "-F", "#{pane_id}");
  if (listed.kind === "failed" && !runsNoServer(listed.reason)) return;
  const panes = listed.kind === "ok" ? listed.stdout.split("\n") : [];
  const slash = socket.lastIndexOf("/");
  const folder = `${paths.state}/managed${socket.slice(0, slash)}`;
  const name = socket.slice(slash + 1);
  const ofRun = `${name},${run?.split("-")[0]},`;
  for (const entry of namesIn(folder).filter((one) => one.startsWith(`${name},`))) {
    for (const pane of namesIn(`${folder}/${entry}`)) {
      const isThere = entry.startsWith(ofRun) && panes.includes(pane);
      if (!isThere) removeIfThere(`${folder}/${entry}/${pane}`);
    }
    if (namesIn(`${folder}/${entry}`).length === 0) removeIfThere(`${folder}/${entry}`);
  }
}
