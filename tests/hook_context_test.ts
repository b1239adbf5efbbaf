import { assertEquals } from "@std/assert";
import { openPending } from "../lib/answers.ts";
import { ensureDir, namesIn } from "../lib/files.ts";
import { isCrowdOfOthers } from "../lib/hook_context.ts";
import { pendingDir } from "../lib/paths.ts";
import { askedIn, noteAsking } from "../lib/questions.ts";
import { readEvent } from "../lib/events.ts";
import "../lib/cli/load_guards.ts";
import { startProgram } from "./support/child_process.ts";
import { pendingFor } from "./support/driver_context.ts";
import { fixtureEvent, fixtureRequest } from "./support/fixtures.ts";
import { TestHome } from "./support/home.ts";
import { HookWorld, ROOT } from "./support/hook_world.ts";

const SESSION = "warden-main";

Deno.test("isCrowdOfOthers() is true where very many requests are open, and none is this Claude's", async () => {
  await using home = new TestHome();
  const { paths } = home;
  const request = fixtureRequest("permission_request-bash");
  const ask = (id: string, claude: string) =>
    openPending(paths, pendingFor("permission", request, { id, claude_session_id: claude }));
  const isCrowd = (of: { id?: string; claude?: string }) =>
    isCrowdOfOthers(namesIn(pendingDir(paths, SESSION)), of);
  for (let at = 0; at < 10; at++) ask(`p-${at}`, "another");
  assertEquals(isCrowd({ claude: "own" }), false, "so few are all read");
  for (let at = 0; at < 100; at++) ask(`p-${at}`, "another");
  assertEquals(isCrowd({ claude: "own" }), true);
  assertEquals(isCrowd({ claude: "another" }), false, "it has asked them");
  assertEquals(isCrowd({ claude: "own", id: "p-1" }), false, "it is asked for this one");
  assertEquals(isCrowd({}), false, "all of the session are meant");

  const reading = readEvent(JSON.stringify(fixtureEvent("pre_tool_use-ask-single")));
  if (reading.kind !== "event") throw new Error("not an event");
  const asked = { ...askedIn(reading.event), claude_session_id: "own" };
  noteAsking(paths, SESSION, { ...asked, id: "q-1", secret_sha256: "", wake_id: "W1" }, 1);
  assertEquals(isCrowd({ claude: "own" }), false, "its question was told");
});

/** Runs a hook of a copy that lacks these files. */
async function runWithout(
  files: string[],
  world: HookWorld,
  name: string,
  event: unknown,
): Promise<void> {
  const copy = `${world.dir}/copy`;
  Deno.mkdirSync(copy);
  for (const folder of ["hooks", "lib"]) {
    const { code } = await startProgram(["/bin/cp", "-r", `${ROOT}/${folder}`, copy], {}, "").done;
    assertEquals(code, 0);
  }
  for (const file of files) Deno.removeSync(`${copy}/lib/${file}.ts`);
  const hook = `${copy}/hooks/${name}.ts`;
  const words = [Deno.execPath(), "run", "-A", "--no-config", "--quiet", hook];
  const env = { ...world.env(), ...await world.server.env(await world.pane(SESSION)) };
  await startProgram(words, env, JSON.stringify(event)).done;
}

Deno.test("Stop loads nothing that closes questions when the last one was answered", async () => {
  await using world = await HookWorld.create();
  const event = { ...fixtureEvent("stop-plain"), transcript_path: world.transcript };
  ensureDir(pendingDir(world.paths, SESSION)); // it stays when its last file is gone
  await runWithout(["close_pending", "records"], world, "stop", event);
  assertEquals(world.journal().map(({ kind }) => kind), ["queued"]);
});

Deno.test("UserPromptSubmit of a plain prompt loads neither the sender nor the rules of masking", async () => {
  await using world = await HookWorld.create();
  const prompt = fixtureEvent("user_prompt_submit");
  const files = ["send_wake", "wake", "new_wake", "noise", "outbox", "guards", "secrets"];
  await runWithout(files, world, "user_prompt_submit", prompt);
  assertEquals(
    world.journal().map(({ kind, by, by_kind, text }) => ({ kind, by, by_kind, text })),
    [{ kind: "prompt", by: "keyboard", by_kind: "keyboard", text: prompt.prompt }],
  );
});
