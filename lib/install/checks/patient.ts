/** What all checks look at, gathered once. */

import { loadRegistry } from "../../gate.ts";
import { readTextIfThere } from "../../files.ts";
import { lookAround } from "../installation.ts";
import { readSettings } from "../settings_file.ts";
import type { World } from "../../sessions/world.ts";
import type { Patient } from "./finding.ts";

export type Admission =
  | { kind: "patient"; patient: Patient }
  | { kind: "unknown agent"; known: string[] };

export function admit(world: World, agentId: string | undefined): Admission {
  const { paths } = world;
  const settingsFiles = [
    ...new Set([
      `${paths.claudeConfig}/settings.json`,
      `${paths.claudeConfig}/settings.local.json`,
      `${world.cwd()}/.claude/settings.json`,
      `${world.cwd()}/.claude/settings.local.json`,
    ]),
  ];
  const allowAll = settingsFiles.some((file) => isRegisteredWithAll(file, paths.root));
  const registry = loadRegistry(paths.registry);
  const all = registry.kind === "registry" ? registry.registry.agents : [];
  const agents = agentId === undefined ? all : all.filter((one) => one.agent_id === agentId);
  if (agentId !== undefined && registry.kind === "registry" && agents.length === 0) {
    return { kind: "unknown agent", known: all.map((agent) => agent.agent_id) };
  }
  return {
    kind: "patient",
    patient: {
      world,
      look: lookAround(world.env, paths.root, { allowAll }),
      registry,
      registryText: textOf(paths.registry),
      agents,
      settingsFiles,
    },
  };
}

function isRegisteredWithAll(file: string, root: string): boolean {
  const reading = readSettings(textOf(file), root);
  return reading.kind === "settings" &&
    reading.found.some(({ owner, command }) => owner.kind === "ours" && / -A /.test(command));
}

function textOf(file: string): string {
  try {
    return readTextIfThere(file) ?? "";
  } catch {
    return ""; // the check of that file says why
  }
}
