/** The road inside: the mod in the real Claude Code, its companion, and the menu driver's launcher. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { restartCompanions } from "../../lib/install/restart_companions.ts";
import { listRoads } from "../../lib/companion/road_file.ts";
import { allProcesses } from "../../lib/doors/process_tree.ts";
import { modRoad } from "../../lib/driver/mod_road.ts";
import { namesIn } from "../../lib/files.ts";
import { readScreen } from "../../lib/pane.ts";
import { inScene } from "../support/artefacts.ts";
import { CAN_BE_NOBODY, NOBODY } from "../support/other_user.ts";
import { attach, claudeEnv } from "../support/real_claude.ts";
import { claudeProgram } from "../support/real_programs.ts";
import { pause, until } from "../support/until.ts";
import { HOLDS, InsideStage, isSmall, textOf } from "./inside_stage.ts";

/** By hand: GSD_INSIDE_INSTRUCTIONS=1000 GSD_INSIDE_KILLS=50. */
const KILLS = Number(Deno.env.get("GSD_INSIDE_KILLS") ?? 5);
const INSTRUCTIONS = Number(Deno.env.get("GSD_INSIDE_INSTRUCTIONS") ?? 60);

const DRAFT = "half a thought";

Deno.test("instructions go inside in every state, once, in order and byte for byte", (t) =>
  inScene("inside", async (scene) => {
    const inside = await InsideStage.start(scene);
    const { claude } = inside;
    const block = Math.ceil(INSTRUCTIONS / 5);
    let given = 0;
    /** So many, and each must have arrived. */
    const give = async (many: number, ...options: string[]) => {
      const before = inside.prompts().length;
      const texts = Array.from({ length: many }, () => textOf(given++));
      for (const text of texts) {
        const said = await inside.type(text, ...options);
        assertMatch(said, options.includes("--queue") ? /^Queued: / : /^Typed /);
        assertStringIncludes(said, "(through the mod)");
      }
      return { texts, before };
    };
    const check = async ({ texts, before }: { texts: string[]; before: number }) => {
      const prompts = await inside.arrived(before + texts.length);
      assertEquals(prompts.slice(before), texts);
      await claude.waitUntilIdle();
    };
    const isDraftThere = async () => readScreen(await claude.capture()).draft === DRAFT;

    await must(t, "one by one, while Claude is idle", async () => {
      await check(await give(block, "--wait", "60"));
    });
    await must(t, "in a burst, while Claude works", async () => {
      await inside.hold();
      const burst = await give(block, "--queue");
      assertEquals(inside.prompts().at(-1), HOLDS);
      inside.release();
      await check(burst);
    });
    await must(t, "before a dialog", async () => {
      await inside.type("/clear");
      await inside.dialog();
      const burst = await give(block, "--queue");
      await inside.stage.must(inside.stage.session, "choose", "1");
      await check(burst);
    });
    await must(t, "beside a draft, while Claude is idle", async () => {
      await inside.type("/clear");
      await inside.draft(DRAFT);
      for (let count = 0; count < block; count++) {
        const one = await give(1, "--wait", "60");
        assertEquals((await inside.arrived(one.before + 1)).slice(one.before), one.texts);
        assert(await isDraftThere());
      }
    });
    await must(t, "beside a draft, while Claude works", async () => {
      await inside.hold();
      const burst = await give(block, "--queue");
      assert(await isDraftThere());
      inside.release();
      const prompts = await inside.arrived(burst.before + burst.texts.length);
      assertEquals(prompts.slice(burst.before), burst.texts);
      assert(await isDraftThere());
      await claude.keys("C-u");
    });
    await must(t, "a command", async () => {
      await claude.waitUntilIdle();
      const said = await inside.type("/compact", "--wait", "60");
      assertEquals(said, 'Typed "/compact" (through the mod)\n');
    });
  }));

