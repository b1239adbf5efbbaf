/** What the hooks cost, as multiples of a bare `deno run` in the same, interleaved run. */

import { hookCommand } from "../lib/install/hook_command.ts";
import { HOOKS } from "../lib/install/hook_list.ts";
import { hookLauncherText } from "../lib/install/hook_launcher.ts";
import { fixtureEvent } from "../tests/support/fixtures.ts";
import { HookWorld } from "../tests/support/hook_world.ts";
import { median, quantile } from "./figures.ts";

export interface HookFigure {
  name: string;
  medianMs: number;
  /** The lower quartile: what it takes when the machine is not busy with something else. */
  quietMs: number;
  /** Of the quiet times. */
  ratio: number;
  budget: number | null;
}

interface Case {
  name: string;
  budget: number | null;
  command: string;
  session: string;
  event: () => Record<string, unknown>;
}

export async function measureHooks(
  rounds: number,
  progress: (done: number) => void,
): Promise<HookFigure[]> {
  await using world = await HookWorld.create();
  // As registration leaves it: an action names the launcher that is there.
  await Deno.writeTextFile(`${world.paths.data}/bin/gsd-code`, "#!/bin/sh\n", { mode: 0o755 });
  const cases = await casesIn(world);
  for (const test of cases) await runOnce(world, test); // warms Deno's cache
  const times = new Map(cases.map((test) => [test.name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    for (const test of cases) times.get(test.name)!.push(await runOnce(world, test));
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

async function casesIn(world: HookWorld): Promise<Case[]> {
  const { dir } = world;
  await Deno.writeTextFile(`${dir}/empty.ts`, "export {};\n");
  const transcripts = `${dir}/home/.claude/projects/x`;
  await Deno.mkdir(transcripts, { recursive: true });
  await writeTranscript(`${transcripts}/small.jsonl`, 5_000_000);
  await writeTranscript(`${transcripts}/large.jsonl`, 500_000_000);
  const deno = Deno.execPath();
  const install = world.installation((name) => world.env()[name] ?? Deno.env.get(name));
  const launcher = `${world.paths.data}/bin/hook`;
  await Deno.writeTextFile(launcher, hookLauncherText(install), { mode: 0o755 });
  const commandOf = (event: string) =>
    hookCommand(HOOKS.find((entry) => entry.event === event)!, world.paths);
  let count = 0;
  const stop = (transcript: string) => () => {
    const transcript_path = `${transcripts}/${transcript}`;
    const answer = `answer ${count++}`;
    const prompt_id = addTurn(transcript_path, [{ type: "text", text: answer }]);
    const event = fixtureEvent("stop-plain");
    return { ...event, transcript_path, prompt_id, last_assistant_message: answer };
  };
  const question = () => {
    const transcript_path = `${transcripts}/small.jsonl`;
    const tool_use_id = `tool-${count++}`;
    const reasons = { type: "text", text: "Both would do.\n".repeat(20) };
    const prompt_id = addTurn(transcript_path, [reasons, { type: "tool_use", id: tool_use_id }]);
    const event = fixtureEvent("pre_tool_use-ask-single");
    return { ...event, transcript_path, prompt_id, tool_use_id };
  };
  const session = "warden-main";
  return [
    {
      name: "bare deno run",
      budget: null,
      session,
      command: `exec ${deno} run ${dir}/empty.ts`,
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
      budget: 0.45,
      session: "somebody-else",
      command: commandOf("Stop"),
      event: stop("small.jsonl"),
    },
    {
      name: "Stop, 5 MB transcript",
      budget: 2.0,
      session,
      command: commandOf("Stop"),
      event: stop("small.jsonl"),
    },
    {
      name: "Stop, 500 MB transcript",
      budget: 2.0,
      session,
      command: commandOf("Stop"),
      event: stop("large.jsonl"),
    },
    { name: "PreToolUse", budget: 1.8, session, command: commandOf("PreToolUse"), event: question },
  ];
}

/** A transcript of that size whose last turns are as Claude Code writes them. */
async function writeTranscript(path: string, bytes: number): Promise<void> {
  const file = await Deno.open(path, { write: true, create: true });
  await file.truncate(bytes);
  await file.seek(0, Deno.SeekMode.End);
  const lines = Array.from({ length: 6 }, (_, turn) => [
    { type: "user", promptId: `prompt-${turn}`, message: { role: "user", content: "go on" } },
    { type: "attachment", attachment: { type: "x", content: "y".repeat(40_000) } },
    {
      type: "assistant",
      message: {
        id: `msg-${turn}`,
        model: "m",
        stop_reason: "end_turn",
        content: [{ type: "text", text: `answer ${turn}` }],
        usage: { input_tokens: 1000, output_tokens: 50 },
      },
    },
    { type: "system", subtype: "turn_duration" },
  ]).flat();
  const text = "\n" + lines.map((line) => JSON.stringify(line)).join("\n") + "\n";
  await file.write(new TextEncoder().encode(text));
  file.close();
}

/** A turn more, as Claude Code writes it: a line for each block of the message. */
function addTurn(path: string, blocks: Record<string, unknown>[]): string {
  const promptId = crypto.randomUUID();
  const stop_reason = blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  const usage = { input_tokens: 1000, output_tokens: 50 };
  const lines = [
    { type: "user", promptId, message: { role: "user", content: "go on" } },
    ...blocks.map((block) => ({
      type: "assistant",
      message: { id: `msg-${promptId}`, model: "m", stop_reason, content: [block], usage },
    })),
  ];
  const text = lines.map((line) => JSON.stringify(line) + "\n").join("");
  Deno.writeTextFileSync(path, text, { append: true });
  return promptId;
}

async function runOnce(world: HookWorld, test: Case): Promise<number> {
  const event = JSON.stringify(test.event());
  const tmux = test.session === "" ? {} : await world.server.env(await world.pane(test.session));
  const { GSD_REGISTRY: _r, GSD_STATE_DIR: _s, GSD_DATA_DIR: _d, ...env } = world.env();
  const started = performance.now();
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", test.command],
    env: { ...env, ...tmux },
    clearEnv: true,
    stdin: "piped",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(event)).catch(() => {});
  await writer.close().catch(() => {});
  const { code } = await child.status;
  const took = performance.now() - started;
  if (code !== 0) throw new Error(`${test.name} ended with ${code}`);
  return took;
}
