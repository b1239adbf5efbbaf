/** `gsd-code` as a person has it: a program on PATH, in a home of its own with one agent. */

import { ROOT } from "../../lib/paths.ts";

export class GsdCode implements AsyncDisposable {
  private constructor(readonly dir: string) {}

  static async create(agents: { agent_id: string; tmux_session_name: string }[] = [WARDEN]) {
    const made = new GsdCode(await Deno.makeTempDir({ prefix: "gsd-code-" }));
    for (const folder of ["bin", "home", "elsewhere"]) await Deno.mkdir(`${made.dir}/${folder}`);
    await Deno.writeTextFile(`${made.dir}/registry.json`, JSON.stringify({ agents }));
    const data = `${made.dir}/home/.local/share/gsd-code-skill`;
    await installGsdCode(data);
    await Deno.symlink(`${data}/bin/gsd-code`, `${made.dir}/bin/gsd-code`);
    return made;
  }

  get env(): Record<string, string> {
    return {
      HOME: `${this.dir}/home`,
      PATH: `${this.dir}/bin:${Deno.env.get("PATH") ?? ""}`,
      DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
      DENO_NO_UPDATE_CHECK: "1",
      GSD_REGISTRY: `${this.dir}/registry.json`,
      TERM: "xterm",
      LANG: "C.UTF-8",
    };
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

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.dir, { recursive: true });
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
  await Deno.writeTextFile(`${data}/bin/gsd-code`, script, { mode: 0o755 });
}
