/** Commands for people to paste: each works as printed, with any PATH. */

import { readGatewayTarget } from "../delivery/openclaw_config.ts";
import { taskCommand } from "../cli/task_command.ts";
import { findProgram, isProgram, onPath } from "../doors/programs.ts";
import type { World } from "../cli/world.ts";
import { shellQuote } from "../text.ts";
import { readInstallation } from "../install/install_file.ts";
import type { DoctorContext } from "./finding.ts";

/** Repeats the registration: the same file, the same permissions. */
export function registerCommand(context: DoctorContext, file?: string): string {
  const { world, settingsFiles, registered } = context;
  const place = file ?? registered[0] ?? settingsFiles[0]!;
  const where = place === settingsFiles[0] ? [] : ["--settings", place];
  const all = readInstallation(world.paths.data)?.allowAll ? ["--allow-all"] : [];
  return taskCommand(world, "register", ...where, ...all);
}

export function tmuxCommand({ env }: World, tmux: string, ...words: string[]): string {
  return [onPath(env, "tmux") === tmux ? "tmux" : tmux, ...words].map(shellQuote).join(" ");
}

/** Undefined where there is no openclaw to run. */
export function openclawCommand({ env }: World, ...words: string[]): string | undefined {
  const openclaw = findProgram(env, "GSD_OPENCLAW", "openclaw");
  if (openclaw === undefined) return undefined;
  const name = onPath(env, "openclaw") === openclaw ? "openclaw" : openclaw;
  return [name, ...words].map(shellQuote).join(" ");
}

/** The fix for an agent whose OpenClaw is missing. */
export const WITHOUT_OPENCLAW =
  'install OpenClaw, or give the agent "delivery": { "transport": "inbox" }';

/** Whether OpenClaw's program or its gateway is there. Without both nothing is delivered. */
export function hasOpenclaw({ env, paths }: World): boolean {
  return findProgram(env, "GSD_OPENCLAW", "openclaw") !== undefined ||
    isProgram(readInstallation(paths.data)?.openclaw ?? "") ||
    readGatewayTarget(env).kind === "target";
}

export function editCommand(file: string, line?: number): string {
  return `\${EDITOR:-vi} ${line === undefined ? "" : `+${line} `}${shellQuote(file)}`;
}
