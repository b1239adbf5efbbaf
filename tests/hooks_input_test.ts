/** Whatever comes in: exit 0, nothing printed, soon. And whatever comes at once: nothing torn. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { HOOKS } from "../lib/install/hook_list.ts";
import { namesIn } from "../lib/files.ts";
import { startProgram } from "./support/child_process.ts";
import { fixtureEvent, fixtureEventNames } from "./support/fixtures.ts";
import { HookWorld, ROOT, section, WARDEN } from "./support/hook_world.ts";

const WRONG = [null, 7, true, [], {}, [[null]], "", "\0", "x".repeat(5000), { questions: [3] }];
const FIELDS = [
  ...["session_id", "transcript_path", "cwd", "prompt_id", "last_assistant_message", "error"],
  ...["background_tasks", "tool_name", "tool_input", "tool_response", "tool_use_id", "reason"],
  ...["notification_type", "message", "source", "trigger", "custom_instructions"],
];

function badInputs(event: string): (string | Uint8Array)[] {
  const name = { hook_event_name: event };
  return [
    ...["", "{", '{"session_id": "a', "[]", "null", "7", '"text"', "\0\0\0", "{}{}"],
    new Uint8Array([0xff, 0xfe, 0x00, 0x80]),
    "x".repeat(10_000_000),
    JSON.stringify({ ...name, last_assistant_message: "y".repeat(10_000_000) }),
    ...WRONG.map((value) =>
      JSON.stringify({ ...Object.fromEntries(FIELDS.map((field) => [field, value])), ...name })
    ),
  ];
}

for (const { event, file } of HOOKS.filter(({ event }) => event !== "PermissionRequest")) {
  Deno.test(`${file} is silent and soon done, whatever comes in`, async () => {
    await using world = await HookWorld.create();
    for (const input of badInputs(event)) {
      const { ms, ...result } = await world.hook(file, input);
      assertEquals(result, { code: 0, stdout: "", stderr: "" });
      assert(ms < 60_000, `${ms} ms for ${String(input).slice(0, 60)}`);
    }
  });
}

Deno.test("stop.ts sends the turn although its transcript is no file that can be read", async () => {
  await using world = await HookWorld.create();
  const { last_assistant_message: _, ...stop } = fixtureEvent("stop-plain");
  const fifo = `${world.dir}/fifo`;
  await new Deno.Command("mkfifo", { args: [fifo] }).output();
  await Deno.mkdir(`${world.dir}/folder`);
  await Deno.writeTextFile(`${world.dir}/empty`, "");
  await Deno.symlink(`${world.dir}/loop`, `${world.dir}/loop`);
  const paths = ["", "/", "nowhere", `${world.dir}/gone`, `${world.dir}/folder`, fifo];
  for (const path of [...paths, `${world.dir}/empty`, `${world.dir}/loop`, "/proc/self/mem"]) {
    const event = { ...stop, transcript_path: path, prompt_id: `prompt of ${path}` };
    const { ms, ...result } = await world.hook("stop.ts", event);
    assertEquals(result, { code: 0, stdout: "", stderr: "" });
    assert(ms < 60_000, `${ms} ms for ${path}`);
  }
  assertEquals(world.wakes().length, 9);
});

Deno.test("stop.ts finds the text at the end of a transcript that comes 100 ms late", async () => {
  await using world = await HookWorld.create({ permissions: "all" });
  await world.pane("warden-main");
  const { last_assistant_message: _, ...stop } = fixtureEvent("stop-plain");
  const path = world.transcript;
  const line = (fields: unknown) => JSON.stringify(fields) + "\n";
  const claude = (id: string, text: string) =>
    line({
      type: "assistant",
      message: { id, stop_reason: "end_turn", content: [{ type: "text", text }] },
    });
  const user = (promptId: string) => line({ type: "user", promptId, message: { content: "go" } });
  await Deno.writeTextFile(path, user("old") + claude("1", "old words") + user("new"));
  const late = claude("2", "the new words");
  const env = {
    LATE_FILE: path,
    LATE_LINES: JSON.stringify({ 75: late.slice(0, 40), 100: late.slice(40) }),
  };
  const event = { ...stop, prompt_id: "new", transcript_path: path };
  await world.hook("../tests/support/late_stop.ts", event, { env });
  assertEquals(section(world.wakes()[0]!, "CONTENT"), "the new words");
});

Deno.test("stop.ts reads huge transcripts from their end", async () => {
  await using world = await HookWorld.create();
  const { last_assistant_message: _, ...stop } = fixtureEvent("stop-plain");
  const path = world.transcript;
  const file = await Deno.open(path, { write: true, create: true });
  // A sparse file of 500 MB: its beginning is one line of zeros that must never be read.
  await file.truncate(500_000_000);
  await file.seek(0, Deno.SeekMode.End);
  const big = "z".repeat(1_000_000);
  const lines = [
    { type: "user", promptId: stop.prompt_id, message: { content: "go" } },
    {
      type: "assistant",
      message: { id: "1", stop_reason: "end_turn", content: [{ type: "text", text: big }] },
    },
    ...Array.from({ length: 10 }, () => ({ type: "attachment", attachment: big })),
  ];
  const bytes = new TextEncoder().encode(
    "\n" + lines.map((line) => JSON.stringify(line)).join("\n") + "\n",
  );
  await (new Blob([bytes])).stream().pipeTo(file.writable);
  await world.hook("stop.ts", { ...stop, transcript_path: path });
  const [name] = namesIn(`${world.dir}/state/content`);
  assertEquals(await Deno.readTextFile(`${world.dir}/state/content/${name}`), big);
});

Deno.test("stop.ts sends every recorded answer to the letter", async () => {
  await using world = await HookWorld.create({
    registry: { agents: [{ ...WARDEN, hook_settings: { max_content_chars: 1_000_000 } }] },
  });
  const events = fixtureEventNames("stop-").map(fixtureEvent)
    .filter((event) => typeof event.last_assistant_message === "string");
  for (const event of events) await world.hook("stop.ts", event);
  const told = world.wakes().map((wake) =>
    section(wake, "CONTENT").replace(/\n\nStill running in the background:\n[\s\S]*$/, "")
  );
  assertEquals(told, events.map((event) => event.last_assistant_message as string));
  assert(told.length >= 9);
});

Deno.test("stop.ts carries 200 KB whole: cut in the message, complete in its file", async () => {
  await using world = await HookWorld.create();
  const stop = fixtureEvent("stop-200kb");
  await world.hook("stop.ts", stop);
  const wake = world.wakes()[0]!;
  const content = section(wake, "CONTENT");
  const path = /^whole_text: (.*)$/m.exec(section(wake, "TRIGGER"))?.[1];
  assertEquals(await Deno.readTextFile(path!), stop.last_assistant_message);
  assert(content.length < 16_400);
  const [head, line, tail] = content.split(/\n(… .*)\n/);
  const whole = stop.last_assistant_message as string;
  assert(whole.startsWith(`${head}\n`) && whole.endsWith(`\n${tail}`));
  assert(head!.length > 7_900 && tail!.length > 7_900);
  const missing = whole.length - head!.length - tail!.length;
  assertStringIncludes(line!, `… ${missing} of ${whole.length} characters`);
});

Deno.test("ten hooks at once on one session tear nothing and none waits over 2 s for another", async () => {
  await using world = await HookWorld.create();
  await world.pane("warden-main");
  const { last_assistant_message: _, ...stop } = fixtureEvent("stop-plain");
  const results = await Promise.all(Array.from({ length: 10 }, (_, index) =>
    world.hook("stop.ts", {
      ...stop,
      transcript_path: "",
      prompt_id: `prompt-${index}`,
      last_assistant_message: `answer ${index}`,
    })));
  for (const { ms, ...result } of results) {
    assertEquals(result, { code: 0, stdout: "", stderr: "" });
    assert(ms < 60_000, `${ms} ms`);
  }
  const said = world.wakes().map((wake) => section(wake, "CONTENT")).sort();
  assertEquals(said, Array.from({ length: 10 }, (_, index) => `answer ${index}`));
  assertEquals(world.journal().filter((entry) => entry.kind === "queued").length, 10);
  const memory = JSON.parse(
    await Deno.readTextFile(`${world.dir}/state/sessions/warden-main.json`),
  );
  // A hook that gets no lock on the memory in time sends its wake all the same, unremembered.
  const known = memory.said.map((one: { wake_id: string }) => one.wake_id);
  assert(known.length > 0 && new Set(known).size === known.length, JSON.stringify(memory));
  assertEquals(namesIn(`${world.dir}/state/panes`), ["warden-main.txt"]);
});

Deno.test("a hook whose memory stays locked still sends its wake, after at most 2 s", async () => {
  await using world = await HookWorld.create();
  await world.pane("warden-main");
  const lock = `${world.dir}/state/locks/session-warden-main`;
  await Deno.mkdir(`${world.dir}/state/locks`, { recursive: true });
  using file = await Deno.open(lock, { write: true, create: true });
  await file.lock(true);
  const { ms } = await world.hook("stop.ts", fixtureEvent("stop-plain"));
  assertEquals(world.wakes().length, 1);
  assert(ms > 1900 && ms < 60_000, `${ms} ms`);
});

for (const path of ["panes/warden-main.txt", "sessions/warden-main.json", "locks"]) {
  Deno.test(`a memory that cannot be used (${path}) costs no wake`, async () => {
    await using world = await HookWorld.create();
    // A folder in place of a file, and a file in place of a folder.
    const where = `${world.dir}/state/${path}`;
    await Deno.mkdir(path === "locks" ? `${world.dir}/state` : where, { recursive: true });
    if (path === "locks") await Deno.writeTextFile(where, "no folder");
    const { ms: _, ...result } = await world.hook("stop.ts", fixtureEvent("stop-plain"));
    assertEquals(result, { code: 0, stdout: "", stderr: "" });
    assertEquals(world.wakes().length, 1);
  });
}

Deno.test("the pane's lines are new until a wake has carried them", async () => {
  await using world = await HookWorld.create();
  const pane = await world.pane("warden-main");
  const stop: Record<string, unknown> = { ...fixtureEvent("stop-plain"), transcript_path: "" };
  await world.hook("stop.ts", stop);
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  await world.server.show(pane, lines.join("\n") + "\n");
  await world.hook("stop.ts", stop); // sent before: no wake has the lines
  const { last_assistant_message: _, ...silent } = stop;
  await world.hook("stop.ts", { ...silent, prompt_id: "another" });
  assertEquals(section(world.wakes()[1]!, "CONTENT"), lines.join("\n"));
});

for (const permissions of ["registered", "all"] as const) {
  Deno.test(`no more of the pane is read than is wanted, with ${permissions} permissions`, async () => {
    const hook_settings = { pane_capture_lines: 10, min_context_lines: 100 };
    const registry = { agents: [{ ...WARDEN, hook_settings }] };
    await using world = await HookWorld.create({ permissions, registry });
    const pane = await world.pane("warden-main");
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
    await world.server.show(pane, lines.join("\n")); // 40 of them fit on the screen
    const { last_assistant_message: _, ...stop } = fixtureEvent("stop-plain");
    await world.hook("stop.ts", { ...stop, transcript_path: "" });
    assertEquals(section(world.wakes()[0]!, "CONTENT"), lines.slice(-50).join("\n"));
  });
}

for (const permissions of ["registered", "all"] as const) {
  Deno.test(`more of the pane is read from the session's second event on, with ${permissions} permissions`, async () => {
    const hook_settings = { pane_capture_lines: 200, min_context_lines: 1000 };
    const registry = { agents: [{ ...WARDEN, hook_settings }] };
    await using world = await HookWorld.create({ permissions, registry });
    const pane = await world.pane("warden-main");
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`);
    await world.server.show(pane, lines.join("\n"));
    await world.hook("session_start.ts", fixtureEvent("session_start-startup"));
    const { last_assistant_message: _, ...stop } = fixtureEvent("stop-plain");
    await world.hook("stop.ts", { ...stop, transcript_path: "" });
    assertEquals(section(world.wakes()[0]!, "CONTENT"), lines.slice(-240).join("\n"));
  });
}

Deno.test("a Stop that is run twice makes one wake, though its words come from the pane", async () => {
  await using world = await HookWorld.create();
  const pane = await world.pane("warden-main");
  const { last_assistant_message: _, ...stop } = fixtureEvent("stop-plain");
  for (const lines of ["one\ntwo\n", "one\ntwo\nthree\n"]) {
    await world.server.show(pane, lines);
    await world.hook("stop.ts", { ...stop, transcript_path: "" });
  }
  assertEquals(world.wakes().length, 1);
});

Deno.test("the pane's new lines are sent, also those that repeat an old one", async () => {
  await using world = await HookWorld.create({
    registry: {
      agents: [{
        agent_id: "warden",
        tmux_session_name: "warden-main",
        openclaw_session_key: "k",
        hook_settings: { min_context_lines: 2 },
      }],
    },
  });
  const { last_assistant_message: _, ...stop } = fixtureEvent("stop-plain");
  const pane = await world.pane("warden-main");
  const shown: string[] = [];
  for (const lines of [["one", "ok", "two"], ["three", "ok", "four"], []]) {
    shown.push(...lines);
    await world.server.show(pane, shown.join("\n") + "\n");
    const prompt_id = `prompt ${shown.length} ${lines.length}`;
    await world.hook("stop.ts", { ...stop, transcript_path: "", prompt_id });
  }
  const told = world.wakes().map((wake) => section(wake, "CONTENT"));
  assertEquals(told, ["ok\ntwo", "three\nok\nfour", "ok\nfour"]);
});

Deno.test("a hook whose own parts cannot be loaded is silent, and the journal says so", async () => {
  await using world = await HookWorld.create();
  const root = `${world.dir}/root`;
  for (const folder of ["hooks", "lib"]) {
    await Deno.mkdir(`${root}/${folder}`, { recursive: true });
    for (const name of namesIn(`${ROOT}/${folder}`).filter((name) => name.endsWith(".ts"))) {
      await Deno.copyFile(`${ROOT}/${folder}/${name}`, `${root}/${folder}/${name}`);
    }
  }
  await Deno.writeTextFile(`${root}/lib/send_wake.ts`, "half a fi");
  const tmux = await world.server.env(await world.pane("warden-main"));
  const { done } = startProgram(
    [Deno.execPath(), "run", "-A", "--no-config", "--quiet", `${root}/hooks/stop.ts`],
    { ...world.env(), ...tmux },
    JSON.stringify(fixtureEvent("stop-plain")),
  );
  assertEquals(await done, { code: 0, stdout: "", stderr: "" });
  assertEquals(world.journal().map((entry) => entry.kind), ["problem"]);
});
