/** What only the mod inside Claude Code can report: on the real program, with wakes in files. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { listPending, type Pending } from "../../lib/answers.ts";
import { listRoads, type Road } from "../../lib/companion/road_file.ts";
import { writeMod } from "../../lib/install/mod_copy.ts";
import { readScreen } from "../../lib/pane.ts";
import { isFile } from "../../lib/files.ts";
import { managedMark } from "../../lib/paths.ts";
import { shellQuote } from "../../lib/text.ts";
import { USAGE_ENDINGS } from "../../lib/usage.ts";
import { inScene, type Scene } from "../support/artefacts.ts";
import { press } from "../support/claude_keys.ts";
import type { Step } from "../support/claude_model.ts";
import { section } from "../support/hook_world.ts";
import { writeExecutable } from "../support/executable.ts";
import { attach, claudeEnv, prepareHome, type RealClaude } from "../support/real_claude.ts";
import { claudeProgram, VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";
import { isSmall } from "./inside_stage.ts";

const WORDS = "I look at the first file now.";

/** A Claude Code with our mod, and an API that the story scripts. */
class InsideStage extends AnswersStage {
  readonly #hanging = Promise.withResolvers<void>();

  constructor(scene: Scene, hookSettings: Record<string, unknown> = {}) {
    const modDir = `${scene.dir}/data/mod`;
    super(scene, {
      version: "2.1.325",
      hookRoad: true,
      hookSettings,
      args: ["--plugin-dir", modDir],
    });
    assertEquals(modDir, `${this.paths.data}/mod`);
    writeMod(this.paths);
    scene.atEnd(() => this.#hanging.resolve());
  }

  /** An answer that does not come while the story plays. */
  get hangs(): Step {
    return { say: "Too late.", hold: this.#hanging.promise };
  }

  async begin(): Promise<RealClaude> {
    const claude = await this.start();
    await until("the companion", () => this.roads().length === 1, {
      present: () => claude.capture(),
    });
    return claude;
  }

  roads(): string[] {
    try {
      return Array.from(Deno.readDirSync(`${this.paths.state}/roads`), ({ name }) => name)
        .filter((name) => name.endsWith(".json"));
    } catch {
      return [];
    }
  }

  /** Waits until the hook has left and the companion waits in its place. */
  held(asked: Pending): Promise<Pending> {
    return until(
      "the companion to wait",
      () =>
        listPending(this.paths, this.session)
          .find((one) => one.id === asked.id && one.pid !== asked.pid),
      { present: () => this.journal() },
    );
  }

  told(trigger: string): string[] {
    return this.wakes().filter((wake) => wake.includes(`[TRIGGER]\ntype: ${trigger}\n`));
  }

  /** The wake, and how long after `since` it was in the outbox. */
  async wake(trigger: string, since: number, count = 1): Promise<string> {
    const wake = await until(`the wake ${trigger}`, () => this.told(trigger)[count - 1], {
      present: () => this.journal(),
      timeoutMs: 300_000,
    });
    const queued = this.journal().filter((entry) =>
      entry.kind === "queued" && entry.trigger === trigger
    )[count - 1]!;
    console.log(`${trigger}: queued after ${Date.parse(String(queued.at)) - since} ms`);
    return wake;
  }
}

Deno.test("2.1.325: Esc is reported as interrupted, a kill as session_lost", () =>
  inScene("inside esc and kill", async (scene) => {
    const stage = new InsideStage(scene);
    const claude = await stage.begin();
    const works = { say: `${WORDS} ${"Then the next. ".repeat(400)}`, pieceMs: 200 };
    stage.model.queue.push(works);
    await claude.submit("Look at the files");
    await claude.waitForScreen("its words", (screen) => screen.includes(WORDS));
    const stopped = Date.now();
    await claude.keys("Escape");
    const wake = await stage.wake("interrupted", stopped);
    assertStringIncludes(section(wake, "CONTENT"), WORDS);
    assertStringIncludes(section(wake, "TRIGGER"), "stopped_by: a person at the terminal");

    // The agent's own esc is no news for it.
    await claude.waitUntilIdle();
    stage.model.queue.push(works);
    await claude.submit("Look once more");
    await claude.waitForScreen("work", (screen) => screen.includes("esc to interrupt"));
    await stage.must(stage.session, "esc");
    await claude.waitUntilIdle();

    // At a dialog as well: Claude Code then ends the turn without a Stop.
    await stage.ask(claude, "single");
    const left = Date.now();
    await press(claude, "Escape", { hasWorked: (screen) => !readScreen(screen).dialog });
    const closed = await stage.wake("interrupted", left, 2);
    assertStringIncludes(section(closed, "TRIGGER"), "advice: what was asked is closed");
    await claude.waitUntilIdle();
    await stage.ask(claude, "single");
    await stage.must(stage.session, "esc");
    await claude.waitUntilIdle();
    await stage.ask(claude, "bash");
    const rows = readScreen(await claude.capture()).dialog!.options;
    const no = 1 + rows.findIndex(({ label }) => /^No\b/.test(label));
    await stage.must(stage.session, "choose", String(no));
    await claude.waitUntilIdle();

    stage.model.queue.push({ say: "Done.", usage: { input_tokens: 150_000 } });
    await claude.submit("Go on");
    const end = await stage.wake("response_complete", Date.now());
    const pressure = section(end, "CONTEXT PRESSURE");
    assert(/^15% \[OK\], 150000 of 1000000 tokens, \$\d+\.\d\d so far$/.test(pressure), pressure);
    const told = stage.journal().findLast(({ trigger, kind }) =>
      trigger === "response_complete" && kind === "queued"
    );
    const cost = told?.cost_usd;
    assert(typeof cost === "number" && cost > 0, `the turn has cost ${cost}`);

    await claude.waitUntilIdle();
    const killed = Date.now();
    claude.kill("SIGKILL");
    const lost = await stage.wake("session_lost", killed);
    assertStringIncludes(section(lost, "AVAILABLE ACTIONS"), "recover --agent warden");
    await until("the companion to leave", () => stage.roads().length === 0);
    const counts = ["interrupted", "session_lost", "session_end"]
      .map((trigger) => stage.told(trigger).length);
    assertEquals(counts, [2, 1, 0]);
  }));

Deno.test("2.1.325: a question waits as long as its dialog is open", () =>
  inScene("inside held question", async (scene) => {
    const stage = new InsideStage(scene, { answer_timeout_s: 5 });
    const claude = await stage.begin();
    const asked = await stage.ask(claude, "single");
    const held = await stage.held(asked!);
    assertEquals(held.id, asked!.id);
    const wrong = await stage.drive("--question", `${held.id}.WRONG`, stage.session, "choose", "1");
    assertEquals(wrong.code, 1, wrong.stdout);
    const said = await stage.reply(asked, "choose", "2");
    assertStringIncludes(said, "SQLite (through the waiting hook)");
    const wake = await stage.wake("ask_user_question_answered", Date.now());
    assertStringIncludes(section(wake, "TRIGGER"), "answered_by: hook warden");
    await stage.wake("response_complete", Date.now());

    // A person at the terminal may still be the first.
    await claude.waitUntilIdle();
    const second = await stage.ask(claude, "single");
    await stage.held(second!);
    const hasWorked = (screen: string) => readScreen(screen).dialog === undefined;
    await press(claude, "3", { hasWorked });
    const own = await stage.wake("ask_user_question_answered", Date.now(), 2);
    assertStringIncludes(section(own, "TRIGGER"), "answered_by: human");
    await stage.wake("response_complete", Date.now(), 2);
    await until("nothing to be open", () => listPending(stage.paths, stage.session).length === 0);

    // A permission waits as well, and is allowed with the input that was asked for.
    await claude.waitUntilIdle();
    const request = await stage.ask(claude, "bash");
    await stage.held(request!);
    await stage.reply(request, "allow");
    await stage.wake("response_complete", Date.now(), 3);
    await until("nothing to be open", () => listPending(stage.paths, stage.session).length === 0);

    // All that it loads for a dialog is loaded now.
    const [{ pid }] = listRoads(stage.paths) as [Road];
    isSmall(pid);

    // An end that a hook reports is no loss.
    await stage.server.tmux("kill-session", "-t", `=${stage.session}`);
    await stage.wake("session_end", Date.now());
    await until("the companion to leave", () => stage.roads().length === 0);
    assertEquals(stage.told("session_lost").length, 0);
  }));

/** Claude Code waits longer after each: ten take three minutes. */
const TIMES = Number(Deno.env.get("GSD_E2E_FAILURES") ?? 4);
const HOUR_S = 3600;

Deno.test("2.1.325: an API that fails is reported while it lasts, once, with its reset", () =>
  inScene("inside retrying", async (scene) => {
    const stage = new InsideStage(scene);
    stage.env.CLAUDE_CODE_MAX_RETRIES = String(TIMES);
    const claude = await stage.begin();
    const fails = (status: number, type: string, headers: Record<string, string> = {}): Step[] =>
      Array.from({ length: TIMES }, () => ({ error: { status, type, headers } }));
    stage.model.queue.push(...fails(529, "overloaded_error"), { say: "Through." });
    await claude.submit("Try it");
    const overloaded = await stage.wake("retrying", Date.now());
    assertStringIncludes(section(overloaded, "CONTENT"), "overloaded (529), 3 failed attempts");
    assert(stage.told("response_complete").length === 0, "it was told when it was over");
    await stage.wake("response_complete", Date.now());

    await claude.waitUntilIdle();
    const reset = Math.floor(Date.now() / 1000) + HOUR_S;
    const headers = { "retry-after": "2", "anthropic-ratelimit-unified-reset": String(reset) };
    const limited = fails(429, "rate_limit_error", headers);
    stage.model.queue.push(...limited, limited[0]!);
    await claude.submit("Try it again");
    const resets = `resets_at: ${new Date(reset * 1000).toISOString()}`;
    const waiting = await stage.wake("retrying", Date.now(), 2);
    assertStringIncludes(
      section(waiting, "TRIGGER"),
      `failure: rate limit\nattempts: 3\n${resets}`,
    );
    const failed = await stage.wake("response_failed", Date.now());
    assertStringIncludes(section(failed, "TRIGGER"), resets);

    await claude.waitUntilIdle();
    stage.model.queue.push(stage.hangs);
    await claude.submit("And again");
    const silent = await stage.wake("retrying", Date.now(), 3);
    assertStringIncludes(section(silent, "CONTENT"), "no answer for 30 s");
    // Esc before the first word: Claude Code takes the prompt back.
    await claude.keys("Escape");
    const stopped = await stage.wake("interrupted", Date.now());
    assertStringIncludes(section(stopped, "CONTENT"), "(Claude had said nothing yet.)");
    assertEquals(stage.told("retrying").length, 3);
  }));

/** As for an account with a subscription: Claude Code reads limits only where it has no API key. */
const ACCOUNT = { CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-none", ANTHROPIC_API_KEY: "" };

/** What the API says of the limits of an account; `reset` in seconds since 1970. */
function limitHeaders(reset: number): Record<string, string> {
  const name = "anthropic-ratelimit-unified";
  return {
    [`${name}-status`]: "allowed_warning",
    [`${name}-reset`]: String(reset),
    [`${name}-representative-claim`]: "five_hour",
    [`${name}-5h-status`]: "allowed_warning",
    [`${name}-5h-utilization`]: "0.83",
    [`${name}-5h-reset`]: String(reset),
    [`${name}-7d-status`]: "allowed",
    [`${name}-7d-utilization`]: "0.41",
    [`${name}-7d-reset`]: String(reset),
  };
}

/** The lines that a wake has of them. */
function limitLines(reset: number): string {
  const at = new Date(reset * 1000).toISOString();
  const time = `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
  return `5-hour limit: 83 % used, resets ${time}\n7-day limit: 41 % used, resets ${time}`;
}

/** Another day than that of the wake, so that the wake has the date. */
const inThreeDays = () => Math.floor(Date.now() / 1000) + 72 * HOUR_S;

Deno.test("2.1.325: the limits of an account are in the wake of each turn", () =>
  inScene("inside limits", async (scene) => {
    const stage = new InsideStage(scene);
    Object.assign(stage.env, ACCOUNT);
    const claude = await stage.begin();
    const reset = inThreeDays();
    // On a busy machine the mod may report later than the hook can wait: then the next wake has them.
    let turns = 0;
    await until("the limits in a wake", async () => {
      const words = `Hello, turn ${++turns}.`;
      stage.model.queue.push({ say: words, headers: limitHeaders(reset) });
      await claude.submit("Say hello");
      const wake = await until("the wake", () => stage.wakes().find((one) => one.includes(words)));
      await claude.waitUntilIdle();
      return section(wake, "CONTEXT PRESSURE").includes(`so far\n${limitLines(reset)}`);
    }, { present: () => stage.wakes() });
  }));

for (const version of VERSIONS.claude) {
  Deno.test(`${version}: without the mod an Esc is reported at the next event`, () =>
    inScene(`outside esc ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: true });
      const claude = await stage.start();
      stage.model.queue.push({ say: `${WORDS} ${"On and on. ".repeat(400)}`, pieceMs: 200 });
      await claude.submit("Look at the files");
      await claude.waitForScreen("its words", (screen) => screen.includes(WORDS));
      await claude.keys("Escape");
      await claude.waitUntilIdle();
      await until("the Esc in the transcript", () => escsIn(scene) === 1);
      const told = (count: number) =>
        until(
          "the wake",
          () => stage.wakes().filter((wake) => wake.includes("\ntype: interrupted\n"))[count - 1],
          { present: () => stage.journal() },
        );
      await claude.submit("Rather this");
      const wake = await told(1);
      assertStringIncludes(section(wake, "CONTENT"), WORDS);
      assertStringIncludes(section(wake, "STATE HINT"), "working");
      await until("the end of the second turn", () => stage.wakes().length === 2);
      assertStringIncludes(stage.wakes()[1]!, "\ntype: response_complete\n");

      // A command reports it as well, and once.
      await claude.waitUntilIdle();
      const others = "I look at the second file now.";
      stage.model.queue.push({ say: `${others} ${"On and on. ".repeat(400)}`, pieceMs: 200 });
      await claude.submit("Go on");
      await claude.waitForScreen("its words", (screen) => screen.includes(others));
      await claude.keys("Escape");
      await claude.waitUntilIdle();
      await until("the second Esc in the transcript", () => escsIn(scene) === 2);
      await claude.submit("/clear");
      assertStringIncludes(section(await told(2), "CONTENT"), others);
      assertEquals(stage.wakes().length, 3);
    }));
}

