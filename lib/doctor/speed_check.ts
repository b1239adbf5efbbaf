/** What a hook costs here, compared with a Deno that does nothing. */

import { messageOf, run } from "../process.ts";
import { broken, type DoctorContext, type Finding, note, ok } from "./finding.ts";
import { hookLauncherText } from "../install/hook_launcher.ts";
import { V8_FLAGS } from "../install/v8_flags.ts";
import { registerCommand } from "./fix_commands.ts";

const ROUNDS = 5;
/** On a quiet machine it is about 1.6. */
const TOO_SLOW = 2.5;

export async function checkSpeed(context: DoctorContext): Promise<Finding[]> {
  const { plan, world } = context;
  if (plan.kind === "refused") return [];
  // Without a registry bin/hook starts no Deno, and there is nothing to measure.
  if (context.registry.kind === "missing") return [];
  // Before the first registration the Deno that hooks will have may not be there yet.
  const isRegistered = context.registered.length > 0;
  const install = isRegistered ? plan.install : { ...plan.install, deno: world.deno };
  const hook = ["-c", hookLauncherText(install), "hook", "session_start"];
  let empty: string;
  try {
    empty = await Deno.makeTempFile({ suffix: ".ts" });
  } catch (error) {
    const folder = world.env("TMPDIR") ?? "/tmp";
    const text = `The cost of a hook was not measured: cannot create a file in ${folder}, the ` +
      `folder for temporary files: ${messageOf(error)}`;
    return [note(text)];
  }
  // A pane of no server: Deno starts to find that the session is not managed, and writes nothing.
  const env = {
    HOME: world.env("HOME") ?? "/",
    PATH: world.env("PATH") ?? "",
    TMUX: "/nonexistent/gsd-doctor,0,0",
    TMUX_PANE: "%0",
    DENO_NO_UPDATE_CHECK: "1",
  };
  // With the V8 flags of a hook: a Deno that does not know them starts no hook.
  const bareArgs = ["run", "--no-config", "--no-lock", "--quiet", V8_FLAGS, empty];
  const timed = async (program: string, args: string[]) => {
    const began = performance.now();
    const outcome = await run(program, args, { timeoutMs: 30_000, env, stdin: "{}" });
    const failed = outcome.kind !== "finished" || outcome.code !== 0 || outcome.stderr !== "";
    return failed ? NaN : performance.now() - began;
  };
  try {
    const bare: number[] = [], hooks: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      bare.push(await timed(install.deno, bareArgs));
      hooks.push(await timed("/bin/sh", hook));
    }
    return [speedFinding(median(bare), median(hooks), registerCommand(context))];
  } finally {
    await Deno.remove(empty);
  }
}

export function speedFinding(bare: number, hook: number, fix: string): Finding {
  if (Number.isNaN(bare + hook)) return broken("A hook failed, or wrote to its error output", fix);
  const ratio = hook / bare;
  const text = `A hook that starts Deno takes ${Math.round(hook)} ms, ` +
    `${ratio.toFixed(1)} times a bare Deno (${Math.round(bare)} ms)`;
  return ratio <= TOO_SLOW ? ok(text) : note(`${text}: more than it should; is tmux slow here?`);
}

function median(values: number[]): number {
  return values.some(Number.isNaN) ? NaN : values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
