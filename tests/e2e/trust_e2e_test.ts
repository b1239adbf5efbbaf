import { realClock } from "../../lib/time.ts";
import { assertEquals, assertMatch } from "@std/assert";
import { main as drive } from "../../commands/menu_driver.ts";
import { realDriverWorld } from "../../lib/driver/driver_world.ts";
import { main as recover } from "../../commands/recover.ts";
import { main as spawn } from "../../commands/spawn.ts";
import { readTextIfThere } from "../../lib/files.ts";
import { readScreen } from "../../lib/pane.ts";
import { readMemory } from "../../lib/session_memory.ts";
import { allProcesses, type ProcessInfo } from "../../lib/doors/process_tree.ts";
import { shellQuote } from "../../lib/text.ts";
import { ClaudeModel } from "../support/claude_model.ts";
import { claudeEnv, prepareHome } from "../support/real_claude.ts";
import { claudeProgram, type ClaudeVersion, VERSIONS } from "../support/real_programs.ts";
import { inSessionWorld, type SessionWorld } from "../support/session_world.ts";
import { until } from "../support/until.ts";
import { writeExecutable } from "../support/executable.ts";

const LINE = "a line of a long text žluť 🐎";
/** What could be taken for an option, a command, a line for the shell, a subcommand. */
const FIRST: Record<string, string> = {
  "words": `Say "hello" to 'them': $HOME, \`id\`, 100% & <b>; done!`,
  "a leading dash": "--version of the docs first",
  "a path": "/tmp/some/path is where it lies",
  "an exclamation mark": "!important: do not run this",
  "a subcommand": "doctor",
  "several lines": "first\n\n  indented\n\ttab; item\\\nlast",
  "60 KB": Array.from({ length: 1500 }, (_, index) => `${index}. ${LINE}`).join("\n"),
};

/** A folder that Claude Code does not know, the real program, and its model. */
async function inUntrusted(
  version: ClaudeVersion,
  play: (world: SessionWorld, model: ClaudeModel, folder: string) => Promise<void>,
  behind = "",
): Promise<void> {
  const program = await claudeProgram(version);
  const model = new ClaudeModel();
  try {
    await inSessionWorld(async (world) => {
      prepareHome({ ...NO_SCENE, dir: world.dir, home: `${world.dir}/home` }, `${world.dir}/known`);
      const set = Object.entries(claudeEnv(model.url))
        .map(([name, value]) => `${name}=${shellQuote(value)}`).join(" ");
      world.variables.GSD_CLAUDE = `${world.dir}/claude`;
      const script = `#!/bin/sh\nexport ${set}\nexec ${program} "$@" ${behind}\n`;
      writeExecutable(world.variables.GSD_CLAUDE, script);
      const inbox = { delivery: { transport: "inbox" } };
      const hook_settings = { answer_permissions: true };
      const agent = { agent_id: "w", tmux_session_name: "w-main", hook_settings, ...inbox };
      world.registry({ agents: [agent] });
      Deno.mkdirSync(`${world.dir}/new`);
      try {
        await play(world, model, `${world.dir}/new`);
      } finally {
        // What still writes into its folder would come back there.
        await world.tmux("kill-server");
        const isOurs = ({ args }: ProcessInfo) => args.some((arg) => arg.includes(world.dir));
        await until("all of it to end", async () => !(await allProcesses()).some(isOurs));
      }
    });
  } finally {
    await model.stop();
  }
}

const NO_SCENE = { name: "", keep: () => {}, atEnd: () => {} };

/** As a person does who attaches. */
async function trust(world: SessionWorld): Promise<void> {
  await until("the trust dialog to go", async () => {
    const { dialog } = readScreen(await world.tmux("capture-pane", "-p", "-t", "=w-main:"));
    if (dialog?.kind !== "trust") return true;
    const isOnYes = dialog.options.some((row) => row.focused && /^Yes/.test(row.label));
    await world.tmux("send-keys", "-t", "=w-main:", isOnYes ? "Enter" : "Up");
    return false;
  }, { everyMs: 500 });
}

/** Whether a wake of a turn's end was sent: then the hooks run. */
function isTold(world: SessionWorld): boolean {
  try {
    const journal = Deno.readTextFileSync(`${world.paths.state}/journal/w-main.jsonl`);
    return journal.includes('"response_complete"');
  } catch {
    return false;
  }
}

/** The transcript has the end of the turn. */
function isWritten(world: SessionWorld): boolean {
  const text = readTextIfThere(readMemory(world.paths, "w-main").transcript_path) ?? "";
  return /"turn_duration"|"stop_hook_summary"/.test(text);
}

for (const version of VERSIONS.claude) {
  for (const [name, first] of Object.entries(FIRST)) {
    Deno.test(`${version}: the first command waits for trust and goes once: ${name}`, () =>
      inUntrusted(version, async (world, model, folder) => {
        assertEquals(await spawn(["w", folder, "--", first], world), 1);
        assertMatch(world.warned.join("\n"), /asks whether to trust[^]* is kept and sent/);
        assertEquals(model.asked(), []);
        await trust(world);
        await until("the wake of its end", () => isTold(world));
        assertEquals(model.asked().map(({ prompt }) => prompt.trimEnd()), [first]);
      }));
  }

  Deno.test(`${version}: a launch wrapper may have options after the first command`, () =>
    inUntrusted(version, async (world, model, folder) => {
      assertEquals(await spawn(["w", folder, "plan it"], world), 1);
      await trust(world);
      await until("the wake of its end", () => isTold(world));
      assertEquals(model.asked().map(({ prompt }) => prompt), ["plan it"]);
      await until("its mode on the screen", async () => {
        const screen = await world.tmux("capture-pane", "-p", "-t", "=w-main:");
        return screen.includes("plan mode on");
      });
    }, "--permission-mode plan"));

  Deno.test(`${version}: a first command that still waits outlives a kill, and goes once`, () =>
    inUntrusted(version, async (world, model, folder) => {
      const first = "Only once, please";
      const asked = () => model.asked().map(({ prompt }) => prompt.trim());
      assertEquals(await spawn(["w", folder, "--", first], world), 1);
      await world.killClaude("w-main");
      assertEquals(await recover(["--skip-sync"], world), 0, world.warned.join("\n"));
      assertMatch(world.said.join("\n"), /w in w-main: recovered/);
      assertEquals(asked(), []);
      const words = / say yes with: \S+(?: )?menu-driver (--socket \S+ w-main choose \d);/.exec(
        world.warned.join("\n"),
      );
      const chosen = await drive(words?.[1]?.split(" ") ?? [], {
        ...realDriverWorld(),
        ...world,
        clock: realClock,
        readStdin: () => "",
      });
      assertEquals(chosen, 0, world.warned.join("\n"));
      await until("the wake of its end", () => isTold(world));
      assertEquals(asked(), [first]);

      // Killed while its first Stop hook runs, 2.1.197 has no conversation to resume yet.
      await until("its turn to be over", async () => {
        const screen = await world.tmux("capture-pane", "-p", "-t", "=w-main:");
        return readScreen(screen).state === "idle" && isWritten(world);
      });
      await world.killClaude("w-main");
      assertEquals(await recover(["--skip-sync"], world), 0, world.warned.join("\n"));
      await until("its conversation on the screen", async () => {
        const screen = await world.tmux("capture-pane", "-p", "-t", "=w-main:");
        return screen.includes(first) && readScreen(screen).state === "idle";
      });
      assertEquals(asked(), [first]);
    }));
}
