/** Do wakes wait too long, are there dead letters, and is the state folder ours alone? */

import { type ListedWake, listWakes } from "../delivery/wake_list.ts";
import { holdsOn, listHolds } from "../doors/holds.ts";
import { agoOf } from "../fleet/ago.ts";
import { readWake } from "../outbox_files.ts";
import { shellQuote } from "../text.ts";
import { broken, type DoctorContext, type Finding, note, ok } from "./finding.ts";
import { taskCommand } from "../cli/task_command.ts";
import { hasOpenclaw } from "./fix_commands.ts";

/** A wake that is older is stuck. */
const LATE_S = 120;

export function checkOutbox(context: DoctorContext): Finding[] {
  const { world } = context;
  // Without a named agent, wakes of agents that are gone are listed as well.
  const findings: Finding[] = [];
  // The check of the state folder says what fixes it.
  const passOver = (problem: string) =>
    void findings.push(note(`Not every wake can be listed: ${problem}`));
  const wakes = listWakes(world.paths, context.asked, world.now().getTime(), passOver);
  findings.push(...stateFolder(context), ...holds(context, wakes));
  for (const agentId of [...new Set(wakes.map((wake) => wake.agent_id))]) {
    const own = wakes.filter((wake) => wake.agent_id === agentId);
    const strays = own.filter((wake) => wake.created_at === ""); // files that are no wakes
    const dead = own.filter((wake) => wake.state === "dead" && wake.created_at !== "");
    const waiting = own.filter((wake) => wake.state === "waiting" && !wake.held);
    for (const { wake_id, reason, file } of strays) {
      const text = `Something for agent "${agentId}" cannot be delivered: ${reason}`;
      findings.push(broken(text, strayFix(context, wake_id, file)));
    }
    if (dead.length > 0) {
      const last = dead.at(-1)!;
      const letters = dead.length === 1 ? "1 dead letter" : `${dead.length} dead letters`;
      findings.push(broken(
        `${letters} of agent "${agentId}", the last ${agoOf(last.age_s * 1000)} ago: ` +
          (last.reason || "no reason noted"),
        taskCommand(world, "deliver", "--retry", "--all", "--agent", agentId),
      ));
    }
    if (waiting.length > 0) {
      const oldest = Math.max(...waiting.map((wake) => wake.age_s));
      const reason = waiting.findLast((wake) => wake.reason !== "")?.reason;
      const canGo = hasOpenclaw(world) ||
        waiting.some(({ file }) => readWake(file)?.transport === "inbox");
      const say = oldest > LATE_S ? broken : note;
      const text = `${waiting.length} waiting for agent "${agentId}", the oldest for ` +
        `${agoOf(oldest * 1000)}${reason ? `: ${reason}` : ""}`;
      if (!canGo) {
        findings.push(say(`${text}; they are for OpenClaw, which cannot be found`));
        continue;
      }
      const autofix = {
        what: `start the deliverer for agent "${agentId}"`,
        run: () => world.startDeliverer(agentId),
      };
      const fix = taskCommand(world, "deliver", "--agent", agentId, "--once");
      findings.push({ ...say(text, fix), autofix });
    }
  }
  return findings.length > 0 ? findings : [ok("No wake waits, and there are no dead letters")];
}

/** A person has paused it, and may have forgotten that. */
function holds({ world, asked }: DoctorContext, wakes: ListedWake[]): Finding[] {
  const found = listHolds(world.paths)
    .filter(({ agent_id }) => asked === undefined || agent_id === asked);
  return found.map((hold) => {
    const { kind, name, agent_id, since, until } = hold;
    const count = wakes.filter((wake) => wake.held && holdsOn([hold], wake).length > 0).length;
    if (kind === "quiet") {
      return note(`The agent "${name}" has quiet hours until ${until}; wakes held: ${count}`);
    }
    const what = kind === "taken"
      ? `A person has the session "${name}" of agent "${agent_id}"`
      : `The ${kind} "${name}" is paused${until === undefined ? "" : ` until ${until}`}`;
    const long = agoOf(world.now().getTime() - Date.parse(since));
    const end = taskCommand(world, kind === "taken" ? "give" : "resume", name);
    return note(`${what}, for ${long} now; wakes held: ${count}`, end);
  });
}

/** A wake that belongs to another user is sent once it can be read. */
function strayFix({ world }: DoctorContext, wakeId: string, file: string): string {
  const retry = taskCommand(world, "deliver", "--retry", wakeId);
  if (readWake(file) !== undefined) return retry;
  const info = Deno.lstatSync(file);
  return info.isFile && info.uid !== Deno.uid()
    ? `sudo chown ${Deno.uid()}:${Deno.gid()} ${shellQuote(file)} && ${retry}`
    : taskCommand(world, "deliver", "--drop", wakeId);
}

function stateFolder(context: DoctorContext): Finding[] {
  const { state } = context.world.paths;
  let info: Deno.FileInfo;
  try {
    info = Deno.statSync(state);
  } catch {
    return []; // made by the first managed session
  }
  if (((info.mode ?? 0) & 0o077) === 0) return [];
  const text = `Other users can read ${state}, which holds Claude's words`;
  const autofix = {
    what: `make ${state} readable for you alone`,
    run: () => Deno.chmodSync(state, 0o700),
  };
  return [broken(text, `chmod 700 ${shellQuote(state)}`, autofix)];
}
