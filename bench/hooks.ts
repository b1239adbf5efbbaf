/** What the hooks cost, as multiples of a bare `deno run` in the same, interleaved run. */

import { ensureDir } from "../lib/files.ts";
import { openPending } from "../lib/answers.ts";
import { hookCommand } from "../lib/install/hook_command.ts";
import { HOOKS } from "../lib/install/hook_list.ts";
import { hookLauncherText } from "../lib/install/hook_launcher.ts";
import { launchesDir } from "../lib/known_sessions.ts";
import { fixtureEvent } from "../tests/support/fixtures.ts";
import { HookWorld } from "../tests/support/hook_world.ts";
import { median, quantile } from "./figures.ts";
import { addTurn, manyAgents, openRequest, writeTranscript } from "./hook_files.ts";
import { pause } from "../lib/time.ts";
import { writeExecutable } from "../tests/support/executable.ts";

export interface HookFigure {
  name: string;
  medianMs: number;
  /** The lower quartile: what it takes when the machine is not busy with something else. */
  quietMs: number;
  /** Of the quiet times. */
  ratio: number;
  budget: number | null;
}

/** As multiples of a bare Deno. A crowded Stop is as quick as any other, but for some noise. */
const BUDGETS = { unmanaged: 0.45, stop: 1.9, preToolUse: 1.8, crowdedStop: 2.1 };

const MANY = 1000;

interface Case {
  name: string;
  budget: number | null;
  world: HookWorld;
  command: string;
  session: string;
  event: () => Record<string, unknown>;
  /** What Claude Code does next, which is not measured. */
  next?: () => { command: string; event: Record<string, unknown> };
}

