/**
 * A scripted night on the real Claude Code: every figure of the report is what the scripted model
 * and the clock say. Times lie between two that the story itself knows: how long the script lets it
 * last at least, and from a moment before it can have begun to a moment when it surely was over.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { allProcesses, isClaude, treeBelow } from "../../lib/doors/process_tree.ts";
import { namesIn } from "../../lib/files.ts";
import { readScreen } from "../../lib/pane.ts";
import { ROOT } from "../../lib/paths.ts";
import type { ReportFigures } from "../../lib/story/figures.ts";
import { roughly } from "../../lib/story/since.ts";
import { whyNoRecord } from "../../lib/story/journal_schema.ts";
import { inScene, type Scene } from "../support/artefacts.ts";
import { startProgram } from "../support/child_process.ts";
import { press } from "../support/claude_keys.ts";
import type { ModelRequest, Step } from "../support/claude_model.ts";
import type { RealClaude } from "../support/real_claude.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { pause, until } from "../support/until.ts";
import { DATABASE } from "./answers_scenarios.ts";
import type { SharedGateway } from "./shared_gateway.ts";
import { Stage } from "./stage.ts";

type Line = Record<string, unknown>;

/** How long the model thinks, and how long who is asked lets it wait: at least. */
const THINKS_MS = 1500;
const LETS_WAIT_MS = 1200;
const LIMITED_MS = 8000;
const UNIT = 100_000;
const ORDERS = [
  ...["one unit", "two units", "ask me", "commit it", "break it", "reach the limit"],
];
const COMMIT = "git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m One";

class Night {
  readonly stage: Stage;
  claude!: RealClaude;
  resetsAt = 0;
  /** Before this moment the turn was not over, or the question not asked: the model had not spoken. */
  spokeAt = 0;
  /** Before this moment the turn had not begun. */
  beganAt = Date.now();
  /** The most that each part of the time can be. */
  readonly most = { working: 0, agent: 0, human: 0, api: 0 };

  constructor(scene: Scene, version: typeof VERSIONS.claude[number]) {
    const config = `${scene.dir}/openclaw.json`;
    Deno.writeTextFileSync(config, "{}");
    const gateway = { program: "/bin/false", config };
    const shared = { gateway, agentModel: { requests: [] } } as unknown as SharedGateway;
    this.stage = new Stage(scene, { shared, version, agents: ["anvil"] });
    this.stage.writeRegistry({
      anvil: {
        delivery: { transport: "inbox" },
        hook_settings: { answer_permissions: true },
        claude_launch_command: `${scene.dir}/claude --permission-mode default`,
      },
    });
    this.stage.claudeModel.answer = (request) => this.#answer(request);
  }

