/** Asks OpenClaw for its sessions and writes what changed into the registry. */

import { listOpenClawSessions } from "./openclaw_sessions.ts";
import { editRegistry, fieldName } from "../registry/registry_file.ts";
import type { RegistryFile } from "../registry/registry_schema.ts";
import { planSync } from "./sync_plan.ts";
import type { World } from "../cli/world.ts";

export interface SyncResult {
  source: string;
  changes: { field: string; agent_id: string; from: string; to: string }[];
  notes: string[];
}

export async function syncRegistry(world: World, dryRun: boolean): Promise<SyncResult> {
  const path = world.paths.registry;
  try {
    Deno.statSync(path);
  } catch {
    throw new Error(`there is no registry at ${path}; spawn makes one`);
  }
  const listing = await listOpenClawSessions(world);
  if (listing.kind === "unknown") throw new Error(listing.reason);
  const result: SyncResult = { source: listing.source, changes: [], notes: [] };
  editRegistry(path, (registry) => {
    const { changes, notes } = planSync(registry, listing.sessions);
    result.notes = notes;
    result.changes = changes.map(({ path: at, value }) => ({
      field: fieldName(at),
      agent_id: at[0] === "agents" ? registry.agents[Number(at[1])]!.agent_id : "",
      from: present(registry, at),
      to: String(value),
    }));
    return changes;
  }, { dryRun });
  return result;
}

function present(registry: RegistryFile, at: (string | number)[]): string {
  const value = at.reduce<unknown>(
    (inside, step) => (inside as Record<string | number, unknown> | undefined)?.[step],
    registry,
  );
  return typeof value === "string" ? value : "";
}
