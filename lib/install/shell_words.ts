/** A line of shell taken apart, as far as it takes to know what it runs. */

/** The simple commands of a line: their words with quotes resolved, without redirections. */
export function simpleCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  let isTarget = false; // of a redirection
  const endWord = () => {
    if (word !== undefined && !isTarget) commands.at(-1)!.push(word);
    if (word !== undefined) isTarget = false;
    word = undefined;
  };
  const rest = /^#[^\n]*/;
  const pieces =
    /(\\\n)|([ \t\r]+)|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|((?:&>>?|[<>]+)[&|]?)|([;&|()\n]+)|([^\s'"\\<>;&|()]+)|./gsy;
  for (let match = pieces.exec(line); match; match = pieces.exec(line)) {
    const [whole, joined, blank, single, double, escaped, redirect, end, plain] = match;
    if (joined !== undefined) continue;
    if (word === undefined && whole.startsWith("#")) {
      pieces.lastIndex = match.index + rest.exec(line.slice(match.index))![0].length;
    } else if (blank !== undefined) endWord();
    else if (redirect !== undefined) {
      if (word !== undefined && /^\d+$/.test(word)) word = undefined; // 2>
      endWord();
      isTarget = true;
    } else if (end !== undefined) {
      endWord();
      isTarget = false;
      commands.push([]);
    } else {
      const piece = single ?? double?.replace(/\\(["\\$`\n])/g, "$1") ?? escaped ?? plain;
      word = (word ?? "") + (piece ?? whole);
    }
  }
  endWord();
  return commands.filter((words) => words.length > 0);
}

/** What stands before the program of a simple command. `hook`: the function in our own commands. */
const BEFORE = new Set(
  ("{ } ! if then elif else while until do time exec command builtin eval env nohup nice setsid " +
    "ionice chronic timeout stdbuf sudo doas hook").split(" "),
);
const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh"]);
const READERS = new Set([".", "source"]);
const SCRIPT = /\.[cm]?[jt]sx?$/;

type IsDeno = (program: string) => boolean;

/**
 * The scripts that a line runs: as programs, by a shell, or by Deno. A file that is only named, as
 * an argument of grep or cat, is not among them.
 */
export function scriptsRunBy(line: string, isDeno: IsDeno): string[] {
  let folder = "";
  return simpleCommands(line).flatMap((words) => {
    const scripts = scriptsOf(words, isDeno);
    if (scripts[0] === "cd") {
      folder = words.slice(words.indexOf("cd") + 1).find((word) => !word.startsWith("-")) ?? "";
      return [];
    }
    return scripts.map((script) => inFolder(folder, script));
  });
}

function scriptsOf(words: string[], isDeno: IsDeno): string[] {
  const at = words.findIndex((word, index) => !isBefore(word, index));
  if (at === -1) return [];
  const [program, args] = [words[at]!, words.slice(at + 1)];
  if (isDeno(program)) {
    const named = args[0] === "run" || SCRIPT.test(args[0] ?? "");
    const script = args.find((arg) => !arg.startsWith("-") && SCRIPT.test(arg));
    return named && script !== undefined ? [script] : [];
  }
  if (READERS.has(program)) return args.slice(0, 1);
  if (baseName(program) === "flock") return lockedScripts(args, isDeno);
  return SHELLS.has(baseName(program)) ? scriptsOfShell(args, isDeno) : [program];
}

function scriptsOfShell(args: string[], isDeno: IsDeno): string[] {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (/^-[a-z]*c$/.test(arg)) return scriptsRunBy(args[at + 1] ?? "", isDeno);
    if (/^[-+][a-z]*[oO]$|^--(rcfile|init-file)$/.test(arg)) at++; // -o pipefail
    else if (!/^[-+]/.test(arg)) return [arg];
  }
  return [];
}

/** flock -w 5 /the/lock program …, or -c and a line of shell. */
function lockedScripts(args: string[], isDeno: IsDeno): string[] {
  const lock = args.findIndex((arg) => !/^-|^\d+(\.\d+)?$/.test(arg));
  const rest = lock === -1 ? [] : args.slice(lock + 1);
  return rest[0] === "-c" ? scriptsRunBy(rest[1] ?? "", isDeno) : scriptsOf(rest, isDeno);
}

function inFolder(folder: string, script: string): string {
  if (folder === "" || /^[\/~$]/.test(script)) return script;
  return `${folder.replace(/\/+$/, "")}/${script.replace(/^(\.\/+)+/, "")}`;
}

function isBefore(word: string, index: number): boolean {
  if (BEFORE.has(baseName(word)) || /^[A-Za-z_]\w*=/.test(word)) return true;
  return index > 0 && /^-|^\d+(\.\d+)?[smhd]?$/.test(word); // timeout -k 5 10s
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
