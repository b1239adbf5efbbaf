/** `gsd-code` as a person has it: a program on PATH, in a home of its own with one agent. */

import { ROOT } from "../../lib/paths.ts";
import { TestHome } from "./home.ts";
import { writeExecutable } from "./executable.ts";

export class GsdCode extends TestHome {
  static async create(agents: { agent_id: string; tmux_session_name: string }[] = [WARDEN]) {
    const made = new GsdCode({ isDefault: true });
    for (const folder of ["bin", "elsewhere"]) await Deno.mkdir(`${made.dir}/${folder}`);
    made.writeRegistry({ agents });
    const { data } = made.paths;
    await installGsdCode(data);
    await Deno.symlink(`${data}/bin/gsd-code`, `${made.dir}/bin/gsd-code`);
    Object.assign(made.env, { PATH: `${made.dir}/bin:${made.env.PATH}`, TERM: "xterm" });
    return made;
  }

  /** In a folder that has nothing to do with the project. */
  async run(program: string, ...args: string[]) {
    const { code, stdout, stderr } = await new Deno.Command(program, {
      args,
      cwd: `${this.dir}/elsewhere`,
      env: this.env,
      clearEnv: true,
      stdin: "null",
    }).output();
    const text = new TextDecoder();
    return { code, out: text.decode(stdout), err: text.decode(stderr) };
  }
}

const WARDEN = { agent_id: "warden", tmux_session_name: "warden-main" };

/** What registration leaves in the data folder, as far as the one command needs it. */
export async function installGsdCode(data: string, root = ROOT, deno = Deno.execPath()) {
  await Deno.mkdir(`${data}/bin`, { recursive: true });
  await Deno.writeTextFile(`${data}/install.json`, JSON.stringify({ root, deno }));
  const script =
    `#!/bin/sh\nexec '${deno}' run -A --quiet --config='${root}/deno.json' --frozen --cached-only ` +
    `'${root}/commands/gsd_code.ts' "$@"\n`;
  writeExecutable(`${data}/bin/gsd-code`, script);
}
