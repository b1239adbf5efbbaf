/** install.json: the facts of an installation. Everything in bin/ beside it is made of them. */

import { readableText } from "../doors/user_file.ts";
import { writeAtomic } from "../files.ts";
import { isObject, parseIfJson } from "../json.ts";
import { type Installation, installFile } from "./scope.ts";

const VERSION = 1;

/** As the file has them. */
function factsOf(install: Installation) {
  const { paths } = install;
  return {
    version: VERSION,
    root: paths.root,
    registry: paths.registry,
    state: paths.state,
    claude_config: paths.claudeConfig,
    home: install.home,
    deno: install.deno,
    tmux: install.tmux,
    openclaw: install.openclaw,
    setsid: install.setsid,
    path: install.path,
    transcripts: install.transcripts,
    allow_all: install.allowAll,
    gateway_files: install.gatewayFiles,
    gateway_hosts: install.gatewayHosts,
    gateway: install.gateway,
    variables: install.variables,
  };
}

type Facts = ReturnType<typeof factsOf>;

const TEXTS = ["root", "registry", "state", "claude_config", "home", "deno", "tmux", "path"];
const LISTS = ["transcripts", "gateway_files", "gateway_hosts"];

export function writeInstallation(install: Installation): void {
  const file = installFile(install.paths.data);
  const text = JSON.stringify(factsOf(install), null, 2) + "\n";
  if (readableText(file) !== text) writeAtomic(file, text);
}

/** Undefined where there is none, or none that this version can use: register writes a new one. */
export function readInstallation(data: string): Installation | undefined {
  const value = parseIfJson(readableText(installFile(data)) ?? "");
  if (!isFacts(value)) return undefined;
  const { root, registry, state, claude_config: claudeConfig } = value;
  const { home, deno, tmux, path, transcripts, variables, openclaw, setsid, gateway } = value;
  return {
    paths: { root, registry, state, data, claudeConfig },
    ...{ home, deno, tmux, path, transcripts, variables },
    ...(isText(openclaw) ? { openclaw } : {}),
    ...(isText(setsid) ? { setsid } : {}),
    ...(isText(gateway) ? { gateway } : {}),
    gatewayFiles: value.gateway_files,
    gatewayHosts: value.gateway_hosts,
    allowAll: value.allow_all === true,
  };
}

/** The clone that the data folder belongs to, also by an install.json of another version. */
export function installedRoot(data: string): string | undefined {
  const facts = parseIfJson(readableText(installFile(data)) ?? "");
  return isObject(facts) && isText(facts.root) ? facts.root : undefined;
}

function isFacts(value: unknown): value is Facts {
  return isObject(value) && value.version === VERSION &&
    TEXTS.every((name) => isText(value[name])) && LISTS.every((name) => isTexts(value[name])) &&
    isObject(value.variables) && isTexts(Object.values(value.variables));
}

/** The names of the facts that differ, as install.json spells them. */
export function differingFacts(a: Installation, b: Installation): string[] {
  const second: Record<string, unknown> = factsOf(b);
  return Object.entries(factsOf(a))
    .filter(([name, fact]) => JSON.stringify(fact) !== JSON.stringify(second[name]))
    .map(([name]) => name);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}
