import { assertEquals } from "@std/assert";
import { packagesReady } from "../lib/install/packages.ts";
import { writeExecutable } from "./support/executable.ts";
import { TestHome } from "./support/home.ts";
import { installationIn } from "./support/installation_in.ts";

Deno.test("packagesReady() starts each launcher that must find all it needs in Deno's cache", async () => {
  await using home = new TestHome();
  const install = await installationIn(home.dir);
  const log = `${home.dir}/started`;
  for (const name of ["deliver", "menu-driver", "recover", "companion"]) {
    const path = `${install.paths.data}/bin/${name}`;
    writeExecutable(path, `#!/bin/sh\necho "${name} $*" >>${log}\n`);
  }
  assertEquals(await packagesReady(install, home.variable), { kind: "ready" });
  assertEquals(Deno.readTextFileSync(log).trim().split("\n"), [
    "deliver --wait --help",
    "menu-driver --help",
    "recover --help",
    "companion --help",
  ]);
});
