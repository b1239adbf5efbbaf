/** What is known of a session's conversation: its id, its transcript, who has it open. */

import { isFile, namesIn } from "../files.ts";
import { readJournal } from "../journal.ts";
import type { Conversation, KnownOfConversation, Launch } from "./launch.ts";
import type { Paths } from "../paths.ts";
import { readMemory, type SessionMemory } from "../session_memory.ts";

export type Known = Omit<KnownOfConversation, "resumeTarget">;

export function knownConversation(
  paths: Paths,
  session: string,
  launch: Launch | undefined,
  dir: string,
): Known {
  const memory = memorySince(paths, session, launch);
  const id = memory?.claude_session_id || toldSince(paths, session, launch) ||
    (launch?.claude_session_id ?? "");
  const projects = `${paths.claudeConfig}/projects`;
  const written = memory?.claude_session_id === id && isFile(memory.transcript_path);
  return {
    id,
    hasTranscript: id !== "" &&
      (written || namesIn(projects).some((name) => isFile(`${projects}/${name}/${id}.jsonl`))),
    hasOthers: namesIn(`${projects}/${projectName(dir)}`).some((name) => name.endsWith(".jsonl")),
  };
}

/** The conversation of a folder that was written to last, which is what `--continue` opens. */
export function latestOf(claudeConfig: string, dir: string): string {
  const project = `${claudeConfig}/projects/${projectName(dir)}`;
  const written = (name: string) => Deno.statSync(`${project}/${name}`).mtime?.getTime() ?? 0;
  const names = namesIn(project).filter((name) => name.endsWith(".jsonl"))
    .sort((a, b) => written(b) - written(a));
  return names[0]?.replace(/\.jsonl$/, "") ?? "";
}

/** When the session was last heard of, by its hooks or by its launch. */
export function lastSign(paths: Paths, launch: Launch): string {
  return memorySince(paths, launch.session, launch)?.updated_at ?? launch.started_at;
}

/** A launch's first command that Claude Code never came to: no hook has run since it started. */
export function unsaidFirst(
  paths: Paths,
  launch: Launch | undefined,
  conversation: Conversation,
): string {
  if (conversation.kind !== "new" || conversation.id !== launch?.claude_session_id) return "";
  return lastSign(paths, launch) === launch.started_at ? launch.first_command ?? "" : "";
}

/** When Claude Code was last seen to leave the session in order; "" when it was not. */
export function endedAt(paths: Paths, launch: Launch): string {
  const memory = memorySince(paths, launch.session, launch);
  return memory?.ended ? memory.updated_at : "";
}

/** What an earlier launch under the same name has left behind is another conversation's. */
function memorySince(
  paths: Paths,
  session: string,
  launch: Launch | undefined,
): SessionMemory | undefined {
  const memory = readMemory(paths, session);
  return memory.updated_at > (launch?.started_at ?? "") ? memory : undefined;
}

/** The id that SessionStart reported last, where only the journal has kept it. */
function toldSince(paths: Paths, session: string, launch: Launch | undefined): string {
  let id = "";
  for (const { event, at, claude_session_id: told } of readJournal(paths, session)) {
    const isSince = typeof at === "string" && at > (launch?.started_at ?? "");
    if (event === "SessionStart" && isSince && typeof told === "string" && told !== "") id = told;
  }
  return id;
}

/** Claude Code keeps a folder's conversations under its path with everything odd made a dash. */
function projectName(dir: string): string {
  let real = dir;
  try {
    real = Deno.realPathSync(dir);
  } catch {
    // Its absence is told by whoever starts something in it.
  }
  return real.replace(/[^A-Za-z0-9]/g, "-");
}
