/** Are the programs there, which versions, and have these been tried? */

import { missingProgram } from "../install/installation.ts";
import type { Env } from "../paths.ts";
import { run } from "../process.ts";
import { findProgram } from "../doors/programs.ts";
import { agentsToWake, broken, type DoctorContext, type Finding, note, ok } from "./finding.ts";

const TRIED: Record<string, string[]> = {
  deno: ["2.9.6"],
  tmux: ["3.3a"],
  claude: ["2.1.197", "2.1.325"],
  openclaw: ["2026.2.17", "2026.9.6"],
};

const PROGRAMS = [
  { name: "tmux", variable: "GSD_TMUX", args: ["-V"], needed: true },
  { name: "claude", variable: "GSD_CLAUDE", args: ["--version"], needed: true },
  { name: "openclaw", variable: "GSD_OPENCLAW", args: ["--version"], needed: false },
];

export async function checkPrograms(context: DoctorContext): Promise<Finding[]> {
  const deno = versionFinding("deno", Deno.execPath(), Deno.version.deno);
  const others = PROGRAMS.map((program) =>
    !program.needed && isUnneeded(program, context)
      ? ok(`There is no ${program.name}, and no agent needs it: all read an inbox folder`)
      : checkProgram(program, context.world.env)
  );
  return [deno, ...await Promise.all(others)];
}

function isUnneeded({ name, variable }: typeof PROGRAMS[number], context: DoctorContext): boolean {
  const agents = agentsToWake(context);
  return agents.length > 0 && agents.every(({ transport }) => transport === "inbox") &&
    findProgram(context.world.env, variable, name) === undefined;
}

async function checkProgram(program: typeof PROGRAMS[number], env: Env): Promise<Finding> {
  const { name, variable, args, needed } = program;
  const say = needed ? broken : note;
  const path = findProgram(env, variable, name);
  if (path === undefined) {
    const without = needed ? "" : "; without it wakes go by the gateway alone";
    return say(`${missingProgram(env, variable, name)}${without}`);
  }
  const passed = { HOME: env("HOME") ?? "/", PATH: env("PATH") ?? "", DISABLE_AUTOUPDATER: "1" };
  const outcome = await run(path, args, { timeoutMs: 30_000, env: passed });
  if (outcome.kind !== "finished" || outcome.code !== 0) {
    const why = outcome.kind === "finished"
      ? outcome.stderr.trim().split("\n")[0] || `it ended with code ${outcome.code}`
      : outcome.kind === "timeout"
      ? `it said nothing for ${outcome.afterMs / 1000} s`
      : outcome.reason;
    const help = `install it again, or set ${variable} to one that starts`;
    return say(`Cannot start ${path}: ${why}; ${help}`);
  }
  return versionFinding(name, path, /\d+(\.\d+)+[a-z]?/.exec(outcome.stdout)?.[0] ?? "");
}

function versionFinding(name: string, path: string, version: string): Finding {
  const text = `${name} ${version || "of unknown version"} at ${path}`;
  return TRIED[name]?.includes(version)
    ? ok(`${text}, known to work`)
    : note(`${text}: this version has not been tried`);
}
