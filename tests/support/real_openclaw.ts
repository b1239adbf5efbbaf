/** The real OpenClaw gateway with its own agents, in the story's HOME, with a scripted model. */

import { run } from "../../lib/process.ts";
import type { Scene } from "./artefacts.ts";
import { openclawProgram } from "./real_programs.ts";
import { until } from "./until.ts";
import { writeExecutable } from "./executable.ts";

export interface OpenClawOptions {
  scene: Scene;
  /** The address of the agents' model: `new AgentModel().url`. */
  modelUrl: string;
  /** The agents besides `main`, which always exists. */
  agents?: string[];
  /** An installed program to run instead of the pinned version. It finds its own Node. */
  program?: string;
}

export interface RealOpenClaw {
  port: number;
  token: string;
  config: string;
  log: string;
  /** A program to be used as `openclaw` (`GSD_OPENCLAW`): right Node, right HOME. */
  program: string;
  /** Creates the agent's main session and returns how to reach it. */
  createSession(agent: string): Promise<{ key: string; id: string }>;
  /** Waits until the agent has no turn running. */
  untilQuiet(agent: string): Promise<void>;
  openclaw(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  start(): Promise<void>;
  kill(signal: Deno.Signal): Promise<void>;
  /** Its process; undefined while it does not run. */
  pid(): number | undefined;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startOpenClaw(options: OpenClawOptions): Promise<RealOpenClaw> {
  const { scene } = options;
  const port = freePort();
  const token = crypto.randomUUID();
  const folder = `${scene.home}/.openclaw`;
  const log = `${scene.dir}/openclaw.log`;
  Deno.mkdirSync(folder, { recursive: true });
  const agents = [...new Set(["main", ...options.agents ?? ["warden"]])];
  for (const agent of agents) Deno.mkdirSync(`${scene.dir}/agents/${agent}`, { recursive: true });
  const config = `${folder}/openclaw.json`;
  const content = configOf({ port, token, log, agents, scene, modelUrl: options.modelUrl });
  Deno.writeTextFileSync(config, JSON.stringify(content, null, 2));

  const command = options.program ? [options.program] : await pinnedCommand();
  const program = `${scene.dir}/openclaw`;
  const path = options.program ? "" : `${command[0]!.replace(/\/node$/, "")}:`;
  const quoted = command.map((word) => `'${word}'`).join(" ");
  writeExecutable(
    program,
    `#!/bin/sh\nHOME='${scene.home}' PATH='${path}'"$PATH" exec ${quoted} "$@"\n`,
  );
  const env = {
    PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
    HOME: scene.home,
    LANG: "C.UTF-8",
    OPENCLAW_SKIP_UPDATE_CHECK: "1",
  };

  let child: Deno.ChildProcess | undefined;
  // Through a shell, for its redirection; exec keeps the process id.
  const spawn = () =>
    new Deno.Command("/bin/sh", {
      args: ["-c", 'exec "$@" >>"$LOG" 2>&1', "sh", program, "gateway", "run"],
      env: { ...env, LOG: `${log}.out` },
      clearEnv: true,
      cwd: scene.dir,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
  const gateway: RealOpenClaw = {
    port,
    token,
    config,
    log,
    program,
    openclaw: async (...args) => {
      const done = await run(program, args, { env, timeoutMs: 120_000 });
      if (done.kind !== "finished") throw new Error(`openclaw ${args[0]}: ${done.kind}`);
      return done;
    },
    createSession: async (agent) => {
      const key = `agent:${agent}:main`;
      const params = { message: "create", sessionKey: key, idempotencyKey: crypto.randomUUID() };
      const rest = [
        "--params",
        JSON.stringify(params),
        "--expect-final",
        "--timeout",
        "110000",
        "--json",
      ];
      const made = await gateway.openclaw("gateway", "call", "agent", ...rest);
      const id = /"sessionId":\s*"([^"]+)"/.exec(made.stdout)?.[1];
      if (made.code !== 0 || id === undefined) {
        throw new Error(`Cannot create the session ${key}: ${made.stdout}${made.stderr}`);
      }
      return { key, id };
    },
    untilQuiet: async (agent) => {
      const params = JSON.stringify({ key: `agent:${agent}:main` });
      await until(`the agent ${agent} to be done`, async () => {
        const rest = ["sessions.describe", "--params", params, "--json"];
        const { stdout } = await gateway.openclaw("gateway", "call", ...rest);
        return /"status":\s*"(done|failed|killed|timeout)"/.test(stdout);
      });
    },
    start: async () => {
      let hasEnded = true;
      await until("the gateway to be ready", () => {
        // On a busy machine its start may fail: start it again, as a service manager does.
        if (hasEnded) {
          child = spawn();
          hasEnded = false;
          child.status.then(() => hasEnded = true);
        }
        return isReady(port);
      }, { timeoutMs: 240_000, everyMs: 100, present: () => tail(`${log}.out`) });
    },
    pid: () => child?.pid,
    kill: async (signal) => {
      if (child === undefined) return;
      try {
        child.kill(signal);
      } catch {
        // It had ended by itself.
      }
      await child.status;
      child = undefined;
    },
    restart: async () => {
      await gateway.kill("SIGKILL");
      await gateway.start();
    },
    stop: async () => {
      const ending = gateway.kill("SIGTERM");
      const impatient = setTimeout(() => quietly(() => child?.kill("SIGKILL")), 10_000);
      await ending;
      clearTimeout(impatient);
    },
  };
  scene.keep("openclaw-gateway.txt", () => tail(`${log}.out`, 20_000));
  scene.atEnd(() => gateway.stop());
  await gateway.start();
  return gateway;
}

async function pinnedCommand(): Promise<string[]> {
  const { node, script } = await openclawProgram();
  return [node, script];
}

async function isReady(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  return /"ready":\s*true/.test(await response.text());
}

function configOf(
  { port, token, log, agents, scene, modelUrl }: {
    port: number;
    token: string;
    log: string;
    agents: string[];
    scene: Scene;
    modelUrl: string;
  },
) {
  const model = {
    id: "scripted",
    name: "Scripted",
    reasoning: false,
    input: ["text"],
    contextWindow: 1_000_000,
    maxTokens: 8192,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
  const provider = {
    baseUrl: modelUrl,
    apiKey: "sk-none",
    api: "openai-completions",
    models: [model],
  };
  const workspaces = agents.map((agent) => [agent, { workspace: `${scene.dir}/agents/${agent}` }]);
  return {
    gateway: {
      mode: "local",
      port,
      bind: "loopback",
      auth: { mode: "token", token },
      controlUi: { enabled: false },
    },
    models: {
      mode: "merge",
      providers: { scripted: provider },
      catalogRefresh: { enabled: false },
    },
    agents: {
      ownership: "explicit",
      defaults: {
        model: { primary: "scripted/scripted" },
        skipBootstrap: true,
        systemAgent: { agentId: "main" },
        heartbeat: { agentId: "main", every: "0m" },
      },
      entries: Object.fromEntries(workspaces),
    },
    update: { checkOnStart: false },
    logging: { file: log, level: "info" },
  };
}

function freePort(): number {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  listener.close();
  return port;
}

function tail(path: string, chars = 2000): string {
  try {
    return Deno.readTextFileSync(path).slice(-chars);
  } catch {
    return "";
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // It had ended by itself.
  }
}
