/** The watch over the real Claude Code: what no hook can tell, told once. */

import { readScreen } from "../../lib/pane.ts";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { allProcesses, isClaude, treeBelow } from "../../lib/doors/process_tree.ts";
import { inScene } from "../support/artefacts.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { INBOX, ofType, startWatch, told, withoutGateway } from "./inbox_stage.ts";
import { Stage } from "./stage.ts";

async function claudePid(stage: Stage): Promise<number> {
  const target = `=${stage.session("anvil")}:`;
  const pane = await stage.server.tmux("list-panes", "-t", target, "-F", "#{pane_pid}");
  return treeBelow(await allProcesses(), Number(pane)).find((one) => isClaude(one))!.pid;
}

for (const version of VERSIONS.claude) {
  Deno.test(`${version}: the watch reports a turn without a hook, a stall, Esc and a kill, once`, () =>
    inScene(`watch ${version}`, async (scene) => {
      const shared = withoutGateway(scene);
      const stage = new Stage(scene, { shared, version, agents: ["anvil"] });
      stage.writeRegistry({ anvil: { ...INBOX, hook_settings: { stall_after_s: 10 } } });
      const held = Promise.withResolvers<void>();
      scene.atEnd(() => held.resolve());
      stage.claudeModel.answer = ({ prompt }) =>
        prompt.includes("slowly")
          ? { hold: held.promise, say: "Too late." }
          : { say: `You said: ${prompt.slice(0, 60)}` };
      const claude = await stage.spawn("anvil", "the first words");
      await told(stage, "response_complete", "the first words");
      const kill = await startWatch(stage);

      // Hooks find no agent in a broken registry. The watch knows the one before.
      const registry = Deno.readTextFileSync(stage.paths.registry);
      Deno.writeTextFileSync(stage.paths.registry, "{ broken");
      await claude.submit("told by no hook");
      const late = await told(stage, "response_complete", "told by no hook");
      assertMatch(late, /^late: \d+ s$/m);
      assertStringIncludes(late, "evidence: Claude Code says that it is idle since");
      Deno.writeTextFileSync(stage.paths.registry, registry);

      await claude.submit("work slowly");
      await claude.waitForScreen("work", (screen) => readScreen(screen).state === "working");
      // Its spinner turns and its clock runs, but no answer comes.
      const stalled = await told(stage, "stalled");
      assertMatch(stalled, /It last did:\nwork slowly/);
      await claude.keys("Escape");
      // With the mod its companion tells it, at once; else the watch does.
      const hasMod = version !== "2.1.197";
      const whose = hasMod
        ? /^stopped_by: a person at the terminal$/m
        : /The prompt was: work slowly/;
      assertMatch(await told(stage, "interrupted"), whose);

      // Killed like Claude Code itself, and started again, it tells nothing twice.
      await kill();
      await startWatch(stage);
      Deno.kill(await claudePid(stage), "SIGKILL");
      const lost = await told(stage, "session_lost");
      const known = /evidence: no SessionEnd came; process \d+ has ended; only a shell/;
      if (!hasMod) assertMatch(lost, known);
      await told(stage, "session_recovered", "It goes on with its own conversation");
      const again = await stage.attach("anvil");
      await again.submit("back again");
      await told(stage, "response_complete", "back again");
      const types = ["stalled", "interrupted", "session_lost", "session_recovered"];
      assertEquals(types.map((type) => ofType(stage, type).length), [1, 1, 1, 1]);
      const turns = ofType(stage, "response_complete");
      assertEquals(turns.length, 3, turns.join("\n---\n"));
      // The wake comes from a hook, and Claude Code is busy until its hooks have ended.
      const status = await until("an idle session", async () => {
        const { stdout } = await stage.ours("commands/status.ts");
        return / idle /.test(stdout) ? stdout : undefined;
      });
      assertMatch(status, /^anvil-\w+ +anvil +idle .* You said: back again$/m);
      assertMatch(status, /^1 session · (\$[\d.]+ today · )?gateway \S.* · watch up$/m);
    }));
}
