/** Every user of a machine can read the arguments of all programs: no wake may be in them. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { onPath } from "../../lib/doors/programs.ts";
import { namesIn, readTextIfThere } from "../../lib/files.ts";
import { aWake, DeliveryHome, put } from "../support/delivery_home.ts";
import { writeExecutable } from "../support/executable.ts";

const SECRET = 'what Claude said to nobody else: ž "quoted" \\ 😀';
const CONTENT = `[CONTENT]\n${SECRET}`;

/** A program that starts itself once more, as OpenClaw does, and keeps what was seen of it. */
const ON_NODE = `#!/usr/bin/env node
const { appendFileSync, readFileSync, writeFileSync } = require("node:fs");
const { spawnSync } = require("node:child_process");
const seen = process.env.HOME + "/..";
appendFileSync(seen + "/cmdlines", readFileSync("/proc/self/cmdline", "utf8") + "\\n");
if (!process.env.OPENCLAW_AGAIN) {
  const env = { ...process.env, OPENCLAW_AGAIN: "1" };
  const words = [__filename, ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, words, { env, stdio: "inherit" });
  process.exit(status);
}
const [, , , , method, , params] = process.argv;
const given = JSON.parse(params);
if (method === "agent") writeFileSync(seen + "/given", JSON.stringify(JSON.parse(params)));
console.log(JSON.stringify(method === "agent" ? { runId: "r", status: "accepted" } : { ok: true, ...given }));
`;

/** The same without Node. It refuses what it does not understand, as a gateway does. */
const WITHOUT_NODE = `#!/bin/sh
cat /proc/$$/cmdline >> "$HOME/../cmdlines"
echo >> "$HOME/../cmdlines"
case "$1 $3" in
"gateway agent") echo '{"ok":false,"error":{"code":"INVALID_REQUEST","message":"no message"}}'; exit 1 ;;
gateway*) echo '{"ok":true,"key":"agent:warden:main"}' ;;
agent*) cp "$5" "$HOME/../given"; echo '{"runId":"r","status":"ok","result":{"payloads":[{"text":"x"}]}}' ;;
esac
`;

async function delivered(program: string): Promise<{ given: string; cmdlines: string }> {
  await using home = new DeliveryHome();
  home.env.GSD_OPENCLAW = `${home.dir}/openclaw`;
  // A caller's own must not reach the program.
  home.env.GSD_PARAMS_FILE = "/etc/hostname";
  writeExecutable(home.env.GSD_OPENCLAW, program);
  const wake = aWake();
  const message = `${wake.message}\n${CONTENT}`;
  put(home.paths, { ...wake, transport: "cli", message });
  const { code } = await home.deliver(["--once"]).done;
  assertEquals([code, home.wakes().length], [0, 0], JSON.stringify(home.journal()));
  assertEquals(namesIn(`${home.paths.state}/content`), []);
  return {
    given: readTextIfThere(`${home.dir}/given`) ?? "",
    cmdlines: readTextIfThere(`${home.dir}/cmdlines`) ?? "",
  };
}

function assertNothingSeen(cmdlines: string): void {
  assertStringIncludes(cmdlines, "agent");
  for (const word of ["CONTENT", "Claude said", "nobody", "SESSION IDENTITY"]) {
    assert(!cmdlines.includes(word), cmdlines);
  }
}

Deno.test({
  name: "no argument of openclaw holds a wake, also where it starts itself once more",
  ignore: Deno.build.os !== "linux" || onPath((name) => Deno.env.get(name), "node") === undefined,
  async fn() {
    const { given, cmdlines } = await delivered(ON_NODE);
    assertStringIncludes(JSON.parse(given).message, CONTENT);
    assertNothingSeen(cmdlines);
  },
});

Deno.test({
  name: "no argument of openclaw holds a wake where it is not run by Node",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { given, cmdlines } = await delivered(WITHOUT_NODE);
    assertStringIncludes(given, CONTENT);
    assertNothingSeen(cmdlines);
  },
});
