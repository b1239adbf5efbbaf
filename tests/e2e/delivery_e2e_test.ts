import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { namesIn } from "../../lib/files.ts";
import { readJournal } from "../../lib/journal_read.ts";
import { enqueue, type QueuedWake } from "../../lib/outbox.ts";
import { deadIds, replyFile, waitingIds } from "../../lib/outbox_files.ts";
import { type Paths, pathsFrom, ROOT } from "../../lib/paths.ts";
import { endReplyWait, holdReplyWait } from "../../lib/reply_wait.ts";
import { AgentModel } from "../support/agent_model.ts";
import { inScene, type Scene } from "../support/artefacts.ts";
import { TestHome } from "../support/home.ts";
import { aWake } from "../support/delivery_home.ts";
import { type RealOpenClaw, startOpenClaw } from "../support/real_openclaw.ts";
import { pause, until } from "../support/until.ts";

const LONG = "žluťoučký kůň 😀 \u202eRTL\u202c 漢字\n".repeat(4200);

interface DeliveryStage {
  model: AgentModel;
  gateway: RealOpenClaw;
  session: { key: string; id: string };
  paths: Paths;
  put(more?: Partial<QueuedWake>, text?: string): QueuedWake;
  deliver(args?: string[], env?: Record<string, string>): Promise<Ended>;
  /** Looks once, as from cron; there is no tmux. */
  watch(): Promise<Ended>;
}
interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

const stories: [name: string, story: (stage: DeliveryStage) => Promise<void>][] = [];
const onStage = (name: string, story: (stage: DeliveryStage) => Promise<void>) =>
  stories.push([name, story]);

// One gateway for all: starting it takes longer than any story.
Deno.test("delivery to the real OpenClaw", (test) =>
  inScene("delivery", async (scene) => {
    const stage = await stageIn(scene);
    for (const [name, story] of stories) {
      Deno.removeSync(stage.paths.state, { recursive: true });
      stage.model.answer = undefined;
      const went = await test.step(name, () => story(stage));
      assert(went, name);
    }
  }));

async function stageIn(scene: Scene): Promise<DeliveryStage> {
  const model = new AgentModel();
  scene.atEnd(() => model.stop());
  const gateway = await startOpenClaw({ scene, modelUrl: model.url, agents: ["warden"] });
  const session = await gateway.createSession("warden");
  const env: Record<string, string> = {
    ...new TestHome(scene).env,
    GSD_OPENCLAW: gateway.program,
  };
  const paths = pathsFrom((name) => env[name], ROOT);
  Deno.mkdirSync(paths.state);
  const ours = async (file: string, args: string[], more: Record<string, string>) => {
    const done = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", `${ROOT}/commands/${file}`, ...args],
      env: { ...env, ...more },
      clearEnv: true,
      stdin: "null",
    }).output();
    const [stdout, stderr] = [done.stdout, done.stderr].map((b) => new TextDecoder().decode(b));
    return { code: done.code, stdout: stdout!, stderr: stderr! };
  };
  return {
    model,
    gateway,
    session,
    paths,
    put(more = {}, text = "Done.") {
      const wake = aWake({ openclaw_session_key: session.key, ...more });
      const whole = { ...wake, message: `${wake.message}\n${text}` };
      enqueue(paths, whole);
      return whole;
    },
    deliver: (args = ["--agent", "warden"], more = {}) => ours("deliver.ts", args, more),
    watch: () => ours("watch.ts", ["--once"], { GSD_TMUX: "/bin/false" }),
  };
}

/** The wakes since `first` as the agent's model saw them, in the order of the conversation. */
async function conversation(
  { model, gateway }: DeliveryStage,
  first: QueuedWake,
  last = first,
): Promise<string[]> {
  await until("the last wake to reach the model", () => model.asked(last.wake_id).length > 0, {
    timeoutMs: 120_000,
  });
  await gateway.untilQuiet("warden");
  const users = model.requests.at(-1)!.texts.filter(({ role }) => role === "user");
  return users.flatMap(({ text }) => text.match(/(?<=\nwake_id: )\w{26}/g) ?? [])
    .filter((id) => id >= first.wake_id);
}

const ids = (wakes: QueuedWake[]) => wakes.map((wake) => wake.wake_id);
const journal = ({ paths }: DeliveryStage) => [...readJournal(paths, "warden-main")];
const times = (stage: DeliveryStage, way: string) =>
  journal(stage).filter((line) => line.kind === "delivered" && line.transport === way)
    .map((line) => Number(line.duration_ms)).sort((a, b) => a - b);

