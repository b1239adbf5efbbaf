/** bin/hook under the real Claude Code: large events, /compact, and hooks given twice. */

import { assert, assertEquals } from "@std/assert";
import { namesIn, readTextIfThere } from "../../lib/files.ts";
import { placesFor, ROOT } from "../../lib/paths.ts";
import { run } from "../../lib/process.ts";
import { writeSettings } from "../../lib/sessions/agent_launch.ts";
import { inScene } from "../support/artefacts.ts";
import { ClaudeModel } from "../support/claude_model.ts";
import { prepareHome, startClaude } from "../support/real_claude.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { TmuxServer } from "../support/tmux_server.ts";
import { until } from "../support/until.ts";
import { writeExecutable } from "../support/executable.ts";

/** More than a socket takes at once: Claude Code is still writing when the gate has ended. */
const LONG = "A long line of the answer.\n".repeat(12_000) + "The end of it.";

for (const version of VERSIONS.claude) {
  Deno.test(`Claude Code ${version} runs each hook once by bin/hook, registered and spawned by two Denos`, () =>
    inScene(`launcher ${version}`, async (scene) => {
      const model = new ClaudeModel({
        scenarios: { hello: { say: "Good day to you." }, long: { say: LONG } },
      });
      scene.atEnd(() => model.stop());
      const server = TmuxServer.in(scene);
      const variables: Record<string, string> = {
        HOME: scene.home,
        PATH: Deno.env.get("PATH") ?? "",
        DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
        GSD_TMUX: `${scene.dir}/tmux`,
        GSD_REGISTRY: `${scene.dir}/registry.json`,
        GSD_STATE_DIR: `${scene.dir}/state`,
        GSD_DATA_DIR: `${scene.dir}/data`,
      };
      const agent = { agent_id: "warden", tmux_session_name: "warden-main" };
      const registry = { delivery: { transport: "inbox" }, agents: [agent] };
      Deno.writeTextFileSync(variables.GSD_REGISTRY!, JSON.stringify(registry));
      for (const session of ["somebody-else", "warden-main"]) {
        prepareHome(scene, `${scene.dir}/${session}`);
      }
      const words = ["run", "-A", "--quiet", `${ROOT}/register.ts`];
      const registered = await run(Deno.execPath(), words, { timeoutMs: 120_000, env: variables });
      assert(registered.kind === "finished" && registered.code === 0, JSON.stringify(registered));

      // What spawn gives its session, run by another Deno than register was.
      const env = (name: string) => variables[name];
      const spawned = `${scene.dir}/spawned.json`;
      Deno.symlinkSync(Deno.execPath(), `${scene.dir}/deno-2`);
      writeSettings({
        env,
        environment: () => variables,
        cwd: () => scene.dir,
        deno: `${scene.dir}/deno-2`,
        now: () => new Date(),
        say: () => {},
        warn: () => {},
        startDeliverer: () => {},
        paths: placesFor(env, ROOT),
      }, spawned);

      // Counts what Claude Code starts.
      const [hook, calls] = [`${scene.dir}/data/bin/hook`, `${scene.dir}/calls`];
      Deno.renameSync(hook, `${hook}.real`);
      const counting = `#!/bin/sh\necho "$TMUX_PANE $1" >> '${calls}'\nexec '${hook}.real' "$@"\n`;
      writeExecutable(hook, counting);
      const count = (pane: string, event: string) =>
        (readTextIfThere(calls) ?? "").split("\n").filter((one) => one === `${pane} ${event}`)
          .length;

      const start = (session: string, args: string[]) =>
        startClaude({
          ...{ scene, server, version, session, args, modelUrl: model.url },
          project: `${scene.dir}/${session}`,
        });
      const stranger = await start("somebody-else", []);
      await stranger.submit("Much SCENARIO:long");
      await stranger.waitForScreen("the answer", (screen) => screen.includes("The end of it."));
      await until("its Stop hook", () => count(stranger.pane, "stop") === 1);
      await stranger.submit("Say hello SCENARIO:hello");
      await stranger.waitForScreen("the answer", (screen) => screen.includes("Good day to you."));
      const quiet = await stranger.waitUntilIdle();
      assert(!/hook error|EPIPE|hook.*fail/i.test(quiet), quiet);
      assertEquals(namesIn(`${scene.dir}/state`), [], "an unmanaged session leaves no trace");

      const warden = await start("warden-main", ["--settings", spawned]);
      await warden.submit("Say hello SCENARIO:hello");
      const inbox = `${scene.dir}/state/inbox/warden`;
      await until("the wake", () => namesIn(inbox).length === 1);
      await warden.waitUntilIdle();
      assertEquals([count(warden.pane, "session_start"), count(warden.pane, "stop")], [1, 1]);

      for (const turn of [2, 3]) { // with less there is nothing to compact
        await warden.submit("Once more SCENARIO:hello");
        await until(`turn ${turn}`, () => count(warden.pane, "stop") === turn);
        await warden.waitUntilIdle();
      }
      await warden.submit("/compact");
      await until("the hook of the compaction", () => count(warden.pane, "pre_compact") === 1);
      const isOver = (screen: string) => /ompacted/.test(screen) && !/Compacting/.test(screen);
      const shown = await warden.waitForScreen("the end of the compaction", isOver);
      assert(!/--allow-|GSD_STATE_DIR/.test(shown), shown);
      const told = /PreCompact \[[^]*?\] completed/.exec(shown)?.[0] ?? "";
      assert(told.includes("bin/hook") && told.split("\n").length <= 3, shown);
    }));
}
