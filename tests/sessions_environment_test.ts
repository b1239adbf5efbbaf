import { assertEquals, assertStringIncludes } from "@std/assert";
import { main as sync } from "../commands/sync.ts";
import { killServer, recover, spawned } from "./support/recovering.ts";
import { inSessionWorld } from "./support/session_world.ts";
import { writeExecutable } from "./support/executable.ts";

const OF_THE_USER = { ANTHROPIC_API_KEY: "sk-ant-secret-1", CLAUDE_CODE_USE_BEDROCK: "secret-2" };
const OF_A_SESSION = {
  CLAUDE_CODE_MESSAGING_TOKEN: "secret-3",
  CLAUDE_CODE_MESSAGING_SOCKET: "/tmp/secret-4",
  CLAUDE_CODE_SESSION_ID: "secret-5",
  CLAUDECODE: "secret-6",
};

/** Writes down what a program was called with, and in which environment. */
function record(path: string, then: string): () => string[] {
  const log = `${path}.seen`;
  const text = `#!/bin/sh\n{ echo "== $*"; env; } >> '${log}'\n${then}\n`;
  writeExecutable(path, text);
  return () => Deno.readTextFileSync(log).split("\n== ");
}

Deno.test("sync hands no key or token on to openclaw", () =>
  inSessionWorld(async (world) => {
    Object.assign(world.variables, OF_THE_USER, OF_A_SESSION);
    world.variables.OPENCLAW_STATE_DIR = "/its/own";
    const seen = record(world.variables.GSD_OPENCLAW!, `echo '{"sessions":[]}'`);
    world.registry({ agents: [] });
    assertEquals(await sync([], world), 0, world.warned.join());
    assertStringIncludes(seen().join(), "OPENCLAW_STATE_DIR=/its/own");
    assertEquals(seen().join().includes("secret-"), false);
  }));

Deno.test("spawn and recover() give the user's keys to a new tmux server alone, a session's to none", () =>
  inSessionWorld(async (world) => {
    const real = Deno.readTextFileSync(world.variables.GSD_TMUX!).split("\n")[1]!;
    const seen = record(world.variables.GSD_TMUX!, real);
    Object.assign(world.variables, OF_THE_USER, OF_A_SESSION);
    await spawned(world, "anvil");
    await killServer(world);
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
    await world.killClaude("anvil-main");
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });

    const global = await world.tmux("show-environment", "-g");
    assertStringIncludes(global, "ANTHROPIC_API_KEY=sk-ant-secret-1");
    assertStringIncludes(global, "CLAUDE_CODE_USE_BEDROCK=");
    for (const name of Object.keys(OF_A_SESSION)) assertEquals(global.includes(name), false, name);
    // The test's own calls come with the whole environment of the test.
    const ours = seen().filter((call) =>
      !call.includes("GSD_REGISTRY=") || call.includes(" new-session ")
    );
    const told = ours.filter((call) => call.includes("secret-")).map((call) => call.split("\n")[0]);
    assertEquals(told.length, 2, "one server each for spawn and recover");
    assertEquals(told.every((call) => / new-session /.test(call!)), true);
    assertEquals(ours.some((call) => /secret-[3-6]/.test(call)), false);
  }));
