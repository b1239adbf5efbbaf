import { taskCommand } from "../lib/cli/task_command.ts";
import { assertEquals } from "@std/assert";
import { type Agent, readRegistry } from "../lib/registry.ts";
import { wayBack } from "../lib/sessions/agent_launch.ts";
import type { Launch } from "../lib/sessions/launch.ts";
import { IDLE, launchOf } from "./support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";

function way(world: SessionWorld, agent: Partial<Agent>, launch?: Partial<Launch>) {
  const reading = readRegistry(JSON.stringify({ agents: [{ agent_id: "anvil", ...agent }] }));
  if (reading.kind === "broken") throw new Error(reading.reason);
  const record = launch && launchOf({ working_directory: world.dir, ...launch });
  const choice = wayBack(world, reading.registry.agents[0]!, record);
  if (choice.kind === "refused") return choice.reason;
  const { dir, command, world: there } = choice;
  return { dir, command, path: there.env("PATH") };
}

Deno.test("wayBack() starts a session as it was, else with what works today", () =>
  inSessionWorld((world) => {
    const { dir } = world;
    for (const name of ["n20", "n22", "p", "q"]) Deno.mkdirSync(`${dir}/${name}`);
    Deno.renameSync(world.standIn("my-ai", IDLE), `${dir}/n22/my-ai`);
    const today = world.variables.PATH = `${dir}/n22:${world.variables.PATH}`;
    const old = `${dir}/n20:/bin`;
    const PATH = { env: { PATH: old } };
    const program = `${dir}/n22/my-ai`;
    const gone = `${dir}/gone`;

    const byPath = way(world, { claude_launch_command: "my-ai" }, PATH);
    assertEquals(byPath, { dir, command: "my-ai", path: today }, "its PATH has it no more");
    assertEquals(way(world, {}, { ...PATH, command: program }), {
      ...{ dir, command: program, path: old },
    });
    const inRegistry = { working_directory: `${dir}/q` };
    const moved = way(world, inRegistry, { working_directory: gone, command: program });
    assertEquals(moved, { dir: `${dir}/q`, command: program, path: today });
    world.variables.GSD_CLAUDE = program;
    const byDefault = way(world, {}, { command: gone });
    assertEquals(byDefault, { dir, command: program, path: today }, "its program is gone");
    return Promise.resolve();
  }));

Deno.test("wayBack() says what to do about a folder that is gone", () =>
  inSessionWorld((world) => {
    world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
    const gone = `${world.dir}/gone`;
    const remove = taskCommand(world, "remove", "anvil-main");
    assertEquals(
      way(world, {}, { working_directory: gone }),
      `its folder ${gone} does not exist: make it again, or ${remove} gives the session up`,
    );
    assertEquals(
      way(world, { working_directory: gone }),
      `its folder ${gone} does not exist: make it, or correct its working_directory in the registry`,
    );
    assertEquals(
      way(world, {}),
      `it has no working_directory in the registry: ${
        taskCommand(world, "spawn", "anvil")
      } <folder> gives it one`,
    );
    return Promise.resolve();
  }));