/** How many Claude Code has written down. It copies what it sends to its model there, too. */
function escsIn({ home }: Scene): number {
  const projects = `${home}/.claude/projects`;
  return Array.from(Deno.readDirSync(projects)).flatMap(({ name: project }) =>
    Array.from(Deno.readDirSync(`${projects}/${project}`)).filter(({ isFile }) => isFile)
      .flatMap(({ name }) => Deno.readTextFileSync(`${projects}/${project}/${name}`).split("\n"))
  ).filter((line) => line.includes('"type":"user"') && line.includes("[Request interru")).length;
}

Deno.test("2.1.197: spawn's status line reports window and limits, and the user's own is shown", () =>
  inScene("status line", async (scene) => {
    const stage = new AnswersStage(scene, { version: "2.1.197", hookRoad: true });
    const project = `${scene.dir}/project`;
    const statusLine = { type: "command", command: "read -r said; echo mine, ${#said} long # own" };
    prepareHome(scene, project, { settings: { statusLine } });
    const program = `${scene.dir}/claude`;
    const set = Object.entries({ ...claudeEnv(stage.model.url), ...ACCOUNT })
      .map(([name, value]) => `${name}=${shellQuote(value)}`).join(" ");
    const claudeItself = shellQuote(await claudeProgram("2.1.197"));
    writeExecutable(program, `#!/bin/sh\nexport ${set}\nexec ${claudeItself} "$@"\n`);
    stage.env.GSD_CLAUDE = program;
    const reset = inThreeDays();
    stage.model.answer = (request) =>
      request.kind === "main"
        ? { say: "Hello.", usage: { input_tokens: 50_000 }, headers: limitHeaders(reset) }
        : undefined;
    const words = ["warden", project, "Say hello", "--timeout", "300"];
    const done = await stage.deno("commands/spawn.ts", ...words);
    assertEquals(done.code, 0, done.stderr);
    const claude = await attach({ server: stage.server, session: stage.session }, project);
    await claude.waitForScreen("the user's line", (screen) => /mine, \d{3,} long/.test(screen));
    const tmux: Record<string, string> = await stage.server.env(claude.pane);
    const mark = managedMark(stage.paths, tmux.TMUX, tmux.TMUX_PANE);
    await until("the status to be kept", () => isFile(mark + USAGE_ENDINGS.statusLine));
    await claude.submit("Say it again");
    const wake = await until(
      "the second end",
      () => stage.wakes().filter((wake) => wake.includes("\ntype: response_complete\n"))[1],
    );
    const pressure = section(wake, "CONTEXT PRESSURE");
    // A machine that cannot write a line in half a second gets no figure of the tokens.
    assertMatch(pressure, /^(25% \[OK\], 50050|unknown, window) of 200000 tokens$/m);
    assertStringIncludes(pressure, `\n${limitLines(reset)}`);
  }));
