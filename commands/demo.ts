/** Plays recorded events of a Claude Code session through the real hooks and shows the wakes. */

import { asCalled } from "../lib/cli/as_called.ts";
import { readCommandLine } from "../lib/cli/command_line.ts";
import { terminal } from "../lib/cli/speaker.ts";
import { type Scene, Stage } from "../lib/install/demo_stage.ts";
import { ROOT } from "../lib/paths.ts";
import { messageOf } from "../lib/process.ts";
import { findProgram } from "../lib/doors/programs.ts";

export const HELP =
  `Shows what an agent is told, without Claude Code, OpenClaw or any settings of yours.

Usage: gsd-code demo [--plain]

Recorded events of a real Claude Code session are played through the real hooks in a tmux server
of the demo's own. Each wake is shown as the agent would read it. Nothing is left behind.

  --plain   without colours
  --help    this text
`;

const SCENES: Scene[] = [
  {
    title: "Claude finishes a turn",
    hook: "stop.ts",
    event: "stop-plain",
    screen: "53b-statusline",
  },
  {
    title: "Claude asks a question",
    hook: "pre_tool_use.ts",
    event: "pre_tool_use-ask-single",
    screen: "10-ask-single",
    answer: {
      words: ["warden-main", "choose", "2", "--question", "q-9611E68B964FDD83"],
      hook: "permission_request.ts",
      event: "permission_request-ask-single",
      screen: "25-ask-answered-by-hook",
    },
  },
  {
    title: "The question is answered",
    hook: "post_tool_use.ts",
    event: "post_tool_use-ask-single",
    screen: "25-ask-answered-by-hook",
  },
  {
    title: "A turn fails",
    hook: "stop_failure.ts",
    event: "stop_failure-rate_limit",
    screen: "41-error-e429",
  },
  {
    title: "Claude Code ends",
    hook: "session_end.ts",
    event: "session_end-prompt_input_exit",
    screen: "04-idle-default-mode",
  },
];

interface Ink {
  bold(text: string): string;
  dim(text: string): string;
  head(text: string): string;
}

function inkFor(colours: boolean): Ink {
  const code = (open: number, close: number) => (text: string) =>
    colours ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  return { bold: code(1, 22), dim: code(2, 22), head: code(36, 39) };
}

function show(message: string, dir: string, ink: Ink): string {
  return message.trimEnd().replaceAll(dir, "…").split("\n")
    .map((line) => `  ${ink.dim("│")} ${/^\[[A-Z ]+\]$/.test(line) ? ink.head(line) : line}`)
    .join("\n");
}

/** The part of the hook's reply that answers; the questions are repeated around it. */
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
    console.error("Cannot play the demo: tmux is not installed");
    return 1;
  }
  const colours = Deno.stdout.isTerminal() && !Deno.env.get("NO_COLOR") && !given.flags.plain;
  const ink = inkFor(colours);
  const dir = await Deno.makeTempDir({ prefix: "gsd-demo-" });
  const stage = new Stage(dir, ROOT, tmux);
  let isInterrupted = false;
  const interrupted = () => {
    isInterrupted = true;
    void stage.clear().then(() => Deno.exit(130));
  };
  Deno.addSignalListener("SIGINT", interrupted);
  try {
    await stage.set();
    const bare = await stage.bareDenoMs();
    console.log(
      `${ink.bold("gsd-code-skill")}: what the agent "warden" is told of the Claude Code session ` +
        `"warden-main"\n${
          ink.dim(
            `recorded events, the real hooks as they are registered, a tmux server of its own`,
          )
        }\n`,
    );
    for (const [index, scene] of SCENES.entries()) {
      const played = await stage.play(scene);
      console.log(
        `${ink.bold(`${index + 1}. ${scene.title}`)}  ${ink.dim(`hooks/${scene.hook}`)}\n` +
          `   hook ${played.hookMs.toFixed(0)} ms (a bare Deno ${bare.toFixed(0)} ms) · ` +
          `with the agent after ${played.wakeMs.toFixed(0)} ms · text from ${played.source}\n` +
          `${show(played.message, dir, ink)}\n`,
      );
      if (scene.answer === undefined) continue;
      const { reply, ms } = await stage.answer(scene.answer);
      console.log(
        `   ${ink.bold(`The agent runs: menu-driver ${scene.answer.words.join(" ")}`)}  ` +
          `${ink.dim(`hooks/${scene.answer.hook}, which has waited beside the dialog`)}\n` +
          `   with Claude Code after ${ms.toFixed(0)} ms, no key pressed:\n` +
          `${show(answersIn(reply), dir, ink)}\n`,
      );
    }
    console.log(
      asCalled("With your own sessions: gsd-code register, then gsd-code doctor (see README.md)"),
    );
    return 0;
  } catch (error) {
    if (!isInterrupted) console.error(`The demo could not go on: ${messageOf(error)}`);
    return isInterrupted ? 130 : 1;
  } finally {
    Deno.removeSignalListener("SIGINT", interrupted);
    await stage.clear();
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
