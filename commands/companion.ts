/** Runs beside one Claude Code, as a child of the mod inside it, until that Claude Code ends. */

import { companionFor } from "../lib/companion/companion.ts";
import { heldRequests } from "../lib/companion/held_requests.ts";
import { spentIn } from "../lib/companion/kept_usage.ts";
import { reportFinding } from "../lib/companion/report_finding.ts";
import {
  isSocketAt,
  readRoad,
  removeRoad,
  type Road,
  roadPlaces,
  roadsDir,
  serverOf,
  writeRoad,
} from "../lib/companion/road_file.ts";
import { statusLine } from "../lib/companion/status_line.ts";
import { type HeldLock, holdLock } from "../lib/doors/held_lock.ts";
import { ensureDir, readTextIfThere, removeIfThere, writeAtomic } from "../lib/files.ts";
import { isWatched } from "../lib/fleet/watch_lock.ts";
import { askTmux, openGate } from "../lib/gate.ts";
import { contextFrom } from "../lib/hook_context.ts";
import { currentName, hasQueue } from "../lib/known_sessions.ts";
import { ownEscape } from "../lib/own_escape.ts";
import { type Env, type Paths, pathsFrom, ROOT } from "../lib/paths.ts";
import { startIfQueued } from "../lib/queue_runner.ts";
import type { Agent } from "../lib/registry.ts";
import { commandsFile } from "../lib/suggested.ts";
import { pause, runAfter } from "../lib/time.ts";
import { usageFile } from "../lib/usage.ts";

export const HELP = `Usage: gsd-code companion

Runs beside one Claude Code and connects it with its agent. The mod inside Claude Code starts it by
the launcher bin/companion and ends it; there is no need to run it by hand.

  --help                this text

Exit codes: 0 Claude Code has ended; 1 could not; 2 called wrongly; 3 no agent owns this session.
`;

/** The mod does not start it again. */
const NOT_NEEDED = 3;
const LOOK_EVERY_MS = 300;
const LOOKS_PER_SIGN = 10;
const STATUS_WITHIN_MS = 5000;
const HOOK_FIRST_MS = 3000;
/** The mod's requests end after 30 s. */
const HOLD_MS = 20_000;

interface Managed {
  session: string;
  pane: string;
  agent: Agent;
}

