import { assertEquals, assertStringIncludes } from "@std/assert";
import { namesIn } from "../../lib/files.ts";
import { enqueue } from "../../lib/outbox.ts";
import { startProgram } from "../support/child_process.ts";
import { aWake, DeliveryHome } from "../support/delivery_home.ts";
import { fixtureEvent, fixtureTranscript } from "../support/fixtures.ts";
import { HookWorld, ROOT, WARDEN } from "../support/hook_world.ts";
import { ended, make } from "../support/odd_files.ts";
import { until } from "../support/until.ts";

const REGISTRY = { delivery: { transport: "inbox" }, agents: [WARDEN] };
const ID = "01M7H1P5VR4HB8KSXQBJ0FKB0P";

function start(args: string[], env: Record<string, string>, stdin = "") {
  const deno = [Deno.execPath(), "run", "-A", "--quiet", "--no-code-cache"];
  return startProgram([...deno, ...args], env, stdin);
}

/** All files of a world in which the wake of a turn was sent and delivered; and some more. */
async function lived(world: HookWorld): Promise<[string, Uint8Array][]> {
  const { state } = world.paths;
  await Deno.writeTextFile(world.transcript, fixtureTranscript("after-compact").join("\n") + "\n");
  await world.pane("warden-main");
  for (const [script, args] of programs(world, 0)) await ended(await script(args));
  const more = {
    [`${world.dir}/home/.claude/settings.json`]: "{}",
    [`${world.dir}/home/.openclaw/openclaw.json`]: "{}",
    [`${world.dir}/home/.openclaw/.env`]: "",
    [`${world.paths.data}/registered/x.json`]: "{}",
    [`${world.paths.data}/launches/warden-main.json`]: "{}",
    [`${world.paths.data}/launches/warden-main.settings.json`]: "{}",
    [`${state}/pending/warden-main/q-1.json`]: "{}",
    [`${state}/replies/${ID}.json`]: "{}",
    [`${state}/content/${ID}.txt`]: "x",
    [`${state}/dead/warden/${ID}.json`]: "{}",
    [`${state}/outbox/warden/${ID}.json`]: "{}",
    [`${state}/outbox/warden/${ID}.json.7-0.tmp`]: "{}",
    [`${state}/locks/starts-warden`]: "7",
    [`${state}/recovery-failures`]: "{}",
    [`${state}/journal/warden-main.jsonl.1`]: "",
    [`${state}/journal/warden-main.jsonl.lock`]: "",
  };
  for (const [path, text] of Object.entries(more)) {
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(path, text);
  }
  // Without what is not ours to open: Deno's cache, and messages that were delivered.
  return filesIn(world.dir).filter((path) => !/\/(inbox|\.cache)\//.test(path))
    .map((path) => [path, Deno.readFileSync(path)]);
}

function filesIn(dir: string): string[] {
  return namesIn(dir).flatMap((name) => {
    const path = `${dir}/${name}`;
    const { isDirectory, isFile } = Deno.lstatSync(path);
    return isDirectory ? filesIn(path) : isFile ? [path] : [];
  });
}

type Program = [run: (args: string[]) => Promise<Running>, args: string[]];
type Running = ReturnType<typeof start>;

/** What opens files of ours, each with something to do. */
function programs(world: HookWorld, n: number): Program[] {
  // Without a folder for temporary files the doctor does not measure hooks, which takes seconds.
  const env = { ...world.env(), TMPDIR: "/nonexistent" };
  const command = (args: string[]) => Promise.resolve(start(args, env));
  const hook = async ([file, event]: string[]) => {
    const tmux = await world.server.env(await world.pane("warden-main"));
    const given = {
      ...fixtureEvent(event!),
      transcript_path: world.transcript,
      prompt_id: `p${n}`,
      last_assistant_message: undefined, // so that it is looked for in transcript and screen
    };
    return start([`${ROOT}/hooks/${file}`], { ...world.env(), ...tmux }, JSON.stringify(given));
  };
  enqueue(world.paths, aWake({ transport: "inbox" }));
  return [
    [hook, ["session_start.ts", "session_start-startup"]],
    [hook, ["stop.ts", "stop-plain"]],
    [command, [`${ROOT}/commands/deliver.ts`, "--claimed", "7"]],
    [command, [`${ROOT}/commands/status.ts`]],
    [command, [`${ROOT}/commands/doctor.ts`]],
  ];
}

Deno.test("no hook, deliverer, status or doctor hangs on a fifo in the place of a file", async () => {
  await using world = await HookWorld.create({ registry: REGISTRY, deliver: true });
  const files = await lived(world);
  const hung: string[] = [];
  for (const [n, [path, bytes]] of files.entries()) {
    await until(`a fifo at ${path}`, async () => {
      await away(path); // a deliverer may be quicker, and then it is tried again
      make("mkfifo", path);
      return true;
    });
    const running = await Promise.all(programs(world, n + 1).map(([run, args]) => run(args)));
    const outcomes = await Promise.allSettled(running.map(ended));
    if (outcomes.some(({ status }) => status === "rejected")) hung.push(path);
    await away(path);
    await Deno.writeFile(path, bytes, { mode: path.includes("/bin/") ? 0o755 : 0o600 });
  }
  assertEquals(hung, []);
});

async function away(path: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.remove(path).catch(() => {});
}

const DOORS: Record<string, string> = {
  "readTextIfThere()": `(await import("${ROOT}/lib/files.ts")).readTextIfThere(path)`,
  "appendLine()": `(await import("${ROOT}/lib/files.ts")).appendLine(path, "x")`,
  "withLock()": `(await import("${ROOT}/lib/files.ts")).withLock(path, 0, () => 1)`,
  "linesFromEnd()": `[...(await import("${ROOT}/lib/transcript.ts")).linesFromEnd(path, 1000)]`,
  "holdLock()": `(await import("${ROOT}/lib/doors/held_lock.ts")).holdLock(path)`,
};
for (const [door, code] of Object.entries(DOORS)) {
  Deno.test(`${door} refuses a fifo in one sentence`, async () => {
    await using home = new DeliveryHome();
    const path = `${home.dir}/fifo`;
    make("mkfifo", path);
    const script = `${home.dir}/door.ts`;
    await Deno.writeTextFile(
      script,
      `const path = "${path}"; try { ${code}; } catch (error) { console.log(error.message); }`,
    );
    const { stdout } = await ended(start([script], home.env));
    assertStringIncludes(stdout, `${path} is a fifo, not a file`);
  });
}
