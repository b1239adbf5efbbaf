/** What an action of the menu driver works with: a fake pane and a home of its own. */

import type { Pending } from "../../lib/answers.ts";
import type { ClaudePane } from "../../lib/driver/claude_pane.ts";
import type { DriverContext } from "../../lib/driver/driver_context.ts";
import type { DriverWorld } from "../../lib/driver/driver_world.ts";
import { readMenuArgs } from "../../lib/driver/menu_args.ts";
import type { MenuOptions } from "../../lib/driver/menu_order.ts";
import { allProcesses } from "../../lib/doors/process_tree.ts";
import { pathsFrom } from "../../lib/paths.ts";
import { digestOf } from "../../lib/request_ids.ts";
import { FakeClock } from "./fake_clock.ts";
import type { TestHome } from "./home.ts";

export const NOW = "2026-11-16T10:00:00Z";
const NOWHERE = pathsFrom(
  (name) => name === "GSD_STATE_DIR" ? "/proc/nowhere" : undefined,
  "/",
);

/** What a wake carries, and what the file of a request keeps of it. */
export const SECRET = "0123456789ABCDEFGHJK";
export const SECRET_SHA256 = await digestOf(SECRET);

/** Of agent "warden", which may decide and has the secret of every wake. Without `paths` nothing is kept. */
export function driverContext(pane: ClaudePane, more: Partial<DriverContext> = {}): DriverContext {
  return {
    paths: NOWHERE,
    session: "warden-main",
    pane,
    agentId: "warden",
    by: "warden",
    byKind: "agent",
    caller: "openclaw > menu-driver",
    whyNoDecision: undefined,
    waitMs: 0,
    dryRun: false,
    anyway: false,
    voice: "user",
    now: () => new Date(NOW),
    beforePrompt() {},
    isWaiting: () => false,
    lookForHooks: () => Promise.resolve(),
    secret: SECRET,
    opens: () => true,
    hasRead: ({ cut }) => cut === undefined,
    ...more,
  };
}

/** The world of a driver that says nothing: its time does not move. */
export function driverWorld(home: TestHome, more: Partial<DriverWorld> = {}): DriverWorld {
  return {
    env: home.variable,
    paths: home.paths,
    say() {},
    warn() {},
    readStdin: () => "",
    clock: new FakeClock(),
    now: () => new Date(NOW),
    parent: () => Deno.ppid,
    processes: allProcesses,
    isTerminal: () => false,
    ...more,
  };
}

/** The options of a call of menu-driver. */
export function menuOptions(...words: string[]): MenuOptions {
  const order = readMenuArgs([...words, "warden-main", "allow"], () => "");
  if (order.kind !== "order") throw new Error(JSON.stringify(order));
  return order.options;
}

/** A question or request of "warden-main" for which a hook was started. */
export function pendingFor(
  kind: Pending["kind"],
  { tool, tool_input }: { tool: string; tool_input: Record<string, unknown> },
  more: Partial<Pending> = {},
): Pending {
  return {
    id: kind === "question" ? "q-1" : "p-1",
    kind,
    session: "warden-main",
    agent_id: "warden",
    tool,
    tool_input,
    asked_at: "2026-11-16T09:59:00.000Z",
    until: "2026-11-16T10:10:00.000Z",
    pid: 100,
    wake_id: "wake-1",
    secret_sha256: SECRET_SHA256,
    ...more,
  };
}
