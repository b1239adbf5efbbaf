import { assertEquals, assertStringIncludes } from "@std/assert";
import { openPending, type Pending } from "../lib/answers.ts";
import { openRequest } from "../lib/driver/open_request.ts";
import { driverContext, pendingFor } from "./support/driver_context.ts";
import { FakePane } from "./support/fake_pane.ts";
import { fixturePane, fixtureRequest } from "./support/fixtures.ts";
import { TestHome } from "./support/home.ts";

const BASH = fixtureRequest("permission_request-bash");

interface Given {
  pending?: Pending[];
  id?: string;
  /** The ids for which a hook waits. */
  waiting?: string[];
}

async function found(screen: string, { pending = [], id, waiting = [] }: Given = {}) {
  await using home = new TestHome();
  for (const one of pending) openPending(home.paths, one);
  const pane = new FakePane(() => fixturePane(screen));
  const isWaiting = (one: Pending) => waiting.includes(one.id);
  const context = driverContext(pane, { paths: home.paths, isWaiting });
  const result = openRequest(context, await pane.look(), id);
  return result.kind === "none" ? result.reason : result.pending?.id ?? "on the screen alone";
}

const ASKED = "30-permission-bash";
const IDLE = "04-idle-default-mode";
const one = pendingFor("permission", BASH);
const same = pendingFor("permission", BASH, { id: "p-2", asked_at: "2026-11-16T09:58:00.000Z" });
const long = pendingFor("permission", {
  tool: "Bash",
  tool_input: { command: `echo ${"x".repeat(200)} end` },
}, { id: "p-3" });

Deno.test("openRequest() finds the request on the screen, known by its hook or not", async () => {
  assertEquals(await found(ASKED, { pending: [one, long] }), "p-1");
  assertEquals(await found(ASKED), "on the screen alone");
  assertStringIncludes(await found(IDLE, { pending: [one] }), "nothing asks for permission; the");
});

Deno.test("openRequest() names none where the screen shows another one", async () => {
  // Keys decide what is on the screen: a confirmation must not name something else.
  assertEquals(await found(ASKED, { pending: [long], waiting: ["p-3"] }), "on the screen alone");
});

Deno.test("openRequest() takes of two identical ones the one that waits, else the oldest", async () => {
  assertEquals(await found(ASKED, { pending: [one, same], waiting: ["p-2"] }), "p-2");
  assertEquals(await found(ASKED, { pending: [one, same] }), "p-2");
  assertEquals(await found(ASKED, { pending: [one, same], waiting: ["p-1", "p-2"] }), "p-2");
});

Deno.test("openRequest() does not guess between two that fit the screen, and names each", async () => {
  const read = (id: string, folder: string) =>
    pendingFor("permission", {
      tool: "Read",
      tool_input: { file_path: `/srv/${folder.repeat(100)}/made-by-bash` },
    }, { id });
  const reason = await found(ASKED, { pending: [read("p-3", "x"), read("p-4", "y")] });
  assertStringIncludes(reason, "name one with --question: p-3 (Read /srv/xxx");
  assertStringIncludes(reason, "x…x");
  assertStringIncludes(reason, "/made-by-bash); p-4 (Read /srv/yyy");
});

Deno.test("openRequest() with an id finds that one alone", async () => {
  const both = [one, long];
  assertEquals(await found(ASKED, { pending: both, id: "p-1" }), "p-1");
  assertEquals(await found(IDLE, { pending: both, id: "p-3", waiting: ["p-3"] }), "p-3");
  assertStringIncludes(
    await found(ASKED, { pending: both, id: "p-3" }),
    "the request p-3 is not on the screen: act on what is there first; the present state is",
  );
  assertStringIncludes(await found(IDLE, { pending: both, id: "p-1" }), "is not on the screen");
  assertStringIncludes(await found(ASKED, { id: "p-9" }), "the request p-9 is no longer open");
});
