/** The first command of a new session when none is given: chosen by what the folder holds. */

import { namesIn, readTextIfThere } from "../files.ts";

interface FolderFacts {
  /** Any file that is not hidden. */
  hasFiles: boolean;
  hasClaudeMd: boolean;
  /** GSD has been used here. */
  hasPlanning: boolean;
  /** The name of a file that describes the project; "" without one. */
  brief: string;
}

/** How GSD's commands are called here, each by its bare name: `new-project` → `/gsd-new-project`. */
type GsdCommands = ReadonlyMap<string, string>;

/** GSD's next step where GSD is installed, else `/init`, else nothing. */
export function chooseFirstCommand(folder: FolderFacts, gsd: GsdCommands): string {
  const resume = gsd.get("resume-work") ?? gsd.get("progress");
  if (folder.hasPlanning && resume !== undefined) return resume;
  const create = gsd.get("new-project");
  if (folder.brief !== "" && create !== undefined) return `${create} --auto @${folder.brief}`;
  if (folder.hasFiles && !folder.hasClaudeMd) return "/init";
  if (folder.hasPlanning) return "";
  if (folder.hasFiles) return gsd.get("map-codebase") ?? "";
  return create ?? "";
}

export function folderFacts(dir: string): FolderFacts {
  const names = namesIn(dir);
  return {
    hasFiles: names.some((name) => !name.startsWith(".") && name !== "CLAUDE.md"),
    hasClaudeMd: names.includes("CLAUDE.md") || namesIn(`${dir}/.claude`).includes("CLAUDE.md"),
    hasPlanning: names.includes(".planning"),
    brief: names.find((name) => /^prd\.md$/i.test(name)) ?? "",
  };
}

/**
 * GSD's commands in the form that is installed, the nearest first:
 *   <dir>/.claude/skills/gsd-x/SKILL.md, <dir>/.claude/commands/gsd-x.md    /gsd-x
 *   <dir>/.claude/commands/gsd/x.md                                         /gsd:x
 *   a plugin of Claude Code called gsd-core, its skills                     /gsd-core:gsd-x
 *   the same, its commands, which name themselves                           /gsd-core:gsd:x
 */
export function installedGsd(dir: string, claudeConfig: string): GsdCommands {
  const found = new Map<string, string>();
  const add = (name: string, command: string) => {
    if (!found.has(name)) found.set(name, command);
  };
  for (const base of [`${dir}/.claude`, claudeConfig]) {
    for (const name of namesIn(`${base}/skills`)) {
      if (name.startsWith("gsd-")) add(name.slice(4), `/${name}`);
    }
    for (const name of markdownIn(`${base}/commands`)) {
      if (name.startsWith("gsd-")) add(name.slice(4), `/${name}`);
    }
    for (const name of markdownIn(`${base}/commands/gsd`)) add(name, `/gsd:${name}`);
  }
  for (const { plugin, path } of gsdPlugins(claudeConfig)) {
    for (const name of namesIn(`${path}/skills`)) {
      if (name.startsWith("gsd-")) add(name.slice(4), `/${plugin}:${name}`);
    }
    for (const name of markdownIn(`${path}/commands/gsd`)) {
      add(name, `/${plugin}:${ownName(`${path}/commands/gsd/${name}.md`) ?? name}`);
    }
  }
  return found;
}

function markdownIn(dir: string): string[] {
  return namesIn(dir).filter((name) => name.endsWith(".md")).map((name) => name.slice(0, -3));
}

/** A plugin's command is called by the `name` in its front matter, not by its file. */
function ownName(path: string): string | undefined {
  return /^---\n(?:(?!---).*\n)*?name: *(\S+)/.exec(readTextIfThere(path) ?? "")?.[1];
}

/** Claude Code lists its plugins as `name@marketplace`, each with the places it was put. */
function gsdPlugins(claudeConfig: string): { plugin: string; path: string }[] {
  try {
    const text = readTextIfThere(`${claudeConfig}/plugins/installed_plugins.json`) ?? "{}";
    const listed: Record<string, unknown> = JSON.parse(text).plugins ?? {};
    return Object.entries(listed).flatMap(([id, places]) => {
      const plugin = id.split("@")[0]!;
      if (!/^gsd(-core)?$/.test(plugin)) return [];
      return [places].flat().flatMap((place) => {
        const path = (place as { installPath?: unknown } | null)?.installPath;
        return typeof path === "string" ? [{ plugin, path }] : [];
      });
    });
  } catch {
    return []; // The list cannot be read.
  }
}
