/** Plays events of a Claude Code session through the real hooks and shows the wakes. */

import { asCalled } from "../lib/cli/as_called.ts";
import { readCommandLine } from "../lib/cli/command_line.ts";
import { terminal } from "../lib/cli/speaker.ts";
import { type Colours, colours } from "../lib/cli/colours.ts";
import { DEMO_SCENES } from "../lib/demo/demo_scenes.ts";
import { DemoStage } from "../lib/demo/demo_stage.ts";
import { messageOf } from "../lib/process.ts";
import { findProgram } from "../lib/doors/programs.ts";

export const HELP =
  `Shows which wakes an agent gets, without Claude Code, OpenClaw or settings of yours.

Usage: gsd-code demo [--plain]

Plays events as Claude Code sends them through the real hooks, in a tmux server of its own, and shows
each wake as the agent reads it. Nothing is left behind.

  --plain   without colours
  --help    this text
`;

function show(message: string, dir: string, ink: Colours): string {
  return message.trimEnd().replaceAll(dir, "…").split("\n")
    .map((line) => `  ${ink.dim("│")} ${/^\[[A-Z ]+\]$/.test(line) ? ink.cyan(line) : line}`)
    .join("\n");
}

/** The answers in the hook's reply, without the questions. */
function answersIn(reply: string): string {
  const { decision } = JSON.parse(reply).hookSpecificOutput;
  return JSON.stringify({ behavior: decision.behavior, answers: decision.updatedInput.answers });
}

export async function main(args: string[]): Promise<number> {
  const spec = { task: "demo", help: HELP, flags: ["plain"] } as const;
  const given = readCommandLine(args, spec, terminal);
  if (typeof given === "number") return given;
  const tmux = findProgram((name) => Deno.env.get(name), "GSD_TMUX", "tmux");
  if (tmux === undefined) {
    terminal.warn("Cannot play the demo: tmux is not installed");
    return 1;
  }
  const ink = given.flags.plain ? colours(false) : colours();
  const dir = await Deno.makeTempDir({ prefix: "gsd-demo-" });
  const stage = new DemoStage(dir, tmux);
  let isInterrupted = false;
  const interrupted = () => {
    isInterrupted = true;
    void stage.clear().then(() => Deno.exit(130));
  };
  Deno.addSignalListener("SIGINT", interrupted);
  try {
    await stage.set();
    const bare = await stage.bareDenoMs();
    terminal.say(
      `${ink.bold("gsd-code-skill")}: the wakes that agent "warden" gets from the Claude Code ` +
        `session "warden-main"\n` +
        ink.dim("events as Claude Code sends them, the real hooks as they are registered\n"),
    );
    for (const [index, scene] of DEMO_SCENES.entries()) {
      const played = await stage.play(scene);
      terminal.say(
        `${ink.bold(`${index + 1}. ${scene.title}`)}  ${ink.dim(`hooks/${scene.hook}`)}\n` +
          `   hook ${played.hookMs.toFixed(0)} ms (a bare Deno ${bare.toFixed(0)} ms) · ` +
          `with the agent after ${played.wakeMs.toFixed(0)} ms · text from ${played.source}\n` +
          `${show(played.message, dir, ink)}\n`,
      );
      if (scene.answer === undefined) continue;
      // As the wake's own line has it: the id of the question, and the secret of the answer.
      const named = /--question \S+/.exec(played.message)?.[0].split(" ") ?? [];
      const words = [...scene.answer.words, ...named];
      const { reply, ms } = await stage.answer({ ...scene.answer, words });
      terminal.say(
        `   ${ink.bold(`The agent runs: gsd-code menu-driver ${words.join(" ")}`)}  ` +
          `${ink.dim(`hooks/${scene.answer.hook}, which has waited beside the dialog`)}\n` +
          `   with Claude Code after ${ms.toFixed(0)} ms, no key pressed:\n` +
          `${show(answersIn(reply), dir, ink)}\n`,
      );
    }
    terminal.say(
      asCalled("With your own sessions: gsd-code register, then gsd-code doctor (see README.md)"),
    );
    return 0;
  } catch (error) {
    if (!isInterrupted) terminal.warn(`Cannot go on with the demo: ${messageOf(error)}`);
    return isInterrupted ? 130 : 1;
  } finally {
    Deno.removeSignalListener("SIGINT", interrupted);
    await stage.clear();
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
