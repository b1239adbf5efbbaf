import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { AgentResult } from "../../lib/recovery/recovery_result.ts";
import { readTextIfThere } from "../../lib/files.ts";
import { readLaunch } from "../support/recovering.ts";
import { allProcesses, isClaude, treeBelow } from "../../lib/doors/process_tree.ts";
import { readRegistry } from "../../lib/registry.ts";
import { readMemory } from "../../lib/session_memory.ts";
import { inScene } from "../support/artefacts.ts";
import { attach, prepareHome } from "../support/real_claude.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { ROOT } from "../../lib/paths.ts";
import { openSharedGateway, type SharedGateway } from "./shared_gateway.ts";
import { Stage } from "./stage.ts";

const AGENTS = ["anvil", "bolt", "crane"];
const HARD_TEXT = `Say "hello" to 'them': $HOME, \`id\`, \\n, 100% & <b>; done!`;

/** The process of Claude Code below a session's pane. */
async function claudePid(stage: Stage, session: string): Promise<number> {
  return await until(`Claude Code's process in ${session}`, async () => {
    const pid = await stage.server.tmux("list-panes", "-t", `=${session}:`, "-F", "#{pane_pid}");
    const tree = treeBelow(await allProcesses(), Number(pid));
    return tree.find((process) => isClaude(process))?.pid;
  });
}

async function killAll(stage: Stage, sessions: string[]): Promise<void> {
  for (const session of sessions) Deno.kill(await claudePid(stage, session), "SIGKILL");
}

async function killServer(stage: Stage): Promise<void> {
  Deno.kill(Number(await stage.server.tmux("display-message", "-p", "#{pid}")), "SIGKILL");
  await until(
    "the tmux server to be gone",
    async () => (await stage.server.sessions()).length === 0,
  );
}

async function recover(stage: Stage) {
  const done = await stage.ours("commands/recover.ts", "--json");
  const { agents }: { agents: AgentResult[] } = JSON.parse(done.stdout);
  return {
    code: done.code,
    agents,
    outcomes: Object.fromEntries(agents.map((agent) => [agent.agent_id, agent.outcome])),
  };
}

type Story = (shared: SharedGateway) => Promise<void>;
const stories: [name: string, story: Story][] = [];
const story = (name: string, play: Story) => stories.push([name, play]);

for (const version of VERSIONS.claude) {
  story(
    `spawn on Claude Code ${version}: from nothing to an answered prompt and a wake`,
    (shared) =>
      inScene(`spawn ${version}`, async (scene) => {
        const stage = new Stage(scene, { shared, version, agents: ["anvil"] });
        stage.env.GSD_CLAUDE = await stage.claudeLauncher();
        Deno.removeSync(stage.paths.registry);
        const folder = `${scene.dir}/anvil`;
        stage.claudeModel.answer = () => ({ say: `Everybody has been greeted by ${version}.` });
        const prompt = `Mind the "quotes", 'these' too, $HOME, \`date\`\n\nand the second line \\`;
        const done = await stage.ours(
          ...["commands/spawn.ts", "anvil", folder, HARD_TEXT, "--system-prompt", prompt, "--json"],
        );
        assertEquals(done.code, 0, done.stderr);
        const result = JSON.parse(done.stdout);
        assertEquals([result.session, result.state], ["anvil-main", "ready"]);

        const asked = await stage.waitForPrompt("hello");
        assertEquals(asked.prompt.trim(), HARD_TEXT);
        const system = JSON.stringify(asked.body.system);
        assertStringIncludes(system, JSON.stringify(prompt).slice(1, -1));
        assertStringIncludes(system, "This session runs in tmux");

        // The registry was made by spawn, and nothing was ever registered with Claude Code.
        const written = Deno.readTextFileSync(stage.paths.registry);
        assertStringIncludes(written, `"openclaw_session_key": "agent:anvil:main"`);
        const user = readTextIfThere(`${scene.home}/.claude/settings.json`) ?? "";
        assertEquals(user.includes("hooks"), false);
        const told = await until(
          "the wake",
          () => shared.agentModel.asked(`greeted by ${version}`)[0],
          { present: () => Deno.readTextFileSync(`${stage.paths.state}/journal/anvil-main.jsonl`) },
        );
        assertMatch(told.message, /type: response_complete/);
        assertMatch(told.message, /bin\/(gsd-code )?menu-driver .*anvil-main type <text>/);
        assertEquals(
          readMemory(stage.paths, "anvil-main").claude_session_id,
          readLaunch(stage.paths, "anvil-main").claude_session_id,
        );
      }),
  );
}

