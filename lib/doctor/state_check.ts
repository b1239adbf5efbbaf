/** Can every file in the state folder be used? */

import { namesIn, readIfThere } from "../files.ts";
import { messageOf } from "../process.ts";
import { shellQuote } from "../text.ts";
import { broken, type DoctorContext, type Finding, ok } from "./finding.ts";

const FLAT = [
  "journal",
  "claude",
  "replies",
  "content",
  "panes",
  "sessions",
  "locks",
  "watch/told",
  ...["paused", "paused-agents", "taken", "quiet", "budgets", "stopped"],
  ...["typed", "drafts", "commands"],
];
/** With a folder for each agent or session. */
const NESTED = ["outbox", "dead", "pending", "queue", "texts"];
/** The same, but the agent may keep other files in its folder: only their owner is checked. */
const INBOX = "inbox";
const MOST_LISTED = 5;

export function checkState({ world }: DoctorContext): Finding[] {
  const { state } = world.paths;
  const owner = infoOf(state);
  if (owner === undefined) return []; // made by the first managed session
  // Root can use every file, so compare with the owner of the folder.
  const uid = Deno.uid() === 0 ? owner.uid : Deno.uid();
  const gid = Deno.uid() === 0 ? owner.gid : Deno.gid();
  const places = [state, ...[...FLAT, ...NESTED, INBOX].map((name) => `${state}/${name}`)];
  const inboxes = pathsIn(`${state}/${INBOX}`);
  places.push(...nested(state), ...inboxes, ...inboxes.flatMap(pathsIn));
  const files = FLAT.flatMap((name) => pathsIn(`${state}/${name}`));
  files.push(...nested(state).filter(isFolder).flatMap(pathsIn).filter((path) => !isAside(path)));
  const foreign = [...places, ...files].filter((path) => (infoOf(path)?.uid ?? uid) !== uid);
  const findings: Finding[] = [];
  if (foreign.length > 0) {
    const others = foreign.length === 1 ? "" : ` (and ${foreign.length - 1} more in there)`;
    const text = `${foreign[0]} belongs to another user${others}, as after a command that was ` +
      "run as root: hooks and the deliverer cannot use it";
    findings.push(broken(text, `sudo chown -R ${uid}:${gid} ${shellQuote(state)}`));
  }
  const reported = new Set(foreign);
  const unusable = files.filter((path) => !reported.has(path)).flatMap((path) => {
    const why = whyUnusable(path);
    const text = `A file of ours cannot be used: ${why}`;
    return why === undefined ? [] : [broken(text, fixFor(path))];
  });
  findings.push(...unusable.slice(0, MOST_LISTED));
  const more = unusable.length - MOST_LISTED;
  if (more > 0) {
    findings.push(broken(`${more} more file${more === 1 ? "" : "s"} in ${state} cannot be used`));
  }
  return findings.length > 0 ? findings : [ok(`Every file in ${state} can be used`)];
}

/** Set aside from the outbox: checkOutbox() reports it. */
function isAside(path: string): boolean {
  return path.endsWith(".unreadable");
}

function nested(state: string): string[] {
  return NESTED.flatMap((name) => pathsIn(`${state}/${name}`));
}

function pathsIn(folder: string): string[] {
  try {
    return namesIn(folder).map((name) => `${folder}/${name}`);
  } catch {
    return []; // no folder, or of another user, which another finding says
  }
}

function isFolder(path: string): boolean {
  return infoOf(path)?.isDirectory === true;
}

function infoOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch {
    return undefined;
  }
}

function whyUnusable(path: string): string | undefined {
  try {
    readIfThere(path, (file) => Deno.openSync(file, { read: true }).close());
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** A folder or a huge file is moved, since its content may be needed; the rest has no content. */
function fixFor(path: string): string {
  const info = infoOf(path);
  const holdsSomething = info?.isDirectory || info?.isFile;
  if (info?.isFile && ((info.mode ?? 0o600) & 0o600) !== 0o600) {
    return `chmod u+rw ${shellQuote(path)}`;
  }
  return holdsSomething ? `mv ${shellQuote(path)} "$(mktemp -d)"` : `rm ${shellQuote(path)}`;
}
