/** What the watch alone can find, on the real programs: dialogs, quiet hours, moves. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { allProcesses, isClaude, treeBelow } from "../../lib/doors/process_tree.ts";
import { inScene } from "../support/artefacts.ts";
import { claudeEnv, startClaude } from "../support/real_claude.ts";
import { claudeProgram, VERSIONS } from "../support/real_programs.ts";
import { TmuxServer } from "../support/tmux_server.ts";
import { until } from "../support/until.ts";
import { INBOX, ofType, startWatch, told, withoutGateway } from "./inbox_stage.ts";
import { Stage } from "./stage.ts";

const VERSION = VERSIONS.claude[0];

/** Each dialog of the start: its kind, and a row of it. */
const DIALOGS: Record<string, [kind: string, row: string]> = {
  trust: ["trust", "Yes, I trust this folder"],
  bypass: ["bypass", "Yes, I accept"],
  server: ["other", "Use this MCP server"],
  settings: ["other", "Continue without these settings"],
  login: ["other", "Claude account with subscription"],
};

Deno.test(`${VERSION}: dialogs no hook speaks of are reported with their rows, once each`, () =>
  inScene("dialogs", async (scene) => {
    const shared = withoutGateway(scene);
    const agents = Object.keys(DIALOGS);
    const stage = new Stage(scene, { shared, version: VERSION, agents });
    stage.writeRegistry(Object.fromEntries(agents.map((agent) => [agent, INBOX])));
    const folder = (agent: string) => `${scene.dir}/${agent}`;
    changeHome(scene.home, folder("trust"));
    const args: Record<string, string[]> = {
      bypass: ["--dangerously-skip-permissions"],
      login: ["/login"],
    };
    Deno.writeTextFileSync(
      `${folder("server")}/.mcp.json`,
      JSON.stringify({ mcpServers: { helper: { command: "/bin/true" } } }),
    );
    Deno.mkdirSync(`${folder("settings")}/.claude`);
    const settings = { permissions: { defaultMode: "whatever" } };
    Deno.writeTextFileSync(
      `${folder("settings")}/.claude/settings.json`,
      JSON.stringify(settings),
    );
    const program = await claudeProgram(VERSION);
    for (const agent of agents) {
      const env = { ...stage.env, ...claudeEnv(stage.claudeModel.url) };
      if (agent === "login") env.ANTHROPIC_API_KEY = "";
      const set = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
      const where = ["-d", "-s", stage.session(agent), "-x", "140", "-y", "50"];
      const words = [program, ...args[agent] ?? []];
      await stage.server.tmux("new-session", ...where, "-c", folder(agent), ...set, ...words);
    }
    await startWatch(stage);
    for (const [agent, [kind, row]] of Object.entries(DIALOGS)) {
      const wake = await told(stage, "dialog_open", "", agent);
      assertMatch(wake, new RegExp(`^dialog: ${kind}$`, "m"));
      assertStringIncludes(wake, row);
    }
    assertEquals(agents.map((agent) => ofType(stage, "dialog_open", agent).length), [
      ...agents.map(() => 1),
    ]);
  }));

/** Nobody has trusted the folder, nor accepted the mode without requests. */
function changeHome(home: string, folder: string): void {
  const file = `${home}/.claude.json`;
  const { bypassPermissionsModeAccepted: _, ...config } = JSON.parse(Deno.readTextFileSync(file));
  delete config.projects[folder];
  Deno.writeTextFileSync(file, JSON.stringify(config));
}

/** Quiet hours that run now, from an hour ago until an hour ahead. */
function quietNow() {
  const clock = (hours: number) => {
    const at = new Date(Date.now() + hours * 3_600_000);
    return [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
  };
  return { from: clock(-1), to: clock(1) };
}

Deno.test(`${VERSION}: quiet hours hold a turn, not a question, and one wake reports what was held`, () =>
  inScene("quiet hours", async (scene) => {
    const shared = withoutGateway(scene);
    const stage = new Stage(scene, { shared, version: VERSION, agents: ["anvil"] });
    const settings = (quiet_hours: unknown) =>
      stage.writeRegistry({ anvil: { ...INBOX, hook_settings: { quiet_hours } } });
    settings(quietNow());
    const options = [{ label: "One", description: "" }, { label: "Two", description: "" }];
    const questions = [{ question: "Which one?", header: "One", multiSelect: false, options }];
    stage.claudeModel.answer = ({ prompt, toolResults }) =>
      prompt.includes("ask me") && toolResults.length === 0
        ? { say: [{ tool: "AskUserQuestion", input: { questions } }] }
        : { say: `You said: ${prompt.slice(0, 60)}` };
    const claude = await stage.spawn("anvil", "held until the morning");
    await startWatch(stage);
    const isHeld = () =>
      stage.journal("anvil").some(({ trigger }) => trigger === "response_complete");
    await until("the turn to be noted", isHeld);
    await claude.submit("ask me");
    await told(stage, "ask_user_question", "Which one?");
    assertEquals(ofType(stage, "response_complete"), []);
    // The hours are taken from the registry: the watch sees it, and a deliverer tells what was held.
    settings(null);
    const resumed = await told(stage, "resumed");
    assertMatch(resumed, /^quiet_for: /m);
    assertStringIncludes(resumed, "held until the morning");
    assertEquals(ofType(stage, "ask_user_question").length, 1);
  }));

Deno.test(`${VERSIONS.claude[1]}: a conversation that goes on in another tmux server is followed there`, () =>
  inScene("moved", async (scene) => {
    const version = VERSIONS.claude[1]; // without the mod: nobody else tells that the first has ended
    const stage = new Stage(scene, { shared: withoutGateway(scene), version, agents: ["anvil"] });
    stage.writeRegistry({ anvil: { ...INBOX, auto_recover: false } });
    const claude = await stage.spawn("anvil", "the first words");
    await told(stage, "response_complete", "");
    await startWatch(stage);
    const session = stage.session("anvil");
    const launch = `${stage.paths.data}/launches/${session}.json`;
    const { claude_session_id: id } = JSON.parse(Deno.readTextFileSync(launch));
    const other = new TmuxServer({ HOME: scene.home });
    scene.atEnd(() => other[Symbol.asyncDispose]());
    // The first is killed as by a crash, and a person resumes it elsewhere, under the same name.
    const pane = await stage.server.tmux("list-panes", "-t", `=${session}:`, "-F", "#{pane_pid}");
    const running = treeBelow(await allProcesses(), Number(pane)).find((one) => isClaude(one))!;
    const settings = `${stage.paths.data}/launches/${session}.settings.json`;
    Deno.kill(running.pid, "SIGKILL");
    await stage.server.tmux("kill-session", "-t", `=${session}`);
    const again = await startClaude({
      ...{ scene, server: other, session, version, project: `${scene.dir}/anvil` },
      modelUrl: stage.claudeModel.url,
      args: ["--settings", settings, "--resume", id],
      env: stage.env,
    });
    const socket = await other.tmux("display-message", "-p", "#{socket_path}");
    const changed = await told(stage, "session_changed");
    assertMatch(changed, /^change: moved$/m);
    assertStringIncludes(changed, `--socket ${socket}`);
    await until(
      "its record to follow",
      () => JSON.parse(Deno.readTextFileSync(launch)).tmux_socket === socket,
    );
    await again.submit("from the other server");
    await until("the turn there", () => ofType(stage, "response_complete").length === 2);
    assertEquals(ofType(stage, "session_changed").length, 1);
    assertEquals(claude.session, again.session);
  }));
