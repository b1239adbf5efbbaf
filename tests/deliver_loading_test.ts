import { assertEquals, assertMatch } from "@std/assert";
import { SENT_INSTEAD } from "../lib/delivery/delivery_records.ts";
import { mayHoldSecret } from "../lib/fence.ts";
import { ensureDir } from "../lib/files.ts";
import { deadFile, enqueue, outboxDir } from "../lib/outbox.ts";
import { startProgram } from "./support/child_process.ts";
import { aWake } from "./support/delivery_home.ts";
import { TestHome } from "./support/home.ts";
import { ROOT } from "./support/hook_world.ts";

Deno.test("what the deliverer records before it has the guards is shown without them", () => {
  assertEquals(mayHoldSecret(SENT_INSTEAD), false);
});

Deno.test("the deliverer has the guards before it records what others have named", async () => {
  await using home = new TestHome();
  const { paths } = home;
  const broken = aWake({ agent_id: "warden", transport: "inbox" });
  ensureDir(outboxDir(paths, "warden"));
  Deno.mkdirSync(`${outboxDir(paths, "warden")}/${broken.wake_id}.json`); // cannot be read
  const wake = aWake({ agent_id: "forge", transport: "gateway" });
  enqueue(paths, wake); // there is no config of OpenClaw
  const script = `${ROOT}/commands/deliver.ts`;
  for (const agent of ["warden", "forge"]) {
    const words = [Deno.execPath(), "run", "-A", "--no-config", "--quiet", script];
    await startProgram([...words, "--once", "--agent", agent], home.env, "").done;
  }
  const reasonOf = (session: string, kind: string) =>
    String(home.journal(session).find((line) => line.kind === kind)?.reason);
  assertMatch(reasonOf("warden", "dead"), /cannot be read: .* is a folder, not a file/);
  assertMatch(
    reasonOf(wake.session, "failed"),
    /OpenClaw's config \/.*openclaw\.json is not there/,
  );
  assertEquals(Deno.statSync(`${deadFile(paths, broken)}.unreadable`).isDirectory, true);
});
