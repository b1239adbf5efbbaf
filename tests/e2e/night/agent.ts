/** The scripted agent: what it does with a wake, by the actions that the wake itself names. */

import { run } from "../../../lib/process.ts";
import { shellQuote } from "../../../lib/text.ts";
import { section } from "../../support/hook_world.ts";
import { pause } from "../../support/until.ts";
import type { Night, NightSession } from "./stage.ts";

export async function reactTo(
  night: Night,
  session: NightSession,
  trigger: string,
  message: string,
): Promise<void> {
  const act = (verb: string, ...values: string[]) => doAction(night, message, verb, values);
  const goOn = () => act("type", night.words(session, "Go on"));
  switch (trigger) {
    case "session_recovered":
      return await goOn();
    case "ask_user_question":
    case "permission_prompt": // of Claude Code's own reminder, where the hook of the question was killed
      return await act("choose", "1");
    case "session_lost":
      // Else the watch starts it again.
      return message.includes("run the action") ? await act("recover") : undefined;
    case "session_end":
      return await act("recover");
    case "stalled":
    case "retrying": {
      // A model that fails may recover by itself; one that is silent for so long does not.
      if (trigger === "retrying" && !message.includes("no answer for")) return;
      session.api = { kind: "works" };
      await act("esc");
      return await goOn();
    }
  }
}

const TRIES = 5;

/** Runs a line of the wake's actions, and once more a while later where it is refused. */
async function doAction(
  night: Night,
  message: string,
  verb: string,
  values: string[],
): Promise<void> {
  const lines = section(message, "AVAILABLE ACTIONS").split("\n");
  const own = lines.find((line) => new RegExp(` ${verb}( |$)`).test(line));
  // Every action of a session begins alike.
  const line = own ?? lines.find((one) => / snapshot$/.test(one))?.replace(/snapshot$/, verb) ?? "";
  const whole = line.includes("<")
    ? line.replace(/<.*>/, values.map(shellQuote).join(" "))
    : [line, ...values.map(shellQuote)].join(" ");
  for (let times = 1; times <= TRIES; times++) {
    const done = await run("/bin/sh", ["-c", whole], {
      env: night.stage.env,
      timeoutMs: 300_000,
      cwd: "/",
    });
    if (done.kind === "finished" && done.code === 0) return;
    const why = done.kind === "finished" ? `${done.code}: ${done.stderr.trim()}` : done.kind;
    night.refused.push(`${new Date().toISOString()} ${whole}: ${why}`);
    await pause(3000);
  }
}
