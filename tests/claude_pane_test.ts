import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type ClaudePane, findPane, type FoundPane } from "../lib/driver/claude_pane.ts";
import { allProcesses, type ProcessInfo } from "../lib/doors/process_tree.ts";
import { paneWorld } from "../lib/driver/driver_world.ts";
import { realClock } from "../lib/time.ts";
import { driverWorld, menuOptions } from "./support/driver_context.ts";
import { TestHome } from "./support/home.ts";
import { TmuxServer } from "./support/tmux_server.ts";
import { until } from "./support/until.ts";

/** What the driver finds in a session. */
function findIn(server: TmuxServer, home: TestHome, session: string): Promise<FoundPane> {
  const options = menuOptions("--socket", server.socket);
  const world = paneWorld(driverWorld(home, { clock: realClock }), options);
  return findPane(world, session, undefined, "any");
}

/** The pane of a new session that runs `command`. It shows no Claude Code. */
async function paneOf(
  server: TmuxServer,
  home: TestHome,
  session: string,
  command: string,
): Promise<ClaudePane> {
  await server.session(session, command);
  const found = await findIn(server, home, session);
  if (found.kind === "none") throw new Error(found.reason);
  return found.pane;
}

/** Shows what it reads; control characters as ^X. Takes pastes in brackets, as Claude Code does. */
const READER = `sh -c "stty raw -echo; printf '\\033[?2004hready'; exec cat -v"`;

function untilShown(pane: ClaudePane, text: string): Promise<true> {
  return until(`"${text}" in the pane`, async () => (await pane.look()).text.includes(text));
}

Deno.test("ClaudePane.paste() pastes in brackets, and leaves nothing in tmux's buffers", async () => {
  await using home = new TestHome();
  await using server = new TmuxServer();
  const pane = await paneOf(server, home, "s", READER);
  await untilShown(pane, "ready");
  await pane.paste("-a; $b\\");
  await untilShown(pane, "^[[200~-a; $b\\^[[201~");
  assertEquals(await server.tmux("list-buffers"), "");
});

Deno.test("ClaudePane.press() reaches the program while somebody scrolls back", async () => {
  await using home = new TestHome();
  await using server = new TmuxServer();
  const pane = await paneOf(server, home, "s", READER);
  await untilShown(pane, "ready");
  await server.tmux("copy-mode", "-t", pane.id);
  await pane.press("C-a", "x");
  await untilShown(pane, "^Ax");
});

Deno.test("ClaudePane sends nothing to other panes where synchronize-panes is on", async () => {
  for (const scope of ["-w", "-p"]) {
    await using home = new TestHome();
    await using server = new TmuxServer();
    const pane = await paneOf(server, home, "s", READER);
    const split = ["split-window", "-d", "-P", "-F", "#{pane_id}", "-t", pane.id, READER];
    const other = await server.tmux(...split);
    const shown = (id: string) => server.tmux("capture-pane", "-p", "-t", id);
    await until("both", async () => (await shown(other)).includes("ready"));
    await untilShown(pane, "ready");
    for (const id of [pane.id, other]) {
      await server.tmux("set-option", scope, "-t", id, "synchronize-panes", "on");
    }
    await pane.press("C-a", "x");
    await pane.paste("hello");
    await untilShown(pane, "^Ax^[[200~hello^[[201~");
    assertEquals((await shown(other)).trim(), "ready", scope);
    const local = ["show-options", "-p", "-v", "-t", pane.id, "synchronize-panes"];
    assertEquals(await server.tmux(...local), scope === "-p" ? "on" : "", scope);
    const isOn = ["display-message", "-p", "-t", pane.id, "#{pane_synchronized}"];
    assertEquals(await server.tmux(...isOn), "1", scope);
  }
});

Deno.test("ClaudePane.hasEnded() sees that Claude Code is gone, whatever shell is left", async () => {
  await using home = new TestHome();
  await using server = new TmuxServer();
  const claude = `${home.dir}/claude`;
  Deno.symlinkSync("/bin/cat", claude);
  // A shell with such options is not known to be at its prompt.
  await server.session("s", `sh -c "${claude}; exec sh -o emacs"`);
  const isClaude = ({ args }: ProcessInfo) => args[0] === claude;
  await until("its start", async () => (await allProcesses()).some(isClaude));
  const found = await findIn(server, home, "s");
  if (found.kind === "none") throw new Error(found.reason);
  const { pane } = found;
  assertEquals(await pane.hasEnded(), false);
  await pane.press("C-d");
  await until("the end", () => pane.hasEnded());
});

Deno.test("ClaudePane says when the pane is gone, and leaves no text in tmux's buffers", async () => {
  await using home = new TestHome();
  await using server = new TmuxServer();
  await server.session("other");
  const pane = await paneOf(server, home, "s", "cat");
  await server.tmux("kill-session", "-t", "=s");
  await assertRejects(() => pane.press("Enter"), Error, "can't find pane");
  await assertRejects(() => pane.paste("secret"), Error, "can't find pane");
  assertEquals(await server.tmux("list-buffers"), "");
  assertEquals((await pane.look()).state, "unknown");
  assertEquals(await pane.hasEnded(), true);
});

Deno.test("ClaudePane.hasEnded() distinguishes a program from a shell at its prompt and from a dead pane", async () => {
  await using home = new TestHome();
  await using server = new TmuxServer();
  const program = await paneOf(server, home, "program", "cat");
  assertEquals(await program.hasEnded(), false);
  // A script in front of a program is no prompt.
  const script = await paneOf(server, home, "script", `sh -c "cat; :"`);
  assertEquals(await script.hasEnded(), false);
  await server.tmux("respawn-pane", "-k", "-t", program.id, "sh");
  await until("the shell", () => program.hasEnded());
  await server.tmux("set-option", "-g", "remain-on-exit", "on");
  await server.tmux("respawn-pane", "-k", "-t", script.id, "true");
  await until("the dead pane", () => script.hasEnded());
});

Deno.test("findPane() takes no pane in which a shell waits or nothing runs", async () => {
  await using home = new TestHome();
  await using server = new TmuxServer();
  await server.session("s", "sh");
  const reason = await until("the shell to wait", async () => {
    const found = await findIn(server, home, "s");
    return found.kind === "none" && found.reason;
  });
  assertStringIncludes(reason, "no pane of it shows Claude Code (%0 runs sh)");
  await server.tmux("set-option", "-g", "remain-on-exit", "on");
  await server.tmux("respawn-pane", "-k", "-t", "=s:", "true");
  await until("the pane to be dead", async () => {
    const found = await findIn(server, home, "s");
    return found.kind === "none" && found.reason.includes("%0 runs nothing");
  });
});
