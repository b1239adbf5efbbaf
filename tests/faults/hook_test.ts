import { assert, assertEquals, assertMatch } from "@std/assert";
import { namesIn } from "../../lib/files.ts";
import { claimStart } from "../../lib/outbox.ts";
import { waitingIds } from "../../lib/outbox_files.ts";
import { startProgram } from "../support/child_process.ts";
import { seeded } from "../support/delivery_home.ts";
import { startFakeGateway } from "../support/fake_gateway.ts";
import { fixtureEvent } from "../support/fixtures.ts";
import { HookWorld, ROOT, section, WARDEN } from "../support/hook_world.ts";
import { ODD } from "../support/odd_files.ts";
import { assertDelivered, leftIn } from "../support/delivered_ids.ts";
import { pause, until } from "../support/until.ts";

/** A turn of its own each time: the same one twice would be one wake. */
function turn(n: number): string {
  const event = fixtureEvent("stop-plain") as Record<string, unknown>;
  return JSON.stringify({ ...event, prompt_id: `p${n}`, last_assistant_message: `Turn ${n}.` });
}

async function start(world: HookWorld, event: string, before = "") {
  const tmux = await world.server.env(await world.pane("warden-main"));
  const script = `${before} exec "$@"`;
  const hook = [Deno.execPath(), "run", "-A", "--no-config", "--quiet", `${ROOT}/hooks/stop.ts`];
  const env = { ...world.env(), ...tmux };
  const { child, done } = startProgram(["/bin/sh", "-c", script, "sh", ...hook], env, event);
  return {
    child,
    done: done.then(({ code, stdout, stderr }) => ({ code, said: stdout + stderr })),
  };
}

Deno.test("a Stop hook that is killed at any moment leaves a whole wake or none", async () => {
  await using world = await HookWorld.create();
  const random = seeded(3);
  for (let n = 0; n < 24; n++) {
    const { child, done } = await start(world, turn(n));
    await pause(20 + random() * 130);
    try {
      child.kill("SIGKILL");
    } catch {
      // It was done already.
    }
    await done;
  }
  assertEquals((await (await start(world, turn(99))).done).code, 0);
  const left = leftIn(world.paths, "warden");
  const queued = world.journal().filter((line) => line.kind === "queued").map((l) => l.wake_id);
  assertEquals(queued.filter((id) => !left.waiting.includes(String(id))), []);

  const gateway = await startFakeGateway({ sessions: { "agent:warden:main": "id" } });
  try {
    const config = { gateway: { port: gateway.port, auth: { token: "fake-token" } } };
    Deno.mkdirSync(`${world.dir}/home/.openclaw`);
    Deno.writeTextFileSync(`${world.dir}/home/.openclaw/openclaw.json`, JSON.stringify(config));
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", `${ROOT}/commands/deliver.ts`],
      env: world.env(),
      clearEnv: true,
    }).output();
    assertEquals(code, 0);
    assertDelivered(gateway.taken.map(({ key }) => key), left);
    assert(gateway.taken.every(({ message }) => message.startsWith("[SESSION IDENTITY]")));
  } finally {
    await gateway.stop();
  }
});

Deno.test("a Stop hook stays silent and quick when its disk is full, and works when it is not", async () => {
  await using world = await HookWorld.create();
  const began = performance.now();
  const full = await (await start(world, turn(1), "ulimit -f 0; trap '' XFSZ;")).done;
  assertEquals([full.code, full.said], [0, ""]);
  assert(performance.now() - began < 60_000);
  assertEquals(waitingIds(world.paths, "warden"), []);
  const free = await (await start(world, turn(1))).done;
  assertEquals([free.code, free.said], [0, ""]);
  assertEquals(waitingIds(world.paths, "warden").length, 1);
});