Deno.test("the mod is a road for its agent alone, and a person's Esc closes it", (t) =>
  inScene("inside-rights", async (scene) => {
    const inside = await InsideStage.start(scene, { loads: "by a variable" });
    const { claude, stage } = inside;
    const { session, paths } = stage;
    const road = await inside.road();
    const { socket } = road;

    await must(t, "a line below the prompt says whose session it is", async () => {
      await claude.waitForScreen("the line", (s) => s.includes("warden looks after this session"));
      assertEquals(readScreen(await claude.capture()).state, "idle");
    });
    await must(t, "--now interrupts the running turn", async () => {
      await inside.hold();
      assertEquals(
        await inside.type("Rather this", "--now"),
        'Typed "Rather this" (through the mod)\n',
      );
      assertEquals((await inside.arrived(2)).at(-1), "Rather this");
      inside.release();
    });
    await must(t, "a command of the project", async () => {
      Deno.mkdirSync(`${claude.project}/.claude/commands`, { recursive: true });
      Deno.writeTextFileSync(
        `${claude.project}/.claude/commands/hello.md`,
        "Say hello to $ARGUMENTS",
      );
      await claude.waitUntilIdle();
      await inside.type("/reload-skills");
      await claude.waitUntilIdle();
      const said = await inside.type("/hello my friend");
      assertMatch(said, /^Typed "\/hello my friend" \((through the mod|with keys)\)\n$/);
      await until(
        "the command's prompt",
        () => stage.model.asked().at(-1)?.prompt.includes("Say hello to my friend"),
      );
      await claude.waitUntilIdle();
    });
    await must(t, "garbage, another pane and another user are refused", async () => {
      const before = inside.prompts().length;
      const other = { ...road, pane: "%99" };
      Deno.writeTextFileSync(`${paths.state}/roads/other.json`, JSON.stringify(other));
      const wrong = modRoad(paths, { pane: "%99", server: road.server })!;
      const answer = await wrong.order(
        { op: "submit", text: "x", asUser: true, queue: false },
        5000,
      );
      assertEquals(answer, {
        kind: "refused",
        reason: `this is the companion of pane ${road.pane}`,
      });
      Deno.removeSync(`${paths.state}/roads/other.json`);
      for (
        const garbage of [
          "\u0000\u0001\n\n",
          "POST /order HTTP/1.1\r\nContent-Length: 4\r\n\r\nnope",
        ]
      ) {
        using connection = await Deno.connect({ transport: "unix", path: socket });
        await connection.write(new TextEncoder().encode(garbage));
        const buffer = new Uint8Array(1000);
        const count = await connection.read(buffer).catch(() => null) ?? 0;
        assert(!new TextDecoder().decode(buffer.subarray(0, count)).includes(" 200 "));
      }
      assertEquals(Deno.statSync(socket).mode! & 0o777, 0o600);
      assertEquals(Deno.statSync(`${paths.state}/roads`).mode! & 0o777, 0o700);
      Deno.chmodSync(scene.dir, 0o755);
      if (CAN_BE_NOBODY) assertEquals(isThereFor(NOBODY, socket), false);
      assertEquals(inside.prompts().length, before);
      const path = "/tmp/x is still there?";
      assertStringIncludes(await inside.type(path), "(through the mod)");
      assertEquals((await inside.arrived(before + 1)).at(-1), path);
    });
    await must(t, "a second companion and one for a guest have no road", async () => {
      const env = { ...stage.env, ...await stage.server.env(claude.pane) };
      const run = async (program: string, ...args: string[]) => {
        const done = await new Deno.Command(program, { args, env, stdin: "null" }).output();
        return { code: done.code, stderr: new TextDecoder().decode(done.stderr) };
      };
      const second = await run(`${paths.data}/bin/companion`);
      assertEquals(second.code, 1);
      assertStringIncludes(second.stderr, "another companion serves it");
      Object.assign(env, claudeEnv(stage.model.url), { HOME: scene.home });
      const guest = await run(await claudeProgram("2.1.325"), "-p", "I am a guest");
      assertEquals(guest.code, 0, guest.stderr);
      assertEquals(stage.model.asked().at(-1)?.prompt, "I am a guest");
      assertEquals(namesIn(`${paths.state}/roads`).filter((name) => /\.lock$/.test(name)), [
        `${session}.lock`,
      ]);
      assertEquals(listRoads(paths), [road]);
    });
    await must(t, "the agent hears of a queued text that a person's Esc has dropped", async () => {
      await claude.waitUntilIdle();
      await inside.hold();
      await inside.type("This will be dropped", "--queue");
      await claude.keys("Escape");
      await until(
        "the wake",
        () =>
          stage.wakes().find((wake) =>
            wake.includes("type: instruction_dropped") && wake.includes("This will be dropped")
          ),
        { present: () => stage.wakes() },
      );
      await claude.keys("Escape");
      inside.release();
    });
    await must(t, "what follows is refused until that person types", async () => {
      await claude.waitUntilIdle();
      const refused = await stage.drive(session, "type", "Go on");
      assertEquals(refused.code, 1);
      assertMatch(
        refused.stderr,
        /a person stopped this session( at \d\d:\d\d UTC)? and has typed nothing since/,
      );
      const byKeys = await inside.type("Go on anyway", "--road", "keys");
      assertEquals(byKeys, 'Typed "Go on anyway" (with keys)\n');
      await claude.waitUntilIdle();
      assertStringIncludes(await inside.type("And on"), "(through the mod)");
    });
    await must(t, "it stays small", async () => {
      await claude.waitUntilIdle();
      isSmall(road.pid);
    });
    await must(t, "after the agent's own esc at a question the next text arrives", async () => {
      const before = inside.prompts().length;
      await inside.type("SCENARIO:single");
      await claude.waitForScreen("the question", (s) => readScreen(s).dialog !== undefined);
      await stage.must(session, "esc");
      await claude.waitUntilIdle();
      await inside.type("After my own esc");
      assertEquals((await inside.arrived(before + 2)).at(-1), "After my own esc");
      await claude.waitUntilIdle();
    });
  }));

