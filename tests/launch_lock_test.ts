import { assertEquals, assertRejects } from "@std/assert";
import { holdLock } from "../lib/doors/held_lock.ts";
import { launchingAlone } from "../lib/sessions/launch_lock.ts";
import { inSessionWorld } from "./support/session_world.ts";

Deno.test("launchingAlone() says who is in the way when it has waited long enough", () =>
  inSessionWorld(async (world) => {
    const lock = holdLock(`${world.paths.state}/locks/launch`)!;
    const waiting = launchingAlone(world, () => Promise.resolve("started"), 100);
    await assertRejects(() => waiting, Error, "another spawn or recovery has been starting");
    lock.release();
    assertEquals(await launchingAlone(world, () => Promise.resolve("started"), 100), "started");
  }));
