import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main as budget } from "../commands/budget.ts";
import { main as status } from "../commands/status.ts";
import { readStop } from "../lib/doors/spending_stops.ts";
import { dateOf } from "../lib/fleet/budgets.ts";
import { spendingFile } from "../lib/fleet/budget_files.ts";
import { record } from "../lib/journal.ts";
import { readJournal } from "../lib/journal_read.ts";
import { projectName } from "../lib/sessions/conversations.ts";
import { section } from "./support/hook_world.ts";
import { changeAgent, idOf, remember, spawned } from "./support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";
import { pause } from "./support/until.ts";
import { says, watcher } from "./support/watching.ts";

/** What Claude Code says to its status line, or a companion keeps. */
async function costs(world: SessionWorld, session: string, usd: number, percent = 5) {
  const format = "#{socket_path},#{pid},#{session_id} #{pane_id}";
  const [variable = "", pane] = (await world.tmux("list-panes", "-t", `=${session}:`, "-F", format))
    .split(" ");
  const folder = `${world.paths.state}/managed${variable.replace("$", "")}`;
  Deno.mkdirSync(folder, { recursive: true });
  const about = { session_id: idOf(world, session), at: Date.now() };
  Deno.writeTextFileSync(`${folder}/${pane}.turn.json`, JSON.stringify({ ...about, usd, percent }));
}

/** A turn that runs; its prompt is another one each time. */
async function works(world: SessionWorld, session: string, promptId: string, by = "agent") {
  const folder = `${world.paths.claudeConfig}/projects/${projectName(`${world.dir}/p`)}`;
  Deno.mkdirSync(folder, { recursive: true });
  const timestamp = new Date().toISOString();
  const line = { type: "user", promptId, timestamp, message: { content: "Fix the tests" } };
  Deno.writeTextFileSync(`${folder}/${idOf(world, session)}.jsonl`, JSON.stringify(line) + "\n");
  remember(world, session, {
    agent_id: "anvil",
    claude_session_id: idOf(world, session),
    prompted: { prompt_id: promptId, by_kind: by, last: "" },
  } as never);
  await says(world, session, { status: "busy", statusUpdatedAt: Date.now(), startedAt: 1 });
}

const told = (world: SessionWorld) =>
  world.wakes("anvil").filter(({ trigger }) => trigger === "budget")
    .map(({ message }) => /^level: (.+)$/m.exec(message)?.[1]);

/** The records of the watch's own acts. */
const acts = (world: SessionWorld, session: string) =>
  [...readJournal(world.paths, session)].map(({ reason }) => String(reason))
    .filter((reason) => reason.startsWith("stopped by a limit"));

Deno.test("watch reports 80 % of a limit, stops the turn at 100 %, once, and asks the agent", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil", { hook_settings: { max_usd_per_session: 10 } });
    const { start, stopped } = watcher(world);
    const watch = start();
    await works(world, session, "p-1");
    await costs(world, session, 7.9);
    assertEquals(await watch.look(1), []);
    await costs(world, session, 8.2);
    assertEquals(await watch.look(1), [`${session} budget`]);
    await costs(world, session, 9);
    assertEquals([await watch.look(1), await start().look(1)], [[], []]);
    assertEquals([told(world), stopped], [["82 %"], []]);

    await costs(world, session, 10.3);
    assertEquals(await watch.look(1), [`${session} budget`]);
    assertEquals([stopped, acts(world, session).length], [[session], 1]);
    const wake = world.wakes("anvil").at(-1)!;
    assertMatch(
      section(wake.message, "TRIGGER"),
      /limit: max_usd_per_session \$10\.00\nspent: \$10\.30/,
    );
    assertStringIncludes(wake.message, `The turn that ran in ${session} was stopped.`);
    assertMatch(section(wake.message, "AVAILABLE ACTIONS"), /budget.* anvil-main --more <usd>\n/);
    assertMatch(readStop(world.paths, session)!.why, /\$10\.30 of \$10\.00/);
    await says(world, session, { status: "idle", statusUpdatedAt: Date.now(), startedAt: 1 });
    world.said.length = 0;
    await status([], { ...world, gateway: () => Promise.resolve("up") } as never);
    assertMatch(
      world.said.join("\n"),
      / idle .* limit reached: this conversation has cost \$10\.30/,
    );
    await works(world, session, "p-1");
    // Killed and started again, it neither tells nor stops twice.
    assertEquals([await watch.look(5), await start().look(30)], [[], []]);
    assertEquals([told(world), stopped], [["82 %", "reached"], [session]]);
  }));

