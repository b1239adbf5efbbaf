/** The packages our commands use, fetched once at registration and never again. */

import type { Env } from "../paths.ts";
import { type Outcome, run } from "../process.ts";
import { type Installation, launcherPath } from "./scope.ts";

export type PackageState = { kind: "ready" } | { kind: "missing"; reason: string };

const HELPS = [["deliver", "--wait", "--help"], ["menu-driver", "--help"], ["recover", "--help"]];

/** A launcher that can print its help has all it needs, offline and within its permissions. */
export async function packagesReady(install: Installation, env: Env): Promise<PackageState> {
  for (const [name, ...args] of HELPS) {
    const reason = await whyNoHelp(install, env, name!, args);
    if (reason !== undefined) return { kind: "missing", reason };
  }
  return { kind: "ready" };
}

/**
 * Starts a companion once, which fills Deno's cache: what Deno has to translate in a companion stays
 * in it, up to 8 MB. Without companions all else works.
 */
export function whyNoCompanion(install: Installation, env: Env): Promise<string | undefined> {
  return whyNoHelp(install, env, "companion", ["--help"]);
}

async function whyNoHelp(
  install: Installation,
  env: Env,
  name: string,
  args: string[],
): Promise<string | undefined> {
  const launcher = launcherPath(install.paths, name);
  const reason = whyFailed(await run(launcher, args, { timeoutMs: 60_000, env: startEnv(env) }));
  return reason === undefined ? undefined : `${launcher} --help: ${reason}`;
}

export async function fetchPackages(install: Installation, env: Env): Promise<PackageState> {
  const args = ["install", "--frozen", "--quiet", `--config=${install.paths.root}/deno.json`];
  const cwd = install.paths.root;
  const outcome = await run(Deno.execPath(), args, { timeoutMs: 300_000, env: startEnv(env), cwd });
  const reason = whyFailed(outcome);
  return reason === undefined ? { kind: "ready" } : { kind: "missing", reason };
}

/** What Deno needs to find its cache and a package registry; no other credentials. */
function startEnv(env: Env): Record<string, string> {
  const names = ["HOME", "PATH", "DENO_DIR", "XDG_CACHE_HOME", "NPM_CONFIG_REGISTRY", "DENO_CERT"];
  const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "DENO_TLS_CA_STORE"];
  const passed: Record<string, string> = { DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
  for (const name of [...names, ...proxies, ...proxies.map((one) => one.toLowerCase())]) {
    const value = env(name);
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}

function whyFailed(outcome: Outcome): string | undefined {
  switch (outcome.kind) {
    case "finished": {
      if (outcome.code === 0) return undefined;
      const lines = outcome.stderr.trim().split("\n").map((line) => line.trim());
      return lines[0]?.replace(/^error: /, "") || `it ended with code ${outcome.code}`;
    }
    case "timeout":
      return `it took more than ${outcome.afterMs / 1000} s`;
    case "missing":
      return outcome.reason;
  }
}
