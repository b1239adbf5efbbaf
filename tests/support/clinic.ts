/** A home with one agent, to run the doctor in. */

import { assert, assertEquals } from "@std/assert";
import { main } from "../../commands/doctor.ts";
import type { Check, Finding } from "../../lib/doctor/finding.ts";
import { gatherContext } from "../../lib/doctor/doctor_context.ts";
import { pinDeno } from "../../lib/doors/deno_binary.ts";
import { readInstallation, writeInstallation } from "../../lib/install/install_file.ts";
import type { Installation } from "../../lib/install/scope.ts";
import { planInstall } from "../../lib/install/installation.ts";
import { placesFor, ROOT } from "../../lib/paths.ts";
import { register } from "../../lib/install/registration.ts";
import { run } from "../../lib/process.ts";
import type { World } from "../../lib/cli/world.ts";
import { TestHome } from "./home.ts";
import { TmuxServer } from "./tmux_server.ts";
import { writeExecutable } from "./executable.ts";

export const WARDEN = {
  agent_id: "warden",
  tmux_session_name: "warden-main",
  openclaw_session_key: "agent:warden:main",
};

/** How one of our tasks is started from another folder. */
export const TASK = `task --config ${ROOT}/deno.json`;

/** A Deno as a machine may have it: installed, or only in the cache of npx. Neither is run. */
export const DENOS = {
  installed: "/opt/deno/bin/deno",
  npx: "/home/me/.npm/_npx/1a2b/node_modules/deno/deno",
};

export interface Answers {
  ok: string[];
  notes: string[];
  broken: string[];
  findings: Finding[];
}

export async function findFindings(check: Check, world: World): Promise<Finding[]> {
  const gathered = gatherContext(world, undefined);
  assert(gathered.kind === "context");
  return await check(gathered.context);
}

/** A home with one agent, its own tmux server, and stand-ins for programs. */
export class Clinic implements AsyncDisposable {
  readonly home = new TestHome({ isDefault: true });
  readonly dir = this.home.dir;
  readonly env = this.home.env;
  readonly settings = `${this.home.home}/.claude/settings.json`;
  readonly server = new TmuxServer();
  /** The Deno that the doctor runs with. */
  deno = Deno.execPath();
  /** The agents for which a deliverer was started. */
  readonly started: string[] = [];
  private lines: string[] = [];

  private constructor() {
    Object.assign(this.env, {
      PATH: `${this.dir}/path:${this.env.PATH}`,
      GSD_CLAUDE: `${this.dir}/claude`,
      GSD_OPENCLAW: `${this.dir}/openclaw`,
      GSD_TMUX: this.server.writeProgram(this.dir),
    });
  }

  static async create(): Promise<Clinic> {
    const clinic = new Clinic();
    await Deno.mkdir(`${clinic.dir}/home/.claude`, { recursive: true });
    // `deno` is on PATH here, however it is installed on this machine.
    await Deno.mkdir(`${clinic.dir}/path`);
    await Deno.symlink(Deno.execPath(), `${clinic.dir}/path/deno`);
    clinic.registry({ agents: [WARDEN] });
    return clinic;
  }

  get world(): World {
    const env = this.home.variable;
    return {
      env,
      environment: () => this.env,
      cwd: () => this.dir,
      deno: this.deno,
      now: () => new Date(),
      say: (line) => this.lines.push(line),
      warn: (line) => this.lines.push(line),
      startDeliverer: (agentId) => this.started.push(agentId),
      paths: placesFor(env, ROOT),
    };
  }

  async run(...args: string[]): Promise<number> {
    this.lines = [];
    return await main(args, this.world);
  }

  said(): string {
    return this.lines.join("\n");
  }

  async ask(check: Check): Promise<Answers> {
    const findings = await findFindings(check, this.world);
    const texts = (level: Finding["level"]) =>
      findings.filter((finding) => finding.level === level).map(({ text }) => text);
    return { ok: texts("ok"), notes: texts("note"), broken: texts("broken"), findings };
  }

  async fix(check: Check, which = ""): Promise<void> {
    const { findings } = await this.ask(check);
    const fixes = findings.flatMap(({ autofix }) => autofix?.what.includes(which) ? [autofix] : []);
    assert(fixes.length > 0, "there is something to autofix");
    for (const { run } of fixes) await run();
  }

  program(variable: string, script: string): void {
    writeExecutable(this.env[variable]!, `#!/bin/sh\n${script}\n`);
  }

  registry(value: unknown): void {
    this.home.writeRegistry(value);
  }

  gateway(port: number, token: string): void {
    this.home.writeOpenClawConfig({ gateway: { port, auth: { token } } });
  }

  /** As register does, without a look whether the launchers start. */
  registerHooks(how: { allowAll?: boolean; file?: string } = {}): void {
    const { allowAll = false, file = this.settings } = how;
    const plan = planInstall(this.world.env, ROOT, { allowAll, running: this.deno, as: "now" });
    assert(plan.kind === "plan");
    writeInstallation(plan.install);
    const options = { data: this.world.paths.data, dryRun: false, now: new Date() };
    assertEquals(register(file, plan.wanted, ROOT, options).kind, "written");
  }

  installed(): Installation {
    return readInstallation(this.world.paths.data)!;
  }

  /** A Deno that runs, where npx would keep it. */
  npxDeno(): string {
    const path = `${this.dir}/_npx/1a2b/deno`;
    pinDeno(Deno.execPath(), path);
    return path;
  }

  /** Reduces PATH to the programs that these tests need, without `deno`. */
  async withoutDeno(): Promise<void> {
    await Deno.mkdir(`${this.dir}/bin`);
    for (const name of ["sh", "tmux", "env", "cat"]) {
      await Deno.symlink(`/usr/bin/${name}`, `${this.dir}/bin/${name}`);
    }
    this.env.PATH = `${this.dir}/bin`;
  }

  /** Runs a command that the doctor has printed, in this home. */
  async paste(command: string): Promise<string> {
    const env = { ...this.env, NO_COLOR: "1" };
    const outcome = await run("/bin/sh", ["-c", command], {
      env,
      timeoutMs: 300_000,
      cwd: this.dir,
    });
    assert(outcome.kind === "finished", JSON.stringify(outcome));
    assertEquals(outcome.code, 0, `${command}\n${outcome.stdout}${outcome.stderr}`);
    return outcome.stdout;
  }

  read(file: string): string {
    return Deno.readTextFileSync(file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.home[Symbol.asyncDispose]();
  }
}
