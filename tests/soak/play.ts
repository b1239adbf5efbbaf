/** Plays a plan: hooks as Claude Code runs them, and the faults between them. */

import { pause, until } from "../support/until.ts";
import { fixtureEvent } from "../support/fixtures.ts";
import { type Claude, hookInput, writeTurn } from "./hook_events.ts";
import { Journals } from "./journals.ts";
import type { Plan, PlannedEvent } from "./plan.ts";
import { kill, type SoakStage } from "./stage.ts";
import type { Played } from "./verdict.ts";

export interface Run {
  played: Played[];
  hooksKilled: number;
  deliverersKilled: number;
  restarts: number;
  journals: Journals;
}

/** Longer than the longest pause of a deliverer: only a lost wake takes this long. */
const SETTLE_MS = 15 * 60_000;
/** With more wakes in the queue, an event waits: faults should meet events, not a queue. */
const CROWD = 8;
const HELD_BACK_MS = 1000;

export async function play(
  plan: Plan,
  stage: SoakStage,
  progress: (run: Run) => void,
): Promise<Run> {
  const run: Run = {
    played: [],
    hooksKilled: 0,
    deliverersKilled: 0,
    restarts: 0,
    journals: new Journals(stage.paths),
  };
  const restarting = new Restarts(stage, run);
  await Promise.all([...plan.sessions].map(async ([session, events]) => {
    const claude = claudeOf(stage, session);
    await startClaude(stage, session, claude);
    for (const event of events) {
      await holdBack(event.agent, stage);
      run.played.push(await playEvent(event, claude, stage, run));
      if (event.killDeliverer) killDeliverer(event.killDeliverer.afterMs, stage, run);
      if (event.restart) restarting.begin(event.restart);
      progress(run);
    }
  }));
  await restarting.settled();
  await settle(stage);
  for (const session of plan.sessions.keys()) run.journals.news(session);
  return run;
}

async function holdBack(agent: string, stage: SoakStage): Promise<void> {
  const end = performance.now() + HELD_BACK_MS;
  while (stage.waitingFor(agent).length >= CROWD && performance.now() < end) await pause(50);
}

function claudeOf(stage: SoakStage, session: string): Claude {
  const session_id = `${session}-0000-4000-8000-000000000000`;
  const transcript_path = `${stage.dir}/home/.claude/projects/p/${session_id}.jsonl`;
  return { session_id, transcript_path };
}

async function startClaude(stage: SoakStage, session: string, claude: Claude): Promise<void> {
  const input = { ...fixtureEvent("session_start-startup"), ...claude };
  await runHook(stage, session, "SessionStart", input);
}

async function playEvent(
  event: PlannedEvent,
  claude: Claude,
  stage: SoakStage,
  run: Run,
): Promise<Played> {
  const { hook, input } = hookInput(event, claude);
  writeTurn(event, input, claude);
  const startedAt = Date.now();
  const { code, isKilled } = await runHook(stage, event.session, hook, input, event.killHook);
  if (isKilled) run.hooksKilled++;
  const news = run.journals.news(event.session).filter((line) => line.event === hook);
  return {
    event,
    startedAt,
    isKilled,
    code,
    queued: news.filter((line) => line.kind === "queued").map((line) => String(line.wake_id)),
    isSuppressed: news.some((line) => line.kind === "suppressed"),
  };
}

/** As Claude Code does it: by a shell, in its own process group, with the event on its input. */
async function runHook(
  stage: SoakStage,
  session: string,
  hook: string,
  input: Record<string, unknown>,
  killing?: PlannedEvent["killHook"],
): Promise<{ code: number; isKilled: boolean }> {
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", stage.command(hook)],
    env: stage.hookEnv(session),
    clearEnv: true,
    cwd: stage.dir,
    detached: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const feeding = feed(child, JSON.stringify(input));
  let hasEnded = false;
  const timer = killing && setTimeout(() => {
    // Only its shell: the hook itself continues, and no deliverer is started after it.
    if (!hasEnded) kill(killing.whole ? -child.pid : child.pid);
  }, killing.afterMs);
  const { code, signal } = await child.status;
  hasEnded = true;
  clearTimeout(timer);
  // Its children hold its output open: wait for them before the session's next event.
  await Promise.all([child.stdout, child.stderr].map((stream) => new Response(stream).text()));
  await feeding;
  return { code, isKilled: signal === "SIGKILL" };
}

async function feed(child: Deno.ChildProcess, text: string): Promise<void> {
  try {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch {
    // It was killed before it had read all.
  }
}

function killDeliverer(afterMs: number, stage: SoakStage, run: Run): void {
  setTimeout(() => {
    const pid = stage.isHealthy ? undefined : stage.deliverers().at(-1);
    if (pid === undefined) return;
    run.deliverersKilled++;
    kill(pid);
  }, afterMs);
}

/** One restart at a time: a gateway that is down is not restarted. */
class Restarts {
  private current: Promise<void> | undefined;

  constructor(private readonly stage: SoakStage, private readonly run: Run) {}

  begin({ downMs, forget, upMs }: NonNullable<PlannedEvent["restart"]>): void {
    if (this.current !== undefined) return;
    this.run.restarts++;
    this.current = this.stage.gateway.restart(downMs, { forget, upMs })
      .finally(() => this.current = undefined);
  }

  async settled(): Promise<void> {
    await this.current;
  }
}

/** Lets waiting wakes meet their faults; then everything works, and all must be delivered. */
async function settle(stage: SoakStage): Promise<void> {
  await deliverAll(stage, SETTLE_MS / 3);
  stage.isHealthy = true;
  await deliverAll(stage, SETTLE_MS);
  await until("the deliverers to leave", () => stage.deliverers().length === 0, {
    timeoutMs: 120_000,
  }).catch(() => {});
}

async function deliverAll(stage: SoakStage, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs;
  while (stage.waiting().length > 0 && performance.now() < end) {
    await deliver(stage);
    await pause(500);
  }
}

async function deliver(stage: SoakStage): Promise<void> {
  const launcher = `${stage.paths.data}/bin/deliver`;
  const { PATH, HOME, DENO_DIR } = stage.hookEnv([...stage.panes.keys()][0]!);
  await new Deno.Command(launcher, {
    args: ["--wait"],
    env: { PATH: PATH!, HOME: HOME!, DENO_DIR: DENO_DIR! },
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
}
