import { assertEquals } from "@std/assert";
import type { FleetServer } from "../lib/fleet/fleet_panes.ts";
import { FleetScreens } from "../lib/fleet/fleet_screens.ts";
import { ScreenTimes } from "../lib/fleet/screen_times.ts";
import { NOW, seen } from "./support/fleet_sessions.ts";
import { TestHome } from "./support/home.ts";

const PANE = { session: "shop-main", pane: "%1", pid: 1, active: true, dead: false };

/** One pane, whose screen a test changes; `look()` gives what the fleet then sees of it. */
function stage(home: TestHome) {
  const screens = new FleetScreens(new ScreenTimes(home.paths));
  const shown = { text: "a prompt" };
  const call = (...words: string[]) => {
    const mark = words.find((word) => word.startsWith("screen "))!.replace(/#\{.*/, "");
    return Promise.resolve({ kind: "ok" as const, stdout: `${mark}%1 80 24\n${shown.text}\n` });
  };
  const tmux = { call };
  const look = async (now: number, { activity = now, isThere = true } = {}) => {
    const one = seen({ socket: "/s" });
    const pane = { ...PANE, activity: Math.floor(activity / 1000), program: "", variable: "" };
    const server: FleetServer = {
      ...{ socket: "/s", run: "1", isStale: false, tmux, starter: tmux },
      panes: isThere ? [pane] : [],
    };
    await screens.look([one], [server], now);
    return one.capture?.trim();
  };
  return { shown, look };
}

Deno.test("look() sees a new screen at once when the clock was set back", async () => {
  await using home = new TestHome();
  const { shown, look } = stage(home);
  assertEquals(await look(NOW), "a prompt");
  shown.text = "a dialog";
  assertEquals(await look(NOW + 1000), "a prompt", "not looked at again so soon");
  assertEquals(await look(NOW - 3_600_000), "a dialog");
});

Deno.test("look() keeps no screen of a pane that is gone", async () => {
  await using home = new TestHome();
  const { shown, look } = stage(home);
  assertEquals(await look(NOW), "a prompt");
  shown.text = "another prompt";
  assertEquals(await look(NOW + 5000, { isThere: false }), undefined);
  assertEquals(await look(NOW + 10_000, { activity: NOW - 60_000 }), "another prompt");
});