export async function measureHooks(
  rounds: number,
  progress: (done: number) => void,
): Promise<HookFigure[]> {
  await using world = await HookWorld.create();
  await using crowded = await HookWorld.create({ registry: manyAgents(MANY) });
  await using asking = await HookWorld.create();
  for (let count = 0; count < MANY; count++) openPending(asking.paths, openRequest(count));
  const cases = [
    ...await casesIn(world),
    ...await manyCases(crowded, "1,000 agents with comments"),
    ...await manyCases(asking, "1,000 open requests"),
  ];
  for (const test of cases) await runOnce(test); // warms Deno's cache
  const times = new Map(cases.map((test) => [test.name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    for (const test of cases) times.get(test.name)!.push(await runOnce(test));
    progress((round + 1) / rounds);
  }
  const quiet = cases.map((test) => quantile(times.get(test.name)!, 0.25));
  return cases.map(({ name, budget }, index) => ({
    name,
    medianMs: median(times.get(name)!),
    quietMs: quiet[index]!,
    ratio: quiet[index]! / quiet[0]!,
    budget,
  }));
}

/** The registered commands of a world that is as registration leaves it. */
function commandsIn(world: HookWorld): (event: string) => string {
  // An action names the launcher that is there.
  writeExecutable(`${world.paths.data}/bin/gsd-code`, "#!/bin/sh\n");
  const install = world.installation((name) => world.env()[name] ?? Deno.env.get(name));
  ensureDir(launchesDir(world.paths));
  const launcher = `${world.paths.data}/bin/hook`;
  writeExecutable(launcher, hookLauncherText(install));
  return (event) => hookCommand(HOOKS.find((entry) => entry.event === event)!, world.paths);
}

let count = 0;

/** The end of a turn; of a new one where no prompt is named. */
function stopEvent(transcript_path: string, promptId?: string): Record<string, unknown> {
  const answer = `answer ${count++}`;
  const prompt_id = addTurn(transcript_path, [{ type: "text", text: answer }], promptId);
  const event = fixtureEvent("stop-plain");
  return { ...event, transcript_path, prompt_id, last_assistant_message: answer };
}

async function manyCases(world: HookWorld, what: string): Promise<Case[]> {
  await writeTranscript(world.transcript, 5_000_000);
  return [{
    name: `Stop, ${what}`,
    budget: BUDGETS.crowdedStop,
    world,
    session: "warden-main",
    command: commandsIn(world)("Stop"),
    event: () => stopEvent(world.transcript),
  }];
}

async function casesIn(world: HookWorld): Promise<Case[]> {
  const { dir } = world;
  await Deno.writeTextFile(`${dir}/empty.ts`, "export {};\n");
  const transcripts = `${dir}/home/.claude/projects/x`;
  await Deno.mkdir(transcripts, { recursive: true });
  await writeTranscript(`${transcripts}/small.jsonl`, 5_000_000);
  await writeTranscript(`${transcripts}/large.jsonl`, 500_000_000);
  const commandOf = commandsIn(world);
  // A prompt whose turn has ended: else the next one looks like one after an Esc.
  let prompted: string | undefined;
  const prompt = () => {
    prompted = crypto.randomUUID();
    return { ...fixtureEvent("user_prompt_submit"), prompt_id: prompted };
  };
  const stop = (transcript: string) => () => stopEvent(`${transcripts}/${transcript}`, prompted);
  let asked = {};
  const question = () => {
    const transcript_path = `${transcripts}/small.jsonl`;
    const tool_use_id = `tool-${count++}`;
    const reasons = { type: "text", text: "Both would do.\n".repeat(20) };
    const prompt_id = addTurn(transcript_path, [reasons, { type: "tool_use", id: tool_use_id }]);
    asked = { transcript_path, prompt_id, tool_use_id };
    return { ...fixtureEvent("pre_tool_use-ask-single"), ...asked };
  };
  const session = "warden-main";
  const cases = [
    {
      name: "bare deno run",
      budget: null,
      session,
      command: `exec ${Deno.execPath()} run ${dir}/empty.ts`,
      event: () => ({}),
    },
    {
      name: "outside tmux",
      budget: null,
      session: "",
      command: commandOf("Stop"),
      event: stop("small.jsonl"),
    },
    {
      name: "unmanaged session",
      budget: BUDGETS.unmanaged,
      session: "somebody-else",
      command: commandOf("Stop"),
      event: stop("small.jsonl"),
    },
    {
      name: "Stop, 5 MB transcript",
      budget: BUDGETS.stop,
      session,
      command: commandOf("Stop"),
      event: stop("small.jsonl"),
    },
    {
      name: "Stop, 500 MB transcript",
      budget: BUDGETS.stop,
      session,
      command: commandOf("Stop"),
      event: stop("large.jsonl"),
    },
    {
      name: "PreToolUse",
      budget: BUDGETS.preToolUse,
      session,
      command: commandOf("PreToolUse"),
      event: question,
      next: () => ({
        command: commandOf("PostToolUse"),
        event: { ...fixtureEvent("post_tool_use-ask-single"), ...asked },
      }),
    },
    {
      name: "UserPromptSubmit",
      budget: BUDGETS.preToolUse,
      session,
      command: commandOf("UserPromptSubmit"),
      event: prompt,
    },
  ];
  return cases.map((one) => ({ ...one, world }));
}

async function runOnce(test: Case): Promise<number> {
  const took = await runCommand(test, test.command, test.event());
  const next = test.next?.();
  if (next !== undefined) await runCommand(test, next.command, next.event);
  return took;
}

/** Until what the hook before has left is over: the end of its Deno, and a deliverer. */
const REST_MS = 25;

async function runCommand(test: Case, command: string, event: unknown): Promise<number> {
  const { world } = test;
  const input = new TextEncoder().encode(JSON.stringify(event));
  const tmux = test.session === "" ? {} : await world.server.env(await world.pane(test.session));
  const { GSD_REGISTRY: _r, GSD_STATE_DIR: _s, GSD_DATA_DIR: _d, ...env } = world.env();
  await pause(REST_MS);
  const started = performance.now();
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", command],
    env: { ...env, ...tmux },
    clearEnv: true,
    stdin: "piped",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(input).catch(() => {});
  await writer.close().catch(() => {});
  const { code } = await child.status;
  const took = performance.now() - started;
  if (code !== 0) throw new Error(`${test.name} ended with ${code}`);
  return took;
}
