/** One command for everything: `gsd-code <command> …` runs the command of that name. */

import { COMMANDS, loadCommand } from "../lib/cli/commands.ts";
import { nearest } from "../lib/cli/nearest.ts";
import { type Speaker, terminal } from "../lib/cli/speaker.ts";

export async function main(args: string[], speaker: Speaker = terminal): Promise<number> {
  const [name = "help", ...rest] = args;
  if (name === "--version") return await say(speaker, "versionLine");
  if (name === "--help" || name === "-h") return await say(speaker, "helpPage");
  if (name === "help") {
    const about = rest.find((word) => word !== "help" && !word.startsWith("-"));
    return about === undefined
      ? await say(speaker, "helpPage")
      : await main([about, "--help"], speaker);
  }
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) return unknown(name, speaker);
  return await (await loadCommand(command)).main(rest);
}

/** Loaded only here: its colours are a package, which other commands need not wait for. */
async function say(speaker: Speaker, what: "helpPage" | "versionLine"): Promise<0> {
  const file = new URL("../lib/cli/help_page.ts", import.meta.url).href;
  const pages: typeof import("../lib/cli/help_page.ts") = await import(file);
  speaker.say(pages[what]());
  return 0;
}

function unknown(name: string, speaker: Speaker): 2 {
  const near = nearest(name, COMMANDS.map((command) => command.name));
  const meant = near === undefined ? "" : `did you mean ${near}? `;
  speaker.warn(`There is no command "${name}"; ${meant}gsd-code help lists all commands`);
  return 2;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
