import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { holdLock } from "../lib/doors/held_lock.ts";
import { changeAgent, IDLE, idOf, recover, spawned } from "./support/recovering.ts";
import { inSessionWorld } from "./support/session_world.ts";

Deno.test("recover() makes up for a wake when it could not wait for Claude Code before", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await world.killClaude(session);
    const slow = world.standIn("claude", IDLE);
    const waits = `until [ -e '${world.dir}/go' ]; do sleep 0.1; done; cat`;
    Deno.writeTextFileSync(slow, Deno.readTextFileSync(slow).replace("cat", waits));
    const first = await recover(world, "--timeout", "1");
    assertEquals([first.code, first.outcomes], [1, { anvil: "failed" }]);
    assertMatch(first.agents[0]!.detail, /showed no prompt within 1 s/);
    assertEquals(world.wakes("anvil"), []);

    Deno.writeTextFileSync(`${world.dir}/go`, "");
    assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
    assertEquals(world.wakes("anvil").map((wake) => wake.trigger), ["session_recovered"]);
    assertStringIncludes(world.wakes("anvil")[0]!.message, idOf(world, session));
    assertEquals((await recover(world)).outcomes, { anvil: "alive" });
    assertEquals(world.wakes("anvil").length, 1);
  }));

Deno.test("recover() makes up for a wake when the prompt is in bash mode", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await world.killClaude(session);
    world.standIn("claude", "08-bash-mode.txt");
    assertEquals((await recover(world, "--timeout", "2")).outcomes, { anvil: "failed" });
    assertEquals((await recover(world, "--timeout", "2")).outcomes, { anvil: "recovered" });
    assertEquals(world.wakes("anvil").length, 1);
  }));

for (const may of [false, true]) {
  Deno.test(`recover() offers what is allowed at a trust dialog with answer_permissions ${may}`, () =>
    inSessionWorld(async (world) => {
      const hook_settings = { answer_permissions: may };
      const session = await spawned(world, "anvil", { hook_settings });
      await world.killClaude(session);
      world.standIn("claude", "v325-80-trust.txt");
      assertEquals((await recover(world)).outcomes, { anvil: "recovered" });
      const [text, actions] = world.wakes("anvil")[0]!.message.split("[AVAILABLE ACTIONS]\n");
      const verbs = actions!.trim().split("\n").map((line) => line.split(" anvil-main ")[1]);
      assertEquals(verbs, may ? ["choose <n>", "esc", "snapshot"] : ["snapshot"]);
      assertEquals(/You may not answer it \(answer_permissions is off\)/.test(text!), !may);
    }));
}

Deno.test("recover() says in the wake what it really opened", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const program = world.standIn("claude", IDLE);
    changeAgent(world, { claude_launch_command: `${program} --continue` });
    await world.killClaude(session);
    assertEquals((await recover(world)).agents[0]!.conversation, "chosen");
    assertStringIncludes(
      world.wakes("anvil")[0]!.message,
      "Its launch command says itself which conversation it opens.",
    );
  }));

Deno.test("recover() says when the claude_resume_target is not known to Claude Code", () =>
  inSessionWorld(async (world) => {
    Deno.mkdirSync(`${world.dir}/p`);
    const claude_launch_command = world.standIn("claude", "55-resume-picker.txt");
    world.registry({
      agents: [{
        agent_id: "w",
        working_directory: `${world.dir}/p`,
        claude_launch_command,
        claude_resume_target: "the shop",
        openclaw_session_key: "agent:w:main",
      }],
    });
    assertEquals((await recover(world)).agents[0]!.conversation, "resume the shop");
    assertStringIncludes(
      world.wakes("w")[0]!.message,
      `No conversation fits its claude_resume_target "the shop": it shows a list.`,
    );
  }));

Deno.test("recover() fails for an entry that is wrong, and for an id that is there twice", () =>
  inSessionWorld(async (world) => {
    const dir = { working_directory: world.dir };
    world.registry({
      agents: [
        { agent_id: "typo", enabled: "true", ...dir },
        { agent_id: "twin", tmux_session_name: "a", ...dir },
        { agent_id: "twin", tmux_session_name: "b", ...dir },
      ],
    });
    const { code, agents } = await recover(world);
    assertEquals([code, agents.map(({ outcome }) => outcome)], [1, ["failed", "failed", "failed"]]);
    assertMatch(agents[0]!.detail, /enabled is not true or false/);
    assertMatch(agents[1]!.detail, /several entries with its agent_id/);
    assertMatch(world.warned.join("\n"), /typo: failed: /, "also with --json");
  }));

Deno.test("recover() of one agent keeps what was told of another's failure", () =>
  inSessionWorld(async (world) => {
    world.registry({
      global_status_openclaw_session_key: "agent:main:main",
      agents: [{ agent_id: "lost" }, { agent_id: "off", enabled: false }],
    });
    for (const args of [[], ["--agent", "off"], []]) await recover(world, ...args);
    assertEquals(world.wakes("global_status").length, 1);
  }));

Deno.test("recover() starts one deliverer for a wake", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await world.killClaude(session);
    await recover(world);
    assertEquals(world.carried, ["anvil"]);
  }));

Deno.test("recover() says for whom another recovery runs", () =>
  inSessionWorld(async (world) => {
    world.registry({ agents: [{ agent_id: "anvil" }] });
    const lock = holdLock(`${world.paths.state}/locks/recover`, "bolt")!;
    assertEquals((await recover(world, "--agent", "anvil")).code, 1);
    assertMatch(world.warned[0]!, /another recovery is running, for bolt; .* when it has ended/);
    lock.release();
  }));
