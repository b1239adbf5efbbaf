/** What is no folder, or is closed, in the place of one of our folders. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { main as status } from "../../commands/status.ts";
import { checkOutbox } from "../../lib/doctor/outbox_check.ts";
import { checkState } from "../../lib/doctor/state_check.ts";
import { isThere, namesIn } from "../../lib/files.ts";
import { waitingIds } from "../../lib/outbox_files.ts";
import { ROOT } from "../../lib/paths.ts";
import { startProgram } from "../support/child_process.ts";
import { Clinic } from "../support/clinic.ts";
import { aWake, DeliveryHome, put } from "../support/delivery_home.ts";
import { fixtureEvent } from "../support/fixtures.ts";
import { HookWorld, WARDEN } from "../support/hook_world.ts";
import { ended, make, ODD } from "../support/odd_files.ts";
import { CAN_BE_NOBODY, otherUser } from "../support/other_user.ts";
import { statusWorld } from "../support/status_world.ts";
import { until } from "../support/until.ts";

const NO_FOLDER: Record<string, (path: string) => void> = {
  "a fifo": ODD["a fifo"]!,
  "a link to itself": ODD["a link to itself"]!,
  "a link that leads nowhere": (path) => Deno.symlinkSync("/nonexistent", path),
  "a file": (path) => Deno.writeTextFileSync(path, "x"),
};

for (const [what, put] of Object.entries(NO_FOLDER)) {
  Deno.test(`${what} in the place of an outbox is named, and no wake is lost`, async () => {
    const registry = { delivery: { transport: "inbox" }, agents: [WARDEN] };
    await using world = await HookWorld.create({ registry, deliver: true });
    const { state } = world.paths;
    const path = `${state}/outbox/warden`;
    await Deno.mkdir(`${state}/outbox`, { recursive: true });
    put(path);

    const deliver = startProgram(
      [Deno.execPath(), "run", "-A", "--quiet", `${ROOT}/commands/deliver.ts`, "--once"],
      world.env(),
    );
    const { code, stderr } = await ended(deliver);
    assertEquals(code, 1);
    assertStringIncludes(stderr, `${path} is not a folder`);
    const listed = statusWorld(world.home);
    await status([], listed);
    assertStringIncludes(listed.warned.join(), `${path} is not a folder`);

    await world.hook("stop.ts", { ...fixtureEvent("stop-plain"), last_assistant_message: "Done." });
    const inbox = `${state}/inbox/warden`;
    await until("the wake", () => namesIn(inbox).find((name) => name.endsWith(".txt")));
    assert(isThere(`${path}~unreadable`));
  });
}

Deno.test({
  name: "enqueue() opens an outbox that is closed to its owner",
  ignore: !CAN_BE_NOBODY,
  async fn() {
    for (const folder of ["outbox/warden", "outbox"]) {
      await using home = new DeliveryHome();
      const { state } = home.paths;
      put(home.paths);
      Deno.chmodSync(`${state}/${folder}`, 0);
      const user = await otherUser(home);
      const script = `${home.dir}/put.ts`;
      await Deno.writeTextFile(
        script,
        `import { enqueue } from "${user.root}/lib/outbox.ts";
         enqueue({ state: "${state}" }, ${JSON.stringify(aWake())});`,
      );
      const { stderr } = await user.run(script);
      assertEquals(waitingIds(home.paths, "warden").length, 2, stderr);
    }
  },
});

Deno.test("checkState() names what is no folder of ours, or closed, and its fix fixes it", async () => {
  await using clinic = await Clinic.create();
  const { state } = clinic.world.paths;
  const folders = [
    ...["outbox", "outbox~unreadable", "outbox/warden", "outbox/warden~unreadable", "dead/warden"],
    ...["inbox/warden", "pending/warden-main", "queue/warden-main", "roads", "managed", "watch"],
    ...["journal", "locks"],
  ];
  for (const folder of folders) {
    const path = `${state}/${folder}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    make("mkfifo", path);
    const { broken, findings } = await clinic.ask(checkState);
    assertEquals(broken, [`A folder of ours cannot be used: ${path} is not a folder`]);
    await clinic.paste(findings[0]!.fix!);
    assertEquals((await clinic.ask(checkState)).broken, []);
    await Deno.mkdir(path);
    await Deno.chmod(path, 0);
    const closed = await clinic.ask(checkState);
    assertEquals(closed.broken, [
      `A folder of ours cannot be used: ${path} is closed to its owner`,
    ]);
    await clinic.paste(closed.findings[0]!.fix!);
    assertEquals((await clinic.ask(checkState)).broken, []);
  }
  for (const file of ["roads/x.json", "watch/memory.json", "managed/tmp/x,1,0/%1"]) {
    const path = `${state}/${file}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    make("mkfifo", path);
    assertStringIncludes((await clinic.ask(checkState)).broken.join(), `${path} is a fifo`);
    await Deno.remove(path);
  }
});

Deno.test("checkOutbox() does not say that no wake waits where it cannot look", async () => {
  await using clinic = await Clinic.create();
  const { state } = clinic.world.paths;
  await Deno.mkdir(`${state}/outbox`, { recursive: true, mode: 0o700 });
  await Deno.chmod(state, 0o700);
  assertEquals((await clinic.ask(checkOutbox)).ok.length, 1);
  make("mkfifo", `${state}/outbox/warden`);
  const { ok, notes } = await clinic.ask(checkOutbox);
  assertEquals(ok, []);
  assertStringIncludes(notes.join(), `${state}/outbox/warden is not a folder`);
});