Deno.test("watch lets a person go on after a stop, and stops what an agent begins", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil", { hook_settings: { max_usd_per_session: 10 } });
    const { start, stopped } = watcher(world);
    const watch = start();
    await works(world, session, "p-1");
    await costs(world, session, 11);
    await watch.look(1);
    assertEquals(stopped.length, 1);
    await says(world, session, { status: "idle", statusUpdatedAt: Date.now(), startedAt: 1 });
    await watch.look(60);
    const later = { statusUpdatedAt: Date.now() + 120_000, startedAt: 1 };
    await works(world, session, "p-2", "keyboard");
    await says(world, session, { status: "busy", ...later });
    await watch.look(90);
    assertEquals(stopped.length, 1, "a person goes on");
    await works(world, session, "p-3", "claude");
    await says(world, session, { status: "busy", ...later });
    await watch.look(20);
    await watch.look(20);
    assertEquals([stopped.length, acts(world, session).length], [2, 2]);
    assertEquals(told(world), ["reached"]);
  }));

Deno.test("gsd-code budget shows what was spent, and raises a limit, which ends the stop", () =>
  inSessionWorld(async (world) => {
    const limits = { max_usd_per_session: 10, max_usd_per_day: 12 };
    const session = await spawned(world, "anvil", { hook_settings: limits });
    const { start } = watcher(world);
    const watch = start();
    await works(world, session, "p-1");
    await costs(world, session, 13, 40);
    await watch.look(1);
    assertEquals(told(world), ["reached", "reached"]);
    const said = async (...args: string[]) => {
      world.said.length = world.warned.length = 0;
      const code = await budget(args, world);
      return [code, [...world.said, ...world.warned].join("\n")] as const;
    };
    const [code, shown] = await said();
    assertEquals(code, 0);
    assertMatch(
      shown,
      /this conversation: \$13\.00, of \$10\.00 \(max_usd_per_session\) {2}REACHED/,
    );
    assertMatch(shown, /today, all of anvil: \$13\.00, of \$12\.00 \(max_usd_per_day\) {2}REACHED/);
    assertMatch(shown, /context: 40 %, no limit \(max_context_pct\)$/);
    assertEquals((await said(session, "--more", "nothing"))[0], 2);
    assertEquals((await said("--more", "5"))[0], 2);
    assertEquals((await said("nobody", "--more", "5"))[0], 1);
    const [raised, words] = await said(session, "--more", "5");
    assertEquals(raised, 0);
    assertMatch(words, /may spend \$5\.00 more/);
    assertMatch(words, /this conversation: \$13\.00, of \$15\.00/);
    assertEquals(readStop(world.paths, session), undefined);
    // Near the new limits: that is told, and nothing is stopped.
    await watch.look(5);
    assertEquals([told(world), readStop(world.paths, session)], [
      ["reached", "reached", "86 %"],
      undefined,
    ]);
    await costs(world, session, 17.5);
    await watch.look(5);
    assertEquals(told(world).slice(3), ["reached", "reached"]);
    changeAgent(world, { hook_settings: { max_usd_per_session: 0, max_usd_per_day: 0 } });
    await watch.look(5);
    assertEquals(readStop(world.paths, session), undefined);
    assertEquals((await said(session, "--more", "5"))[0], 1);
  }));

Deno.test("watch counts a day over restarts, and takes the journal's sum where that is more", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil", { hook_settings: { max_usd_per_day: 100 } });
    const { start } = watcher(world);
    await works(world, session, "p-1");
    await costs(world, session, 3);
    await start().look(1);
    await costs(world, session, 4);
    await start().look(1);
    const today = () =>
      JSON.parse(Deno.readTextFileSync(spendingFile(world.paths))).days[dateOf(Date.now())];
    assertEquals(today(), { anvil: 4 });
    for (const cost_usd of [40, 41]) {
      const about = { session, agent_id: "anvil", trigger: "response_complete", wake_id: "w" };
      record(world.paths, { kind: "queued", ...about, cost_usd });
    }
    await start().look(1);
    assertEquals(today(), { anvil: 81 });
    assertEquals(told(world), ["81 %"]);
  }));

Deno.test("watch takes no cost and no context of a conversation for those of the one after /clear", () =>
  inSessionWorld(async (world) => {
    const limits = { max_usd_per_session: 100, max_context_pct: 50 };
    const session = await spawned(world, "anvil", { hook_settings: limits });
    const watch = watcher(world).start();
    await works(world, session, "p-1");
    await costs(world, session, 3, 60);
    await pause(100); // a file that is younger is read at each look
    await watch.look(1);
    await watch.look(1);
    assertEquals(told(world), ["reached"]);
    const entry = { status: "idle", statusUpdatedAt: Date.now(), startedAt: 1 };
    await says(world, session, { sessionId: "after-clear", ...entry });
    assertEquals([await watch.look(5), await watch.look(5)], [[], []]);
    const { conversations, days } = JSON.parse(Deno.readTextFileSync(spendingFile(world.paths)));
    assertEquals(conversations["after-clear"], undefined);
    assertEquals(Object.values(days), [{ anvil: 3 }]);
  }));
