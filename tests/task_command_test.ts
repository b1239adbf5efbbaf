import { assertEquals } from "@std/assert";
import { taskCommand } from "../lib/cli/task_command.ts";
import { pinDeno } from "../lib/doors/deno_binary.ts";
import { ROOT } from "../lib/paths.ts";
import { Clinic, DENOS, TASK } from "./support/clinic.ts";
import { installGsdCode } from "./support/gsd_code.ts";
import { writeExecutable } from "./support/executable.ts";

Deno.test("taskCommand() names gsd-code where that is ours: by its name on PATH, else by its path", async () => {
  await using clinic = await Clinic.create();
  const { data } = clinic.world.paths;
  const byDeno = `deno ${TASK} doctor --fix`;
  const line = () => taskCommand(clinic.world, "doctor", "--fix");
  assertEquals(line(), byDeno);

  await installGsdCode(data);
  assertEquals(line(), `${data}/bin/gsd-code doctor --fix`);
  // Another program of that name comes first.
  writeExecutable(`${clinic.dir}/path/gsd-code`, "#!/bin/sh\n");
  assertEquals(line(), `${data}/bin/gsd-code doctor --fix`);
  await Deno.remove(`${clinic.dir}/path/gsd-code`);
  await Deno.symlink(`${data}/bin/gsd-code`, `${clinic.dir}/path/gsd-code`);
  assertEquals(line(), "gsd-code doctor --fix");

  await installGsdCode(data, "/another/clone");
  assertEquals(line(), byDeno);
  await installGsdCode(data, ROOT, "/a/deno/that/is/gone");
  assertEquals(line(), byDeno);
  await Deno.writeTextFile(`${data}/install.json`, "{");
  assertEquals(line(), byDeno);
});

Deno.test("taskCommand() quotes what a shell would change", async () => {
  await using clinic = await Clinic.create();
  assertEquals(taskCommand(clinic.world, "spawn", "it's"), `deno ${TASK} spawn 'it'\\''s'`);
});

Deno.test("taskCommand() needs no other folder where it is called in ours", async () => {
  await using clinic = await Clinic.create();
  for (const cwd of [ROOT, `${ROOT}/lib`]) {
    assertEquals(taskCommand({ ...clinic.world, cwd: () => cwd }, "sync"), "deno task sync");
  }
  const beside = { ...clinic.world, cwd: () => `${ROOT}-2` };
  assertEquals(taskCommand(beside, "sync"), `deno ${TASK} sync`);
});

Deno.test("taskCommand() names deno where it stays on PATH, else the pinned one, else its own", async () => {
  await using clinic = await Clinic.create();
  clinic.deno = DENOS.npx;
  assertEquals(taskCommand(clinic.world, "sync"), `deno ${TASK} sync`);

  // npx puts its own in front for one call.
  await clinic.withoutDeno();
  assertEquals(taskCommand(clinic.world, "sync"), `${DENOS.npx} ${TASK} sync`);
  clinic.env.PATH = `${clinic.npxDeno().replace(/\/deno$/, "")}:${clinic.env.PATH}`;
  assertEquals(taskCommand(clinic.world, "sync"), `${DENOS.npx} ${TASK} sync`);

  const pinned = `${clinic.world.paths.data}/bin/deno`;
  pinDeno(Deno.execPath(), pinned);
  assertEquals(taskCommand(clinic.world, "sync"), `${pinned} ${TASK} sync`);
});
