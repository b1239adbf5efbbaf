/** The registered hooks, tmux sessions and gateway of one run. */

import { namesIn } from "../../lib/files.ts";
import { agentsIn, deadIds, waitingIds } from "../../lib/outbox_files.ts";
import { type Paths, ROOT } from "../../lib/paths.ts";
import { type FakeGateway, type Mishap, startFakeGateway } from "../support/fake_gateway.ts";
import { TestHome } from "../support/home.ts";
import { TmuxServer } from "../support/tmux_server.ts";
import { historyMishap, type Plan } from "./plan.ts";
import { contentOf } from "./verdict.ts";

/** A gateway younger than this may lose what it accepted. The plan uses that only then. */
const YOUNG_MS = 110_000;

export class SoakStage {
  readonly tmux = new TmuxServer();
  readonly panes = new Map<string, { TMUX: string; TMUX_PANE: string }>();
  readonly home: TestHome;
  readonly paths: Paths;
  gateway!: FakeGateway; // from `set` on
  isHealthy = false;
  private commands = new Map<string, string>();
  private readonly log: Deno.FsFile;

  private constructor(readonly dir: string, private readonly plan: Plan, readonly seed: number) {
    this.home = new TestHome({ dir });
    this.paths = this.home.paths;
    this.log = Deno.openSync(`${dir}/gateway.jsonl`, { append: true, create: true });
  }

  static async set(dir: string, plan: Plan, seed: number): Promise<SoakStage> {
    const stage = new SoakStage(dir, plan, seed);
    Deno.mkdirSync(`${dir}/home/.claude/projects/p`, { recursive: true });
    await stage.openGateway();
    try {
      await stage.register();
      for (const session of plan.sessions.keys()) {
        stage.panes.set(session, await stage.tmux.env(await stage.tmux.session(session)));
      }
    } catch (error) {
      await stage.clear({ keep: false });
      throw error;
    }
    return stage;
  }

  /** The environment that Claude Code in that session gives to its hooks. */
  hookEnv(session: string): Record<string, string> {
    const { HOME, PATH, DENO_DIR } = this.home.env;
    return { HOME: HOME!, PATH: PATH!, DENO_DIR: DENO_DIR!, ...this.panes.get(session)! };
  }

  /** The command that registration has written for an event. */
  command(event: string): string {
    return this.commands.get(event)!;
  }

  /** Processes of this run's deliverers: their permissions name its folder. */
  deliverers(): number[] {
    return namesIn("/proc").filter((name) => /^\d+$/.test(name)).filter((pid) => {
      try {
        const words = Deno.readTextFileSync(`/proc/${pid}/cmdline`);
        return words.includes(`${this.dir}/state`) && words.includes("commands/deliver.ts");
      } catch {
        return false; // it has just ended
      }
    }).map(Number);
  }

  waiting(): string[] {
    return agentsIn(this.paths, "outbox").flatMap((agent) => this.waitingFor(agent));
  }

  waitingFor(agent: string): string[] {
    return waitingIds(this.paths, agent);
  }

  dead(): string[] {
    return agentsIn(this.paths, "dead").flatMap((agent) => deadIds(this.paths, agent));
  }

  async clear({ keep }: { keep: boolean }): Promise<void> {
    for (const pid of this.deliverers()) kill(pid);
    await this.tmux[Symbol.asyncDispose]();
    await this.gateway.stop();
    this.log.close();
    if (!keep) await Deno.remove(this.dir, { recursive: true }).catch(() => {});
  }

  private async openGateway(): Promise<void> {
    const keyOf = (agent: string) => `agent:${agent}:main`;
    const mishaps = new Map<string, Mishap[]>(
      [...this.plan.sessions.values()].flat().map((
        event,
      ) => [`${event.trigger} ${event.marker}`, [...event.mishaps]]),
    );
    const histories = new Map<string, number>();
    const encoder = new TextEncoder();
    this.gateway = await startFakeGateway({
      sessions: Object.fromEntries(this.plan.agents.map((agent) => [keyOf(agent), `id-${agent}`])),
      upMs: 0,
      log: (line) => this.log.writeSync(encoder.encode(`${JSON.stringify(line)}\n`)),
      faults: {
        decide: ({ method, params, upMs }) => {
          if (this.isHealthy) return undefined;
          if (method === "agent") {
            const next = mishaps.get(contentOf(params.message ?? "") ?? "")?.shift();
            return next && bearable(next, upMs);
          }
          if (method !== "chat.history") return undefined;
          const session = params.sessionKey!;
          const nth = (histories.get(session) ?? 0) + 1;
          histories.set(session, nth);
          return historyMishap(this.seed, session, nth);
        },
      },
    });
    const gateway = { port: this.gateway.port, auth: { token: "fake-token" } };
    this.home.writeOpenClawConfig({ gateway });
    const agents = this.plan.agents.map((agent) => ({
      agent_id: agent,
      tmux_session_name: `${agent}-main`,
      openclaw_session_key: keyOf(agent),
    }));
    const registry = { delivery: { transport: "gateway" }, agents };
    this.home.writeRegistry(registry);
  }

  private async register(): Promise<void> {
    const settings = `${this.dir}/settings.json`;
    const done = await new Deno.Command(Deno.execPath(), {
      args: ["task", "--quiet", "register", "--settings", settings],
      cwd: ROOT,
      env: this.home.env,
      clearEnv: true,
      stdin: "null",
    }).output();
    if (!done.success) {
      throw new Error(`Cannot register: ${new TextDecoder().decode(done.stderr).trim()}`);
    }
    const { hooks } = JSON.parse(Deno.readTextFileSync(settings));
    this.commands = new Map(
      Object.entries(hooks as Record<string, { hooks: { command: string }[] }[]>)
        .map(([event, groups]) => [event, groups[0]!.hooks[0]!.command]),
    );
  }
}

/** An old gateway keeps what it accepted. Where it does not is a documented limit. */
function bearable(mishap: Mishap, upMs: number): Mishap | undefined {
  if (upMs < YOUNG_MS) return mishap;
  if (mishap.kind === "revoke") return undefined;
  return mishap.kind === "break" ? { ...mishap, kept: true } : mishap;
}

export function kill(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}
