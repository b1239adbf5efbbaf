/** What steps can be, and what can happen to their session, on the real Claude Code. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { inScene } from "../support/artefacts.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { QueueStage } from "./queue_stage.ts";
import { readQueue } from "../../lib/steps_file.ts";
import { queueDir } from "../../lib/paths.ts";
import { isFolder, namesIn } from "../../lib/files.ts";

for (const version of VERSIONS.claude) {
  Deno.test(`queue on Claude Code ${version}: commands, a condition, a time, and each step reported`, () =>
    inScene(`queue told ${version}`, async (scene) => {
      const stage = new QueueStage(scene, version);
      stage.writeRegistry({ queue_wakes: "each" });
      const commands = `${scene.dir}/warden/.claude/commands`;
      Deno.mkdirSync(commands, { recursive: true });
      Deno.writeTextFileSync(`${commands}/release.md`, "step w-9 of the command");
      stage.extra = ({ prompt }) =>
        prompt.includes("step w-1") ? { say: "Two failed. Run /release, or /made-up" } : undefined;
      await stage.start("warden");
      const words: [string, ...string[]] = ["queue", "warden-main", "add"];
      await stage.must(...words, "step w-1", "/context");
      const first = await stage.wake("warden", "response_complete", "Two failed");
      assertMatch(first, /^suggested: \/release$/m);
      await stage.must(...words, "step w-2", "--if-last-matches", "all is GREEN");
      const met = await stage.wake("warden", "queue_paused", "--if-last-matches");
      assertMatch(met, /^reason: step 3 is for an answer with "all is GREEN"$/m);
      const soon = new Date(Date.now() + 15_000).toISOString();
      await stage.must(...words, "--after", soon, "step w-3");
      await stage.act(met, / warden-main resume$/);
      await stage.wake("warden", "response_complete", "Done: step w-2");
      const done = await stage.wake("warden", "queue_done");
      assertMatch(done, /^steps: 4 done$/m);
      assertStringIncludes(done, "\n2. /context (done in ");
      const begun = stage.journal("warden").find((line) =>
        line.kind === "step" && line.status === "begun" && line.step === 4
      );
      assert(String(begun?.at) >= soon, `${begun?.at} is before ${soon}`);
      assertEquals(stage.carriedOut("warden").filter((one) => one.startsWith("step")), [
        ...["step w-1", "step w-2", "step w-3"],
      ]);
      assertEquals(stage.triggers("warden"), [
        ...["response_complete", "queue_paused", "response_complete", "response_complete"],
        "queue_done",
      ]);
    }));

  Deno.test(`queue on Claude Code ${version}: /compact, and a subagent that outlives its turn`, () =>
    inScene(`queue compact ${version}`, async (scene) => {
      const stage = new QueueStage(scene, version);
      // In the mode "auto" a subagent needs a model that checks it.
      stage.script = 'set -- "$@" --permission-mode default';
      const input = {
        description: "look around",
        prompt: "SUBAGENT",
        subagent_type: "general-purpose",
        run_in_background: true,
      };
      const subagent = Promise.withResolvers<void>();
      stage.extra = ({ prompt, toolResults }) => {
        if (prompt.includes("SUBAGENT")) return { say: "Seen all", hold: subagent.promise };
        if (prompt.startsWith("step w-1") && toolResults.length === 0) {
          return { say: [{ tool: "Agent", input }] };
        }
        return undefined;
      };
      await stage.start("warden");
      await stage.must("queue", "warden-main", "add", "step w-1", "/compact", "step w-2");
      await until("a turn that leaves it running", () => stage.queue("warden")?.steps[0]?.goes_on, {
        present: () => stage.present("warden"),
      });
      assertEquals(stage.queue("warden")?.steps[1]?.state, "waiting");
      subagent.resolve();
      const done = await stage.wake("warden", "queue_done");
      assertMatch(done, /^steps: 3 done$/m);
      assertStringIncludes(done, "\n2. /compact (done in ");
      const steps = stage.carriedOut("warden").filter((one) => one !== "/compact");
      assertEquals(steps, ["step w-1", "step w-2"]);
      assertEquals(stage.model.asked("compact").length, 1);
    }));

  Deno.test(`queue on Claude Code ${version}: a prompt that Claude has scheduled belongs to its step`, () =>
    inScene(`queue scheduled ${version}`, async (scene) => {
      const stage = new QueueStage(scene, version);
      stage.script = 'set -- "$@" --permission-mode default';
      // Within a minute: Claude Code knows no shorter time.
      const input = { cron: "* * * * *", prompt: "look at the build", recurring: false };
      stage.extra = ({ prompt, toolResults }) =>
        prompt.startsWith("step w-1") && toolResults.length === 0
          ? { say: [{ tool: "CronCreate", input }] }
          : undefined;
      await stage.start("warden");
      await stage.must("queue", "warden-main", "add", "step w-1", "step w-2");
      const done = await stage.wake("warden", "queue_done");
      assertMatch(done, /^steps: 2 done$/m);
      assertEquals(stage.triggers("warden"), ["queue_done"]);
      const scheduled = stage.journal("warden").filter((line) =>
        line.kind === "prompt" && line.text === "look at the build"
      );
      assertEquals(scheduled.map((line) => line.by_kind), ["claude"]);
    }));

  Deno.test(`queue on Claude Code ${version}: its session is renamed, stopped, removed`, () =>
    inScene(`queue renamed ${version}`, async (scene) => {
      const stage = new QueueStage(scene, version);
      stage.heldFrom = 1;
      await stage.start("warden");
      await stage.must("queue", "warden-main", "add", "step w-1", "step w-2", "step w-3");
      await stage.begun("warden", 1);
      await stage.must("rename", "warden-main", "docs");
      stage.permit("warden", 1);
      stage.permit("warden", 2);
      const third = () => readQueue(stage.paths, "docs")?.steps[2]?.state === "begun";
      await until("step 3 in the renamed session", third);
      await stage.must("queue", "docs", "add", "step w-4");
      // The agent still has a wake with the old name.
      assertStringIncludes(await stage.must("queue", "warden-main", "list"), "docs: step 3 runs");
      // It waits for the end of the step that runs, and lets no other one begin.
      const stopped = stage.must("stop", "docs");
      await until("the stop", () => readQueue(stage.paths, "docs")?.stopping);
      stage.permit("warden", 3);
      await stopped;
      const { steps, stopping } = readQueue(stage.paths, "docs")!;
      assertEquals(steps.map(({ state }) => state), ["done", "done", "done", "waiting"]);
      assertEquals(stopping, undefined);
      // With the session the queue comes back.
      await stage.must("recover", "docs", "--skip-sync", "--timeout", "300");
      stage.permit("warden", 4);
      assertMatch(await stage.wake("warden", "queue_done"), /^steps: 4 done$/m);
      await stage.must("queue", "docs", "add", "--after", "2099-01-01T00:00", "step w-5");
      await stage.must("stop", "docs");
      assertEquals(stage.carriedOut("warden"), ["step w-1", "step w-2", "step w-3", "step w-4"]);
      const outbox = `${stage.paths.state}/outbox/warden`;
      await until("all wakes to be told", () => namesIn(outbox).length === 0);
      await stage.must("remove", "docs");
      assertEquals(isFolder(queueDir(stage.paths, "docs")), false);
      assertEquals(isFolder(queueDir(stage.paths, "warden-main")), false);
    }));
}
