import { assertEquals } from "@std/assert";
import { packagesReady, whyNoCompanion } from "../lib/install/packages.ts";
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
  assertEquals(await whyNoCompanion(install, home.variable), undefined);
  assertEquals(Deno.readTextFileSync(log).trim().split("\n"), [
    "deliver --wait --help",
    "menu-driver --help",
    "recover --help",
    "companion --help",
  ]);
});

Deno.test("a companion that cannot start is a reason of its own, not a missing package", async () => {
  await using home = new TestHome();
  const install = await installationIn(home.dir);
  const bin = `${install.paths.data}/bin`;
  for (const name of ["deliver", "menu-driver", "recover"]) {
    writeExecutable(`${bin}/${name}`, "#!/bin/sh\n");
  }
  writeExecutable(`${bin}/companion`, "#!/bin/sh\necho 'error: bad flag' >&2\nexit 1\n");
  assertEquals(await packagesReady(install, home.variable), { kind: "ready" });
  const reason = await whyNoCompanion(install, home.variable);
  assertEquals(reason, `${bin}/companion --help: bad flag`);
});
