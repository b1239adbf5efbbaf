import { assertEquals } from "@std/assert";
import { restartCompanions } from "../lib/install/restart_companions.ts";
import { roadName, roadsDir, writeRoad } from "../lib/companion/road_file.ts";
import type { ProcessInfo } from "../lib/doors/process_tree.ts";
import { ensureDir } from "../lib/files.ts";
import { TestHome } from "./support/home.ts";

Deno.test("restartCompanions() ends the companions of this clone, and no other process", async () => {
  await using home = new TestHome();
  const { paths } = home;
  assertEquals(await restartCompanions(paths), 0);
  ensureDir(roadsDir(paths));
  for (const [session, pid] of [["warden-main", 11], ["forge", 12], ["gone", 13]] as const) {
    const name = roadName(paths, session)!;
    const road = { session, pane: "%0", server: 1, claude_pid: 2, since: "" };
    writeRoad(`${name}.json`, { ...road, pid, socket: `${name}.sock` });
  }
  const companion = ["deno", "run", `${paths.root}/commands/companion.ts`];
  const process = (pid: number, args: string[]): ProcessInfo => (
    { pid, parent: 1, args, foreground: false, hasTerminal: false }
  );
  const ended: number[] = [];
  const count = await restartCompanions(paths, {
    all: () =>
      Promise.resolve([
        process(11, companion),
        process(12, ["sleep", "1"]), // its number was given to another
        process(13, companion),
        process(14, companion), // of another state folder
      ]),
    end(pid) {
      if (pid === 13) throw new Deno.errors.NotFound();
      ended.push(pid);
    },
  });
  assertEquals([count, ended], [1, [11]]);
});
