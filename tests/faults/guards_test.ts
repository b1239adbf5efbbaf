import { assertEquals } from "@std/assert";
import { giveAnswer, openPending, type Pending, takeAnswer } from "../../lib/answers.ts";
import { askTmux } from "../../lib/gate.ts";
import { pathsFrom } from "../../lib/paths.ts";
import { writeExecutable } from "../support/executable.ts";

Deno.test("askTmux() asks no tmux server when $TMUX is not set, though a pane is named", async () => {
  await inFolder(async (dir) => {
    const tmux = `${dir}/tmux`;
    writeExecutable(tmux, `#!/bin/sh\ntouch '${dir}/asked'\n`);
    const names = () => Array.from(Deno.readDirSync(dir), (entry) => entry.name).sort();
    const env: Record<string, string> = { TMUX_PANE: "%0", GSD_TMUX: tmux };
    assertEquals(askTmux((name) => env[name], undefined), undefined);
    assertEquals(askTmux((name) => ({ ...env, TMUX: "" })[name], undefined), undefined);
    const told = { session: "warden-main", capture: "" };
    assertEquals(askTmux((name) => env[name], told), undefined);
    assertEquals(names(), ["tmux"]);
    await askTmux((name) => ({ ...env, TMUX: "/tmp/x,1,0" })[name], undefined)?.answer;
    assertEquals(names(), ["asked", "tmux"]);
  });
});

Deno.test("takeAnswer() gives an answer only to the hook that asked the question", async () => {
  await inFolder((dir) => {
    const paths = pathsFrom((name) => name === "GSD_STATE_DIR" ? dir : undefined, dir);
    const asked = (id: string, session: string): Pending => ({
      id,
      kind: "question",
      session,
      agent_id: "warden",
      tool: "AskUserQuestion",
      tool_input: {},
      asked_at: new Date().toISOString(),
      until: new Date(Date.now() + 60_000).toISOString(),
      pid: Deno.pid,
      secret_sha256: "",
    });
    const database = asked("q-1", "warden-main");
    const others = [asked("q-2", "warden-main"), asked("q-1", "warden-main-2")];
    for (const pending of [database, ...others]) openPending(paths, pending);
    const answers = { "Which database should we use?": "SQLite" };
    giveAnswer(paths, database, {
      by: "warden",
      via: "hook",
      at: new Date().toISOString(),
      decision: { kind: "answers", answers, annotations: {} },
    });
    for (const other of others) assertEquals(takeAnswer(paths, other), undefined);
    assertEquals(takeAnswer(paths, database)?.decision, {
      kind: "answers",
      answers,
      annotations: {},
    });
    assertEquals(takeAnswer(paths, database), undefined);
  });
});

async function inFolder(work: (dir: string) => unknown): Promise<void> {
  const dir = Deno.makeTempDirSync({ prefix: "gsd-test-" });
  try {
    await work(dir);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}
