/**
 * The status line of a session without the mod. Claude Code reports the size of the context to it,
 * and to no hook. A user's own status line still runs, in the same shell, and is shown as it is.
 */

import { readTextIfThere } from "../files.ts";
import { launcherPath } from "../install/scope.ts";
import { isObject, parseJsonWithComments } from "../json.ts";
import type { Paths } from "../paths.ts";
import { shellQuote } from "../text.ts";

/** For the settings of one launch; undefined where we set none. */
export function statusLineFor(
  paths: Paths,
  dir: string,
): Record<string, unknown> | undefined {
  // Ours would hide that of the project, which only Claude Code may decide to run.
  const projects = ["settings.json", "settings.local.json"].map((name) => `${dir}/.claude/${name}`);
  if (projects.some((file) => statusLineIn(file) !== undefined)) return undefined;
  const own = statusLineIn(`${paths.claudeConfig}/settings.json`);
  const ours = shellQuote(launcherPath(paths, "status-line"));
  if (own === undefined) return { type: "command", command: `${ours} >/dev/null` };
  if (own === "unreadable" || own.type !== "command" || typeof own.command !== "string") {
    return undefined;
  }
  // A group on lines of its own: the user's command may end with a comment.
  return { ...own, command: `${ours} | {\n${own.command}\n}` };
}

function statusLineIn(file: string): Record<string, unknown> | "unreadable" | undefined {
  try {
    const text = readTextIfThere(file);
    const settings: unknown = text === undefined ? {} : parseJsonWithComments(text);
    if (!isObject(settings)) return "unreadable";
    const { statusLine } = settings;
    if (statusLine === undefined || statusLine === null) return undefined;
    return isObject(statusLine) ? statusLine : "unreadable";
  } catch {
    return "unreadable";
  }
}
