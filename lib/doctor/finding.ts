/** What a check of the doctor says. */

import type { PlanResult } from "../install/installation.ts";
import type { Agent, RegistryReading } from "../registry.ts";
import type { World } from "../cli/world.ts";

export interface Finding {
  /** "note": worth knowing, nothing to fix. */
  level: "ok" | "note" | "broken";
  text: string;
  /** The command that fixes it. */
  fix?: string;
  /** What `--fix` does. It must not lose any data. */
  autofix?: { what: string; run(): Promise<void> | void };
}

export function ok(text: string): Finding {
  return { level: "ok", text };
}

export function note(text: string, fix?: string): Finding {
  return { level: "note", text, ...(fix === undefined ? {} : { fix }) };
}

export function broken(text: string, fix?: string, autofix?: Finding["autofix"]): Finding {
  return { ...note(text, fix), level: "broken", ...(autofix === undefined ? {} : { autofix }) };
}

export interface DoctorContext {
  world: World;
  plan: PlanResult;
  registry: RegistryReading | { kind: "missing" };
  registryText: string;
  /** All of them, or the one that was asked about. */
  agents: Agent[];
  asked?: string;
  /** The user's first. */
  settingsFiles: string[];
  /** Those of the current folder, where we did not register: doctor only names what is in them. */
  foreignSettings: string[];
  /** Those of the user and of our registrations that hold our hooks. */
  registered: string[];
}

export type Check = (context: DoctorContext) => Promise<Finding[]> | Finding[];

export function agentsToWake(context: DoctorContext): Agent[] {
  return context.agents.filter((agent) => agent.enabled && !agent.unusable);
}
