import { assert, assertEquals, assertMatch } from "@std/assert";
import { namesIn, readTextIfThere } from "../../lib/files.ts";
import { isObject } from "../../lib/json.ts";
import { run } from "../../lib/process.ts";
import { AgentModel } from "../support/agent_model.ts";
import { inScene, type Scene } from "../support/artefacts.ts";
import { TestHome } from "../support/home.ts";
import { ClaudeModel } from "../support/claude_model.ts";
import { command, press } from "../support/claude_keys.ts";
import {
  claudeEnv,
  isIdle,
  prepareHome,
  type RealClaude,
  startClaude,
} from "../support/real_claude.ts";
import { startOpenClaw } from "../support/real_openclaw.ts";
import { claudeProgram, VERSIONS } from "../support/real_programs.ts";
import { TmuxServer } from "../support/tmux_server.ts";
import { until } from "../support/until.ts";

const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");
const QUESTION = {
  questions: [{
    question: "Which database?",
    header: "DB",
    multiSelect: false,
    options: [
      { label: "SQLite", description: "embedded" },
      { label: "Postgres", description: "a server" },
    ],
  }],
};

for (const version of VERSIONS.claude) {
  Deno.test(`Claude Code ${version} runs the hooks that register wrote, and none once removed`, () =>
    inScene(`install ${version}`, async (scene) => {
      const model = new ClaudeModel({
        scenarios: {
          hello: { say: "Good day to you." },
          ask: [{ say: [{ tool: "AskUserQuestion", input: QUESTION }] }, { say: "SQLite it is." }],
        },
      });
      scene.atEnd(() => model.stop());
      const server = TmuxServer.in(scene);
      const home = new Installed(scene);
      const settings = `${scene.home}/.claude/settings.json`;
      const users = '{\n  "theme": "dark"\n}\n';
      // Before the first start: a running Claude Code writes its own list of trusted folders.
      for (const session of ["somebody-else", "warden-main"]) {
        prepareHome(scene, `${scene.dir}/${session}`);
      }
      Deno.writeTextFileSync(settings, users);
      assertEquals((await home.register()).code, 0);

      const start = (session: string) =>
        startClaude({
          scene,
          server,
          version,
          session,
          modelUrl: model.url,
          project: `${scene.dir}/${session}`,
        });
      const stranger = await start("somebody-else");
      await stranger.submit("Say hello SCENARIO:hello");
      await stranger.waitForScreen("the answer", (screen) => screen.includes("Good day to you."));
      await stranger.waitUntilIdle();
      assertEquals(namesIn(`${scene.dir}/state`), [], "an unmanaged session leaves no trace");

      const warden = await start("warden-main");
      await warden.submit("Say hello SCENARIO:hello");
      await home.wake("response_complete", "Good day to you.");
      await warden.submit("Ask me SCENARIO:ask");
      const asked = await home.wake("ask_user_question", "Which database?");
      const choose = asked.split("\n").find((line) => / choose </.test(line))!;
      const chosen = await run("/bin/sh", ["-c", choose.replace(/<.*>/, "1")], {
        timeoutMs: 60_000,
        env: { PATH: Deno.env.get("PATH") ?? "" },
      });
      assert(chosen.kind === "finished" && chosen.code === 0, JSON.stringify(chosen));
      await home.wake("ask_user_question_answered", "SQLite");
      await home.wake("response_complete", "SQLite it is.");

      await warden.waitUntilIdle();
      await command(warden, "/hooks");
      const shown = (text: string) => /PreToolUse/.test(text) && /Esc/.test(text);
      const screen = await warden.waitForScreen("the list of hooks", shown);
      assert(!/invalid|hook error|settings (error|issue)/i.test(screen), screen);
      await press(warden, "Escape", { hasWorked: isIdle });
      assertEquals(home.problems(), []);

      const leave = async (claude: RealClaude) => {
        await command(claude, "/exit");
        const isGone = async () => !(await server.sessions()).includes(claude.session);
        await until(`${claude.session} to end`, isGone);
      };
      await leave(warden);
      await home.wake("session_end", "");

      assertEquals((await home.register("--remove")).code, 0);
      // Claude Code adds keys of its own to this file while it runs.
      const { theme, hooks } = JSON.parse(readTextIfThere(settings)!);
      assertEquals([theme, hooks], ["dark", undefined]);
      const told = home.wakes().length;
      const unhooked = await start("warden-main");
      await unhooked.submit("Once more SCENARIO:hello");
      await unhooked.waitForScreen("the answer", (text) => text.includes("Good day to you."));
      await unhooked.waitUntilIdle();
      await leave(unhooked);
      assertEquals(home.wakes().length, told, "removed: silence");
    }));
}

