/** The real Claude Code in a private tmux server, with its own HOME and a scripted model. */

import type { Scene } from "./artefacts.ts";
import { claudeProgram, type ClaudeVersion, VERSIONS } from "./real_programs.ts";
import type { TmuxServer } from "./tmux_server.ts";
import { until, type UntilOptions } from "./until.ts";

export interface ClaudeOptions {
  scene: Scene;
  server: TmuxServer;
  /** The address of its model: `new ClaudeModel(…).url`. */
  modelUrl: string;
  /** The tmux session's name. */
  session: string;
  version?: ClaudeVersion;
  /** A program to run instead of a pinned version. */
  program?: string;
  project?: string;
  /** What becomes `~/.claude/settings.json`; hooks go in here. */
  settings?: Record<string, unknown>;
  args?: string[];
  env?: Record<string, string>;
  /** When the idle notification comes; Claude Code's default is 60 s. */
  idleAfterMs?: number;
}

export interface RealClaude {
  session: string;
  project: string;
  pane: string;
  pid: number;
  capture(): Promise<string>;
  waitForScreen(
    what: string,
    sees: (screen: string) => boolean,
    options?: UntilOptions,
  ): Promise<string>;
  /** The prompt is there and nothing is running. */
  waitUntilIdle(): Promise<string>;
  /** Pastes a prompt and sends it. */
  submit(text: string): Promise<void>;
  keys(...keys: string[]): Promise<void>;
  /** Its pane is gone. */
  hasEnded(): Promise<boolean>;
  kill(signal: Deno.Signal): void;
}

/** Variables that keep the program offline and quiet, with a made-up API key. */
export function claudeEnv(modelUrl: string): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: DUMMY_KEY,
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "1",
    IS_SANDBOX: "1",
  };
}

const DUMMY_KEY = "sk-ant-none";

/** A paste or key without effect for this long was lost. */
export const LOST_AFTER_MS = 10_000;

export async function startClaude(options: ClaudeOptions): Promise<RealClaude> {
  const { scene, server, session, modelUrl } = options;
  const project = options.project ?? `${scene.dir}/project`;
  prepareHome(scene, project, options);
  const program = options.program ?? await claudeProgram(options.version ?? VERSIONS.claude[0]);
  const env = { ...claudeEnv(modelUrl), ...options.env };
  const size = ["-x", "140", "-y", "50"];
  const set = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  const where = ["-d", "-s", session, ...size, "-c", project, ...set];
  await server.tmux("new-session", ...where, program, ...options.args ?? []);
  return await attach(options, project);
}

