/** The mark of a managed pane: with it the registered command starts Deno without a question. */

import { assert, assertEquals } from "@std/assert";
import { removeOldFiles } from "../lib/delivery/housekeeping.ts";
import { DAY } from "../lib/delivery/delivery.ts";
import { isFile, isThere } from "../lib/files.ts";
import { leaveMark } from "../lib/known_sessions.ts";
import { managedMark } from "../lib/paths.ts";
import { DeliveryHome } from "./support/delivery_home.ts";
import { fixtureEvent } from "./support/fixtures.ts";
import { HookWorld, WARDEN } from "./support/hook_world.ts";

const STOP = fixtureEvent("stop-plain");
const TMUX = "/tmp/tmux-0/default,123,4";

Deno.test("managedMark() is the state folder, $TMUX and $TMUX_PANE, put together as sh does", () => {
  assertEquals(
    managedMark({ state: "/s" }, TMUX, "%7"),
    "/s/managed/tmp/tmux-0/default,123,4/%7",
  );
});

// deno-fmt-ignore
const NONE: Record<string, [tmux: string | undefined, pane: string | undefined]> = {
  "there is no $TMUX": [undefined, "%1"],
  "there is no $TMUX_PANE": [TMUX, undefined],
  "$TMUX is not an absolute path": ["tmp/x,1,0", "%1"],
  "$TMUX leads out of the folder": ["/../../x,1,0", "%1"],
  "$TMUX ends with two dots": ["/tmp/..", "%1"],
  "the pane is no pane": [TMUX, "%1/../../x"],
  "the pane has no number": [TMUX, "%"],
  "the pane is followed by a line end": [TMUX, "%1\n"],
};
for (const [title, [tmux, pane]] of Object.entries(NONE)) {
  Deno.test(`managedMark() is undefined when ${title}`, () => {
    assertEquals(managedMark({ state: "/s" }, tmux, pane), undefined);
  });
}

async function markIn(world: HookWorld, session = "warden-main"): Promise<string> {
  const { TMUX, TMUX_PANE } = await world.server.env(await world.pane(session));
  return managedMark(world.paths, TMUX, TMUX_PANE)!;
}

const REGISTRIES: Record<string, unknown> = {
  "is managed": { agents: [WARDEN] },
  "has an agent that cannot be reached": { agents: [{ ...WARDEN, openclaw_session_key: "" }] },
  "has an agent that is disabled": { agents: [{ ...WARDEN, enabled: false }] },
};
for (const [title, registry] of Object.entries(REGISTRIES)) {
  Deno.test(`a hook leaves the mark of its pane when the session ${title}`, async () => {
    await using world = await HookWorld.create({ registry });
    await world.hook("stop.ts", STOP);
    const mark = await markIn(world);
    assert(isFile(mark), mark);
    assertEquals(Deno.statSync(mark).mode! & 0o777, 0o600);
  });
}

Deno.test("a hook leaves no mark in a session that is not managed", async () => {
  await using world = await HookWorld.create();
  await world.hook("stop.ts", STOP, { session: "somebody-else" });
  assert(!isThere(`${world.paths.state}/managed`));
});

Deno.test("leaveMark() leaves a mark that is there as it is", async () => {
  await using home = new DeliveryHome();
  const env = (name: string) => ({ TMUX, TMUX_PANE: "%7" })[name];
  leaveMark(home.paths, env);
  const mark = managedMark(home.paths, TMUX, "%7")!;
  Deno.utimeSync(mark, 1, 1);
  leaveMark(home.paths, env);
  assertEquals(Deno.statSync(mark).mtime?.getTime(), 1000);
});

Deno.test("leaveMark() writes how many lines are wanted, where bin/hook captures fewer", async () => {
  await using home = new DeliveryHome();
  const env = (name: string) => ({ TMUX, TMUX_PANE: "%7" })[name];
  const mark = managedMark(home.paths, TMUX, "%7")!;
  for (const [lines, text] of [[100, ""], [300, "300"], [5000, "5000"], [50, "5000"]] as const) {
    leaveMark(home.paths, env, lines);
    assertEquals(Deno.readTextFileSync(mark), text);
  }
});

Deno.test("a hook wakes its agent although no mark can be left", async () => {
  await using world = await HookWorld.create();
  await Deno.mkdir(world.paths.state);
  await Deno.writeTextFile(`${world.paths.state}/managed`, "in the way");
  await world.hook("stop.ts", STOP);
  assertEquals(world.wakes().length, 1);
});

Deno.test("removeOldFiles() removes marks of old panes and of servers that another one has replaced", async () => {
  await using home = new DeliveryHome();
  const mark = (tmux: string, pane: string, ageDays: number) => {
    const path = managedMark(home.paths, tmux, pane)!;
    leaveMark(home.paths, (name) => name === "TMUX" ? tmux : pane);
    const then = new Date(Date.now() - ageDays * DAY);
    Deno.utimeSync(path, then, then);
    return path;
  };
  const gone = [
    mark("/tmp/tmux-0/default,10,0", "%1", 3),
    mark("/tmp/tmux-0/default,10,1", "%2", 2),
    mark("/tmp/tmux-0/default,20,0", "%1", 31),
    mark("/tmp/tmux-0/old,7,0", "%1", 31),
  ];
  const kept = [
    mark("/tmp/tmux-0/default,20,0", "%2", 1),
    mark("/tmp/tmux-0/default,20,3", "%9", 29),
    mark("/tmp/tmux-0/other,10,0", "%1", 29),
    mark("/tmp/odd socket", "%1", 29),
  ];
  await removeOldFiles(home.paths, Date.now());
  assertEquals(gone.filter(isThere), []);
  assertEquals(kept.filter((path) => !isThere(path)), []);
  assert(!isThere(`${home.paths.state}/managed/tmp/tmux-0/old,7,0`), "an empty folder goes, too");
});
