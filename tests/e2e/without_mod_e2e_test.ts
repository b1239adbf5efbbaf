/** Claude Code where the mod cannot run: all else works, and it is said what does not. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { listRoads } from "../../lib/companion/road_file.ts";
import { shellQuote } from "../../lib/text.ts";
import { inScene, type Scene } from "../support/artefacts.ts";
import { writeExecutable } from "../support/executable.ts";
import { section } from "../support/hook_world.ts";
import { attach, claudeEnv, prepareHome, type RealClaude } from "../support/real_claude.ts";
import { claudeProgram, type ClaudeVersion } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";

interface Mode {
  version?: ClaudeVersion;
  flag?: string;
  settings?: Record<string, unknown>;
  /** Of an administrator, in /etc. */
  managed?: Record<string, unknown>;
  /** Before Claude Code's program, in the script that starts it. */
  script?: string;
  /** No hook runs either: the watch reports turns. */
  noHooks?: boolean;
  /** What doctor says. */
  doctor: RegExp;
}

/** One call that the mod uses is not in what the check of this Claude Code lists. */
const LACKS = `case "$*" in
  "plugin validate"*) "$program" "$@" | sed 's/\\$\\.turn\\.abort/$.turn.ended/g'; exit ;;
esac`;

const MODS_ONLY = { allowManagedModsOnly: true };

const MODES: Record<string, Mode> = {
  "2.1.197": { version: "2.1.197", doctor: /2\.1\.197 runs without the mod: it has no mods/ },
  "--bare": {
    flag: "--bare",
    noHooks: true,
    doctor: /launch command of warden has --bare: no hook runs[^]*has --bare, with which no mod/,
  },
  "--safe-mode": {
    flag: "--safe-mode",
    noHooks: true,
    doctor: /launch command of warden has --safe-mode: no hook runs/,
  },
  "disableAllHooks": {
    settings: { disableAllHooks: true },
    noHooks: true,
    doctor: /settings\.json switches all hooks off with "disableAllHooks"/,
  },
  "a call that this version lacks": {
    script: LACKS,
    doctor: /runs without the mod: it does not know \$\.turn\.abort; instructions go with keys/,
  },
  "managed settings that allow only their own mods": {
    managed: { pluginConfigs: { "cc-plugin-sec-default@builtin": { options: MODS_ONLY } } },
    doctor: /managed-settings\.json has "allowManagedModsOnly": our mod is not loaded/,
  },
  "managed settings that allow only their own hooks": {
    managed: { allowManagedHooksOnly: true },
    noHooks: true,
    doctor: /managed-settings\.json has "allowManagedHooksOnly": our hooks and our mod do not run/,
  },
};

/** Another /etc for one program alone: only root can give it that. */
const CAN_MANAGE = (() => {
  try {
    const { success } = new Deno.Command("unshare", { args: ["-m", "true"], stderr: "null" })
      .outputSync();
    return success;
  } catch {
    return false;
  }
})();

class ModeStage extends AnswersStage {
  constructor(scene: Scene, readonly mode: Mode) {
    super(scene, { version: mode.version ?? "2.1.325", hookRoad: true });
  }

  /** Registers, and starts the session by spawn. */
  async spawn({ trusted = true } = {}): Promise<RealClaude> {
    const { scene, mode, paths } = this;
    const project = `${scene.dir}/project`;
    prepareHome(scene, trusted ? project : `${scene.dir}/known`, { settings: mode.settings ?? {} });
    Deno.mkdirSync(project, { recursive: true });
    const program = shellQuote(await claudeProgram(this.options.version));
    const set = Object.entries(claudeEnv(this.model.url))
      .map(([name, value]) => `${name}=${shellQuote(value)}`).join(" ");
    const lines = ["#!/bin/sh", `export ${set}`, `program=${program}`, mode.script ?? ""];
    this.env.GSD_CLAUDE = `${scene.dir}/claude`;
    writeExecutable(this.env.GSD_CLAUDE, [...lines, this.#start(), ""].join("\n"));
    const registry = JSON.parse(Deno.readTextFileSync(paths.registry));
    if (mode.flag !== undefined) {
      registry.agents[0].claude_launch_command = `${this.env.GSD_CLAUDE} ${mode.flag}`;
    }
    Deno.writeTextFileSync(paths.registry, JSON.stringify(registry));
    const registered = await this.deno("register.ts");
    assertEquals(registered.code, 0, registered.stderr);
    const words = ["warden", project, "Say hello", "--timeout", "300"];
    const spawned = await this.deno("commands/spawn.ts", ...words);
    assertEquals(spawned.code, trusted ? 0 : 1, spawned.stderr);
    if (!trusted) await this.#trust();
    return await attach({ server: this.server, session: this.session }, project);
  }

  #start(): string {
    if (this.mode.managed === undefined) return 'exec "$program" "$@"';
    const etc = `${this.scene.dir}/etc`;
    Deno.mkdirSync(`${etc}/claude-code`, { recursive: true });
    const text = JSON.stringify(this.mode.managed);
    Deno.writeTextFileSync(`${etc}/claude-code/managed-settings.json`, text);
    return this.withEtc('exec "$@"', '"$program" "$@"');
  }

  /** Runs `work` with an /etc that has the managed settings as well. */
  withEtc(work: string, words: string): string {
    const etc = `${this.scene.dir}/etc`;
    const copy = `[ -e ${etc}/passwd ] || cp -a /etc/. ${etc}/ 2>/dev/null; `;
    return `${copy}exec unshare -m sh -c 'mount --bind ${etc} /etc && ${work}' sh ${words}`;
  }

  /** As a person does who attaches. */
  async #trust(): Promise<void> {
    await until("the trust dialog to go", async () => {
      const screen = await this.server.capture(this.session);
      if (!/trust this folder/.test(screen)) return true;
      const isOnYes = /❯ (1\. )?Yes/.test(screen);
      await this.server.tmux("send-keys", "-t", `=${this.session}:`, isOnYes ? "Enter" : "Up");
      return false;
    }, { everyMs: 500 });
  }

