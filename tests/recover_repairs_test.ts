import { assertEquals } from "@std/assert";
import { main as spawn } from "../commands/spawn.ts";
import { readLaunch } from "../lib/sessions/launch_files.ts";
import { changeAgent, IDLE, killServer, recover, spawned } from "./support/recovering.ts";
import { inSessionWorld } from "./support/session_world.ts";

Deno.test("recover() finds a program by today's PATH that the launch's has no more, and keeps that", () =>
  inSessionWorld(async (world) => {
    for (const name of ["n20", "n22", "p"]) Deno.mkdirSync(`${world.dir}/${name}`);
    const path = world.variables.PATH;
    Deno.renameSync(world.standIn("anvil-claude", IDLE), `${world.dir}/n20/anvil-claude`);
    world.variables.PATH = `${world.dir}/n20:${path}`;
    world.registry({ agents: [{ agent_id: "anvil", claude_launch_command: "anvil-claude" }] });
    assertEquals(await spawn(["anvil", "p", ""], world), 0, world.warned.join("\n"));
    await killServer(world);
    Deno.renameSync(`${world.dir}/n20/anvil-claude`, `${world.dir}/n22/anvil-claude`);
    world.variables.PATH = `${world.dir}/n22:${path}`;
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
    assertEquals(readLaunch(world.paths, "anvil-main")!.env.PATH, world.variables.PATH);
  }));

Deno.test("recover() starts in the registry's folder when the launch's is gone", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await killServer(world);
    Deno.renameSync(`${world.dir}/p`, `${world.dir}/q`);
    assertEquals((await recover(world)).outcomes, { anvil: "failed" });
    changeAgent(world, { working_directory: `${world.dir}/q` });
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
    assertEquals(readLaunch(world.paths, session)!.working_directory, `${world.dir}/q`);
  }));

Deno.test("recover() takes GSD_CLAUDE when the launch's program is gone and the registry names none", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await killServer(world);
    Deno.removeSync(`${world.dir}/claude`);
    changeAgent(world, { claude_launch_command: "" });
    const program = world.standIn("newclaude", IDLE);
    world.variables.GSD_CLAUDE = program;
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
    assertEquals(readLaunch(world.paths, session)!.command, program);
  }));
