/** Checks everything between Claude Code and the agents, and names what is wrong and what fixes it. */

import { type Colours, colours } from "../lib/cli/colours.ts";
import { readCommandLine } from "../lib/cli/command_line.ts";
import { broken, type Check, type DoctorContext, type Finding } from "../lib/doctor/finding.ts";
import { isRefusedAsRoot } from "../lib/doors/as_root.ts";
import { checkGateway } from "../lib/doctor/gateway_check.ts";
import { checkHooks } from "../lib/doctor/hooks_check.ts";
import { checkJournal } from "../lib/doctor/journal_check.ts";
import { checkLaunchers } from "../lib/doctor/launchers_check.ts";
import { checkMod } from "../lib/doctor/mod_check.ts";
import { onOneLine } from "../lib/cli/speaker.ts";
import { taskCommand } from "../lib/cli/task_command.ts";
import { checkOutbox } from "../lib/doctor/outbox_check.ts";
import { gatherContext } from "../lib/doctor/doctor_context.ts";
import { checkPrograms } from "../lib/doctor/programs_check.ts";
import { checkRegistryFile } from "../lib/doctor/registry_check.ts";
import { checkSessions } from "../lib/doctor/sessions_check.ts";
import { checkSpeed } from "../lib/doctor/speed_check.ts";
import { checkState } from "../lib/doctor/state_check.ts";
import { sendTestWakes } from "../lib/doctor/test_wake.ts";
import { checkWatch } from "../lib/doctor/watch_check.ts";
import { messageOf } from "../lib/process.ts";
import { realWorld, type World } from "../lib/cli/world.ts";

export const HELP = `Usage: gsd-code doctor [agent] [options]

Looks at everything between Claude Code and your agents: programs, hooks, launchers, mod, registry, tmux
sessions, the watch, the gateway, waiting wakes, recent failures, and what a hook costs. It changes nothing
unless asked to. For each thing that is wrong it names the command that fixes it.

  gsd-code doctor                        everything, for all agents
  gsd-code doctor warden                 one agent
  gsd-code doctor warden --send-test-wake
  gsd-code doctor --fix                  do the fixes that can lose nothing

Options:
  --send-test-wake   send a wake for real and wait until the receiver has it
  --fix              do the harmless fixes: rewrite launchers and hooks of ours that are not as
                     they should be, start the deliverer, close the state folder to others
  --json             the findings as JSON
  --help             this text

Exit code: 0 when all is well, 1 when something is broken.`;

/** In the order in which they are shown. */
export const CHECKS: Record<string, Check> = {
  programs: checkPrograms,
  hooks: checkHooks,
  launchers: checkLaunchers,
  mod: checkMod,
  registry: checkRegistryFile,
  sessions: checkSessions,
  watch: checkWatch,
  gateway: checkGateway,
  state: checkState,
  outbox: checkOutbox,
  journal: checkJournal,
};

type NamedFinding = Finding & { check: string };

interface DoctorOptions {
  agent?: string;
  fix: boolean;
  json: boolean;
  sendTestWake: boolean;
}

const COMMAND = {
  task: "doctor",
  help: HELP,
  flags: ["send-test-wake", "fix", "json"],
  words: 1,
} as const;

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const { fix, json, "send-test-wake": sendTestWake } = given.flags;
  const options: DoctorOptions = { agent: given.words[0], fix, json, sendTestWake };
  const change = fix ? "fix" : sendTestWake ? "send a test wake" : undefined;
  if (change !== undefined && isRefusedAsRoot(change, world)) return 1;
  const gathered = gatherContext(world, options.agent);
  if (gathered.kind === "unknown agent") {
    const known = gathered.known.join(", ") || "none";
    world.warn(`The registry has no agent "${options.agent}"; its agents: ${known}`);
    return 1;
  }
  const show = (finding: NamedFinding) => {
    if (!options.json) { for (const line of linesOf(finding, colours())) world.say(line); }
  };
  let fixes: Fixes = { done: [], failed: [] };
  let findings = await examine(gathered.context, options.fix ? () => {} : show);
  if (options.fix) {
    fixes = await applyFixes(findings, options, world);
    const again = gatherContext(world, options.agent);
    findings = await examine(again.kind === "context" ? again.context : gathered.context, show);
  }
  if (options.sendTestWake) {
    const sent = await finished("test wake", sendTestWakes, gathered.context);
    sent.forEach(show);
    findings.push(...sent);
  }
  const failures = findings.filter(({ level }) => level === "broken").length;
  if (options.json) {
    const plain = findings.map(({ check, autofix, ...rest }) => ({
      check,
      ...rest,
      fixable: autofix !== undefined,
    }));
    const report = { fixed: fixes.done, not_fixed: fixes.failed, findings: plain };
    world.say(JSON.stringify({ ok: failures === 0, broken: failures, ...report }, null, 2));
  } else {
    const fix = taskCommand(world, "doctor", "--fix");
    const fixable = findings.some(({ level, autofix }) => level === "broken" && autofix);
    const notes = findings.filter(({ level }) => level === "note").length;
    const well = notes === 0 ? "All is well" : `Nothing is broken; see the ${count(notes, "note")}`;
    world.say(
      failures === 0
        ? well
        : `${count(failures, "thing")} ${failures === 1 ? "is" : "are"} broken` +
          (fixable && !options.fix ? `; ${fix} fixes what can be fixed safely` : ""),
    );
  }
  return failures === 0 ? 0 : 1;
}

/** All checks at once, shown in their order. */
async function examine(
  context: DoctorContext,
  show: (finding: NamedFinding) => void,
): Promise<NamedFinding[]> {
  const running = Object.entries(CHECKS).map(([name, check]) => finished(name, check, context));
  const findings: NamedFinding[] = [];
  const add = (some: NamedFinding[]) => {
    some.forEach(show);
    findings.push(...some);
  };
  for (const check of running) add(await check);
  add(await finished("speed", checkSpeed, context)); // alone: the others would slow it down
  return findings;
}

async function finished(
  name: string,
  check: Check,
  context: DoctorContext,
): Promise<NamedFinding[]> {
  let findings: Finding[];
  try {
    findings = await check(context);
  } catch (error) {
    findings = [broken(`Cannot finish this check: ${messageOf(error)}; fix that and run it again`)];
  }
  return findings.map((finding) => ({ check: name, ...finding }));
}

interface Fixes {
  done: string[];
  failed: { what: string; reason: string }[];
}

async function applyFixes(
  findings: Finding[],
  options: DoctorOptions,
  world: World,
): Promise<Fixes> {
  const fixes: Fixes = { done: [], failed: [] };
  const tried = new Set<string>();
  for (const { autofix } of findings) {
    if (autofix === undefined || tried.has(autofix.what)) continue;
    tried.add(autofix.what);
    if (!options.json) world.say(`Fixing: ${autofix.what}`);
    try {
      await autofix.run();
      fixes.done.push(autofix.what);
    } catch (error) {
      fixes.failed.push({ what: autofix.what, reason: messageOf(error) });
      world.warn(`Cannot ${autofix.what}: ${messageOf(error)}`);
    }
  }
  return fixes;
}

function linesOf(finding: NamedFinding, ink: Colours): string[] {
  const sign = { ok: ink.green("ok    "), note: ink.yellow("note  "), broken: ink.red("BROKEN") };
  const lines = [`${sign[finding.level]} ${finding.check}: ${onOneLine(finding.text)}`];
  if (finding.fix !== undefined) lines.push(`         fix with: ${finding.fix}`);
  return lines;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
