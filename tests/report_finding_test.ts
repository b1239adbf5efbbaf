import { assertEquals, assertStringIncludes } from "@std/assert";
import { openPending } from "../lib/answers.ts";
import { type CompanionFinding, reportFinding } from "../lib/companion/report_finding.ts";
import { readRegistry } from "../lib/registry.ts";
import { changeMemory } from "../lib/session_memory.ts";
import { pendingFor } from "./support/driver_context.ts";
import { fixtureRequest } from "./support/fixtures.ts";
import { TestHome } from "./support/home.ts";
import { WARDEN } from "./support/hook_world.ts";
import { writeExecutable } from "./support/executable.ts";

const STOPPED: CompanionFinding = {
  kind: "interrupted",
  said: "I had begun with token: ghp_0123456789abcdefghijABCDEFGHIJ012345",
  turnId: "t1",
  promptId: "p1",
  isLeft: false,
};
const RETRYING: CompanionFinding = {
  kind: "retrying",
  id: "t1.0",
  retrying: {
    failures: 3,
    forS: 4,
    cause: "429",
    kind: "rate limit",
    resetsAt: new Date("2026-11-17T14:40:00Z"),
  },
};

async function reporting(
  work: (home: TestHome, report: (finding: CompanionFinding) => Promise<void>) => Promise<void>,
  dedup_mode = "skip",
  { agent = {}, isWatched = false } = {},
): Promise<void> {
  await using home = new TestHome();
  Deno.mkdirSync(`${home.paths.data}/bin`, { recursive: true });
  writeExecutable(`${home.paths.data}/bin/deliver`, "#!/bin/sh\n"); // wakes stay in the outbox
  const agents = [{ ...WARDEN, ...agent }];
  const reading = readRegistry(JSON.stringify({ agents, hook_settings: { dedup_mode } }));
  if (reading.kind !== "registry") throw new Error(reading.reason);
  const place = {
    session: "warden-main",
    pane: "%0",
    agent: reading.registry.agents[0]!,
    isWatched,
  };
  changeMemory(home.paths, "warden-main", (before) => ({
    memory: { ...before, claude_session_id: "c1" },
    value: undefined,
  }));
  await work(home, (finding) => reportFinding(home.paths, home.variable, place, finding));
}

function messages(home: TestHome): string[] {
  return home.wakes("warden").map(({ message }) => message);
}

Deno.test("reportFinding() reports an interruption once, masked and in its fence", () =>
  reporting(async (home, report) => {
    await report(STOPPED);
    await report(STOPPED); // by a companion that was started anew
    const [message, ...more] = messages(home);
    assertEquals(more, []);
    assertStringIncludes(message!, "type: interrupted\nstopped_by: a person at the terminal\n");
    assertStringIncludes(message!, "I had begun with token: ");
    assertEquals(message!.includes("ghp_0123456789"), false);
  }));

Deno.test("reportFinding() says that a text can be typed after a dialog that was left", () =>
  reporting(async (home, report) => {
    await report({ ...STOPPED, isLeft: true });
    assertStringIncludes(messages(home)[0]!, "advice: what was asked is closed; ask that person");
  }));

Deno.test("reportFinding() closes what was asked in the turn that was stopped", () =>
  reporting(async (home, report) => {
    const pending = {
      ...pendingFor("permission", fixtureRequest("permission_request-bash")),
      claude_session_id: "c1",
    };
    openPending(home.paths, pending);
    await report(STOPPED);
    const left = Array.from(Deno.readDirSync(`${home.paths.state}/pending`));
    assertEquals(left, []);
  }));

Deno.test("reportFinding() reports each trouble with the API once", () =>
  reporting(async (home, report) => {
    await report(RETRYING);
    await report(RETRYING);
    await report({ ...RETRYING, id: "t1.1" });
    assertEquals(messages(home).length, 2);
    assertStringIncludes(
      messages(home)[0]!,
      "failure: rate limit\nattempts: 3\nresets_at: 2026-11-17T14:40:00.000Z\n",
    );
  }));

Deno.test("reportFinding() reports a lost session, with what brings it back", () =>
  reporting(async (home, report) => {
    await report({ kind: "lost" });
    assertStringIncludes(messages(home)[0]!, "type: session_lost\n");
    assertStringIncludes(messages(home)[0]!, "recover");
  }));

Deno.test("reportFinding() leaves a lost session to the watch where that brings it back", async () => {
  const advice = async (agent: Record<string, unknown>, isWatched: boolean) => {
    let message = "";
    const lost = { working_directory: "/tmp", ...agent };
    await reporting(
      async (home, report) => {
        await report({ kind: "lost" });
        message = messages(home)[0]!;
      },
      "skip",
      { agent: lost, isWatched },
    );
    return /advice: (.*)/.exec(message)?.[1]?.slice(0, 25);
  };
  // It starts no session that was closed, and none for the fourth time within an hour.
  assertEquals(await advice({}, true), "The watch starts it again");
  const action = "run the action: it brings";
  assertEquals(await advice({}, false), action);
  assertEquals(await advice({ auto_recover: false }, true), action);
  assertEquals(await advice({ working_directory: "" }, true), action);
});

Deno.test("reportFinding() says nothing of an end that a hook has reported", () =>
  reporting(async (home, report) => {
    changeMemory(home.paths, "warden-main", (before) => ({
      memory: { ...before, ended: "other" },
      value: undefined,
    }));
    await report({ kind: "lost" });
    assertEquals(messages(home), []);
  }));