/** A Claude Code that another program has started, such as recover. */
export async function attach(
  options: Pick<ClaudeOptions, "server" | "session">,
  project: string,
): Promise<RealClaude> {
  const { server, session } = options;
  const target = `=${session}:`;
  const shown = await server.tmux("display-message", "-p", "-t", target, "#{pane_id} #{pane_pid}");
  const [pane = "", pid = ""] = shown.trim().split(" ");
  const claude: RealClaude = {
    session,
    project,
    pane,
    pid: Number(pid),
    capture: () => server.capture(session),
    waitForScreen: (what, sees, more = {}) =>
      until(`${what} on the screen of ${session}`, async () => {
        const screen = await claude.capture();
        return sees(screen) ? screen : undefined;
      }, { present: claude.capture, ...more }),
    waitUntilIdle: () => claude.waitForScreen("an idle prompt", isIdle),
    submit: async (text) => {
      const buffer = `gsd-${crypto.randomUUID()}`;
      let pastedAt = -Infinity;
      await until(`the pasted prompt on the screen of ${session}`, async () => {
        if (draftIn(await claude.capture()) !== "") return true;
        // A Claude Code that is just being suspended and resumed loses what is pasted.
        if (performance.now() - pastedAt < LOST_AFTER_MS) return false;
        await server.tmux("set-buffer", "-b", buffer, "--", text);
        await server.tmux("paste-buffer", "-p", "-d", "-b", buffer, "-t", pane);
        pastedAt = performance.now();
        return false;
      }, { present: claude.capture });
      const program = () =>
        server.tmux("display-message", "-p", "-t", pane, "#{pane_current_command}").catch(() => "");
      const isShell = (name: string) => /^(ba|da|z)?sh$/.test(name.trim());
      const wasShell = isShell(await program());
      // After /exit there may be a shell, with the box of Claude Code still on the screen.
      const hasLeft = async () => await claude.hasEnded() || !wasShell && isShell(await program());
      const isGone = async () => await hasLeft() || isSent(await claude.capture());
      // An Enter right after the start, or right after a paste, may get lost.
      await until(`the prompt to leave ${session}'s input box`, async () => {
        if (await hasLeft()) return true;
        await server.tmux("send-keys", "-t", pane, "Enter");
        return await until("an empty box", isGone, { timeoutMs: 3000 }).then(() => true, hasLeft);
      }, { present: claude.capture });
    },
    keys: async (...keys) => {
      await server.tmux("send-keys", "-t", pane, ...keys);
    },
    hasEnded: async () => !(await server.sessions()).includes(session),
    kill: (signal) => Deno.kill(claude.pid, signal),
  };
  await claude.waitUntilIdle();
  return claude;
}

/** With a status line there is no hint at shortcuts. */
export function isIdle(screen: string): boolean {
  return /shift\+tab to cycle|\? for shortcuts|^ *← for agents|^ *⏸ \w+ mode on/m.test(screen) &&
    !screen.includes("esc to interrupt");
}

/** The text in the input box, which is below a rule. Elsewhere ❯ marks an old prompt or an option. */
export function draftIn(screen: string): string {
  const lines = screen.split("\n");
  const box = lines.findLastIndex((line, at) =>
    line.startsWith("❯") && (lines[at - 1] ?? "").startsWith("──────")
  );
  return box === -1 ? "" : lines[box]!.slice(1).trim();
}

function isSent(screen: string): boolean {
  return draftIn(screen) === "" || screen.includes("esc to interrupt");
}

/** Settings that skip onboarding, login and the trust dialog. */
export function prepareHome(
  scene: Scene,
  project: string,
  options: Pick<ClaudeOptions, "settings" | "idleAfterMs"> = {},
): void {
  Deno.mkdirSync(`${scene.home}/.claude`, { recursive: true });
  Deno.mkdirSync(project, { recursive: true });
  const file = `${scene.home}/.claude.json`;
  let present: Record<string, unknown> = {};
  try {
    present = JSON.parse(Deno.readTextFileSync(file));
  } catch {
    // The first session of this HOME.
  }
  const trusted = {
    allowedTools: [],
    hasTrustDialogAccepted: true,
    hasCompletedProjectOnboarding: true,
  };
  const known = present.projects as Record<string, unknown> | undefined;
  const projects = { ...known, [project]: trusted };
  const idle = options.idleAfterMs === undefined
    ? {}
    : { messageIdleNotifThresholdMs: options.idleAfterMs };
  const content = {
    hasCompletedOnboarding: true,
    lastOnboardingVersion: "9.9.9",
    theme: "dark",
    autoUpdates: false,
    bypassPermissionsModeAccepted: true,
    numStartups: 20,
    customApiKeyResponses: { approved: [DUMMY_KEY], rejected: [] },
    ...present,
    ...idle,
    projects,
  };
  // Keep what is there: a running Claude Code writes this file, too.
  if (known?.[project] === undefined || options.idleAfterMs !== undefined) {
    Deno.writeTextFileSync(file, JSON.stringify(content, null, 2));
  }
  if (options.settings) {
    Deno.writeTextFileSync(
      `${scene.home}/.claude/settings.json`,
      JSON.stringify(options.settings, null, 2),
    );
  }
}
