/** Do wakes wait longer than they should, were any given up, and is the state folder ours alone? */

import { listWakes } from "../../delivery/wake_list.ts";
import { shellQuote } from "../../shell.ts";
import { age, type Finding, type Patient } from "./finding.ts";

const CHECK = "outbox";
/** Beyond this a wake is not on its way, it is stuck. */
const LATE_S = 120;

export function checkOutbox(patient: Patient): Finding[] {
  const { world } = patient;
  const asked = new Set(patient.agents.map((agent) => agent.agent_id));
  const known = patient.registry.kind === "registry" ? patient.registry.registry.agents.length : 0;
  const all = listWakes(world.paths, undefined, world.now().getTime());
  // Asked about one agent, the others' wakes stay out; wakes of agents long gone belong to all.
  const wakes = patient.agents.length === known
    ? all
    : all.filter((one) => asked.has(one.agent_id));
  const findings: Finding[] = [...stateFolder(patient)];
  for (const agentId of [...new Set(wakes.map((wake) => wake.agent_id))]) {
    const own = wakes.filter((wake) => wake.agent_id === agentId);
    const dead = own.filter((wake) => wake.state === "dead");
    const waiting = own.filter((wake) => wake.state === "waiting");
    if (dead.length > 0) {
      const last = dead.at(-1)!;
      findings.push({
        check: CHECK,
        level: "broken",
        text:
          `${dead.length} given up for agent "${agentId}", the last ${age(last.age_s * 1000)} ` +
          `ago: ${last.reason || "no reason noted"}`,
        mend: `deno task deliver --retry --all --agent ${shellQuote(agentId)}`,
      });
    }
    if (waiting.length > 0) {
      const oldest = Math.max(...waiting.map((wake) => wake.age_s));
      const reason = waiting.findLast((wake) => wake.reason !== "")?.reason;
      findings.push({
        check: CHECK,
        level: oldest > LATE_S ? "broken" : "note",
        text: `${waiting.length} waiting for agent "${agentId}", the oldest since ` +
          `${age(oldest * 1000)}${reason ? `: ${reason}` : ""}`,
        mend: `deno task deliver --agent ${shellQuote(agentId)} --once`,
        repair: {
          what: `start the deliverer for agent "${agentId}"`,
          run: () => world.startDeliverer(agentId),
        },
      });
    }
  }
  return findings.length > 0 ? findings : [{
    check: CHECK,
    level: "ok",
    text: "Nothing waits and nothing was given up",
  }];
}

function stateFolder(patient: Patient): Finding[] {
  const { state } = patient.world.paths;
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
    mend: `chmod 700 ${shellQuote(state)}`,
    repair: {
      what: `make ${state} readable for you alone`,
      run: () => Deno.chmodSync(state, 0o700),
    },
  }];
}