story(
  "recover brings three agents back into their conversations; a fourth fails alone",
  (shared) =>
    inScene("recover three", async (scene) => {
      const stage = new Stage(scene, { shared, version: VERSIONS.claude[0], agents: AGENTS });
      const sessions = AGENTS.map((agent) => stage.session(agent));
      const lost = { agent_id: "drill", working_directory: `${scene.dir}/drill` };
      writeRegistry(stage, [lost]);
      stage.env.GSD_CLAUDE = await stage.claudeLauncher();
      stage.claudeModel.answer = ({ prompt }) => ({ say: `You said: ${prompt.slice(0, 40)}` });
      await Promise.all(AGENTS.map(async (agent) => {
        const done = await stage.ours(
          ...["commands/spawn.ts", agent, `${scene.dir}/${agent}`, `first words of ${agent}`],
        );
        assertEquals(done.code, 0, done.stderr);
      }));
      for (const agent of AGENTS) await stage.waitForWake("response_complete", "", agent);
      const before = sessions.map((session) => readMemory(stage.paths, session).transcript_path);

      const accidents: [string, () => Promise<void>][] = [
        ["Claude Code was killed", () => killAll(stage, sessions)],
        ["the tmux server was killed", () => killServer(stage)],
        ["both were killed", async () => {
          await killAll(stage, sessions);
          await killServer(stage);
        }],
      ];
      for (const [round, [what, happens]] of accidents.entries()) {
        await happens();
        const { code, outcomes, agents } = await recover(stage);
        assertEquals(
          outcomes,
          { anvil: "recovered", bolt: "recovered", crane: "recovered", drill: "failed" },
          `${what}: ${JSON.stringify(agents, null, 1)}`,
        );
        assertEquals(code, 1);
        const again = await recover(stage);
        assertEquals(again.outcomes, {
          anvil: "alive",
          bolt: "alive",
          crane: "alive",
          drill: "failed",
        });
        for (const agent of AGENTS) {
          const told = () =>
            stage.wakes(agent).filter((wake) => wake.trigger === "session_recovered");
          await until(`a wake for ${agent} of round ${round}`, () => told().length > round);
          assertEquals(told().length, round + 1, `${what}: one wake for ${agent}`);
          const claude = await stage.attach(agent);
          await claude.submit(`words of ${agent} after round ${round}`);
          const asked = await stage.waitForPrompt(`words of ${agent} after round ${round}`);
          assert(asked.texts.some((text) => text.includes(`first words of ${agent}`)), what);
          await claude.waitUntilIdle();
        }
      }
      const after = sessions.map((session) => readMemory(stage.paths, session).transcript_path);
      assertEquals(after, before, "the transcripts go on");
      for (const [index, agent] of AGENTS.entries()) {
        const transcript = Deno.readTextFileSync(after[index]!);
        assertStringIncludes(transcript, `first words of ${agent}`);
        assertStringIncludes(transcript, `words of ${agent} after round 2`);
      }
      const summaries = shared.agentModel.asked("type: recovery_failed");
      assertEquals(new Set(summaries.map(({ message }) => message)).size, 1, "told once");
      assertStringIncludes(
        summaries[0]!.message,
        `- drill (drill-main): its folder ${scene.dir}/drill`,
      );
    }),
);

