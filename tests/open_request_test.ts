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
const same = pendingFor("permission", BASH, { id: "p-2" });
const long = pendingFor("permission", {
  tool: "Bash",
  tool_input: { command: `echo ${"x".repeat(200)} end` },
}, { id: "p-3" });

Deno.test("openRequest() finds the request on the screen, known by its hook or not", async () => {
  assertEquals(await found(ASKED, { pending: [one, long] }), "p-1");
  assertEquals(await found(ASKED), "on the screen alone");
  assertStringIncludes(await found(IDLE, { pending: [one] }), "nothing asks for permission; the");
});

Deno.test("openRequest() takes the only one of its kind where the screen tells none", async () => {
  assertEquals(await found(ASKED, { pending: [long] }), "p-3");
});

Deno.test("openRequest() takes of two that look the same the one for which a hook waits", async () => {
  assertEquals(await found(ASKED, { pending: [one, same], waiting: ["p-2"] }), "p-2");
  const reason = "several requests look like the one on the screen: name one with " +
    "--question: p-1 (Bash touch /home/dev/app/made-by-bash && echo bash-ran); p-2 (Bash touch";
  assertStringIncludes(await found(ASKED, { pending: [one, same] }), reason);
  assertStringIncludes(
    await found(ASKED, { pending: [one, same], waiting: ["p-1", "p-2"] }),
    reason,
  );
});

Deno.test("openRequest() names a long request by its beginning and its end", async () => {
  const other = { ...long, id: "p-4" };
  const reason = await found(ASKED, { pending: [long, other] });
  assertStringIncludes(reason, "p-3 (Bash echo xxx");
  assertStringIncludes(reason, "x…x");
  assertStringIncludes(reason, "x end)");
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
