/** A session's conversation: which one it had, which one a launch opens. */

import { chosenIn } from "../doors/command_words.ts";
import { isFile, namesIn } from "../files.ts";
import type { Conversation, KnownOfConversation, Launch } from "./launch.ts";
import type { Paths } from "../paths.ts";
import { readMemory, type SessionMemory } from "../session_memory.ts";

export function knownConversation(
  paths: Paths,
  session: string,
  launch: Launch | undefined,
  dir: string,
): Omit<KnownOfConversation, "resumeTarget"> {
  const memory = memorySince(paths, session, launch);
  const id = memory?.claude_session_id || (launch?.claude_session_id ?? "");
  const projects = `${paths.claudeConfig}/projects`;
  const isWritten = memory?.claude_session_id === id && isFile(memory.transcript_path);
  return {
    id,
    hasTranscript: id !== "" &&
      (isWritten || namesIn(projects).some((name) => isFile(`${projects}/${name}/${id}.jsonl`))),
    hasOthers: latestOf(paths.claudeConfig, dir) !== "",
  };
}

/** What hooks remember of a session since its launch; an earlier launch was another conversation. */
export function memorySince(
  paths: Paths,
  session: string,
  launch: Launch | undefined,
): SessionMemory | undefined {
  const memory = readMemory(paths, session);
  return memory.updated_at > (launch?.started_at ?? "") ? memory : undefined;
}

/** When the session was last heard of, by its hooks or by its launch. */
export function lastSign(paths: Paths, launch: Launch): string {
  return memorySince(paths, launch.session, launch)?.updated_at ?? launch.started_at;
}

/** The first command, where Claude Code never came to it: no hook has run since the launch. */
export function firstAgain(
  paths: Paths,
  launch: Launch | undefined,
  conversation: Conversation,
): string {
  if (conversation.kind !== "new" || conversation.id !== launch?.claude_session_id) return "";
  return memorySince(paths, launch.session, launch) ? "" : launch.first_command ?? "";
}

/**
 * The conversation that a launch opens: its id, else its name with the folder it belongs to; ""
 * when only Claude Code will know.
 */
export function conversationOpened(
  conversation: Conversation,
  { command, dir, claudeConfig }: { command: string; dir: string; claudeConfig: string },
): string {
  const latest = () => latestOf(claudeConfig, dir) || `the latest of ${dir}`;
  switch (conversation.kind) {
    case "new":
      return conversation.id;
    case "resume":
    case "target":
      return idOrName(conversation.target, dir);
    case "continue":
      return latest();
    case "picker":
      return "";
    case "chosen": {
      const chosen = chosenIn(command);
      return chosen.kind === "latest" ? latest() : idOrName(chosen.id, dir);
    }
  }
}

function idOrName(target: string, dir: string): string {
  return target === "" || isId(target) ? target : `"${target}" of ${dir}`;
}

export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** The conversation of a folder that `--continue` opens: the one written to last; "" without any. */
function latestOf(claudeConfig: string, dir: string): string {
  const project = `${claudeConfig}/projects/${projectName(dir)}`;
  const written = (name: string) => Deno.statSync(`${project}/${name}`).mtime?.getTime() ?? 0;
  const names = namesIn(project).filter((name) => name.endsWith(".jsonl"))
    .sort((a, b) => written(b) - written(a));
  return names[0]?.replace(/\.jsonl$/, "") ?? "";
}

/** Claude Code names a folder's project after its path, with a dash for all but letters and digits. */
function projectName(dir: string): string {
  let real = dir;
  try {
    real = Deno.realPathSync(dir);
  } catch {
    // The launch will report that it does not exist.
  }
  return real.replace(/[^A-Za-z0-9]/g, "-");
}
