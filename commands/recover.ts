/** Brings back the sessions that should be running: after a crash, after a reboot. */

import { parseArgs } from "@std/cli/parse-args";
import { ensureDir } from "../lib/files.ts";
import { messageOf } from "../lib/process.ts";
import { type AgentResult, recoverAll, type RecoveryOptions } from "../lib/sessions/recovery.ts";
import { realWorld, type World } from "../lib/sessions/world.ts";

const HELP = `Starts the sessions again that should be running and are not.

Usage: deno task recover [options]

  recover                   every agent that is enabled and has auto_wake
  recover --agent warden    this one alone
  recover --dry-run         say what would be done

A session in which Claude Code lives is left alone. Else it is started as it was, in its own
conversation, and its agent is woken once. What waits in the outbox is sent on its way.
No session is ever killed, no file deleted. Run twice, the second run has nothing to do.

Options:
  --agent <id>          this agent only; may be given several times
  --skip-sync           do not ask OpenClaw for its sessions first
  --timeout <seconds>   how long to wait for each Claude Code (60)
  --dry-run             change nothing
  --json                the result as one JSON object
  --help                this text
`;

interface Options extends RecoveryOptions {
  json: boolean;
}

export async function main(args: string[], world: World): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    world.say(HELP);
    return 0;
  }
  const options = optionsFrom(args);
  if (typeof options === "string") {
    world.warn(`${options}; see deno task recover --help`);
    return 2;
  }
  try {
    const lock = options.dryRun ? undefined : lockOrRefuse(world);
    try {
      const results = await recoverAll(options, world);
      if (options.json) world.say(JSON.stringify({ agents: results }, null, 2));
      else tell(results, world);
      return results.some((result) => result.outcome === "failed") ? 1 : 0;
    } finally {
      lock?.close();
    }
  } catch (error) {
    world.warn(`Cannot recover: ${messageOf(error)}`);
    return 1;
  }
}

function optionsFrom(args: string[]): Options | string {
  let unknown = "";
  const options = parseArgs(args, {
    boolean: ["skip-sync", "dry-run", "json"],
    string: ["agent", "timeout"],
    collect: ["agent"],
    default: { timeout: "60" },
    unknown: (arg) => {
      unknown ||= arg;
      return false;
    },
  });
  if (unknown !== "") return `recover does not take ${unknown}`;
  const seconds = Number(options.timeout);
  if (!(seconds > 0)) return `--timeout takes seconds, not "${options.timeout}"`;
  const only = options.agent as string[];
  if (only.includes("")) return "--agent needs an agent's id";
  return {
    only,
    sync: options["skip-sync"] !== true,
    timeoutMs: seconds * 1000,
    dryRun: options["dry-run"] === true,
    json: options.json === true,
  };
}

function lockOrRefuse(world: World): Deno.FsFile {
  ensureDir(`${world.paths.state}/locks`);
  const path = `${world.paths.state}/locks/recover`;
  const file = Deno.openSync(path, { write: true, create: true, mode: 0o600 });
  if (file.tryLockSync(true)) return file;
  file.close();
  throw new Error("another recovery is running; it takes care of the same agents");
}

function tell(results: AgentResult[], world: World): void {
  for (const { agent_id, session, outcome, detail, conversation } of results) {
    const how = conversation === "" ? "" : ` (${conversation})`;
    const why = detail === "" ? "" : `: ${detail}`;
    const line = `${agent_id}${session === "" ? "" : ` in ${session}`}: ${outcome}${how}${why}`;
    if (outcome === "failed") world.warn(line);
    else world.say(line);
  }
  if (results.length === 0) world.say("The registry has no agents");
}

if (import.meta.main) Deno.exit(await main(Deno.args, realWorld()));
