/** Types a prompt into one session or many, and sends it: short for the menu driver's `type`. */

import { readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { onOneLine } from "../lib/cli/speaker.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
import { type DriverWorld, realDriverWorld } from "../lib/driver/driver_world.ts";
import { messageOf } from "../lib/process.ts";
import { type RunningSession, runningSessions } from "../lib/fleet/running_sessions.ts";
import { main as menuDriver } from "./menu_driver.ts";

export const HELP = `Types a prompt into a session and sends it.

Usage: gsd-code send <session> <text> [options]
       gsd-code send --agent <id>|--all <text> [options]

  gsd-code send warden-main "Run the tests and fix what fails"
  gsd-code send warden-main "Mind the docs as well" --queue
  gsd-code send warden-main - < instructions.md
  gsd-code send --agent warden "Commit what you have"    to each of the agent's sessions
  gsd-code send --all "The staging database is down"     to every session of every agent

It looks at the screen before and after, and refuses when the prompt is not ready. At an open
question the text is the answer; with --agent and --all such a session is left out. A text that
begins with - comes after --.

Options:
  --agent <id>         every session of this agent in which Claude Code runs
  --all                every session of every agent in which Claude Code runs
  --queue              also while Claude works: it reads the text after the tool call that runs,
                       in this turn; where no tool runs any more, after the turn
  --after-turn         when this turn has ended: one step more in the queue of the session
  --now                at once: a running turn is interrupted first
  --road <name>        mod, socket or keys: this road and no other
  --anyway             for a person: also into a session that a person has taken, and where a
                       limit of spending is reached
  --wait <seconds>     how long to wait for a prompt that is not ready (10)
  --pane <%id>         which pane, where several run Claude Code
  --socket <name>      the tmux server: a name or a path (also GSD_TMUX_SOCKET)
  --dry-run            check everything, press nothing
  --json               for programs; with --agent and --all a list, an object for each session
  --help               this text
`;

const PASSED = ["queue", "after-turn", "now", "anyway", "dry-run", "json"] as const;
const COMMAND = {
  task: "send",
  help: HELP,
  flags: [...PASSED, "all"],
  values: {
    ...{ agent: "an agent's id", road: "mod, socket or keys", wait: "seconds" },
    ...{ pane: "a pane's id", socket: "a name or a path" },
  },
  words: Infinity,
} as const;

export async function main(
  args: string[],
  world: DriverWorld = realDriverWorld(),
  machine: () => World = realWorld,
): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const { flags, values: { agent, ...values }, words } = given;
  const options = [
    ...PASSED.filter((name) => flags[name]).map((name) => `--${name}`),
    ...Object.entries(values).map(([name, [value]]) => `--${name}=${value}`),
  ];
  if (flags.all || agent !== undefined) {
    const problem = whyNotMany(given);
    if (problem !== undefined) return refuse(problem, COMMAND, world);
    return await sendToMany(words, options, flags.json, world, machine, agent?.[0]);
  }
  const [session = "", ...text] = words;
  if (session === "" || text.join("").trim() === "") {
    return refuse("send needs a session and a text", COMMAND, world);
  }
  return await menuDriver([...options, session, "type", "--", ...text], world);
}

function whyNotMany({ flags, values, words }: {
  flags: { all: boolean };
  values: { agent?: string[]; pane?: string[]; socket?: string[] };
  words: string[];
}): string | undefined {
  if (flags.all && values.agent !== undefined) return "--all does not go with --agent";
  if ((values.agent?.length ?? 0) > 1) return "--agent can be given once";
  if (values.pane ?? values.socket) return "--pane and --socket go with one session";
  if (words.length === 1 && words[0] === "-") {
    return "a text for several sessions is not read from -";
  }
  return words.length === 0 ? "send needs a text" : undefined;
}

interface SentTo {
  session: string;
  agent_id: string;
  /** What was done, or why not. */
  done?: string;
  refused?: string;
}

async function sendToMany(
  text: string[],
  options: string[],
  isJson: boolean,
  world: DriverWorld,
  machine: () => World,
  agent: string | undefined,
): Promise<number> {
  let sessions: RunningSession[];
  try {
    sessions = await runningSessions(machine(), agent);
  } catch (error) {
    world.warn(onOneLine(`Cannot send: ${messageOf(error)}`));
    return 1;
  }
  const results: SentTo[] = [];
  for (const { session, agent_id, socket } of sessions) {
    const said: string[] = [];
    const quiet = {
      ...world,
      say: (line: string) => void said.push(line),
      warn: (line: string) => void said.push(line),
    };
    const place = socket === undefined ? [] : [`--socket=${socket}`];
    const plain = options.filter((option) => option !== "--json");
    const words = [...plain, ...place, "--prompt-only", session, "type", "--", ...text];
    const code = await menuDriver(words, quiet);
    const line = said.join(" ");
    results.push({ session, agent_id, ...(code === 0 ? { done: line } : { refused: line }) });
    if (isJson) continue;
    if (code === 0) world.say(`${session}: ${line}`);
    else world.warn(line);
  }
  if (isJson) world.say(JSON.stringify(results, null, 2));
  if (results.length === 0) {
    world.warn(`Cannot send: Claude Code runs in no session of ${agent ?? "any agent"}`);
    return 1;
  }
  return results.some(({ refused }) => refused !== undefined) ? 1 : 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
