/** An installation in a folder of its own, with odd names and things that no hook may touch. */

import { launcherPlaces } from "../../lib/install/installation.ts";
import type { Installation } from "../../lib/install/scope.ts";
import { TestHome } from "./home.ts";
import { writeExecutable } from "./executable.ts";

export async function installationIn(dir: string): Promise<Installation> {
  const odd = { dir, home: `${dir}/it's home`, data: `${dir}/da ta` };
  const { home, paths } = new TestHome(odd);
  for (
    const folder of [paths.state, `${paths.data}/bin`, `${home}/.claude/projects/a`, `${home}/.ssh`]
  ) {
    await Deno.mkdir(folder, { recursive: true });
  }
  for (const file of [`${home}/.ssh/id`, `${home}/.claude/projects/a/b.jsonl`]) {
    await Deno.writeTextFile(file, "x");
  }
  for (const name of ["deliver", "menu-driver", "capture", "gsd-code"]) {
    writeExecutable(`${paths.data}/bin/${name}`, "#!/bin/sh\n");
  }
  const which = new TextDecoder().decode(
    new Deno.Command("/bin/sh", { args: ["-c", "command -v tmux"] }).outputSync().stdout,
  ).trim();
  return {
    paths,
    home,
    deno: Deno.execPath(),
    tmux: which,
    transcripts: [`${home}/.claude/projects`],
    allowAll: false,
    ...launcherPlaces((name) => Deno.env.get(name), undefined),
  };
}