story(
  "recover follows /clear: the conversation that SessionStart reported last",
  (shared) =>
    inScene("recover after clear", async (scene) => {
      const stage = new Stage(scene, { shared, version: VERSIONS.claude[0], agents: ["anvil"] });
      // After /clear the prompt is preceded by words about that command.
      stage.claudeModel.answer = ({ prompt }) => ({ say: `You said: ${prompt.slice(-20)}` });
      const claude = await stage.spawn("anvil", "words before");
      await stage.waitForWake("response_complete", "words before", "anvil");
      await claude.submit("/clear");
      await until("another id", () => {
        const { claude_session_id } = readMemory(stage.paths, stage.session("anvil"));
        return claude_session_id !==
          readLaunch(stage.paths, stage.session("anvil")).claude_session_id;
      });
      await claude.submit("words after");
      await stage.waitForWake("response_complete", "words after", "anvil");
      await killAll(stage, [stage.session("anvil")]);
      assertEquals((await recover(stage)).outcomes, { anvil: "recovered" });
      const back = await stage.attach("anvil");
      await back.submit("and now");
      const asked = await stage.waitForPrompt("and now");
      assert(asked.texts.some((text) => text.includes("words after")));
      assert(!asked.texts.some((text) => text.includes("words before")));
    }),
);

for (const version of VERSIONS.claude) {
  story(
    `recover on Claude Code ${version}: every session of an agent, and none twice`,
    (shared) =>
      inScene(`recover several ${version}`, async (scene) => {
        const stage = new Stage(scene, { shared, version, agents: ["anvil"] });
        stage.claudeModel.answer = ({ prompt }) => ({ say: `You said: ${prompt.slice(-30)}` });
        const main = stage.session("anvil");
        // Before the first start: a running Claude Code writes its own list of trusted folders.
        prepareHome(scene, `${scene.dir}/second`);
        await stage.spawn("anvil", "words of the first");
        const more = ["anvil", `${scene.dir}/second`, "words of the second", "--json"];
        const done = await stage.ours("commands/spawn.ts", ...more);
        assertEquals([done.code, JSON.parse(done.stdout).session], [0, `${main}-2`], done.stderr);
        await stage.waitForPrompt("words of the second");
        // Claude Code writes the transcript some 300 ms after the Stop hook.
        await until("their transcripts", () =>
          [main, `${main}-2`].every((session) => {
            const { transcript_path } = readMemory(stage.paths, session);
            return (readTextIfThere(transcript_path) ?? "").includes('"stop_hook_summary"');
          }));

        await killServer(stage);
        const { agents } = await recover(stage);
        assertEquals(agents.map(({ session }) => session).sort(), [main, `${main}-2`]);
        assertEquals(agents.map(({ outcome }) => outcome), ["recovered", "recovered"]);

        const claude = await attach({ server: stage.server, session: `${main}-2` }, "");
        await claude.keys("C-z"); // no shell waits below it: it has to come back by itself
        await claude.waitUntilIdle();
        await claude.submit("and after Ctrl-Z");
        const asked = await stage.waitForPrompt("and after Ctrl-Z");
        assert(asked.texts.some((text) => text.includes("words of the second")));
        await claude.waitUntilIdle();

        // Renamed in the registry alone: what runs is the agent's by its record, and stays as it is.
        await claude.submit("/clear");
        await until("another id", () => {
          const { claude_session_id } = readMemory(stage.paths, `${main}-2`);
          return claude_session_id !== readLaunch(stage.paths, `${main}-2`).claude_session_id;
        });
        await claude.submit("words after /clear");
        await stage.waitForPrompt("words after /clear");
        stage.writeRegistry({ anvil: { tmux_session_name: "renamed" } });
        const kept = await recover(stage);
        assertEquals(kept.agents.map(({ outcome }) => outcome), ["alive", "alive"]);
        assertEquals((await stage.server.sessions()).sort(), [main, `${main}-2`]);
      }),
  );
}

