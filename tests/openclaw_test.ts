import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CliCarrier, cliEnv } from "../lib/delivery/openclaw.ts";
import { agentResult, callResult } from "../lib/delivery/openclaw_words.ts";
import type { Finished, Outcome } from "../lib/process.ts";
import { aWake } from "./support/delivery_home.ts";

const ended = (code: number, stdout: unknown, stderr = ""): Finished => ({
  kind: "finished",
  code,
  stdout: typeof stdout === "string" ? stdout : JSON.stringify(stdout, null, 2),
  stderr,
});
const REFUSAL = "Gateway agent from agent exec would lose inter-session attribution. Use the …";

/** A CliCarrier whose program answers by method; what it was asked, and read, is kept. */
function carrier(answers: Record<string, Outcome>, { isNode = true } = {}) {
  const folder = Deno.makeTempDirSync({ prefix: "gsd-cli-" });
  const asked: string[][] = [];
  const read: unknown[] = [];
  const cli = new CliCarrier({
    program: "openclaw",
    now: Date.now,
    folder,
    run(args, _timeoutMs, env) {
      asked.push(args);
      const file = env?.GSD_PARAMS_FILE;
      if (isNode && file !== undefined) {
        read.push(JSON.parse(Deno.readTextFileSync(file)));
        Deno.removeSync(file); // as params_file.cjs does
      }
      const name = args[0] === "gateway" ? args[2]! : args[0]!;
      return Promise.resolve(answers[name] ?? ended(1, "", `no answer for ${name}`));
    },
  });
  /** Nothing may be left of a message. */
  const done = () => Deno.removeSync(folder);
  return { cli, asked, read, [Symbol.dispose]: done };
}
const FOUND = { "sessions.resolve": ended(0, { ok: true, key: "agent:warden:main" }) };

Deno.test("CliCarrier calls agent on the gateway with the wake's key", async () => {
  using one = carrier({
    ...FOUND,
    agent: ended(0, { runId: "x", status: "accepted" }),
  });
  const { cli, asked, read } = one;
  for (const message of [aWake().message, "ü".repeat(600_000)]) {
    const wake = aWake({ message });
    assertEquals(await cli.deliver(wake), { kind: "delivered", detail: "accepted" });
    assertEquals(read.pop(), {
      message,
      sessionKey: "agent:warden:main",
      idempotencyKey: wake.wake_id,
    });
  }
  assertEquals(asked.flat().filter((arg) => arg.includes("[CONTENT]") || arg.length > 500), []);
});

Deno.test("CliCarrier uses OpenClaw's own option where its program is not run by Node", async () => {
  using one = carrier({
    ...FOUND,
    agent: ended(0, { runId: "r", status: "ok", result: { payloads: [{ text: "fine" }] } }),
  }, { isNode: false });
  const { cli, asked } = one;
  const outcome = await cli.deliver(aWake({ message: "ü".repeat(60_000) }));
  assert(outcome.kind === "delivered" && outcome.detail === "completed");
  assertEquals(asked.at(-1)!.slice(0, 4), [
    "agent",
    "--session-key",
    "agent:warden:main",
    "--message-file",
  ]);
  assertEquals(asked.flat().some((arg) => arg.length > 500), false);
});

Deno.test("CliCarrier sends nothing to a session that was found without its key", async () => {
  using one = carrier({ "sessions.resolve": ended(0, { ok: true }) });
  const { cli, asked } = one;
  const outcome = await cli.deliver(aWake({ openclaw_session_key: "", openclaw_session_id: "c1" }));
  assert(outcome.kind === "later" && outcome.scope === "target");
  assertStringIncludes(outcome.reason, "c1");
  assertEquals(asked.length, 1);
});

Deno.test("CliCarrier names an unknown session in both versions' words", async () => {
  const now = ended(1, {
    ok: false,
    error: {
      type: "gateway_request_error",
      code: "INVALID_REQUEST",
      message: "No session found: k",
    },
  });
  const before = ended(1, "", "Gateway call failed: Error: No session found: k");
  for (const answer of [now, before]) {
    using one = carrier({ "sessions.resolve": answer });
    const { cli, asked } = one;
    const outcome = await cli.deliver(aWake());
    assert(outcome.kind === "later" && outcome.scope === "target", JSON.stringify(outcome));
    assertStringIncludes(outcome.reason, '"agent:warden:main"');
    assertEquals(asked.length, 1, "nothing was sent");
  }
});

Deno.test("CliCarrier explains the refusal inside an agent's own shell", async () => {
  const refused = ended(1, { ok: false, error: { type: "cli_error", message: REFUSAL } });
  using one = carrier({ ...FOUND, agent: refused });
  const { cli, asked } = one;
  const outcome = await cli.deliver(aWake());
  assert(outcome.kind === "later" && outcome.scope === "all");
  assertStringIncludes(outcome.reason, "OPENCLAW_SHELL=exec");
  assertStringIncludes(outcome.reason, "start the tmux server outside");
  assertEquals(asked.filter((args) => args.includes("agent")).length, 1, "no other way was tried");
});

Deno.test("CliCarrier sends nothing while the history does not show whether it is there", async () => {
  const answers: Outcome[] = [
    ended(1, { ok: false, error: { code: "UNAVAILABLE", message: "not now" } }),
    ended(1, { ok: false, error: { code: "INTERNAL", message: "broken" } }),
    { kind: "timeout", afterMs: 60_000 },
    ended(0, {}),
  ];
  for (const answer of answers) {
    using one = carrier({ ...FOUND, "chat.history": answer });
    const { cli, asked } = one;
    const attempts = { count: 1, next_at: "", last_error: "no answer" };
    const outcome = await cli.deliver(aWake({ attempts }));
    assert(outcome.kind === "later" && !outcome.newKey, JSON.stringify(outcome));
    assertEquals(asked.filter((args) => args.includes("agent")), []);
  }
});