/** One after the other, so that the ids follow each other. */
async function putSome(stage: DeliveryStage, texts: string[], more: Partial<QueuedWake> = {}) {
  const wakes: QueuedWake[] = [];
  for (const text of texts) {
    wakes.push(stage.put(more, text));
    await pause(3);
  }
  return wakes;
}

/** What every user of the machine can see of all programs, until something has ended. */
async function argumentsDuring(work: Promise<unknown>): Promise<string> {
  const seen = new Set<string>();
  let isDone = false;
  work.finally(() => isDone = true);
  while (!isDone) {
    for (const pid of namesIn("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        seen.add(Deno.readTextFileSync(`/proc/${pid}/cmdline`));
      } catch {
        // It has ended.
      }
    }
    await pause(20);
  }
  return [...seen].join("\n");
}

onStage(
  "wakes arrive over the gateway and the command line: once, in order, whole",
  async (stage) => {
    const direct = await putSome(stage, ["one", LONG, "three", "four"]);
    assertEquals((await stage.deliver()).code, 0);
    const byId = [stage.put({ openclaw_session_key: "", openclaw_session_id: stage.session.id })];
    assertEquals((await stage.deliver()).code, 0);
    const byCli = await putSome(stage, ["five", LONG, "seven"], { transport: "cli" });
    const delivering = stage.deliver();
    const seen = await argumentsDuring(delivering);
    assertEquals((await delivering).code, 0);
    assertStringIncludes(seen, `${byCli[0]!.wake_id}-`, "the file of its parameters");
    for (const { wake_id } of byCli) assert(!seen.includes(`wake_id: ${wake_id}`));

    const all = [...direct, ...byId, ...byCli];
    assertEquals(await conversation(stage, all[0]!, all.at(-1)!), ids(all));
    for (const long of [direct[1]!, byCli[1]!]) {
      assertStringIncludes(stage.model.asked(long.wake_id)[0]!.message, LONG.trim());
    }
    for (const way of ["gateway", "cli"]) {
      const taken = times(stage, way);
      assert(taken.length >= 3, `${way}: ${taken}`);
      console.log(`  ack by ${way}, event to ack: ${taken.join(", ")} ms`);
    }
  },
);

onStage("an unknown session is named, and none is made of it", async (stage) => {
  const before = (await stage.gateway.openclaw("sessions", "--all-agents", "--json")).stdout;
  for (const transport of ["gateway", "cli"] as const) {
    stage.put({ transport, openclaw_session_key: `agent:warden:gone-${transport}` });
    const { code, stderr } = await stage.deliver(["--once"]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, `agent:warden:gone-${transport}`);
  }
  stage.put({ openclaw_session_key: "", openclaw_session_id: "no-such-id" });
  assertStringIncludes((await stage.deliver(["--once"])).stderr, "no-such-id");
  const after = (await stage.gateway.openclaw("sessions", "--all-agents", "--json")).stdout;
  const count = (text: string) => JSON.parse(text).count;
  assertEquals(count(after), count(before));
});

onStage(
  "a wrong token is said without saying it, and its correction lets the wake through",
  async (stage) => {
    const { config, token } = stage.gateway;
    const right = Deno.readTextFileSync(config);
    Deno.writeTextFileSync(`${config}.wrong`, right.replace(token, "wrong-token-0123456789"));
    const wake = stage.put({ transport: "gateway" });
    const { code, stderr } = await stage.deliver(["--once"], {
      OPENCLAW_CONFIG_PATH: `${config}.wrong`,
    });
    assertEquals(code, 1);
    assertStringIncludes(stderr, "AUTH_TOKEN_MISMATCH");
    const written = JSON.stringify(journal(stage)) + stderr;
    assertEquals(written.includes("wrong-token") || written.includes(token), false);
    assertEquals((await stage.deliver()).code, 0);
    assertEquals(await conversation(stage, wake), [wake.wake_id]);
  },
);

onStage(
  "OpenClaw's refusal inside an agent's shell is explained, the wake waits",
  async (stage) => {
    const wake = stage.put({ transport: "cli" });
    const inside = await stage.deliver(["--once"], { OPENCLAW_SHELL: "exec" });
    assertEquals(inside.code, 1);
    assertStringIncludes(inside.stderr, "OPENCLAW_SHELL=exec");
    assertEquals(waitingIds(stage.paths, "warden"), [wake.wake_id]);
    assertEquals((await stage.deliver(["--once"])).code, 0);
    assertEquals(await conversation(stage, wake), [wake.wake_id]);
  },
);

