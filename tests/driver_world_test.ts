import { assertEquals, assertStringIncludes } from "@std/assert";
import { openPending } from "../lib/answers.ts";
import type { Caller } from "../lib/driver/caller.ts";
import type { ProcessInfo } from "../lib/doors/process_tree.ts";
import type { Road } from "../lib/companion/road_file.ts";
import { contextFor, paneWorld, roadsInto } from "../lib/driver/driver_world.ts";
import type { MenuOptions } from "../lib/driver/menu_order.ts";
import { FakePane } from "./support/fake_pane.ts";
import {
  driverWorld,
  menuOptions,
  NOW,
  pendingFor,
  SECRET,
  SECRET_SHA256,
} from "./support/driver_context.ts";
import { fixtureRequest } from "./support/fixtures.ts";
import { TestHome } from "./support/home.ts";
import { TmuxServer } from "./support/tmux_server.ts";

async function contextIn(home: TestHome, ...words: string[]) {
  const pane = new FakePane(() => "");
  const caller: Caller = { kind: "outside", chain: "openclaw > menu-driver" };
  return await contextFor(driverWorld(home), "warden-main", menuOptions(...words), pane, caller);
}

function register(home: TestHome, hook_settings: Record<string, unknown>): void {
  const agent = { agent_id: "warden", tmux_session_name: "warden-main", hook_settings };
  home.writeRegistry({ agents: [agent] });
}

Deno.test("contextFor() lets an agent decide only where its settings say so", async () => {
  await using home = new TestHome();
  register(home, { answer_permissions: true });
  const may = await contextIn(home);
  assertEquals([may.agentId, may.by, may.whyNoDecision], ["warden", "warden", undefined]);
  register(home, {});
  assertEquals(
    (await contextIn(home)).whyNoDecision,
    'agent "warden" may not decide: answer_permissions is not true in its hook_settings',
  );
});

Deno.test("contextFor() allows no decision in a session that no agent owns", async () => {
  await using home = new TestHome();
  const context = await contextIn(home, "--by", "me");
  assertEquals([context.agentId, context.by], ["", "me"]);
  assertStringIncludes(context.whyNoDecision!, `no enabled agent of the registry ${home.dir}`);
  assertEquals((await contextIn(home)).by, "menu-driver");
});

Deno.test("contextFor() takes a hook for waiting while its process and its time last", async () => {
  await using home = new TestHome();
  const bash = fixtureRequest("permission_request-bash");
  const alive = pendingFor("permission", bash, { pid: Deno.pid });
  openPending(home.paths, alive);
  const { isWaiting } = await contextIn(home);
  assertEquals(isWaiting(alive), true);
  assertEquals(isWaiting({ ...alive, until: NOW }), false);
  assertEquals(isWaiting({ ...alive, pid: 2 ** 30 }), false);
});

Deno.test("contextFor() opens the request of its id and secret, and no other", async () => {
  await using home = new TestHome();
  const own = pendingFor("permission", fixtureRequest("permission_request-bash"));
  const opens = async (name: string, pending = own) =>
    (await contextIn(home, "--question", name)).opens(pending);
  assertEquals(await opens(`p-1.${SECRET}`), true);
  assertEquals(await opens(`p-1.${SECRET}`, { ...own, id: "p-2" }), false);
  for (const name of ["p-1", "p-1.", "p-1.WRONG", `p-2.${SECRET}`]) {
    assertEquals(await opens(name), false, name);
  }
  assertEquals((await contextIn(home)).opens(own), false);
});

Deno.test("contextFor() takes a cut request for read only with the code of its file", async () => {
  await using home = new TestHome();
  const own = pendingFor("permission", fixtureRequest("permission_request-bash"));
  const cut = { ...own, cut: { file: "/f", code_sha256: SECRET_SHA256 } };
  const hasRead = async (...words: string[]) => (await contextIn(home, ...words)).hasRead(cut);
  assertEquals(await hasRead("--seen", SECRET), true);
  assertEquals(await hasRead("--seen", "OTHER"), false);
  assertEquals(await hasRead(), false);
  assertEquals((await contextIn(home)).hasRead(own), true);
});

Deno.test("paneWorld() asks the tmux server that --socket names, by name or by path", async () => {
  await using home = new TestHome();
  await using server = new TmuxServer();
  const pane = await server.session("warden-main");
  const [path = ""] = (await server.env(pane)).TMUX.split(",");
  const names = async (options: MenuOptions) => {
    const { tmux } = paneWorld(driverWorld(home), options);
    const listed = await tmux.call("list-sessions", "-F", "#{session_name}");
    return listed.kind === "ok" ? listed.stdout.trim() : listed.reason;
  };
  assertEquals(await names(menuOptions("--socket", server.socket)), "warden-main");
  assertEquals(await names(menuOptions("--socket", path)), "warden-main");
  home.env.GSD_TMUX_SOCKET = server.socket;
  assertEquals(await names(menuOptions()), "warden-main");
  // A server of that name in another folder is another one.
  home.env.TMUX_TMPDIR = home.dir;
  assertStringIncludes(await names(menuOptions()), home.dir);
});

const ROAD: Road = {
  session: "warden-main",
  pane: "%3",
  server: 10,
  pid: 30,
  claude_pid: 20,
  socket: "/nowhere/warden-main.sock",
  since: NOW,
};
const PROGRAM = { args: [], foreground: false, hasTerminal: true };
const CLAUDE: ProcessInfo = { ...PROGRAM, pid: 20, parent: 10 };
const COMPANION: ProcessInfo = { ...PROGRAM, pid: 30, parent: 20 };

const ways: [name: string, road: Partial<Road>, processes: ProcessInfo[], isThere: boolean][] = [
  ["a companion of this pane", {}, [CLAUDE, COMPANION], true],
  ["one of another pane", { pane: "%4" }, [CLAUDE, COMPANION], false],
  ["one of another tmux server", { server: 11 }, [CLAUDE, COMPANION], false],
  ["one that was killed", {}, [CLAUDE], false],
  ["one whose number is another program's", {}, [CLAUDE, { ...COMPANION, parent: 1 }], false],
  ["one whose Claude Code has ended", { claude_pid: 19 }, [CLAUDE, COMPANION], false],
];
for (const [name, road, processes, isThere] of ways) {
  Deno.test(`roadsInto() finds ${isThere ? "the" : "no"} road by ${name}`, async () => {
    await using home = new TestHome();
    Deno.mkdirSync(`${home.paths.state}/roads`, { recursive: true });
    const file = `${home.paths.state}/roads/warden-main.json`;
    Deno.writeTextFileSync(file, JSON.stringify({ ...ROAD, ...road }));
    const world = driverWorld(home, { processes: () => Promise.resolve(processes) });
    const roads = await roadsInto(world, "warden-main", { id: "%3", pid: 20 });
    assertEquals(roads.mod !== undefined, isThere);
  });
}
