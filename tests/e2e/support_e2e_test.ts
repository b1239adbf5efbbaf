import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { namesIn } from "../../lib/files.ts";
import { AgentModel } from "../support/agent_model.ts";
import { inScene } from "../support/artefacts.ts";
import { ClaudeModel } from "../support/claude_model.ts";
import { startClaude } from "../support/real_claude.ts";
import { startOpenClaw } from "../support/real_openclaw.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { TmuxServer } from "../support/tmux_server.ts";
import { until } from "../support/until.ts";

const recorder = new URL("../support/recording_hook.ts", import.meta.url).pathname;

for (const version of VERSIONS.claude) {
  Deno.test(`Claude Code ${version} answers a prompt and runs a Stop hook`, () =>
    inScene(`support ${version}`, async (scene) => {
      const model = new ClaudeModel({ scenarios: { hello: { say: "Good day to you." } } });
      scene.atEnd(() => model.stop());
      const server = TmuxServer.in(scene);
      const payloads = `${scene.dir}/payloads`;
      Deno.mkdirSync(payloads);
      const command = `${Deno.execPath()} run -A ${recorder} ${payloads}`;
      const claude = await startClaude({
        scene,
        server,
        version,
        session: "warden-main",
        modelUrl: model.url,
        settings: { hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } },
      });
      await claude.submit("Say hello SCENARIO:hello");
      const file = await until(
        "a Stop payload",
        // What begins with a dot is still being written.
        () => namesIn(payloads).find((name) => /^[^.].*-Stop-/.test(name)),
        { present: claude.capture },
      );
      const payload = JSON.parse(Deno.readTextFileSync(`${payloads}/${file}`));
      assertEquals(payload.last_assistant_message, "Good day to you.");
      await claude.waitForScreen("the answer", (screen) => screen.includes("Good day to you."));
      assertEquals(model.asked().length, 1);
      assertStringIncludes(model.asked()[0]!.prompt, "Say hello SCENARIO:hello");
    }));
}

Deno.test("OpenClaw's gateway takes a message and asks the agent's model", () =>
  inScene("support gateway", async (scene) => {
    const model = new AgentModel();
    scene.atEnd(() => model.stop());
    const gateway = await startOpenClaw({ scene, modelUrl: model.url, agents: ["warden"] });
    const session = await gateway.createSession("warden");
    assertEquals(session.key, "agent:warden:main");
    assert(/^[0-9a-f-]{36}$/.test(session.id), session.id);
    const [asked] = model.asked("create");
    assertEquals(asked?.message, "create");
    assertEquals(asked?.agent, "warden");
  }));
