/** The life of a session that somebody started by hand: from adopt to remove, on the real program. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { namesIn } from "../../lib/files.ts";
import { type Paths, pathsFrom, ROOT } from "../../lib/paths.ts";
import { run } from "../../lib/process.ts";
import { shellQuote } from "../../lib/text.ts";
import { inScene, type Scene } from "../support/artefacts.ts";
import { ClaudeModel } from "../support/claude_model.ts";
import { writeExecutable } from "../support/executable.ts";
import { TestHome } from "../support/home.ts";
import { attach, claudeEnv, type RealClaude, startClaude } from "../support/real_claude.ts";
import { claudeProgram, type ClaudeVersion, VERSIONS } from "../support/real_programs.ts";
import { readLaunch } from "../support/recovering.ts";
import { TmuxServer } from "../support/tmux_server.ts";
import { until } from "../support/until.ts";

/** One agent, whose wakes go to files; its name in the registry is none of this story. */
class LifeStage {
  readonly server: TmuxServer;
  readonly model: ClaudeModel;
  readonly env: Record<string, string>;
  readonly paths: Paths;

  constructor(readonly scene: Scene, readonly version: ClaudeVersion) {
    this.server = TmuxServer.in(scene);
    this.model = new ClaudeModel({ answer: ({ prompt }) => ({ say: `Done: ${prompt}` }) });
    scene.atEnd(() => this.model.stop());
    this.env = {
      ...new TestHome(scene).env,
      GSD_TMUX: `${scene.dir}/tmux`,
      GSD_CLAUDE: `${scene.dir}/claude`,
    };
    this.paths = pathsFrom((name) => this.env[name], ROOT);
    const delivery = { transport: "inbox" };
    const agents = [{ agent_id: "warden", tmux_session_name: "warden-main", delivery }];
    Deno.writeTextFileSync(this.paths.registry, JSON.stringify({ delivery, agents }));
  }

  /** As a person starts it, with our hooks in the user's settings. */
  async startByHand(session: string): Promise<RealClaude> {
    const set = Object.entries(claudeEnv(this.model.url))
      .map(([name, value]) => `${name}=${shellQuote(value)}`).join(" ");
    const program = await claudeProgram(this.version);
    writeExecutable(this.env.GSD_CLAUDE!, `#!/bin/sh\nexport ${set}\nexec ${program} "$@"\n`);
    const printed = await this.ours("register", "--print");
    return await startClaude({
      ...{ scene: this.scene, server: this.server, modelUrl: this.model.url, session },
      ...{ version: this.version, settings: { hooks: JSON.parse(printed.stdout).hooks } },
      env: this.env,
    });
  }

  /** Runs one of our commands; `code` is the exit code it must have. */
  async ours(name: string, ...args: string[]) {
    const file = name === "register" ? "register.ts" : `commands/${name.replace("-", "_")}.ts`;
    const words = ["run", "-A", "--quiet", `${ROOT}/${file}`, ...args];
    const done = await run(Deno.execPath(), words, {
      ...{ env: this.env, timeoutMs: 600_000, cwd: "/" },
    });
    if (done.kind !== "finished") throw new Error(`${name} ${args.join(" ")}: ${done.kind}`);
    return done;
  }

  async must(name: string, ...args: string[]): Promise<string> {
    const done = await this.ours(name, ...args);
    assertEquals(done.code, 0, `${name} ${args.join(" ")}: ${done.stderr}`);
    return done.stdout;
  }

  wakes(): string[] {
    const inbox = `${this.paths.state}/inbox/warden`;
    return namesIn(inbox).filter((name) => name.endsWith(".txt"))
      .map((name) => Deno.readTextFileSync(`${inbox}/${name}`));
  }

  wake(trigger: string, part: string): Promise<string> {
    return until(
      `a wake ${trigger} with "${part}"`,
      () => this.wakes().find((one) => one.includes(`type: ${trigger}\n`) && one.includes(part)),
      { present: () => this.wakes().join("\n---\n") },
    );
  }

  held(): number {
    return namesIn(`${this.paths.state}/outbox/warden`).filter((name) => name.endsWith(".json"))
      .length;
  }

