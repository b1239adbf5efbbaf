/** Whether our hooks can run in a session, by the settings that its Claude Code reads. */

import { isProgram } from "../doors/programs.ts";
import { readTextIfThere } from "../files.ts";
import { commandOwner } from "../install/our_hooks.ts";
import { isObject, parseJsonWithComments } from "../json.ts";
import type { Paths } from "../paths.ts";
import type { ClaudeEntry } from "./claude_entries.ts";
import { FileCache } from "./file_cache.ts";
import type { SessionObservation } from "./observation.ts";

/** What a settings file says about hooks. */
export interface HookSettingsFile {
  path: string;
  /** It has our hook for the end of a turn. */
  hasOurs: boolean;
  /** The switch that keeps all hooks, or ours, from running. */
  off?: "disableAllHooks" | "allowManagedHooksOnly";
}

export interface HookFacts {
  /** The arguments of its Claude Code; undefined where they cannot be read. */
  args: string[] | undefined;
  files: HookSettingsFile[];
  /** Our launcher; `isThere`: it exists and can be run. */
  launcher: { path: string; isThere: boolean };
}

/** Options with which Claude Code runs no hooks. */
const WITHOUT_HOOKS = ["--bare", "--safe-mode"];

/** Why no hook of ours can run; undefined where no reason was found. Pure. */
export function whyNoHooks({ args, files, launcher }: HookFacts): string | undefined {
  const option = args?.find((arg) => WITHOUT_HOOKS.includes(arg));
  if (option !== undefined) return `its Claude Code was started with ${option}`;
  const off = files.find((file) => file.off !== undefined);
  if (off !== undefined) return `${off.path} switches hooks off with "${off.off}"`;
  if (!launcher.isThere) return `our launcher ${launcher.path} is gone, or cannot be run`;
  // Without its command line we do not know which other settings it was given.
  if (args === undefined || files.some((file) => file.hasOurs)) return undefined;
  return "none of its settings files has our hooks";
}

const MANAGED = "/etc/claude-code/managed-settings.json";

export class HookFiles {
  readonly #files = new FileCache();
  /** The command lines of processes, by number and start. */
  readonly #args = new Map<string, string[] | undefined>();

  constructor(private readonly paths: Pick<Paths, "data" | "root" | "claudeConfig">) {}

  /** Of a session in which Claude Code runs. */
  whyNoHooks({ agent, entry, launch, holds }: SessionObservation): string | undefined {
    if (agent === undefined || entry === undefined || holds !== "alive") return undefined;
    const args = this.#argsOf(entry);
    const at = args?.indexOf("--settings") ?? -1;
    const given = at === -1 ? undefined : args![at + 1];
    const config = launch?.env.CLAUDE_CONFIG_DIR ?? this.paths.claudeConfig;
    const folder = `${entry.cwd}/.claude`;
    const places = [
      ...[MANAGED, launch?.settings_file, given?.startsWith("{") ? undefined : given],
      ...[`${config}/settings.json`, `${folder}/settings.json`, `${folder}/settings.local.json`],
    ].filter((path) => path !== undefined && path.startsWith("/"));
    const files = [...new Set(places)].flatMap((path) => this.#read(path!) ?? []);
    if (given?.startsWith("{")) files.push(this.#parse("its --settings", given));
    const path = `${this.paths.data}/bin/hook`;
    return whyNoHooks({ args, files, launcher: { path, isThere: isProgram(path) } });
  }

  #argsOf({ pid, procStart }: ClaudeEntry): string[] | undefined {
    const key = `${pid} ${procStart}`;
    if (this.#args.size > 500) this.#args.clear();
    if (!this.#args.has(key)) this.#args.set(key, argsOf(pid));
    return this.#args.get(key);
  }

  #read(path: string): HookSettingsFile | undefined {
    try {
      return this.#files.of(path, () => this.#parse(path, readTextIfThere(path) ?? ""));
    } catch {
      return undefined; // we may not read it, so we do not know
    }
  }

  #parse(path: string, text: string): HookSettingsFile {
    let settings: unknown;
    try {
      settings = parseJsonWithComments(text);
    } catch {
      return { path, hasOurs: false }; // Claude Code leaves out a file that is broken
    }
    if (!isObject(settings)) return { path, hasOurs: false };
    const hasOurs = commandsFor(settings.hooks, "Stop")
      .some((command) => commandOwner(command, this.paths.root).kind === "ours");
    const switches = ["disableAllHooks", ...path === MANAGED ? ["allowManagedHooksOnly"] : []];
    const off = switches.find((name) => settings[name] === true) as HookSettingsFile["off"];
    return { path, hasOurs, ...(off === undefined ? {} : { off }) };
  }
}

function commandsFor(hooks: unknown, event: string): string[] {
  const groups = isObject(hooks) && Array.isArray(hooks[event]) ? hooks[event] : [];
  return groups.filter(isObject)
    .flatMap((group) => Array.isArray(group.hooks) ? group.hooks.filter(isObject) : [])
    .flatMap(({ command }) => typeof command === "string" ? [command] : []);
}

function argsOf(pid: number): string[] | undefined {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0").slice(1);
  } catch {
    return undefined;
  }
}
