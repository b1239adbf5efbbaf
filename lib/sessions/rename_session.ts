/** Gives a session another name; everything that is kept of it goes along. */

import { hookWaits, listPending } from "../answers.ts";
import type { World } from "../cli/world.ts";
import { type HeldLock, holdLock } from "../doors/held_lock.ts";
import { allProcesses } from "../doors/process_tree.ts";
import { recordCall } from "../driver/record_call.ts";
import { isFile, removeIfThere } from "../files.ts";
import { record } from "../journal.ts";
import { type Paths, safeName } from "../paths.ts";
import { memoryFile, readMemory } from "../session_memory.ts";
import { pause } from "../time.ts";
import { ensureRecord } from "./adopt_session.ts";
import { findSession, launchOf, whyNotOurs } from "./find_session.ts";
import type { Launch } from "./launch.ts";
import { launchFiles, writeLaunch } from "./launch_files.ts";
import { launchingAlone } from "./launch_lock.ts";
import { moveFiles } from "./kept_files.ts";
import { whyNotFree } from "./session_names.ts";
import { renameWakes } from "./session_wakes.ts";

export interface RenameWish {
  from: string;
  to: string;
  dryRun: boolean;
}

export interface RenameResult {
  from: string;
  session: string;
  agent_id: string;
  state: "planned" | "renamed";
}

/** Throws the reason where it cannot be renamed. A second run finishes an interrupted one. */
export function renameSession(wish: RenameWish, world: World): Promise<RenameResult> {
  return wish.dryRun ? rename(wish, world) : launchingAlone(world, () => rename(wish, world));
}

async function rename(wish: RenameWish, world: World): Promise<RenameResult> {
  const { paths } = world;
  const { to } = wish;
  const found = await findSession(world, wish.from);
  const { session: from, agent, server, registry } = found;
  const foreign = whyNotOurs(world, found);
  if (foreign !== undefined) throw new Error(foreign);
  if (agent === undefined) throw new Error("no enabled agent of the registry has it");
  if (found.launch === undefined && found.state.kind !== "alive") {
    throw new Error("Claude Code does not run in it, and nothing is kept of it");
  }
  const result = { from, session: to, agent_id: agent.agent_id };
  const begun = launchOf(world, to);
  const isBegun = begun !== undefined && begun.started_at === found.launch?.started_at &&
    begun.agent_id === agent.agent_id && !server.sessions.has(from);
  if (!isBegun) {
    const taken = new Set(server.sessions);
    const free = { paths, taken, registry, agentId: agent.agent_id };
    const refused = from === to
      ? "it has that name already"
      : begun !== undefined
      ? `${begun.agent_id} has a session "${to}" already`
      : whyNotFree(to, free);
    if (refused !== undefined) throw new Error(refused);
  }
  const asked = await whyNotNow(paths, from, world.now());
  if (asked !== undefined) throw new Error(asked);
  if (wish.dryRun) return { ...result, state: "planned" };

  const launch = await ensureRecord(world, found, agent);
  const isRunning = server.sessions.has(from);
  // Of an earlier session without a record: it would be taken for what is kept of this one.
  if (!isBegun) removeIfThere(memoryFile(paths, to));
  await moveSession(paths, launch, to, async () => {
    if (!isRunning) return undefined;
    const renamed = await server.tmux.call("rename-session", "-t", `=${from}`, to);
    return renamed.kind === "failed" ? renamed.reason : undefined;
  });
  const { agent_id } = agent;
  await recordCall(world, { session: to, agent_id, reason: `renamed from ${from}` });
  return { ...result, state: "renamed" };
}

export type Followed =
  | { kind: "moved" }
  /** Nothing was changed; try again when it may be possible. */
  | { kind: "later"; reason: string }
  /** It has no record, so its name decides which agent owns it. */
  | { kind: "no record" };

/** After `tmux rename-session`: lets everything that is kept of the session follow its new name. */
export async function followRename(
  world: World,
  from: string,
  to: string,
): Promise<Followed> {
  return await launchingAlone(world, async (): Promise<Followed> => {
    const launch = launchOf(world, from);
    if (launch === undefined) return { kind: "no record" };
    const other = launchOf(world, to);
    if (other !== undefined && other.started_at !== launch.started_at) {
      return { kind: "later", reason: `${other.agent_id} has a session "${to}" already` };
    }
    const reason = await whyNotNow(world.paths, from, world.now());
    if (reason !== undefined) return { kind: "later", reason };
    // Its hooks run under the new name already: with the record they must find its memory, too.
    const lock = await lockOf(world.paths, from);
    try {
      const own = readMemory(world.paths, from);
      const other = readMemory(world.paths, to);
      // The time alone does not tell: the clock may have been set back.
      const isOthers = other.claude_session_id !== own.claude_session_id;
      if (isOthers && other.updated_at < launch.started_at) {
        removeIfThere(memoryFile(world.paths, to));
      }
      moveFiles(world.paths, from, to);
    } finally {
      lock?.release();
    }
    await moveSession(world.paths, launch, to, () => Promise.resolve(undefined));
    const { agent_id } = launch;
    const about = { session: to, agent_id, source: "watch" };
    record(world.paths, { kind: "session", ...about, reason: `renamed from ${from}` });
    return { kind: "moved" };
  });
}

/**
 * The new record comes first, so that at every moment the session's name has an agent. Then tmux,
 * then the files, while no hook writes the session's memory. The old record leads to the new name.
 */
async function moveSession(
  paths: Paths,
  launch: Launch,
  to: string,
  renameInTmux: () => Promise<string | undefined>,
): Promise<void> {
  const from = launch.session;
  const [old, next] = [launchFiles(paths, from), launchFiles(paths, to)];
  writeLaunch(paths, { ...launch, session: to });
  const locks = [await lockOf(paths, from), await lockOf(paths, to)];
  try {
    const failed = await renameInTmux();
    if (failed !== undefined) {
      removeIfThere(next.record);
      throw new Error(failed);
    }
    // A running Claude Code reads its settings where they are: only the script moves.
    if (isFile(old.script)) Deno.renameSync(old.script, next.script);
    moveFiles(paths, from, to);
  } finally {
    for (const lock of locks) lock?.release();
  }
  writeLaunch(paths, { ...launch, moved_to: to });
  await renameWakes(paths, from, to);
  // A hook that began under the old name may have written since.
  moveFiles(paths, from, to);
}

/** Locks a session's memory. After some time it goes on without the lock, as hooks do. */
async function lockOf({ state }: Paths, session: string): Promise<HeldLock | undefined> {
  const path = `${state}/locks/session-${safeName(session)}`;
  for (let tries = 0; tries < 40; tries++) {
    const lock = holdLock(path);
    if (lock !== undefined) return lock;
    await pause(50);
  }
  return undefined;
}

/** A hook that waits for an answer looks for it under the name that the session had. */
async function whyNotNow(paths: Paths, session: string, now: Date): Promise<string | undefined> {
  const open = listPending(paths, session);
  if (open.length === 0) return undefined;
  const alive = new Set((await allProcesses()).map(({ pid }) => pid));
  return open.some((one) => hookWaits(one, now.getTime(), (pid) => alive.has(pid)))
    ? "a question or a request is open in it, whose hook waits under this name: answer it first"
    : undefined;
}
