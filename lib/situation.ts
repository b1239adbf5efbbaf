/** The parts of a wake that depend on where the session stands: pressure and what can be done. */

import type { HookContext } from "./hook_context.ts";
import type { Paths } from "./paths.ts";
import { shellQuote } from "./shell.ts";
import { actionsFor, formatPressure, type Situation } from "./wake.ts";

export async function pressureLine(context: HookContext, tokens?: number): Promise<string> {
  // Where there is no percentage at all, the screen need not be understood.
  const hasPercentage = (await context.capture())?.includes("%") ?? false;
  const percent = hasPercentage ? (await context.screen()).pressurePct : undefined;
  const known = { percent, tokens };
  return formatPressure(known, context.settings.context_pressure_threshold);
}

export function actions(
  context: HookContext,
  situation: Exclude<Situation, { kind: "ended" }> | { kind: "ended" },
): string[] {
  if (situation.kind === "ended") {
    const recover = [...commandWords(context.paths, "recover"), "--agent", context.agent.agent_id];
    return actionsFor("", context.session, {
      kind: "ended",
      restart: recover.map(shellQuote).join(" "),
    });
  }
  const words = commandWords(context.paths, "menu-driver");
  const socket = otherSocket(context.env("TMUX") ?? "");
  if (socket !== undefined) words.push("--socket", socket);
  return actionsFor(words.map(shellQuote).join(" "), context.session, situation);
}

/** The server's socket, where `tmux` alone would not find it: `$TMUX` is `socket,pid,session`. */
export function otherSocket(tmuxVariable: string): string | undefined {
  const path = tmuxVariable.replace(/,\d+,\d+$/, "");
  return path === "" || /^(\/private)?\/tmp\/tmux-\d+\/default$/.test(path) ? undefined : path;
}

/** How the agent calls one of our commands: its launcher where there is one, else Deno itself. */
export function commandWords(paths: Paths, name: "menu-driver" | "recover"): string[] {
  const launcher = `${paths.data}/bin/${name}`;
  try {
    Deno.statSync(launcher);
    return [launcher];
  } catch {
    const script = `${paths.root}/commands/${name.replace("-", "_")}.ts`;
    return [Deno.execPath(), "run", "-A", script];
  }
}
