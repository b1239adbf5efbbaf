/** What all checks look at, gathered once. */

import { loadRegistry } from "../gate.ts";
import { readableText } from "../doors/user_file.ts";
import { planInstall } from "../install/installation.ts";
import { foreignSettings, holdsOurs, knownSettings } from "../install/registered.ts";
import type { World } from "../cli/world.ts";
import type { DoctorContext } from "./finding.ts";

export type ContextResult =
  | { kind: "context"; context: DoctorContext }
  | { kind: "unknown agent"; known: string[] };

export function gatherContext(world: World, agentId: string | undefined): ContextResult {
  const { paths } = world;
  const settingsFiles = knownSettings(paths);
  const registered = settingsFiles.filter((file) => holdsOurs(file, paths.root));
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
      plan: planInstall(world.env, paths.root, { running: world.deno, as: "registered" }),
      registry,
      registryText: readableText(paths.registry) ?? "",
      agents,
      ...(agentId === undefined ? {} : { asked: agentId }),
      settingsFiles,
      foreignSettings: foreignSettings(paths, world.cwd()),
      registered,
    },
  };
}
