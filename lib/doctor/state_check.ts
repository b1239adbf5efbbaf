/** Can every file and every folder in the state folder be used? */

import { isFolder, namesIn, readIfThere } from "../files.ts";
import { SET_ASIDE } from "../outbox.ts";
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
  ...["watch", "watch/told", "roads"],
  ...["paused", "paused-agents", "taken", "quiet", "budgets", "stopped"],
  ...["typed", "drafts", "commands"],
];
/** With a folder for each agent or session. */
const NESTED = ["outbox", "dead", "pending", "queue", "texts"];
/** The same, but the agent may keep other files in its folder: only their owner is checked. */
const INBOX = "inbox";
/** Folders in folders, by tmux server. */
const MARKS = "managed";
const MOST_LISTED = 5;

export function checkState({ world }: DoctorContext): Finding[] {
  const { state } = world.paths;
  const owner = infoOf(state);
  if (owner === undefined) return []; // made by the first managed session
  // Root can use every file, so compare with the owner of the folder.
  const uid = Deno.uid() === 0 ? owner.uid : Deno.uid();
  const gid = Deno.uid() === 0 ? owner.gid : Deno.gid();
  const tops = [state, ...[...FLAT, ...NESTED, INBOX, MARKS].map((name) => `${state}/${name}`)];
  const inboxes = pathsIn(`${state}/${INBOX}`);
  const aside = pathsIn(state).filter((path) => path.endsWith(SET_ASIDE));
  const folders = [...tops, ...aside, ...nested(state), ...inboxes];
  const files = FLAT.flatMap((name) => pathsIn(`${state}/${name}`))
    .filter((path) => !tops.includes(path) && !path.endsWith(".sock"));
  files.push(...nested(state).flatMap(pathsIn).filter((path) => !isAside(path)));
  files.push(...filesBelow(`${state}/${MARKS}`));
  const foreign = [...folders, ...inboxes.flatMap(pathsIn), ...files]
    .filter((path) => (infoOf(path)?.uid ?? uid) !== uid);
  const findings: Finding[] = [];
  if (foreign.length > 0) {
    const others = foreign.length === 1 ? "" : ` (and ${foreign.length - 1} more in there)`;
    const text = `${foreign[0]} belongs to another user${others}, as after a command that was ` +
      "run as root: hooks and the deliverer cannot use it";
    findings.push(broken(text, `sudo chown -R ${uid}:${gid} ${shellQuote(state)}`));
  }
  const reported = new Set(foreign);
  const found = (what: string, paths: string[], whyNot: (path: string) => string | undefined) =>
    paths.filter((path) => !reported.has(path)).flatMap((path) => {
      const why = whyNot(path);
      const text = `A ${what} of ours cannot be used: ${why}`;
      return why === undefined ? [] : [broken(text, fixFor(path))];
    });
  const unusable = [
    ...found("folder", folders, whyNoFolder),
    ...found("file", files, whyUnusable),
  ];
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

/** Such as a .DS_Store: no name of ours begins so. */
function isHidden(path: string): boolean {
  return path.includes("/.", path.lastIndexOf("/"));
}

function nested(state: string): string[] {
  return NESTED.flatMap((name) => pathsIn(`${state}/${name}`).filter((path) => !isHidden(path)));
}

function pathsIn(folder: string): string[] {
  try {
    return namesIn(folder).map((name) => `${folder}/${name}`);
  } catch {
    return []; // no folder, or of another user, which another finding says
  }
}

function filesBelow(folder: string): string[] {
  return pathsIn(folder).flatMap((path) => infoOf(path)?.isDirectory ? filesBelow(path) : [path]);
}

function infoOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch {
    return undefined;
  }
}

/** Undefined where it is missing: it is made when it is needed. */
function whyNoFolder(path: string): string | undefined {
  const info = infoOf(path);
  if (info === undefined) return undefined;
  if (!isFolder(path)) return `${path} is not a folder`;
  return info.isDirectory && isClosed(info) ? `${path} is closed to its owner` : undefined;
}

/** Root can use it all the same, so the bits say it. */
function isClosed({ mode }: Deno.FileInfo, bits = 0o700): boolean {
  return ((mode ?? bits) & bits) !== bits;
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
  if (info?.isDirectory && isClosed(info)) return `chmod u+rwx ${shellQuote(path)}`;
  if (info?.isFile && isClosed(info, 0o600)) return `chmod u+rw ${shellQuote(path)}`;
  return holdsSomething ? `mv ${shellQuote(path)} "$(mktemp -d)"` : `rm ${shellQuote(path)}`;
}
