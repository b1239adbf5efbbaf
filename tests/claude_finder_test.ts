import { assertEquals } from "@std/assert";
import { startOf } from "../lib/fleet/claude_entries.ts";
import { ClaudeFinder } from "../lib/fleet/claude_finder.ts";
import type { FleetServer } from "../lib/fleet/fleet_panes.ts";
import { entryOf, NOW } from "./support/fleet_sessions.ts";

/** This test runs, and so may be taken for a Claude Code. */
const PID = Deno.pid;

function serverWith(...sessions: string[]): FleetServer {
  const panes = sessions.map((session, at) => ({
    ...{ session, pane: `%${at}`, pid: PID, active: true, dead: false, activity: 0 },
    ...{ program: "claude", variable: "" },
  }));
  const tmux = {
    call: () => Promise.resolve({ kind: "failed" as const, reason: "can't find session" }),
  };
  return { socket: "/s", run: "1", isStale: false, tmux, starter: tmux, panes };
}

Deno.test("find() lists the machine's processes once for all sessions of a look", async () => {
  let lists = 0;
  const finder = new ClaudeFinder(() => {
    lists++;
    const process = { pid: PID, parent: 1, args: ["claude"], foreground: true, hasTerminal: true };
    return Promise.resolve([process]);
  });
  const sessions = ["docs", "shop", "api"];
  const entries = new Map([[PID, entryOf("idle", { pid: PID, procStart: startOf(PID)! })]]);
  const look = (now: number) =>
    Promise.all(
      sessions.map((session) =>
        finder.find(serverWith(session), session, "claude", entries, { now, stamp: String(now) })
      ),
    );
  assertEquals((await look(NOW)).map(({ kind }) => kind), ["alive", "alive", "alive"]);
  assertEquals(lists, 1);
  entries.clear();
  await look(NOW + 5000);
  assertEquals(lists, 2);
});

Deno.test("keepOn() forgets what was found in a session that is on no server", async () => {
  let lists = 0;
  const finder = new ClaudeFinder(() => {
    lists++;
    return Promise.resolve([]);
  });
  const server = serverWith("docs");
  const look = async (now: number, servers: FleetServer[]) => {
    await finder.find(server, "docs", "claude", new Map(), { now, stamp: "" });
    finder.keepOn(servers);
    return lists;
  };
  assertEquals(await look(NOW, [server]), 1);
  assertEquals(await look(NOW + 2000, [serverWith("shop")]), 1);
  assertEquals(await look(NOW + 4000, [server]), 2);
});

Deno.test("find() trusts no result for longer because the clock was set back", async () => {
  let lists = 0;
  const finder = new ClaudeFinder(() => {
    lists++;
    return Promise.resolve([]);
  });
  const look = async (now: number) => {
    await finder.find(serverWith("docs"), "docs", "claude", new Map(), { now, stamp: "" });
    return lists;
  };
  assertEquals([await look(NOW), await look(NOW + 2000)], [1, 1]);
  assertEquals(await look(NOW - 3_600_000), 2);
});
