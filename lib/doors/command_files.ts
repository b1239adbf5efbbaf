/** The slash commands of a project and a user, by their files. Read where a session is started. */

import { isFile, isFolder, namesIn, writeAtomic } from "../files.ts";
import type { Paths } from "../paths.ts";
import { commandsFile, NAME } from "../suggested.ts";

const MOST = 2000;

/** `commands/gsd/resume-work.md` is `/gsd:resume-work`, `skills/deploy/SKILL.md` is `/deploy`. */
export function commandsBelow(folder: string): string[] {
  const skills = foldersOf(`${folder}/skills`)
    .filter((name) => isFile(`${folder}/skills/${name}/SKILL.md`));
  return [...commandsIn(`${folder}/commands`, "", 3), ...skills];
}

function commandsIn(folder: string, prefix: string, depth: number): string[] {
  const files = safeNames(folder).filter((name) => name.endsWith(".md"))
    .map((name) => prefix + name.slice(0, -".md".length));
  if (depth === 0) return files;
  const below = foldersOf(folder).flatMap((name) =>
    commandsIn(`${folder}/${name}`, `${prefix}${name}:`, depth - 1)
  );
  return [...files, ...below];
}

function foldersOf(folder: string): string[] {
  return safeNames(folder).filter((name) => isFolder(`${folder}/${name}`));
}

function safeNames(folder: string): string[] {
  try {
    return namesIn(folder);
  } catch {
    return []; // no permission, or no folder
  }
}

/** Notes what the session in this folder can be given. Without it nothing is suggested. */
export function noteCommands(paths: Paths, session: string, cwd: string): void {
  try {
    const names = [...commandsBelow(paths.claudeConfig), ...commandsBelow(`${cwd}/.claude`)];
    const known = [...new Set(names)].filter((name) => NAME.test(name)).slice(0, MOST).sort();
    writeAtomic(commandsFile(paths, session), JSON.stringify(known));
  } catch {
    // A full disk.
  }
}