  #answer({ kind, prompt, toolResults }: ModelRequest): Step | undefined {
    if (kind !== "main") return undefined;
    const step = this.#stepFor(prompt, toolResults);
    this.spokeAt = Date.now() + (step.delayMs ?? 0);
    return step;
  }

  #stepFor(prompt: string, toolResults: string[]): Step {
    const done = { say: "Done.", delayMs: THINKS_MS };
    if (toolResults.length > 0) return done;
    // After a failure the request has the prompt before as well.
    const order = ORDERS.toSorted((a, b) => prompt.lastIndexOf(b) - prompt.lastIndexOf(a))[0];
    switch (order) {
      case "ask me":
        return { say: [{ tool: "AskUserQuestion", input: { questions: [DATABASE] } }] };
      case "commit it":
        return { say: [{ tool: "Bash", input: { command: COMMIT, description: "Commit" } }] };
      case "break it":
        return { error: { status: 500, type: "api_error" } };
      case "reach the limit": {
        this.resetsAt ||= Math.ceil((Date.now() + LIMITED_MS) / 1000) * 1000;
        const at = new Date(this.resetsAt).toISOString();
        const message = `You've hit your 5-hour limit · resets at ${at}`;
        return { error: { status: 429, type: "rate_limit_error", message } };
      }
      case "two units":
        return { ...done, usage: { input_tokens: 2 * UNIT, output_tokens: 0 } };
      default:
        return { ...done, usage: { input_tokens: UNIT, output_tokens: 0 } };
    }
  }

  journal(): Line[] {
    return this.stage.journal("anvil");
  }

  /** The records that fit, once there are so many. */
  records(count: number, fits: (line: Line) => boolean): Promise<Line[]> {
    return until(`${count} records`, () => {
      const found = this.journal().filter(fits);
      return found.length >= count ? found : undefined;
    }, { present: () => this.journal() });
  }

  /** The report counts up to this record. On a busy machine it comes later than the driver's end. */
  async recordSince(time: number, kinds: RegExp): Promise<void> {
    await this.records(
      1,
      ({ kind, at }) => kinds.test(String(kind)) && Date.parse(String(at)) >= time,
    );
  }

  async ends(count: number): Promise<void> {
    await this.records(
      count,
      ({ kind, trigger }) => kind === "queued" && /^response_/.test(String(trigger)),
    );
    this.most.working += Date.now() - this.beganAt;
  }

  /** As a person at the keyboard. */
  async submit(prompt: string): Promise<void> {
    await this.claude.waitUntilIdle();
    this.beganAt = Date.now();
    await this.claude.submit(prompt);
    await this.recordSince(this.beganAt, /^prompt$/);
    this.most.human += Date.now() - this.spokeAt;
  }

  /** As the agent: after a while, by the menu driver. The wait counts for `what` since `from`. */
  async agent(
    words: string[],
    { what = "agent", from = this.spokeAt }: { what?: "agent" | "api"; from?: number } = {},
  ): Promise<number> {
    await pause(LETS_WAIT_MS);
    const startedAt = Date.now();
    if (words[0] === "type") this.beganAt = startedAt;
    const [action = "", ...rest] = words;
    const name = this.stage.session("anvil");
    const named = rest.flatMap((one) => one.startsWith("--question=") ? [one.slice(11)] : []);
    const options = named.flatMap((id) => ["--question", id]);
    const others = rest.filter((one) => !one.startsWith("--question="));
    const done = await this.stage.ours(
      "commands/menu_driver.ts",
      ...[...options, name, action, ...others],
    );
    assertEquals(done.code, 0, done.stderr);
    await this.recordSince(startedAt, words[0] === "type" ? /^prompt$/ : /^(answered|decided)$/);
    const took = Date.now() - from;
    this.most[what] += took;
    return took;
  }

  /** The question that is open, as its wake names it. */
  async asked(count: number): Promise<string> {
    await this.records(
      count,
      ({ kind, question_id }) => kind === "queued" && question_id !== undefined,
    );
    await this.claude.waitForScreen(
      "a dialog",
      (screen) => readScreen(screen).dialog !== undefined,
    );
    const dir = `${this.stage.paths.state}/inbox/anvil`;
    const named = await until("the wakes that ask", () => {
      const texts = namesIn(dir).filter((name) => name.endsWith(".txt"))
        .map((name) => Deno.readTextFileSync(`${dir}/${name}`));
      const found = texts.flatMap((text) => /--question (\S+\.\S+)/.exec(text)?.[1] ?? []);
      return found.length >= count ? found : undefined;
    }, { present: () => this.journal() });
    return named.at(-1)!;
  }

  async report(): Promise<ReportFigures> {
    const done = await this.stage.ours("commands/report.ts", "--since", "1h", "--json");
    assertEquals(done.code, 0, done.stderr);
    return JSON.parse(done.stdout);
  }

  /** Claude Code may report the total of a turn after its Stop hooks. */
  async priced(): Promise<void> {
    const before = this.#priced;
    this.#priced = await until(`a total above ${before}`, () => {
      const total = this.total();
      return total > before ? total : undefined;
    });
  }
  #priced = 0;

  /** What Claude Code itself says that the conversation has cost. */
  total(): number {
    const inFolder = (dir: string): string[] =>
      namesIn(dir).flatMap((name) => {
        const path = `${dir}/${name}`;
        if (Deno.statSync(path).isDirectory) return inFolder(path);
        return /\.(usage|status)\.json$/.test(name) ? [path] : [];
      });
    const [file] = inFolder(`${this.stage.paths.state}/managed`);
    const told = JSON.parse(Deno.readTextFileSync(file!));
    return told.usd ?? told.cost.total_cost_usd;
  }
}

function assertBetween(value: number, least: number, most: number, what: string): void {
  assert(value >= least && value <= most, `${what}: ${value} is not in ${least} to ${most} ms`);
}

