/** What all checks look at, gathered once. */

import { loadRegistry } from "../gate.ts";
import { readTextIfThere } from "../files.ts";
import { lookAround } from "../install/installation.ts";
import { knownSettings, oursIn } from "../install/registered.ts";
import type { World } from "../cli/world.ts";
import type { DoctorContext } from "./finding.ts";

export type ContextResult =
  | { kind: "context"; context: DoctorContext }
  | { kind: "unknown agent"; known: string[] };

export function gatherContext(world: World, agentId: string | undefined): ContextResult {
  const { paths } = world;
  const settingsFiles = knownSettings(paths, world.cwd());
  const registered = settingsFiles.filter((file) => oursIn(file, paths.root).length > 0);
  const registry = loadRegistry(paths.registry);
  const all = registry.kind === "registry" ? registry.registry.agents : [];
  const agents = agentId === undefined ? all : all.filter((one) => one.agent_id === agentId);
  if (agentId !== undefined && registry.kind === "registry" && agents.length === 0) {
    return { kind: "unknown agent", known: all.map((agent) => agent.agent_id) };
  }
  return {
    kind: "context",
    context: {
      world,
      look: lookAround(world.env, paths.root, { running: world.deno, as: "registered" }),
      registry,
      registryText: textOf(paths.registry),
      agents,
      ...(agentId === undefined ? {} : { asked: agentId }),
      settingsFiles,
      registered,
    },
  };
}

function textOf(file: string): string {
  try {
    return readTextIfThere(file) ?? "";
  } catch {
    return ""; // the check of that file says why
  }
}
