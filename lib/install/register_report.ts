/** The result of a registration, as text for people or as JSON for programs. */

import type { Registration } from "./registration.ts";
import type { FoundHook } from "./settings_file.ts";

export interface RegisterReport {
  action: "add" | "remove";
  outcome: Exclude<Registration, { kind: "refused" }>;
  /** This clone and its data folder. */
  folders: string[];
  dryRun: boolean;
  launchers: string[];
  notes: string[];
  /** Why Claude Code does not read the file as it is now. */
  skipped: string | undefined;
  /** Commands to check it and to undo it. */
  then: { check: string; undo: string };
}

export function registerReport(report: RegisterReport, asJson: boolean): string {
  return asJson ? JSON.stringify(asObject(report), null, 2) : asText(report);
}

function asObject(report: RegisterReport): Record<string, unknown> {
  const { outcome } = report;
  const changed = outcome.kind === "written";
  return {
    action: report.action,
    changed,
    dry_run: report.dryRun,
    settings: outcome.file,
    backup: changed ? outcome.backup ?? null : null,
    old_hooks_removed: oldIn(outcome.taken),
    old_hooks_left: oldIn(outcome.left),
    moved_from: otherFolders(report),
    launchers_written: report.launchers,
    notes: report.notes,
    skipped_by_claude_code: report.skipped ?? null,
    ...(report.dryRun && changed
      ? { diff: changedLines(outcome.before ?? "", outcome.after ?? "") }
      : {}),
  };
}

function asText(report: RegisterReport): string {
  const { outcome, dryRun } = report;
  const lines: string[] = [];
  if (outcome.kind === "unchanged") {
    lines.push(
      report.action === "add"
        ? `Our hooks are in ${outcome.file} as they should be; nothing changed`
        : `None of our hooks is in ${outcome.file}; nothing changed`,
    );
  } else if (dryRun) {
    lines.push(`${outcome.file} would become:`);
    lines.push(...changedLines(outcome.before ?? "", outcome.after ?? ""));
    if (outcome.after === null) lines.push("and would be deleted: there was no such file before");
  } else {
    lines.push(`${verbOf(report)} ${outcome.file}`);
    if (outcome.after === null) lines.push("There was no such file before; it is gone again");
    if (outcome.backup) lines.push(`Backup: ${outcome.backup}`);
  }
  const would = dryRun ? "Would take out" : "Took out";
  const [old, left] = [oldIn(outcome.taken), oldIn(outcome.left)];
  if (old.length > 0) lines.push(`${would} hooks of the old bash system: ${old.join(", ")}`);
  if (left.length > 0) {
    lines.push(
      `Hooks of the old bash system are still there: ${left.join(", ")}. Remove them yourself`,
    );
  }
  for (const folder of otherFolders(report)) {
    lines.push(`${would} our hooks of another folder: ${folder}`);
  }
  for (const launcher of report.launchers) lines.push(`Launcher: ${launcher}`);
  lines.push(...report.notes);
  if (report.action === "add" && !dryRun && outcome.kind === "written") {
    lines.push(`Check it: ${report.then.check}`, `Undo: ${report.then.undo}`);
  }
  return lines.join("\n");
}

function verbOf({ action, skipped }: RegisterReport): string {
  if (action === "remove") return "Took our hooks out of";
  return skipped === undefined
    ? "Registered our hooks in"
    : "Our hooks, which do not run yet, are in";
}

/** The scripts of the old bash system. */
function oldIn(hooks: FoundHook[]): string[] {
  return hooks.flatMap(({ owner }) => owner.kind === "old" ? [owner.script] : []);
}

/** The folders of hooks of ours that are neither of this clone nor of its data folder. */
function otherFolders({ outcome, folders }: RegisterReport): string[] {
  const all = outcome.taken.flatMap(({ owner }) => owner.kind === "ours" ? [owner.folder] : []);
  return [...new Set(all)].filter((folder) => !folders.includes(folder));
}

/** The lines that only one of the texts has. */
function changedLines(before: string, after: string): string[] {
  const split = (text: string) => text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const only = (lines: string[], other: string[]) => {
    const left = [...other];
    return lines.filter((line) => {
      const at = left.indexOf(line);
      if (at !== -1) left.splice(at, 1);
      return at === -1;
    });
  };
  const [old, fresh] = [split(before), split(after)];
  return [
    ...only(old, fresh).map((line) => `- ${line}`),
    ...only(fresh, old).map((line) => `+ ${line}`),
  ];
}
