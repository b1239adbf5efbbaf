/** Types a prompt into a session and sends it: short for the menu driver's `type`. */

import { readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { type DriverWorld, realDriverWorld } from "../lib/driver/driver_world.ts";
import { main as menuDriver } from "./menu_driver.ts";

export const HELP = `Types a prompt into a session and sends it.

Usage: gsd-code send <session> <text> [options]

  gsd-code send warden-main "Run the tests and fix what fails"
  gsd-code send warden-main "Mind the docs as well" --queue
  gsd-code send warden-main - < instructions.md

It looks at the screen before and after, and refuses when the prompt is not ready. At an open
question the text is the answer. A text that begins with - comes after --.

Options:
  --queue              also while Claude works: it reads the text after the tool call that runs,
                       in this turn; where no tool runs any more, after the turn
  --wait <seconds>     how long to wait for a prompt that is not ready (10)
  --pane <%id>         which pane, where several run Claude Code
  --socket <name>      the tmux server: a name or a path (also GSD_TMUX_SOCKET)
  --dry-run            check everything, press nothing
  --json               for programs
  --help               this text
`;

const COMMAND = {
  task: "send",
  help: HELP,
  flags: ["queue", "dry-run", "json"],
  values: { wait: "seconds", pane: "a pane's id", socket: "a name or a path" },
  words: Infinity,
} as const;

export async function main(
  args: string[],
  world: DriverWorld = realDriverWorld(),
): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const { flags, values, words } = given;
  const [session = "", ...text] = words;
  if (session === "" || text.length === 0) {
    return refuse("send needs a session and a text", COMMAND, world);
  }
  const options = [
    ...COMMAND.flags.filter((name) => flags[name]).map((name) => `--${name}`),
    ...Object.entries(values).map(([name, [value]]) => `--${name}=${value}`),
  ];
  return await menuDriver([...options, session, "type", "--", ...text], world);
}

if (import.meta.main) Deno.exit(await main(Deno.args));
