/** Can every file in the state folder be used? */

import { namesIn, readIfThere } from "../files.ts";
import { messageOf } from "../process.ts";
import { shellQuote } from "../text.ts";
import type { DoctorContext, Finding } from "./finding.ts";

const CHECK = "state";
const FLAT = ["journal", "claude", "replies", "content", "panes", "sessions", "locks"];
/** With a folder for each agent or session. */
const NESTED = ["outbox", "dead", "pending"];
/** The same, but what lies in an agent's folder there is the agent's: only its owner counts. */
const INBOX = "inbox";
const MOST_TOLD = 5;

export function checkState({ world }: DoctorContext): Finding[] {
  const { state } = world.paths;
  const owner = look(state);
  if (owner === undefined) return []; // made by the first managed session
  // For root every file is its own: what counts is who the folder belongs to.
  const uid = Deno.uid() === 0 ? owner.uid : Deno.uid();
  const gid = Deno.uid() === 0 ? owner.gid : Deno.gid();
  const places = [state, ...[...FLAT, ...NESTED, INBOX].map((name) => `${state}/${name}`)];
  const inboxes = pathsIn(`${state}/${INBOX}`);
  places.push(...nested(state), ...inboxes, ...inboxes.flatMap(pathsIn));
  const files = FLAT.flatMap((name) => pathsIn(`${state}/${name}`));
  files.push(...nested(state).filter(isFolder).flatMap(pathsIn).filter((path) => !isAside(path)));
  const foreign = [...places, ...files].filter((path) => (look(path)?.uid ?? uid) !== uid);
  const findings: Finding[] = foreign.length === 0 ? [] : [{
    check: CHECK,
    level: "broken",
    text: `${foreign[0]} belongs to another user${others(foreign)}, as after a command that was ` +
      "run as root: hooks and the deliverer cannot use it",
    fix: `sudo chown -R ${uid}:${gid} ${shellQuote(state)}`,
  }];
  const told = new Set(foreign);
  const unusable = files.filter((path) => !told.has(path)).flatMap((path) => {
    const why = whyUnusable(path);
    return why === undefined ? [] : [{ path, why }];
  });
  findings.push(
    ...unusable.slice(0, MOST_TOLD).map(({ path, why }): Finding => ({
      check: CHECK,
      level: "broken",
      text: `A file of ours cannot be used and is passed over: ${why}`,
      fix: fixFor(path),
    })),
  );
  const more = unusable.length - MOST_TOLD;
  if (more > 0) {
    const text = `${more} more file${more === 1 ? "" : "s"} in ${state} cannot be used`;
    findings.push({ check: CHECK, level: "broken", text });
  }
  const fine: Finding = { check: CHECK, level: "ok", text: `Every file in ${state} can be used` };
  return findings.length > 0 ? findings : [fine];
}

function others({ length }: string[]): string {
  return length === 1 ? "" : ` (and ${length - 1} more in there)`;
}

/** Set aside from the outbox: the check of the outbox tells of it. */
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
  return look(path)?.isDirectory === true;
}

function look(path: string): Deno.FileInfo | undefined {
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

/** A folder or a huge file may be of use to somebody; the rest holds nothing. */
function fixFor(path: string): string {
  const info = look(path);
  const holdsSomething = info?.isDirectory || info?.isFile;
  if (info?.isFile && ((info.mode ?? 0o600) & 0o600) !== 0o600) {
    return `chmod u+rw ${shellQuote(path)}`;
  }
  return holdsSomething ? `mv ${shellQuote(path)} "$(mktemp -d)"` : `rm ${shellQuote(path)}`;
}
