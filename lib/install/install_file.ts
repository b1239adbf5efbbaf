/** install.json: the facts of an installation. Everything in bin/ beside it is made of them. */

import { readTextIfThere, writeAtomic } from "../files.ts";
import { isObject } from "../json.ts";
import type { Paths } from "../paths.ts";
import { type Installation, installFile } from "./scope.ts";

const VERSION = 1;

export function installText(install: Installation): string {
  const { paths } = install;
  const facts = {
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
    variables: install.variables,
  };
  return JSON.stringify(facts, null, 2) + "\n";
}

export function writeInstallation(install: Installation): void {
  const { data } = install.paths;
  const text = installText(install);
  if (textIn(data) !== text) writeAtomic(installFile(data), text);
}

/** Undefined where there is none, or none that this version can use: register writes a new one. */
export function readInstallation(data: string): Installation | undefined {
  let value: unknown;
  try {
    value = JSON.parse(textIn(data) ?? "");
  } catch {
    return undefined;
  }
  if (!isObject(value) || value.version !== VERSION) return undefined;
  const { root, registry, state, claude_config: claudeConfig } = value;
  const { home, deno, tmux, openclaw, setsid, path, variables } = value;
  const { transcripts, gateway_files: gatewayFiles, gateway_hosts: gatewayHosts } = value;
  const texts = [root, registry, state, claudeConfig, home, deno, tmux, path];
  const lists = [transcripts, gatewayFiles, gatewayHosts];
  if (!texts.every(isText) || !lists.every(isTexts) || !isObject(variables)) return undefined;
  if (!isTexts(Object.values(variables))) return undefined;
  return {
    paths: { root, registry, state, data, claudeConfig } as Paths,
    home: home as string,
    deno: deno as string,
    tmux: tmux as string,
    path: path as string,
    ...(isText(openclaw) ? { openclaw } : {}),
    ...(isText(setsid) ? { setsid } : {}),
    transcripts: transcripts as string[],
    gatewayFiles: gatewayFiles as string[],
    gatewayHosts: gatewayHosts as string[],
    variables: variables as Record<string, string>,
    allowAll: value.allow_all === true,
  };
}

/** The clone that the data folder belongs to, also by an install.json of another version. */
export function installedRoot(data: string): string | undefined {
  try {
    const root = JSON.parse(textIn(data) ?? "")?.root;
    return isText(root) ? root : undefined;
  } catch {
    return undefined;
  }
}

/** The names of the facts that differ, as install.json spells them. */
export function differingFacts(a: Installation, b: Installation): string[] {
  const [first, second] = [a, b].map((one) => JSON.parse(installText(one)));
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return [...names].filter((name) => JSON.stringify(first[name]) !== JSON.stringify(second[name]));
}

function textIn(data: string): string | undefined {
  try {
    return readTextIfThere(installFile(data));
  } catch {
    return undefined; // unreadable: writing it says why
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}
