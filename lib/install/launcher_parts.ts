/** What the launchers share: a shell that nothing steers, and the line that starts Deno. */

import { shellQuote } from "../text.ts";
import { placesOf } from "./hook_launcher.ts";
import { type Installation, type Scope, scopeFlags } from "./scope.ts";
import { V8_FLAGS } from "./v8_flags.ts";

/** A bash that plays sh takes functions and options from the environment. */
export const PLAIN_SHELL = ["unset -f cd env [", "unset IFS", "set +efux"];

/** Deno does not start in a folder that was deleted. */
export const IN_A_FOLDER = '[ -d "$PWD" ] || cd /';

/**
 * Without the variables that decide what Deno, Node, the loader or a shell runs. The others stay. A
 * word of another variable's value may look like one of them: then nothing is lost.
 */
export const WITHOUT_STEERING = [
  ...PLAIN_SHELL,
  "set -f",
  "for word in $(export -p); do",
  "  name=${word%%=*}",
  "  case $name in",
  "  *[!A-Za-z0-9_]* | NODE_EXTRA_CA_CERTS | NODE_ENV) ;;",
  '  DENO_* | NODE_* | LD_* | DYLD_* | BASH_ENV | ENV) unset "$name" ;;',
  "  esac",
  "done",
  "set +f",
];

export function scriptText(lines: string[], first = "#!/bin/sh"): string {
  const made = "# Made by register of gsd-code-skill from install.json, which writes it each time.";
  return [first, made, ...lines, ""].join("\n");
}

/** Packages are for commands that may do everything; the others need no deno.json and no cache. */
export function runLine(install: Installation, command: string, scope: Scope | "all"): string {
  const { root } = install.paths;
  const flags = scope === "all" || install.allowAll ? ["-A"] : scopeFlags(scope);
  const words = [
    install.deno,
    "run",
    ...(scope === "all"
      ? [`--config=${root}/deno.json`, "--frozen"]
      : ["--no-lock", "--no-config", "--no-npm", "--no-remote"]),
    "--cached-only",
    "--no-prompt",
    "--quiet",
    V8_FLAGS,
    ...flags.map((flag) => flag === "--allow-env=*" ? "--allow-env" : flag),
    `${root}/commands/${command}`,
  ];
  return `${words.map(shellQuote).join(" ")} "$@"`;
}

export function ourFiles({ paths }: Installation): string[] {
  return [`${paths.root}/lib`, `${paths.root}/commands`, paths.registry, paths.state];
}

export function variablesOf(install: Installation): Record<string, string> {
  return {
    ...placesOf(install),
    ...(install.openclaw === undefined ? {} : { GSD_OPENCLAW: install.openclaw }),
    ...install.variables,
  };
}

/** Other flags for V8, and permissions that only the shell knows; `-A` takes no others. */
export function withFlags(
  install: Installation,
  run: string,
  v8: string,
  permissions: string,
): string {
  return run.replace(V8_FLAGS, () => install.allowAll ? v8 : `${v8} ${permissions}`);
}