function assertNear(value: number, expected: number, most: number): void {
  assert(Math.abs(value - expected) <= most, `${value} is not ${expected}`);
}

for (const version of VERSIONS.claude) {
  Deno.test(`${version}: every figure of the report is what the scripted night says`, () =>
    inScene(`report ${version}`, async (scene) => {
      const night = new Night(scene, version);
      const { stage } = night;
      const folder = `${scene.dir}/anvil`;
      const made = await new Deno.Command("git", { args: ["init", "-q", folder] }).output();
      assert(made.success);

      // Two turns of one unit: spawn's, then the agent's.
      night.claude = await stage.spawn("anvil", "one unit");
      await night.ends(1);
      await night.priced();
      const unitUsd = night.total();
      await night.agent(["type", "one unit"]);
      await night.ends(2);
      await night.priced();

      // A person begins two turns. The agent answers the first question, the person the second.
      await night.submit("ask me");
      const first = await night.asked(1);
      const longest = [await night.agent(["choose", `--question=${first}`, "2"])];
      await night.ends(3);
      await night.submit("ask me");
      await night.asked(2);
      const askedAt = night.spokeAt;
      await pause(LETS_WAIT_MS);
      await press(night.claude, "3", { hasWorked: (screen) => !readScreen(screen).dialog });
      await night.ends(4);
      longest.push(Date.now() - askedAt);
      night.most.human += Date.now() - askedAt;

      // A commit, for which Claude needs a permission; a failure; a limit, and two units after it.
      await night.agent(["type", "commit it"]);
      const permission = await night.asked(3);
      longest.push(await night.agent(["allow", `--question=${permission}`]));
      await night.ends(5);
      await night.agent(["type", "break it"]);
      await night.ends(6);
      await night.agent(["type", "reach the limit"], { what: "api" });
      await night.ends(7);
      await until("the reset", () => Date.now() > night.resetsAt);
      const spent = night.total();
      await night.agent(["type", "two units"], { from: night.resetsAt });
      await night.ends(8);
      // A Claude Code that is killed before its status line is called has told no cost.
      await until("the total of the last turn", () => night.total() > spent + unitUsd);
      const costs = await until("the cost of the last turn", async () => {
        const { sessions: [one] } = await night.report();
        const told = one?.cost_usd ?? 0;
        return Math.abs(told - night.total()) < 1e-6 ? one : undefined;
      }, { present: async () => [await night.report(), night.total()] });
      assert(costs.cost_usd! > 0, "Claude Code tells a cost");

      // Killed, and brought back by the watch.
      const watch = startProgram(
        [Deno.execPath(), "run", "-A", "--quiet", `${ROOT}/commands/watch.ts`],
        stage.env,
      );
      scene.atEnd(async () => {
        watch.child.kill("SIGKILL");
        await watch.done;
      });
      const looked = () => namesIn(`${stage.paths.state}/watch`).includes("memory.json");
      await until("the first look of the watch", looked);
      const target = `=${stage.session("anvil")}:`;
      const pane = await stage.server.tmux("list-panes", "-t", target, "-F", "#{pane_pid}");
      const pid = treeBelow(await allProcesses(), Number(pane)).find((one) => isClaude(one))!.pid;
      const killedAt = Date.now();
      Deno.kill(pid, "SIGKILL");
      await night.records(1, ({ trigger }) => trigger === "session_recovered");
      const backAt = Date.now();
      night.claude = await stage.attach("anvil");
      await night.agent(["type", "one unit"], { from: killedAt });
      await night.ends(9);
      const arrived = ({ unsent }: { unsent: number }) => unsent === 0;
      const figures = await until(
        "all wakes to arrive, and the cost of the last turn",
        async () => {
          const all = await night.report();
          const isTold = (all.sessions[0]?.cost_usd ?? 0) > costs.cost_usd!;
          return all.sessions.every(arrived) && isTold ? all : undefined;
        },
      );

      const lines = night.journal();
      assertEquals(lines.filter((line) => whyNoRecord(line) !== undefined), []);
      const { sessions, totals } = figures;
      const [one] = sessions;
      assertEquals(sessions.length, 1);
      assert(one !== undefined);
      assertEquals([one.agent_id, one.turns, one.failed_turns, one.human_turns], [
        "anvil",
        9,
        2,
        2,
      ]);

      // Who answered, what, and after how long.
      assertEquals(
        one.asked.map(({ what, by, by_kind, answer }) => [what, by, by_kind, answer]),
        [
          ["question", "anvil", "agent", "SQLite"],
          ["question", "keyboard", "keyboard", "MongoDB"],
          ["permission", "anvil", "agent", "allowed"],
        ],
      );
      one.asked.forEach(({ after_ms = 0 }, at) =>
        assertBetween(after_ms, LETS_WAIT_MS, longest[at]!, "an answer")
      );

      // Failures, and the way back.
      assertEquals(one.failures.map(({ what }) => what), ["turn failed", "limited", "lost"]);
      assertEquals(one.recoveries.length, 1);
      assertBetween(one.recoveries[0]!.after_ms, 0, backAt - killedAt, "back");

      // The time is divided without a rest, and each part is as long as the script makes it.
      const time = one.time_ms;
      const [start] = one.lanes;
      const sum = Object.values(time).reduce((all, ms) => all + ms, 0);
      assertEquals(sum, figures.until - start!.from);
      one.lanes.slice(1).forEach(({ from }, at) => assertEquals(from, one.lanes[at]!.to));
      assertBetween(time.working, 7 * THINKS_MS, night.most.working, "working");
      // Two waits for its word on an open dialog, and five for the next instruction.
      assertBetween(time.agent, 7 * LETS_WAIT_MS, night.most.agent, "agent");
      assertBetween(time.human, LETS_WAIT_MS, night.most.human, "human");
      assertBetween(time.api, LETS_WAIT_MS, night.most.api, "api");
      assertBetween(time.lost, 0, backAt - killedAt, "lost");
      const limit = lines.find((line) => line.limit !== undefined)!;
      assertEquals(limit.limit, {
        kind: "5-hour limit",
        resets_at: new Date(night.resetsAt).toISOString(),
      });
      assertEquals(time.limited, night.resetsAt - Date.parse(String(limit.at)));
      assertEquals(time.failed, 0);
      const waits = (who: string, what: string) =>
        one.waits.filter((wait) => wait.who === who && wait.for === what).length;
      assertEquals([waits("agent", "question"), waits("agent", "instruction")], [2, 5]);
      assertEquals([waits("human", "question"), waits("human", "instruction")], [1, 2]);
      assertEquals([totals.agent_wait.count, totals.human_wait.count], [7, 3]);
      const slowest = (who: string) =>
        Math.max(...one.waits.filter((wait) => wait.who === who).map(({ ms }) => ms));
      assertEquals(
        [totals.agent_wait.longest_ms, totals.human_wait.longest_ms],
        [slowest("agent"), slowest("human")],
      );

      // Costs: two units cost twice as much as one.
      const priced =
        (await stage.ours("commands/log.ts", "--since", "1h", "--json", "--kind", "queued"))
          .stdout.trim().split("\n").map((line) => JSON.parse(line) as Line)
          .filter(({ trigger }) => /^response_/.test(String(trigger)))
          .map(({ cost_usd }) => Number(cost_usd ?? 0));
      assertEquals(priced.length, 9);
      const [spawned = 0, unit = 0] = priced;
      assert(unit > 0);
      assertNear(spawned, unit, unit * 0.05);
      assertNear(priced[7]!, 2 * unit, unit * 0.05);
      assertNear(one.cost_usd!, priced.reduce((all, cost) => all + cost, 0), 1e-5);

      assertEquals(one.commits.map(({ subject }) => subject), ["One"]);
      assertEquals(
        [totals.turns, totals.commits, totals.unsent, totals.unanswered],
        [9, 1, 0, 0],
      );
      assertEquals(totals.cost_usd, one.cost_usd);
      const { stdout: text } = await stage.ours("commands/report.ts", "--since", "1h");
      for (const state of ["working", "agent", "human", "api", "limited"] as const) {
        assertStringIncludes(text, roughly(time[state]));
      }
      assertStringIncludes(text, "turn failed · lost · back after");
      assertStringIncludes(text, "1 session, 9 turns, $");
      assertStringIncludes(text, "9 turns (2 yours) · 2 questions (1 by anvil, 1 by you, longest");
      assertStringIncludes(text, "1 permission (1 by anvil, longest wait");
      assertStringIncludes(text, "nothing unsent · nothing unanswered");
    }));
}
