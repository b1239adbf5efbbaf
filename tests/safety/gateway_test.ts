/** Who gets the gateway's token and the wakes: nobody but the gateway of the registration. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readTextIfThere } from "../../lib/files.ts";
import { writeInstallation } from "../../lib/install/install_file.ts";
import { installLaunchers } from "../../lib/install/launchers.ts";
import { run } from "../../lib/process.ts";
import { aWake, put } from "../support/delivery_home.ts";
import { startFakeGateway } from "../support/fake_gateway.ts";
import { HookWorld } from "../support/hook_world.ts";
import { make } from "../support/odd_files.ts";
import { CAN_BE_NOBODY, NOBODY } from "../support/other_user.ts";
import { until } from "../support/until.ts";

const SESSIONS = { "agent:warden:main": "id-1" };

function configure(world: HookWorld, port: number): void {
  const auth = { mode: "token", token: "fake-token" };
  world.home.writeOpenClawConfig({ gateway: { port, auth } });
}

/** Registers as the world is now. */
function register(world: HookWorld): void {
  const openclaw = world.home.writeProgram("openclaw", `echo "$*" >> ${world.dir}/openclaw-ran`);
  const install = { ...world.installation(world.home.variable), openclaw };
  writeInstallation(install);
  installLaunchers(install);
}

/** The launcher, as a hook or a person starts it. */
async function deliver(world: HookWorld, more: Record<string, string> = {}): Promise<void> {
  const env = { ...world.env(), ...more };
  const outcome = await run(
    `${world.paths.data}/bin/deliver`,
    ["--wait", "--once"],
    { timeoutMs: 300_000, env },
  );
  assert(outcome.kind === "finished", JSON.stringify(outcome));
}

function lastReason(world: HookWorld): string {
  return String(world.journal().findLast((entry) => "reason" in entry)?.reason);
}

Deno.test("the caller's environment does not send the token to another port", async () => {
  await using world = await HookWorld.create();
  const [own, other] = [
    await startFakeGateway({ sessions: SESSIONS }),
    await startFakeGateway({ sessions: SESSIONS }),
  ];
  try {
    configure(world, own.port);
    register(world);
    const environments: Record<string, string>[] = [
      { OPENCLAW_GATEWAY_PORT: `${other.port}` },
      { OPENCLAW_GATEWAY_URL: other.url, OPENCLAW_GATEWAY_TOKEN: "fake-token" },
      { GSD_GATEWAY: other.url, OPENCLAW_GATEWAY_PORT: `${other.port}` },
      { OPENCLAW_CONFIG_PATH: `${world.dir}/other.json`, OPENCLAW_HOME: world.dir },
    ];
    for (const [at, more] of environments.entries()) {
      put(world.paths);
      await deliver(world, more);
      assertEquals(own.taken.length, at + 1, Object.keys(more).join());
    }
    assertEquals(other.connections.all, 0);
  } finally {
    await Promise.all([own.stop(), other.stop()]);
  }
});

for (const transport of ["auto", "gateway", "cli"] as const) {
  Deno.test(`a port that changes after the registration gets nothing by ${transport} until the next one`, async () => {
    await using world = await HookWorld.create();
    const gateway = await startFakeGateway({ sessions: SESSIONS });
    try {
      configure(world, 1);
      register(world);
      configure(world, gateway.port);
      const wake = put(world.paths, aWake({ transport }));
      await deliver(world);
      assertEquals([gateway.connections.all, world.wakes().length], [0, 1]);
      assertEquals(readTextIfThere(`${world.dir}/openclaw-ran`), undefined);
      assertStringIncludes(
        lastReason(world),
        `was at ws://127.0.0.1:1 at the registration and is at ${gateway.url} now: wakes wait`,
      );
      if (transport === "cli") return;
      register(world);
      await deliver(world);
      assertEquals(gateway.taken.map(({ key }) => key), [wake.wake_id]);
    } finally {
      await gateway.stop();
    }
  });
}

/** Says what a gateway says first, and writes down all that it hears. */
const LISTENER = `
const heard = (text) => Deno.writeTextFileSync(Deno.args[0] + "/heard", text + "\\n", { append: true });
const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
  const { socket, response } = Deno.upgradeWebSocket(request);
  socket.onopen = () => {
    heard("opened");
    socket.send(JSON.stringify({ type: "event", event: "connect.challenge", payload: {} }));
  };
  socket.onmessage = ({ data }) => heard(data);
  return response;
});
Deno.writeTextFileSync(Deno.args[0] + "/port.new", String(server.addr.port));
Deno.renameSync(Deno.args[0] + "/port.new", Deno.args[0] + "/port");
`;

Deno.test({
  name: "another user who holds the gateway's port gets neither token nor wake",
  ignore: !CAN_BE_NOBODY, // only root can be another user
  async fn() {
    await using world = await HookWorld.create();
    const theirs = `${Deno.makeTempDirSync({ prefix: "gsd-theirs-" })}`;
    Deno.copyFileSync(Deno.execPath(), `${theirs}/deno`);
    Deno.writeTextFileSync(`${theirs}/listener.js`, LISTENER);
    make("chown", "-R", `${NOBODY}:${NOBODY}`, theirs);
    const stranger = new Deno.Command("setpriv", {
      args: [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", `${theirs}/deno`].concat(
        ["run", "-A", "--quiet", "--no-config", `${theirs}/listener.js`, theirs],
      ),
      env: { HOME: theirs, DENO_DIR: `${theirs}/cache`, PATH: "/usr/bin:/bin" },
      clearEnv: true,
      cwd: "/",
      stdout: "null",
      stderr: "null",
    }).spawn();
    try {
      const port = await until("the listener", () => readTextIfThere(`${theirs}/port`));
      configure(world, Number(port));
      register(world);
      const message = `port ${port} on 127.0.0.1 is held by another user (uid ${NOBODY}): ` +
        "the token was not sent";
      for (const transport of ["gateway", "cli", "auto"] as const) {
        put(world.paths, aWake({ transport, agent_id: transport }));
        await deliver(world);
        assertStringIncludes(lastReason(world), message);
        assertEquals(world.wakes(transport).length, 1);
      }
      assertEquals(readTextIfThere(`${world.dir}/openclaw-ran`), undefined);
      const heard = readTextIfThere(`${theirs}/heard`) ?? "";
      assertEquals([...new Set(heard.split("\n"))], ["opened", ""]);
    } finally {
      stranger.kill("SIGKILL");
      await stranger.status;
      Deno.removeSync(theirs, { recursive: true });
    }
  },
});