for (const version of VERSIONS.claude) {
  Deno.test(`Claude Code ${version} skips settings that are more than plain JSON, as register says`, () =>
    inScene(`skipped ${version}`, async (scene) => {
      const model = new ClaudeModel();
      scene.atEnd(() => model.stop());
      const server = TmuxServer.in(scene);
      const home = new Installed(scene);
      const settings = `${scene.home}/.claude/settings.json`;
      prepareHome(scene, `${scene.dir}/warden-main`);
      const program = await claudeProgram(version);
      const texts = ['{\n  // mine\n  "theme": "dark"\n}\n', '{\n  "theme": "dark",\n}\n'];
      for (const [index, text] of texts.entries()) {
        Deno.writeTextFileSync(settings, text);
        const registered = await home.register();
        assertEquals(registered.code, 1);
        assertMatch(registered.stderr, /^Claude Code skips all of .*\n$/);
        const set = Object.entries(claudeEnv(model.url)).flatMap(([k, v]) => ["-e", `${k}=${v}`]);
        const where = ["-d", "-s", `s${index}`, "-x", "120", "-y", "40", ...set];
        await server.tmux("new-session", ...where, "-c", `${scene.dir}/warden-main`, program);
        await until("Claude Code's own words", async () => {
          const screen = await server.capture(`s${index}`);
          return /Settings Error[^]*Files with errors are skipped entirely/.test(screen);
        }, { present: () => server.capture(`s${index}`) });
        assertEquals((await home.register("--remove")).code, 0);
        assertEquals(Deno.readTextFileSync(settings), text);
      }
      // A byte order mark does not matter to it.
      Deno.writeTextFileSync(settings, '\uFEFF{\n  "theme": "dark"\n}\n');
      assertEquals((await home.register()).code, 0);
      const claude = await startClaude({
        ...{ scene, server, version, session: "warden-main", modelUrl: model.url },
        project: `${scene.dir}/warden-main`,
      });
      await claude.submit("Say hello");
      await home.wake("response_complete", "Done.");
    }));
}

Deno.test("doctor finds the real gateway, our token and the session, and its test wake arrives", () =>
  inScene("doctor", async (scene) => {
    const model = new AgentModel();
    scene.atEnd(() => model.stop());
    const gateway = await startOpenClaw({ scene, modelUrl: model.url, agents: ["warden"] });
    const session = await gateway.createSession("warden");
    TmuxServer.in(scene);
    const home = new Installed(scene);
    home.env.GSD_CLAUDE = await claudeProgram();
    home.env.GSD_OPENCLAW = gateway.program;
    const config = `${scene.home}/.openclaw/openclaw.json`;
    if (gateway.config !== config) {
      Deno.mkdirSync(`${scene.home}/.openclaw`, { recursive: true });
      Deno.copyFileSync(gateway.config, config);
    }
    const agent = (more: Record<string, string>) => home.agent({ delivery: undefined, ...more });
    agent({ openclaw_session_id: session.id });
    assertEquals((await home.register()).code, 0);

    const well = await home.ours("commands/doctor.ts", "--send-test-wake");
    assertEquals(well.code, 0, well.stdout);
    assertMatch(well.stdout, /ok +programs: openclaw 2026\.9\.6 .*known to work/);
    assertMatch(well.stdout, /ok +programs: claude 2\.1\.325 .*known to work/);
    assertMatch(well.stdout, /knows the session id/);
    assertMatch(well.stdout, /has the test wake/);
    await until("the agent to read it", () => model.asked("doctor_test")[0]);

    agent({ openclaw_session_key: "agent:warden:nowhere" });
    const unknown = await home.ours("commands/doctor.ts", "warden");
    assertEquals(unknown.code, 1);
    assertMatch(unknown.stdout, /does not know the session key "agent:warden:nowhere"/);

    agent({ openclaw_session_key: session.key });
    // In a file of our own: the gateway would take up a new token from its own file, sooner or later.
    const text = Deno.readTextFileSync(config);
    home.env.OPENCLAW_CONFIG_PATH = `${scene.dir}/wrong.json`;
    Deno.writeTextFileSync(
      home.env.OPENCLAW_CONFIG_PATH,
      text.replace(/("token":\s*")[^"]+/, "$1wrong"),
    );
    const refused = await home.ours("commands/doctor.ts", "--json");
    assertEquals(refused.code, 1);
    assertMatch(refused.stdout, /refused us.*TOKEN_MISMATCH/);
  }));

/** Our side of it: registered by a process of its own, wakes read from the inbox. */
class Installed {
  readonly env: Record<string, string>;

  constructor(private readonly scene: Scene) {
    this.env = {
      ...new TestHome(scene).env,
      GSD_TMUX: `${scene.dir}/tmux`,
    };
    this.agent({ delivery: { transport: "inbox" } });
  }

  agent(more: Record<string, unknown>): void {
    const agent = { agent_id: "warden", tmux_session_name: "warden-main", ...more };
    Deno.writeTextFileSync(this.env.GSD_REGISTRY!, JSON.stringify({ agents: [agent] }));
  }

  register(...args: string[]) {
    return this.ours("register.ts", ...args);
  }

  async ours(file: string, ...args: string[]) {
    const words = ["run", "-A", "--quiet", `${ROOT}/${file}`, ...args];
    const outcome = await run(Deno.execPath(), words, { timeoutMs: 120_000, env: this.env });
    assert(outcome.kind === "finished", JSON.stringify(outcome));
    return outcome;
  }

  wakes(): string[] {
    const dir = `${this.scene.dir}/state/inbox/warden`;
    return namesIn(dir).map((name) => readTextIfThere(`${dir}/${name}`) ?? "");
  }

  async wake(trigger: string, part: string): Promise<string> {
    return await until(
      `a wake ${trigger} with "${part}"`,
      () => this.wakes().find((text) => text.includes(`type: ${trigger}\n`) && text.includes(part)),
      { present: () => [...this.wakes(), ...this.problems()].join("\n") },
    );
  }

  problems(): string[] {
    const journal = readTextIfThere(`${this.scene.dir}/state/journal/warden-main.jsonl`) ?? "";
    return journal.split("\n").filter((line) => {
      const entry: unknown = line === "" ? {} : JSON.parse(line);
      return isObject(entry) && (entry.kind === "problem" || entry.kind === "failed");
    });
  }
}
