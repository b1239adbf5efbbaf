/** What `gsd-code help` and `gsd-code --version` say. */

import { colours } from "./colours.ts";
import { type Command, COMMANDS, GROUPS } from "./commands.ts";
import { ROOT } from "../paths.ts";

export function helpPage(): string {
  const { bold } = colours();
  const width = Math.max(...COMMANDS.map(({ name }) => name.length)) + 2;
  const line = ({ name, summary }: Command) => `  ${name.padEnd(width)}${summary}`;
  const groups = GROUPS.map((group) =>
    [bold(group), ...COMMANDS.filter((one) => one.group === group).map(line)].join("\n")
  );
  return [
    "Connects Claude Code in tmux with OpenClaw agents.",
    "Usage: gsd-code <command> [options]",
    ...groups,
    "gsd-code help <command> explains one command; gsd-code --version names this version.",
  ].join("\n\n");
}

/** The changelog's first heading is the only place that names a version. */
export function versionLine(): string {
  const changelog = Deno.readTextFileSync(`${ROOT}/CHANGELOG.md`);
  const version = /^## (.+)$/m.exec(changelog)?.[1] ?? "of unknown version";
  return `gsd-code-skill ${version.toLowerCase()} (${ROOT}, Deno ${Deno.version.deno})`;
}