Deno.test("a companion that is killed loses nothing in silence, and does nothing twice", () =>
  inScene("inside-kills", async (scene) => {
    const inside = await InsideStage.start(scene);
    const { stage, claude } = inside;
    const taken: string[] = [];
    const failed: string[] = [];
    let isOver = false;
    const load = async () => {
      for (let index = 0; !isOver; index++) {
        const text = `load ${index}`;
        const done = await stage.drive("--wait", "60", "--queue", stage.session, "type", text);
        (done.code === 0 ? taken : failed).push(text);
      }
    };
    let last = 0;
    const kill = async () => {
      for (let kills = 0; kills < KILLS; kills++) {
        const { pid } = await inside.road(last);
        await pause(Math.random() * 800);
        Deno.kill(last = pid, "SIGKILL");
      }
      isOver = true;
    };
    await Promise.all([load(), kill()]);
    // An update ends it, too: its mod starts one of the new code.
    const { pid } = await inside.road(last);
    assertEquals(await restartCompanions(stage.paths), 1);
    await inside.road(pid);
    await until("the mod again", async () => {
      const done = await stage.drive(
        "--wait",
        "60",
        "--road",
        "mod",
        stage.session,
        "type",
        "last",
      );
      return done.code === 0;
    });
    await until("all that was taken", () => {
      const prompts = new Set(inside.prompts());
      return taken.every((text) => prompts.has(text));
    }, { present: () => ({ taken, failed, prompts: inside.prompts() }) });
    const prompts = inside.prompts().filter((prompt) => prompt !== "last");
    assertEquals(prompts.length, new Set(prompts).size);
    assertEquals(
      prompts.filter((prompt) => !taken.includes(prompt) && !failed.includes(prompt)),
      [],
    );
    assert(taken.length > 0, `${taken.length} taken, ${failed.length} failed`);

    await claude.waitUntilIdle();
    await stage.server.tmux("new-session", "-d", "-s", "other", "sleep 1000");
    claude.kill("SIGKILL");
    await until("no process of ours", async () => {
      const left = (await allProcesses()).filter(({ args }) =>
        args.some((arg) => arg.includes("/commands/companion.ts")) &&
        args.some((arg) => arg.includes(stage.paths.state))
      );
      return left.length === 0;
    }, { present: allProcesses });
    assertEquals(listRoads(stage.paths), []);
  }));

