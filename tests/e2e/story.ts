/** What a story is, and how its wakes are read. */

import { assertEquals } from "@std/assert";
import type { Scenario } from "../support/claude_model.ts";
import { section } from "../support/hook_world.ts";
import type { ClaudeVersion } from "../support/real_programs.ts";
import type { SharedGateway } from "./shared_gateway.ts";
import type { Stage, StageOptions, Wake } from "./stage.ts";

export interface Story {
  name: string;
  /** For the canary: what a user would call it. */
  short: string;
  /** Left out of a short run. */
  slow?: boolean;
  /** It needs its own gateway: a killed one would deliver the rest in the next story. */
  killsGateway?: boolean;
  options?: Pick<StageOptions, "agents" | "hookSettings">;
  scenarios?: Record<string, Scenario>;
  /** Versions it is not played on, each with the reason. */
  notOn?: Partial<Record<ClaudeVersion, string>>;
  play(stage: Stage, shared: SharedGateway): Promise<void>;
}

export function sectionOf(wake: Wake, name: string): string {
  return section(wake.message, name).trimEnd();
}

export function assertSections(wake: Wake, names: string[]): void {
  const headers = Array.from(wake.message.matchAll(/^\[([A-Z ]+)\]$/gm), (match) => match[1]);
  assertEquals(headers, names);
}
