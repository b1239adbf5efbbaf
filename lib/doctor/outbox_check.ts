/** Do wakes wait too long, are there dead letters, and is the state folder ours alone? */

import { listWakes } from "../delivery/wake_list.ts";
import { readWake } from "../outbox.ts";
import { shellQuote } from "../text.ts";
import { age, type DoctorContext, type Finding } from "./finding.ts";
import { taskCommand } from "../cli/task_command.ts";
import { hasOpenclaw } from "./fix_commands.ts";

const CHECK = "outbox";
/** Beyond this a wake is not on its way, it is stuck. */
const LATE_S = 120;

export function checkOutbox(context: DoctorContext): Finding[] {
  const { world } = context;
  // Without a named agent, wakes of agents that are gone are listed as well.
  const wakes = listWakes(world.paths, context.asked, world.now().getTime(), () => {});
  const findings: Finding[] = [...stateFolder(context)];
  for (const agentId of [...new Set(wakes.map((wake) => wake.agent_id))]) {
    const own = wakes.filter((wake) => wake.agent_id === agentId);
    const strays = own.filter((wake) => wake.created_at === ""); // files that are no wakes
    const dead = own.filter((wake) => wake.state === "dead" && wake.created_at !== "");
    const waiting = own.filter((wake) => wake.state === "waiting");
    findings.push(...strays.map(({ wake_id, reason, file }): Finding => ({
      check: CHECK,
      level: "broken",
      text: `Something for agent "${agentId}" cannot be delivered: ${reason}`,
      fix: strayFix(context, wake_id, file),
    })));
    if (dead.length > 0) {
      const last = dead.at(-1)!;
      findings.push({
        check: CHECK,
        level: "broken",
        text: `${count(dead.length)} of agent "${agentId}", the last ${age(last.age_s * 1000)} ` +
          `ago: ${last.reason || "no reason noted"}`,
        fix: taskCommand(world, "deliver", "--retry", "--all", "--agent", agentId),
      });
    }
    if (waiting.length > 0) {
      const oldest = Math.max(...waiting.map((wake) => wake.age_s));
      const reason = waiting.findLast((wake) => wake.reason !== "")?.reason;
      const canGo = hasOpenclaw(world) ||
        waiting.some(({ file }) => readWake(file)?.transport === "inbox");
      const finding: Finding = {
        check: CHECK,
        level: oldest > LATE_S ? "broken" : "note",
        text: `${waiting.length} waiting for agent "${agentId}", the oldest since ` +
          `${age(oldest * 1000)}${reason ? `: ${reason}` : ""}` +
          (canGo ? "" : "; they are for OpenClaw, which is not there"),
      };
      findings.push(
        !canGo ? finding : {
          ...finding,
          fix: taskCommand(world, "deliver", "--agent", agentId, "--once"),
          autofix: {
            what: `start the deliverer for agent "${agentId}"`,
            run: () => world.startDeliverer(agentId),
          },
        },
      );
    }
  }
  return findings.length > 0 ? findings : [{
    check: CHECK,
    level: "ok",
    text: "No wake waits, and there are no dead letters",
  }];
}

/** A wake that was only not to be read, as one of another user, is sent once it can be. */
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
  const open = (info.mode ?? 0) & 0o077;
  if (open === 0) return [];
  return [{
    check: CHECK,
    level: "broken",
    text: `Others can look into ${state}, where Claude's words are kept`,
    fix: `chmod 700 ${shellQuote(state)}`,
    autofix: {
      what: `make ${state} readable for you alone`,
      run: () => Deno.chmodSync(state, 0o700),
    },
  }];
}

function count(letters: number): string {
  return letters === 1 ? "1 dead letter" : `${letters} dead letters`;
}