  told(count: number): Promise<string> {
    return until(
      `the end of turn ${count}`,
      () => this.wakes().filter((wake) => wake.includes("type: response_complete"))[count - 1],
      { present: () => this.journal() },
    );
  }

  async doctor(): Promise<string> {
    if (this.mode.managed === undefined) {
      return (await this.deno("commands/doctor.ts")).stdout;
    }
    const call = [Deno.execPath(), "run", "-A", "--quiet", "commands/doctor.ts"];
    const script = `${this.scene.dir}/doctor`;
    writeExecutable(script, `#!/bin/sh\n${this.withEtc('exec "$@"', call.join(" "))}\n`);
    const output = new Deno.Command(script, {
      env: this.env,
      cwd: new URL("../..", import.meta.url).pathname,
      stdout: "piped",
      stderr: "piped",
    });
    return new TextDecoder().decode((await output.output()).stdout);
  }
}

for (const [name, mode] of Object.entries(MODES)) {
  Deno.test({
    name: `without the mod: ${name}`,
    ignore: mode.managed !== undefined && !CAN_MANAGE,
    fn: () =>
      inScene("without mod", async (scene) => {
        const stage = new ModeStage(scene, mode);
        const claude = await stage.spawn();
        if (!mode.noHooks) assertEquals(section(await stage.told(1), "CONTENT"), "Done.");
        await claude.waitUntilIdle();
        const typed = await stage.must("--wait", "60", stage.session, "type", "And on");
        assertEquals(typed, 'Typed "And on" (with keys)\n');
        const forced = await stage.drive("--road", "mod", stage.session, "type", "And on");
        assertStringIncludes(forced.stderr, "has no mod, or its companion does not run");
        await until("the second turn", () => stage.model.asked().at(-1)?.prompt === "And on");
        if (mode.noHooks) {
          await claude.waitUntilIdle();
          const wake = await until("what the watch reports", async () => {
            const { code, stderr } = await stage.deno("commands/watch.ts", "--once");
            assertEquals(code, 0, stderr);
            return stage.wakes()[0];
          });
          assertMatch(section(wake, "TRIGGER"), /^type: response_complete\nlate: \d+ s\n/);
          assertStringIncludes(wake, "hooks: none has run since this Claude Code was started");
        } else await stage.told(2);
        assertEquals(listRoads(stage.paths), []);
        assertMatch(await stage.doctor(), mode.doctor);
      }),
  });
}

Deno.test("without the mod: a folder that is not trusted yet", () =>
  inScene("untrusted", async (scene) => {
    const stage = new ModeStage(scene, { doctor: /./ });
    const claude = await stage.spawn({ trusted: false });
    assertEquals(section(await stage.told(1), "CONTENT"), "Done.");
    await claude.waitUntilIdle();
    // From the trust on it is a session like any other.
    await until("the companion", () => listRoads(stage.paths).length === 1);
    const typed = await stage.must("--wait", "60", stage.session, "type", "And on");
    assertEquals(typed, 'Typed "And on" (through the mod)\n');
    await stage.told(2);
  }));

Deno.test("without the mod: one that stops answering", () =>
  inScene("silent mod", async (scene) => {
    const stage = new ModeStage(scene, { doctor: /./ });
    const claude = await stage.spawn();
    await stage.told(1);
    await claude.waitUntilIdle();
    const road = await until("the companion", () => listRoads(stage.paths)[0]);
    Deno.kill(road.pid, "SIGSTOP");
    const typed = await stage.must("--wait", "60", stage.session, "type", "And on");
    assertEquals(typed, 'Typed "And on" (with keys)\n');
    assertEquals(section(await stage.told(2), "CONTENT"), "Done.");
    Deno.kill(road.pid, "SIGCONT");
    await claude.waitUntilIdle();
    const again = await stage.must("--wait", "60", stage.session, "type", "And further");
    assertEquals(again, 'Typed "And further" (through the mod)\n');
    await stage.told(3);
    const prompts = stage.model.asked().map(({ prompt }) => prompt);
    assertEquals(prompts, ["Say hello", "And on", "And further"]);
  }));