onStage("the agent's reply comes back by either way", async (stage) => {
  const decision = JSON.stringify({ decision: "block", reason: 'say "hi"\nand go on' });
  stage.model.answer = () => ({ text: `Think.\n\`\`\`json\n${decision}\n\`\`\`` });
  for (const transport of ["gateway", "cli"] as const) {
    const { wake_id } = aWake();
    holdReplyWait(stage.paths, wake_id);
    const wake = stage.put({ wake_id, transport, expects_reply: true });
    assertEquals((await stage.deliver()).code, 0);
    endReplyWait(stage.paths, wake.wake_id);
    const reply = JSON.parse(Deno.readTextFileSync(replyFile(stage.paths, wake.wake_id)));
    assertEquals([reply.wake_id, reply.status], [wake.wake_id, "ok"]);
    assertStringIncludes(reply.text, decision);
  }
});

onStage("a wake that waits while a person stops the agent is sent again, once", async (stage) => {
  const { model, gateway, session, paths } = stage;
  Deno.mkdirSync(`${paths.state}/locks`, { recursive: true });
  // Each wake is watched then.
  Deno.writeTextFileSync(`${paths.state}/locks/gateway-unsteady`, String(Date.now()));
  const thinking = Promise.withResolvers<void>();
  const busy = stage.put({}, "The first");
  model.answer = ({ message }) =>
    message.includes(busy.wake_id) ? { hold: thinking.promise } : undefined;
  assertEquals((await stage.deliver()).code, 0);
  await until("the agent to work", () => model.asked(busy.wake_id).length > 0);
  const waits = stage.put({}, "The second");
  const delivering = stage.deliver();
  const reasons = () => journal(stage).map((line) => String(line.reason));
  const hasFailed = (why: RegExp) => reasons().some((reason) => why.test(reason));
  await until("the wake to wait", () => hasFailed(/has not begun to read/), { present: reasons });
  const params = JSON.stringify({ sessionKey: session.key });
  const stopped = await gateway.openclaw("gateway", "call", "chat.abort", "--params", params);
  assertEquals(stopped.code, 0, stopped.stderr);
  thinking.resolve();
  assertEquals((await delivering).code, 0);
  assertEquals(await conversation(stage, waits), [waits.wake_id]);
  const read = model.requests.at(-1)!.texts.filter(({ text }) => text.includes(waits.wake_id));
  assertEquals(read.length, 1);
  assert(hasFailed(/let it go again: the run ended as "timeout"/), reasons().join("; "));
});

onStage("a gateway that is killed and comes back gets each wake once", async (stage) => {
  const first = stage.put();
  assertEquals((await stage.deliver()).code, 0);
  await conversation(stage, first);
  await stage.gateway.kill("SIGKILL");
  // As if the deliverer had been killed between the gateway's answer and its own last step.
  enqueue(stage.paths, first);
  const second = stage.put();
  const delivering = stage.deliver();
  await until("a try to fail", () => journal(stage).some((line) => line.kind === "failed"));
  await stage.gateway.start();
  assertEquals((await delivering).code, 0);
  assertEquals(await conversation(stage, first, second), ids([first, second]));
  const delivered = journal(stage).filter((line) => line.kind === "delivered");
  const details = delivered.map((line) => String(line.detail));
  assertEquals(details.slice(0, 2), ["accepted", "it was in the session already"]);
  // A young gateway that is slow to begin the second one is asked again, and has it by then.
  assertMatch(details.slice(2).join(), /^(accepted|it was in the session already)$/);
  assertEquals(deadIds(stage.paths, "warden"), []);
});

onStage(
  "an agent that it does not know is told to the global status session, once",
  async (stage) => {
    const { paths, model, session } = stage;
    const agent = (id: string) => ({
      agent_id: id,
      tmux_session_name: `${id}-main`,
      openclaw_session_key: `agent:${id}:main`,
    });
    const registry = {
      global_status_openclaw_session_key: session.key,
      agents: [agent("warden"), agent("ghost")],
    };
    Deno.writeTextFileSync(paths.registry, JSON.stringify(registry));
    for (let looks = 0; looks < 2; looks++) {
      const looked = await stage.watch();
      assertEquals(looked.code, 0, looked.stderr);
      await stage.deliver([]);
    }
    const [asked] = await until("the wake of it", () => {
      const found = model.asked("agent_unknown");
      return found.length > 0 ? found : undefined;
    });
    assertStringIncludes(asked!.message, "OpenClaw has no agent ghost");
    assertStringIncludes(asked!.message, "openclaw agents add ghost");
    assertEquals(namesIn(`${paths.state}/watch/told`).length, 1);
    assertEquals(
      [...readJournal(paths, "ghost-main")].filter(({ kind }) => kind === "queued").length,
      1,
    );
  },
);