Deno.test("a Stop hook stays silent when the state folder is no folder, or was deleted", async () => {
  await using world = await HookWorld.create();
  const { state } = world.paths;
  Deno.writeTextFileSync(state, "a file");
  const blocked = await (await start(world, turn(1))).done;
  assertEquals([blocked.code, blocked.said], [0, ""]);
  Deno.removeSync(state);
  for (const n of [2, 3]) {
    const { code, said } = await (await start(world, turn(n))).done;
    assertEquals([code, said], [0, ""]);
    assertEquals(waitingIds(world.paths, "warden").length, 1);
    Deno.removeSync(state, { recursive: true });
  }
  assertEquals(namesIn(state), []);
});

Deno.test("registered hooks that fire together have all their wakes delivered, and leave no claim", async () => {
  const agents = ["warden", "forge"].map((id) => ({
    agent_id: id,
    enabled: true,
    tmux_session_name: `${id}-main`,
  }));
  const registry = { delivery: { transport: "inbox" }, agents };
  await using world = await HookWorld.create({ registry, deliver: true });
  for (const { tmux_session_name } of agents) await world.pane(tmux_session_name);
  const fired = Array.from(
    { length: 12 },
    (_, n) => world.hook("stop.ts", turn(n), { session: `${agents[n % 2]!.agent_id}-main` }),
  );
  for (const { code } of await Promise.all(fired)) assertEquals(code, 0);
  const told = (id: string) => namesIn(`${world.paths.state}/inbox/${id}`).length;
  await until("every wake is in its inbox", () => told("warden") === 6 && told("forge") === 6);
  await until(
    "no start is claimed any more",
    () => namesIn(`${world.paths.state}/locks`).every((name) => !name.startsWith("starts-")),
  );
});

const INBOX = { delivery: { transport: "inbox" }, agents: [WARDEN] };

Deno.test("the next event is delivered although the starter before it was killed after its claim", async () => {
  await using world = await HookWorld.create({ registry: INBOX, deliver: true });
  await world.hook("stop.ts", turn(1)); // makes the folders
  const told = () => namesIn(`${world.paths.state}/inbox/warden`).length;
  await until("the first wake is in the inbox", () => told() === 1);
  claimStart(world.paths, "warden", "4194305");
  const { code } = await world.hook("stop.ts", turn(2));
  assertEquals(code, 0);
  await until("the second wake is in the inbox", () => told() === 2);
});

Deno.test("an event is delivered although no claim can be written", async () => {
  await using world = await HookWorld.create({ registry: INBOX, deliver: true });
  for (const claim of ["starts-warden", "starts-warden~2"]) {
    ODD["a folder"]!(`${world.paths.state}/locks/${claim}`);
  }
  assertEquals((await world.hook("stop.ts", turn(1))).code, 0);
  const told = () => namesIn(`${world.paths.state}/inbox/warden`).length;
  await until("the wake is in the inbox", () => told() === 1);
});

Deno.test("a wake is remembered although the name of its session cannot be kept", async () => {
  await using world = await HookWorld.create({ registry: INBOX });
  ODD["a folder"]!(`${world.paths.state}/claude/${JSON.parse(turn(1)).session_id}`);
  for (const _ of ["the event", "the same again"]) await world.hook("stop.ts", turn(1));
  assertEquals(world.journal().map(({ kind }) => kind), ["queued", "suppressed"]);
});

Deno.test("a wake is sent without its whole text when that does not fit on the disk", async () => {
  const agent = { ...WARDEN, hook_settings: { max_content_chars: 2000 } };
  await using world = await HookWorld.create({ registry: { agents: [agent] } });
  const event = { ...JSON.parse(turn(1)), last_assistant_message: "A line.\n".repeat(50_000) };
  // Room for files of 51,200 bytes: the message fits, the whole text does not.
  const hook = await start(world, JSON.stringify(event), "ulimit -f 100; trap '' XFSZ;");
  assertEquals((await hook.done).code, 0);
  const [message] = world.wakes();
  const trigger = section(message!, "TRIGGER");
  assertMatch(trigger, /^whole_text: could not be kept \(.+\)$/m);
  assert(!message!.includes("/content/"), "it names no file that is not there");
  assertEquals(namesIn(`${world.paths.state}/content`), []);
});
