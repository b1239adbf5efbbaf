/** Where everything is. One place decides, so that tests and unusual homes can move it. */

export type Env = (name: string) => string | undefined;

export interface Paths {
  root: string;
  registry: string;
  state: string;
  data: string;
  claudeConfig: string;
}

/** What a hook passes on to the deliverer: places, never secrets. */
export const DELIVERER_ENV_NAMES = [
  "HOME",
  "PATH",
  "DENO_DIR",
  "XDG_STATE_HOME",
  "XDG_DATA_HOME",
  "GSD_REGISTRY",
  "GSD_STATE_DIR",
  "GSD_DATA_DIR",
  "GSD_OPENCLAW",
  "OPENCLAW_HOME",
  "OPENCLAW_STATE_DIR",
  "OPENCLAW_CONFIG_PATH",
  "OPENCLAW_PROFILE",
  "OPENCLAW_GATEWAY_URL",
  "OPENCLAW_GATEWAY_PORT",
  // OpenClaw's mark of an agent's shell. OpenClaw must see it, and may refuse because of it.
  "OPENCLAW_SHELL",
] as const;

/** The same for programs that start later, with a HOME and a shell of their own. */
export const PLACE_ENV_NAMES = DELIVERER_ENV_NAMES.filter((name) =>
  name !== "HOME" && name !== "OPENCLAW_SHELL"
);

/** Those of the variables that are set. */
export function setVariables(env: Env, names: readonly string[]): Record<string, string> {
  const found = names.map((name) => [name, env(name)] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, string] => !!entry[1]));
}

/** The names a hook may ask for; its registered permissions allow these and no other. */
export const ENV_NAMES = [
  "TMUX",
  "TMUX_PANE",
  "GSD_TMUX",
  "GSD_SHELL_DELIVERS",
  "GSD_CAPTURE",
  ...DELIVERER_ENV_NAMES,
] as const;

/** The project's folder: this file is one level below it. */
export const ROOT = import.meta.dirname!.replace(/\/[^/]*$/, "");

/** The address of a module that is loaded when it is needed: Deno loads beforehand what it can read. */
export function later(address: string): string {
  return address;
}

export function pathsFrom(env: Env, root: string): Paths {
  const home = (env("HOME") ?? "/").replace(/(.)\/+$/, "$1");
  const under = (base: string | undefined, fallback: string) =>
    `${absolute(base) ?? `${home}/${fallback}`}/gsd-code-skill`;
  return {
    root,
    registry: absolute(env("GSD_REGISTRY")) ?? `${root}/config/recovery-registry.json`,
    state: absolute(env("GSD_STATE_DIR")) ?? under(env("XDG_STATE_HOME"), ".local/state"),
    data: absolute(env("GSD_DATA_DIR")) ?? under(env("XDG_DATA_HOME"), ".local/share"),
    claudeConfig: `${home}/.claude`,
  };
}

/** For commands: unlike a hook they may read CLAUDE_CONFIG_DIR. */
export function placesFor(env: Env, root: string): Paths {
  const paths = pathsFrom(env, root);
  const own = env("CLAUDE_CONFIG_DIR");
  return own?.startsWith("/") ? { ...paths, claudeConfig: own.replace(/(.)\/+$/, "$1") } : paths;
}

// A relative path would mean another place for every folder a hook starts in (XDG says the same).
function absolute(path: string | undefined): string | undefined {
  return path?.startsWith("/") ? path.replace(/(.)\/+$/, "$1") : undefined;
}

/**
 * The file that marks a pane as managed. Its path has `$TMUX` and `$TMUX_PANE` unchanged, so that
 * bin/hook finds it without translation.
 */
export function managedMark(
  { state }: Pick<Paths, "state">,
  tmux: string | undefined,
  pane: string | undefined,
): string | undefined {
  if (!tmux?.startsWith("/") || tmux.split("/").includes("..")) return undefined;
  return /^%\d+$/.test(pane ?? "") ? `${state}/managed${tmux}/${pane}` : undefined;
}

/** What is asked in a session and waits for an answer. */
export function pendingDir({ state }: Pick<Paths, "state">, session: string): string {
  return `${state}/pending/${safeName(session)}`;
}

/** In that folder: the ids of all that one Claude has asked, a line each. */
export function askedName(claudeId: string): string {
  return `${safeName(claudeId)}.asked`;
}

/** The steps that a session is to be given. */
export function queueDir({ state }: Pick<Paths, "state">, session: string): string {
  return `${state}/queue/${safeName(session)}`;
}

/**
 * A name as one path segment. Plain names stay readable; different names do not meet in one file,
 * since `%` itself is always written as an escape. (One in the shortened form is taken for it.)
 */
export function safeName(name: string): string {
  if (/^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,119}$/.test(name)) return name;
  if (SHORTENED.test(name)) return name; // the name of a file already
  const escaped = Array.from(
    name,
    (char, index) =>
      /[A-Za-z0-9_-]/.test(char) || (char === "." && index > 0) ? char : escape(char),
  ).join("");
  if (escaped.length === 0) return "%";
  // File names end at 255 bytes: a long one keeps its beginning and carries its hash.
  return escaped.length <= 120 ? escaped : `${escaped.slice(0, 100)}%%${hash(name)}`;
}

const SHORTENED = /^[A-Za-z0-9_.%-]{100}%%[0-9A-F]{16}$/;

/** The name a `safeName` was made of; one that was shortened, or is none, stays as it is. */
export function originalName(safe: string): string {
  try {
    return safe === "%" || SHORTENED.test(safe) ? safe : decodeURIComponent(safe);
  } catch {
    return safe;
  }
}

function escape(char: string): string {
  return Array.from(new TextEncoder().encode(char), (byte) => `%${hex(byte, 2)}`).join("");
}

/** FNV-1a, twice with different seeds: enough to tell texts apart, and cheap. */
export function hash(text: string): string {
  let a = 0x811c9dc5, b = 0x9747b28c;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) ^ (b >>> 13);
  }
  return hex(a >>> 0, 8) + hex(b >>> 0, 8);
}

function hex(value: number, width: number): string {
  return value.toString(16).toUpperCase().padStart(width, "0");
}