Deno.test("CliCarrier takes a new key where the run of the last one was stopped", async () => {
  using one = carrier({
    ...FOUND,
    "chat.history": ended(0, { messages: [] }),
    agent: ended(0, { status: "timeout", summary: "aborted", stopReason: "rpc" }),
  });
  const attempts = { count: 1, next_at: "", last_error: "no answer" };
  const outcome = await one.cli.deliver(aWake({ attempts }));
  assert(outcome.kind === "later" && outcome.newKey === true, JSON.stringify(outcome));
  assertStringIncludes(outcome.reason, 'let it go again: the run ended as "timeout"');
});

Deno.test("CliCarrier brings a reply from the session where agent.wait has none", async () => {
  const wake = aWake({ expects_reply: true });
  using one = carrier({
    ...FOUND,
    agent: ended(0, { status: "accepted" }),
    "agent.wait": ended(0, { runId: wake.wake_id, status: "ok" }),
    "chat.history": ended(0, {
      messages: [{ role: "user", content: wake.message }, { role: "assistant", content: "go on" }],
    }),
  });
  const { cli } = one;
  const outcome = await cli.deliver(wake);
  assert(outcome.kind === "delivered" && outcome.reply);
  assertEquals(await outcome.reply, { status: "ok", text: "go on" });
});

Deno.test("CliCarrier waits for a reply as long as the hook does", async () => {
  const now = Date.now();
  const reply_until = new Date(now + 7000).toISOString();
  const wake = aWake({ expects_reply: true, reply_until });
  using one = carrier({
    ...FOUND,
    agent: ended(0, { status: "accepted" }),
    "agent.wait": ended(0, { runId: wake.wake_id, status: "timeout" }),
  });
  const { cli, asked } = one;
  const outcome = await cli.deliver(wake);
  assert(outcome.kind === "delivered" && outcome.reply);
  await outcome.reply;
  const waits = asked.find((args) => args.includes("agent.wait"))!;
  const { timeoutMs } = JSON.parse(waits[waits.indexOf("--params") + 1]!);
  assert(timeoutMs <= 7000, `${timeoutMs} ms is not within the hook's time`);
});

Deno.test("callResult() judges by what was said, not by the exit code", () => {
  const result = (outcome: Outcome) => {
    const call = callResult(outcome, "openclaw", "agent");
    return call.kind === "ok" ? "ok" : call.outcome.kind;
  };
  assertEquals(result(ended(0, { status: "accepted" })), "ok");
  assertEquals(
    result(ended(0, `Config warning\n${JSON.stringify({ status: "in_flight" })}`)),
    "ok",
  );
  assertEquals(result(ended(0, { ok: false, error: { message: "no" } })), "later");
  assertEquals(result(ended(0, "")), "later");
  assertEquals(result({ kind: "missing", program: "openclaw", reason: "not found" }), "unfit");
  assertEquals(result({ kind: "timeout", afterMs: 1000 }), "later");
  const down = "Gateway not reachable at ws://127.0.0.1:1 (ECONNREFUSED)";
  assertEquals(result(ended(1, { ok: false, error: { message: down } })), "later");
});

Deno.test("agentResult() counts a turn that went wrong as delivered", () => {
  const kind = (outcome: Outcome) => agentResult(outcome, "openclaw").kind;
  const failed = { runId: "r", status: "error", result: { payloads: [{ isError: true }] } };
  assertEquals(kind(ended(1, failed)), "delivered");
  assertEquals(kind(ended(1, { runId: "r", status: "timeout", summary: "aborted" })), "delivered");
  assertEquals(
    kind(ended(1, { ok: false, runId: "r", error: { message: "model 500" } })),
    "delivered",
  );
  assertEquals(kind(ended(0, { payloads: [{ text: "local" }], meta: {} })), "delivered");
  assertEquals(kind({ kind: "timeout", afterMs: 60_000 }), "delivered");
  assertEquals(kind(ended(1, { ok: false, error: { message: "unauthorized: token" } })), "later");
});

Deno.test("agentResult() says that this OpenClaw takes no message from a file", () => {
  for (
    const words of [
      "error: required option '-m, --message <text>' not specified",
      "error: unknown option '--session-key'",
    ]
  ) {
    const outcome = agentResult(ended(1, "", words), "openclaw");
    assert(outcome.kind === "unfit", words);
    assertStringIncludes(outcome.reason, "takes no message from a file");
  }
});

Deno.test("cliEnv() passes what OpenClaw needs and nothing of Claude Code's", () => {
  const env = cliEnv({
    PATH: "/bin",
    HOME: "/h",
    LANG: "C",
    OPENCLAW_SHELL: "exec",
    OPENCLAW_HOME: "/o",
    ANTHROPIC_API_KEY: "k",
    CLAUDE_CODE_ENTRYPOINT: "cli",
    CLAUDECODE: "1",
    AWS_SECRET_ACCESS_KEY: "s",
  });
  assertEquals(Object.keys(env), ["PATH", "HOME", "LANG", "OPENCLAW_SHELL", "OPENCLAW_HOME"]);
});