export async function main(args: string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(HELP.trimEnd());
    return 0;
  }
  if (args.length > 0) {
    console.error(`companion takes no "${args[0]}"; see gsd-code companion --help`);
    return 2;
  }
  const env: Env = (name) => Deno.env.get(name);
  const paths = pathsFrom(env, ROOT);
  const claudePid = Deno.ppid;
  const gate = await managedGate(paths, env, undefined);
  if (gate === undefined) {
    console.error("There is nothing to do: no agent owns this session");
    return NOT_NEEDED;
  }
  const place = takePlace(paths, env, gate);
  if (typeof place === "string") {
    console.error(place);
    return 1;
  }
  const scratch = `${roadsDir(paths)}/.${Deno.pid}.sock`;
  let { session } = gate;
  const nameNow = () => currentName(paths, session);
  const token = crypto.randomUUID();
  const say = (line: string) => writeOut(`${line}\n`);
  const companion = companionFor({
    token,
    pane: gate.pane,
    now: Date.now,
    say,
    // The gate is asked each time: registry and session may have changed since the start.
    async report(finding) {
      const now = await managedGate(paths, env, nameNow());
      if (now === undefined) return;
      await reportFinding(paths, env, { ...now, isWatched: isWatched(paths) }, finding);
    },
    keep(usage, at) {
      const file = usageFile(paths, env, at === "work" ? "turn" : "mod");
      if (file !== undefined) writeAtomic(file, JSON.stringify(usage));
    },
    spentBefore(sessionId) {
      const file = usageFile(paths, env, "mod");
      return spentIn((file === undefined ? undefined : readTextIfThere(file)) ?? "", sessionId);
    },
    ownEscape: () => ownEscape(paths, nameNow(), Date.now()),
    held: heldRequests({
      async context(event) {
        const now = await managedGate(paths, env, nameNow());
        return now && contextFrom(now, { event, paths, env, leaveToShell() {} });
      },
      now: Date.now,
      sleep: pause,
      pid: Deno.pid,
      waitMs: HOLD_MS,
    }),
    keepCommands(names) {
      writeAtomic(commandsFile(paths, nameNow()), JSON.stringify(names));
    },
    onTurnEnd() {
      // The hook of the event comes first.
      runAfter(HOOK_FIRST_MS, () => goOn(paths, env, nameNow()));
    },
    after: runAfter,
  });
  ensureDir(roadsDir(paths));
  removeIfThere(scratch);
  const serving = Deno.serve({ path: scratch, onListen() {} }, companion.server.handle);
  Deno.chmodSync(scratch, 0o600);
  // Its permission names one socket; the place that others look for is known only now.
  Deno.renameSync(scratch, `${place.name}.sock`);
  const { ino } = Deno.statSync(`${place.name}.sock`);
  const show = (text: string) =>
    void companion.server.order({ op: "status", text }, STATUS_WITHIN_MS);
  let sign = statusLine(paths, gate, show);
  const announce = ({ session, pane }: Managed) => {
    const socket = `${place.name}.sock`;
    const road: Road = {
      session,
      pane,
      server: serverOf(env("TMUX") ?? ""),
      pid: Deno.pid,
      claude_pid: claudePid,
      socket,
      since: new Date().toISOString(),
    };
    writeRoad(`${place.name}.json`, road);
    say(JSON.stringify({ hello: { socket, token } }));
  };
  announce(gate);

  let isEnded = false;
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => isEnded = signal !== "SIGHUP" || isEnded);
  }
  for (let looks = 0; !isEnded && Deno.ppid === claudePid; looks++) {
    if (!isSocketAt(place.name, ino)) {
      const moved = await managedGate(paths, env, nameNow());
      const name = moved && roadPlaces(paths, moved).find((one) => isSocketAt(one, ino));
      // The companion can no longer be reached: exit, and the mod starts another one.
      if (moved === undefined || name === undefined) return 0;
      // The session was renamed, and its files with it; the lock follows.
      place.name = name;
      session = moved.session; // the earlier name may soon be another session's
      sign = statusLine(paths, moved, show);
      announce(moved);
    }
    if (looks % LOOKS_PER_SIGN === 0 && companion.facts().n > 0) {
      sign.refresh();
      void companion.measure();
    }
    await pause(LOOK_EVERY_MS);
  }
  try {
    if (!isEnded) await companion.orphaned();
  } finally {
    removeRoad(place.name);
    place.lock.release();
    await serving.shutdown();
  }
  return 0;
}

/** The queue goes on where no hook has seen the end of a turn. */
function goOn(paths: Paths, env: Env, session: string): void {
  try {
    if (hasQueue(paths, session)) startIfQueued(paths, env, session, new Date());
  } catch {
    // The next end of a turn tries again, or the watch.
  }
}

/** `known`: its session at the last look, for when the pane is gone. */
async function managedGate(
  paths: Paths,
  env: Env,
  known: string | undefined,
): Promise<Managed | undefined> {
  const asking = askTmux(env, undefined);
  if (asking === undefined) return undefined;
  // Claude's id is not known here: where the session has moved to another server, hooks do all.
  const gate = await openGate(paths, asking, known, "");
  return gate.kind === "managed" || gate.kind === "mute" ? gate : undefined;
}

function takePlace(
  paths: Paths,
  env: Env,
  managed: Managed,
): { name: string; lock: HeldLock } | string {
  const places = roadPlaces(paths, managed);
  if (places.length === 0) {
    return `Cannot listen for orders: the path of ${roadsDir(paths)} is too long for a socket`;
  }
  const server = serverOf(env("TMUX") ?? "");
  for (const name of places) {
    const lock = holdLock(`${name}.lock`, String(Deno.pid));
    if (lock !== undefined) return { name, lock };
    // The place belongs to another pane, so use a place of our own. One pane has one Claude Code.
    const road = readRoad(`${name}.json`);
    if (road?.pane === managed.pane && road.server === server) break;
  }
  return `Cannot listen for orders in session "${managed.session}": another companion serves it`;
}

function writeOut(text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) {
    written += Deno.stdout.writeSync(bytes.subarray(written));
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