Deno.test("a session that gets another name keeps its road, and the agent's esc is its own", () =>
  inScene("inside-rename", async (scene) => {
    const inside = await InsideStage.start(scene);
    const { stage } = inside;
    const before = await inside.road();
    await inside.type("Hello");
    await inside.claude.waitUntilIdle();
    const renamed = await stage.deno("commands/rename.ts", stage.session, "docs");
    assertEquals(renamed.code, 0, renamed.stderr);
    const after = await until(
      "the road under its new name",
      () => listRoads(stage.paths).find(({ session }) => session === "docs"),
      { present: () => listRoads(stage.paths) },
    );
    assertEquals([after.pid, after.pane], [before.pid, before.pane]);
    assertStringIncludes(after.socket, "/roads/docs.sock");

    const claude = await attach({ server: stage.server, session: "docs" }, inside.claude.project);
    // The agent may still use the name that it knows.
    assertStringIncludes(await inside.type("By the old name"), "(through the mod)");
    await claude.waitUntilIdle();
    await inside.hold();
    await stage.must("--road", "keys", "docs", "esc");
    await claude.waitUntilIdle();
    await inside.hold();
    await claude.keys("Escape");
    const told = (trigger: string) =>
      stage.wakes().filter((wake) => wake.includes(`type: ${trigger}\n`));
    await until("the person's Esc", () => told("interrupted").length > 0);
    inside.release();

    claude.kill("SIGKILL");
    await until("the loss", () => told("session_lost").length > 0);
    // It is told last, so all others are there.
    assertEquals(told("interrupted").length, 1, told("interrupted").join("\n---\n"));
    assertStringIncludes(told("interrupted")[0]!, "tmux_session_name: docs\n");
    await until("no road", () => listRoads(stage.paths).length === 0);
  }));

Deno.test("without the mod a text goes by the inbox socket where keys cannot go", (t) =>
  inScene("inbox", async (scene) => {
    const inside = await InsideStage.start(scene, { loads: "nothing" });
    const { claude, stage } = inside;
    const { session } = stage;
    await must(t, "with keys, where they can", async () => {
      assertEquals(await inside.type("Hello"), 'Typed "Hello" (with keys)\n');
      const refused = await stage.drive("--road", "mod", session, "type", "Hello");
      assertStringIncludes(refused.stderr, "has no mod");
      await claude.waitUntilIdle();
    });
    await must(t, "beside a draft, byte for byte", async () => {
      await inside.draft(DRAFT);
      const text = "/tmp/x ends \u001b[201~ here\nžluť 🐎";
      assertEquals(
        await inside.type(text),
        `Typed ${text.length} characters in 2 lines (through the inbox socket)\n`,
      );
      assertEquals((await inside.arrived(2)).at(-1), text);
      assertEquals(readScreen(await claude.capture()).draft, DRAFT);
      const again = await stage.drive(session, "type", text);
      assertStringIncludes(again.stderr, "drops a text that comes again within 30 s");
      await claude.keys("C-u");
      await claude.waitUntilIdle();
    });
    await must(t, "before a dialog", async () => {
      await inside.dialog();
      const said = await inside.type("After this", "--queue");
      assertEquals(said, 'Queued: "After this" (through the inbox socket)\n');
      await stage.must(session, "esc");
      await until("the text", () => inside.prompts().includes("After this"));
      await claude.waitUntilIdle();
    });
    await must(t, "by force", async () => {
      const said = await inside.type("By socket", "--road", "socket");
      assertEquals(said, 'Typed "By socket" (through the inbox socket)\n');
      await until("the text", () => inside.prompts().includes("By socket"));
    });
  }));

/** Whether another user can even find the file. */
function isThereFor(uid: number, path: string): boolean {
  const args = [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "/usr/bin/test", "-e", path];
  return new Deno.Command("setpriv", { args }).outputSync().code === 0;
}

async function must(t: Deno.TestContext, name: string, step: () => Promise<void>) {
  if (!await t.step(name, step)) throw new Error(`"${name}" failed`);
}