  /** Files below state and data that have one of these names in theirs. */
  traces(...names: string[]): string[] {
    const below = (folder: string): string[] =>
      namesIn(folder).flatMap((name) => {
        const path = `${folder}/${name}`;
        return Deno.lstatSync(path).isDirectory ? [path, ...below(path)] : [path];
      });
    return [this.paths.state, `${this.paths.data}/launches`].flatMap(below)
      .map((path) => path.slice(this.scene.dir.length))
      .filter((path) => names.some((name) => path.split("/").at(-1)!.includes(name)));
  }
}

for (const version of VERSIONS.claude) {
  Deno.test(`the life of a session on Claude Code ${version}: adopted, renamed, held, taken, stopped, removed`, () =>
    inScene(`life ${version}`, async (scene) => {
      const stage = new LifeStage(scene, version);
      const { paths, server } = stage;
      let claude = await stage.startByHand("mine");
      await claude.submit("before anybody has it");
      await claude.waitForScreen("its answer", (screen) => /Done: before/.test(screen));
      await claude.waitUntilIdle();

      const adopted = JSON.parse(await stage.must("adopt", "mine", "warden", "--json"));
      assertEquals([adopted.state, adopted.hooks], ["adopted", "registered"]);
      const { claude_session_id: id } = readLaunch(paths, "mine");
      assertMatch(id, /^[0-9a-f-]{36}$/);
      await claude.submit("first of warden");
      const first = await stage.wake("response_complete", "Done: first of warden");
      assertStringIncludes(first, "\ntmux_session_name: mine\n");
      assertEquals(stage.wakes().length, 1, "nothing of the time before");
      await claude.waitUntilIdle();

      await stage.must("rename", "mine", "docs");
      claude = await attach({ server, session: "docs" }, "");
      // The agent still has the wake with the old name.
      await stage.must("menu-driver", "mine", "type", "second of warden");
      const second = await stage.wake("response_complete", "Done: second of warden");
      assertStringIncludes(second, "\ntmux_session_name: docs\n");
      await claude.waitUntilIdle();

      await stage.must("pause", "warden");
      await claude.submit("third while paused");
      await until("the wake to be held", () => stage.held() === 1);
      await claude.waitUntilIdle();
      await stage.must("resume", "warden");
      const resumed = await stage.wake("resumed", "Done: third while paused");
      assertMatch(resumed, /^held: 1 wake$/m);

      await stage.must("take", "docs");
      const refused = await stage.ours("menu-driver", "docs", "type", "of the agent");
      assertEquals(refused.code, 1);
      assertMatch(refused.stderr, /a person has taken this session since /);
      await claude.submit("fourth by hand");
      await until("the wake to be held", () => stage.held() === 1);
      await claude.waitUntilIdle();
      await stage.must("give", "docs", "I asked it myself");
      const given = await stage.wake("given_back", "Done: fourth by hand");
      assertStringIncludes(given, "The person who had the session says:\nI asked it myself\n");
      assertEquals(stage.wakes().filter((one) => one.includes("Done: fourth")).length, 1);

      await stage.must("stop", "docs");
      const ended = await stage.wake("session_end", "Its conversation is kept");
      assertMatch(ended, /^advice: It was ended on purpose, with gsd-code stop\./m);
      const left = JSON.parse(await stage.must("recover", "--skip-sync", "--json")).agents;
      assertEquals(left.map(({ outcome }: { outcome: string }) => outcome), ["left out"]);
      await stage.must("recover", "docs", "--skip-sync", "--timeout", "300");
      assertEquals(readLaunch(paths, "docs").claude_session_id, id);
      claude = await attach({ server, session: "docs" }, "");
      await claude.waitForScreen("its conversation", (screen) => /fourth by hand/.test(screen));
      await stage.wake("session_recovered", "docs");
      await claude.waitUntilIdle();

      await stage.must("stop", "docs");
      await until("all wakes to be sent", () => stage.held() === 0);
      await stage.must("remove", "docs");
      const traces = stage.traces("docs", "mine", id);
      assert(traces.includes("/state/journal/docs.jsonl"));
      assertEquals(traces.filter((path) => !/^\/state\/(journal|texts)\//.test(path)), []);
      assert(!(await server.sessions()).includes("docs"));
      assertEquals(stage.traces("%"), [], "no mark of its panes");
    }));
}