for (const version of VERSIONS.claude) {
  story(
    `recover on Claude Code ${version}: /exit is left as it is, a signal is not`,
    (shared) =>
      inScene(`recover by reason ${version}`, async (scene) => {
        const stage = new Stage(scene, { shared, version, agents: ["anvil"] });
        const [first, second] = [stage.session("anvil"), `${stage.session("anvil")}-2`];
        await stage.spawn("anvil", "words of the first");
        const more = ["anvil", `${scene.dir}/anvil`, "words of the second"];
        const done = await stage.ours("commands/spawn.ts", ...more);
        assertEquals(done.code, 0, done.stderr);
        await stage.waitForPrompt("words of the second");
        const ended = (session: string, reason: string) =>
          until(`${session} to end`, () => readMemory(stage.paths, session).ended === reason);
        const outcomes = async () => {
          const { agents } = await recover(stage);
          return Object.fromEntries(agents.map(({ session, outcome }) => [session, outcome]));
        };
        const claude = await attach({ server: stage.server, session: second }, "");
        await claude.submit("/exit");
        await ended(second, "prompt_input_exit");
        Deno.kill(await claudePid(stage, first), "SIGTERM");
        await ended(first, "other");
        assertEquals(await outcomes(), { [first]: "recovered", [second]: "left out" });

        await stage.server.tmux("kill-server");
        await ended(first, "other");
        assertEquals(await outcomes(), { [first]: "recovered", [second]: "left out" });
      }),
  );
}

story(
  "OpenClaw finds the skill eligible; sync reads its sessions, spawn its agents",
  (shared) =>
    inScene("skill", async (scene) => {
      const workspace = shared.gateway.config.replace(/\/home\/.*/, "/agents/anvil");
      Deno.mkdirSync(`${workspace}/skills/gsd-code-skill`, { recursive: true });
      Deno.copyFileSync(`${ROOT}/SKILL.md`, `${workspace}/skills/gsd-code-skill/SKILL.md`);
      const info = await shared.gateway.openclaw(
        ...["skills", "info", "gsd-code-skill", "--json", "--agent", "anvil"],
      );
      const skill = JSON.parse(info.stdout);
      assertEquals([skill.eligible, skill.modelVisible, skill.missing.bins], [true, true, []]);

      const stage = new Stage(scene, { shared, version: VERSIONS.claude[0], agents: AGENTS });
      const text = `{\n  // kept\n  "agents": [{ "agent_id": "bolt" }]\n}\n`;
      Deno.writeTextFileSync(stage.paths.registry, text);
      const done = await stage.ours("commands/sync.ts", "--json");
      assertEquals(done.code, 0, done.stderr);
      assertEquals(JSON.parse(done.stdout).source, "openclaw sessions");
      const written = Deno.readTextFileSync(stage.paths.registry);
      assertStringIncludes(written, "// kept");
      const reading = readRegistry(written);
      assert(reading.kind === "registry");
      assertEquals(reading.registry.agents[0]!.openclaw_session_key, "agent:bolt:main");
      assertMatch(reading.registry.agents[0]!.openclaw_session_id, /^[0-9a-f-]{36}$/);

      stage.env.GSD_CLAUDE = await stage.claudeLauncher();
      const typo = await stage.ours("commands/spawn.ts", "anvli", scene.dir, "", "--dry-run");
      assertEquals(typo.code, 1);
      assertMatch(typo.stderr, /neither the registry nor OpenClaw has .* did you mean anvil\?/);
      const meant = await stage.ours("commands/spawn.ts", "anvil", scene.dir, "", "--dry-run");
      assertEquals(meant.code, 0, meant.stderr);

      const gone = { agent_id: "bolt", openclaw_session_key: "agent:bolt:gone" };
      Deno.writeTextFileSync(stage.paths.registry, JSON.stringify({ agents: [gone] }));
      const wrong = await stage.ours("commands/sync.ts");
      assertEquals([wrong.code, wrong.stdout], [1, "Nothing was changed\n"]);
      assertMatch(wrong.stderr, /agent:bolt:gone, .* does not have; it has agent:bolt:main/);
    }),
);

function writeRegistry(stage: Stage, more: Record<string, unknown>[]): void {
  stage.writeRegistry();
  const registry = JSON.parse(Deno.readTextFileSync(stage.paths.registry));
  registry.global_status_openclaw_session_key = "agent:main:main";
  registry.agents.push(...more);
  Deno.writeTextFileSync(stage.paths.registry, JSON.stringify(registry, null, 2));
}

Deno.test("sessions on the real programs", async (t) => {
  const shared = await openSharedGateway(["main", ...AGENTS]);
  try {
    for (const [name, play] of stories) await t.step(name, () => play(shared));
  } finally {
    await shared.close();
  }
});
