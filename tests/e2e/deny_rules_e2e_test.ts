/** The block of docs/safety.md against a Claude that may run anything. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { isThere } from "../../lib/files.ts";
import { ROOT } from "../../lib/paths.ts";
import { inScene } from "../support/artefacts.ts";
import { ClaudeModel, type Scenario } from "../support/claude_model.ts";
import { startClaude } from "../support/real_claude.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { TmuxServer } from "../support/tmux_server.ts";
import { until } from "../support/until.ts";

function printedBlock(): Record<string, unknown> {
  const page = Deno.readTextFileSync(`${ROOT}/docs/safety.md`);
  const block = /```json\n(\{\n {2}"sandbox"[\s\S]*?)```/.exec(page)?.[1];
  assert(block !== undefined, "docs/safety.md has no block of settings");
  return JSON.parse(block);
}

/** Without it Claude Code does not start, as the block wants: then the rules are tried alone. */
function hasSandbox(): boolean {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  return ["bwrap", "socat"].every((name) => folders.some((dir) => isThere(`${dir}/${name}`)));
}

for (const version of VERSIONS.claude) {
  Deno.test(`${version}: the printed rules keep Claude from answering for itself`, () =>
    inScene(`rules ${version}`, async (scene) => {
      const { sandbox, ...rules } = printedBlock();
      const isSandboxed = version === VERSIONS.claude[0] && hasSandbox();
      const settings = isSandboxed ? { sandbox, ...rules } : rules;
      const folders = [".local/state/gsd-code-skill", ".local/share/gsd-code-skill"];
      const [state, data, clone] = [...folders, "gsd-code-skill"].map((name) =>
        `${scene.home}/${name}`
      );
      for (const folder of [state!, `${data}/bin`, clone!]) {
        Deno.mkdirSync(folder, { recursive: true });
        Deno.writeTextFileSync(`${folder}/kept.txt`, "kept\n");
      }
      const bash = (command: string) => ({ tool: "Bash", input: { command, description: "x" } });
      const denied = [
        bash("tmux list-sessions"),
        bash("/usr/bin/tmux list-sessions"),
        bash("true && tmux list-sessions"),
        bash("sh -c 'tmux send-keys -t warden-main 1'"),
        bash("gsd-code menu-driver warden-main allow"),
        bash(`${data}/bin/menu-driver warden-main allow`),
        bash(`cat ${state}/kept.txt`),
        { tool: "Read", input: { file_path: `${state}/kept.txt` } },
        { tool: "Read", input: { file_path: `${clone}/kept.txt` } },
        { tool: "Write", input: { file_path: `${state}/new.txt`, content: "x" } },
        { tool: "Write", input: { file_path: `${clone}/new.ts`, content: "x" } },
        { tool: "Write", input: { file_path: `${scene.dir}/project/.mcp.json`, content: "{}" } },
      ];
      const hidden = isSandboxed
        ? [bash("T=tm; ${T}ux list-sessions"), bash("cat ~/.local/state/gsd-cod*/kept.txt")]
        : [];
      const tried = [bash("echo it-runs"), ...denied, ...hidden];
      const scenarios: Record<string, Scenario> = Object.fromEntries(
        tried.map((block, index) => [`try${index}`, [{ say: [block] }, { say: "Done." }]]),
      );
      const model = new ClaudeModel({ scenarios });
      scene.atEnd(() => model.stop());
      const claude = await startClaude({
        scene,
        server: TmuxServer.in(scene),
        modelUrl: model.url,
        session: "warden-main",
        version,
        settings,
        args: ["--permission-mode", "bypassPermissions"],
      });
      const results: string[] = [];
      for (const index of tried.keys()) {
        await claude.submit(`SCENARIO:try${index}`);
        const result = await until(
          `the result of ${JSON.stringify(tried[index])}`,
          () =>
            model.asked().find((request) =>
              request.scenario === `try${index}` && request.toolResults.length > 0
            ),
          { present: claude.capture },
        );
        results.push(result.toolResults.join("\n"));
        await claude.waitUntilIdle();
      }
      assertEquals(results[0], "it-runs");
      for (const [index, result] of results.slice(1, 1 + denied.length).entries()) {
        assertStringIncludes(result, "denied", JSON.stringify(denied[index]));
      }
      for (const result of results.slice(1 + denied.length)) {
        assertStringIncludes(result, "Exit code");
      }
      for (const folder of [state!, `${data}/bin`, clone!]) {
        assertEquals(Array.from(Deno.readDirSync(folder), ({ name }) => name), ["kept.txt"]);
      }
    }));
}
