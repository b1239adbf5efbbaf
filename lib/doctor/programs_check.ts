/** Are the programs there, which versions, and have these been tried? */

import { missingProgram } from "../install/installation.ts";
import { isTried, versionIn } from "../install/known_versions.ts";
import { run } from "../process.ts";
import { findProgram } from "../doors/programs.ts";
import type { DoctorContext, Finding } from "./finding.ts";

const PROGRAMS = [
  { name: "tmux", variable: "GSD_TMUX", args: ["-V"], needed: true },
  { name: "claude", variable: "GSD_CLAUDE", args: ["--version"], needed: true },
  { name: "openclaw", variable: "GSD_OPENCLAW", args: ["--version"], needed: false },
];

export async function checkPrograms(context: DoctorContext): Promise<Finding[]> {
  const deno = judged("deno", Deno.execPath(), Deno.version.deno);
  return [deno, ...await Promise.all(PROGRAMS.map((program) => look(program, context)))];
}

async function look(program: typeof PROGRAMS[number], context: DoctorContext): Promise<Finding> {
  const { name, variable, args, needed } = program;
  const { env } = context.world;
  const path = findProgram(env, variable, name);
  if (path === undefined) {
    const without = needed ? "" : "; without it wakes go by the gateway alone";
    const text = `${missingProgram(env, variable, name)}${without}`;
    return { check: "programs", level: needed ? "broken" : "note", text };
  }
  const passed = { HOME: env("HOME") ?? "/", PATH: env("PATH") ?? "", DISABLE_AUTOUPDATER: "1" };
  const outcome = await run(path, args, { timeoutMs: 30_000, env: passed });
  if (outcome.kind !== "finished" || outcome.code !== 0) {
    const why = outcome.kind === "finished"
      ? outcome.stderr.trim().split("\n")[0] || `it ended with code ${outcome.code}`
      : outcome.kind === "timeout"
      ? `it said nothing for ${outcome.afterMs / 1000} s`
      : outcome.reason;
    const text =
      `Cannot start ${path}: ${why}; install it again, or set ${variable} to one that starts`;
    return { check: "programs", level: needed ? "broken" : "note", text };
  }
  return judged(name, path, versionIn(outcome.stdout));
}

function judged(name: string, path: string, version: string): Finding {
  const works = isTried(name, version);
  return {
    check: "programs",
    level: works ? "ok" : "note",
    text: `${name} ${version || "of unknown version"} at ${path}` +
      (works ? ", known to work" : ": this version has not been tried"),
  };
}
