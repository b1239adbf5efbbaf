/** A user's home for a test: HOME, state, data and registry in one folder, removed at the end. */

import { stageVariables } from "../../lib/demo/hook_stage.ts";
import { namesIn, readTextIfThere } from "../../lib/files.ts";
import "../../lib/cli/load_guards.ts";
import { recordsIn } from "../../lib/journal_read.ts";
import { readWake } from "../../lib/outbox_files.ts";
import { type Env, type Paths, pathsFrom, ROOT } from "../../lib/paths.ts";
import { pause } from "./until.ts";
import { writeExecutable } from "./executable.ts";

export interface HomeOptions {
  /** A folder that exists already. The caller removes it. */
  dir?: string;
  /** State and data are where a user has them by default, below HOME. */
  isDefault?: boolean;
  /** HOME and data, where a test has them elsewhere in the folder. */
  home?: string;
  data?: string;
}

export class TestHome implements AsyncDisposable {
  readonly dir: string;
  readonly home: string;
  /** All variables of this user. Of the real user only PATH and Deno's cache are in it. */
  readonly env: Record<string, string>;
  readonly #isOwn: boolean;

  constructor({ dir, isDefault = false, home, data }: HomeOptions = {}) {
    this.#isOwn = dir === undefined;
    this.dir = dir ?? Deno.realPathSync(Deno.makeTempDirSync({ prefix: "gsd-test-" }));
    this.home = home ?? `${this.dir}/home`;
    Deno.mkdirSync(this.home, { recursive: true });
    this.env = { ...stageVariables(this.dir), HOME: this.home };
    if (data !== undefined) this.env.GSD_DATA_DIR = data;
    if (isDefault) {
      delete this.env.GSD_STATE_DIR;
      delete this.env.GSD_DATA_DIR;
    }
  }

  /** One variable, as our functions ask for it. */
  readonly variable: Env = (name) => this.env[name];

  get paths(): Paths {
    return pathsFrom(this.variable, ROOT);
  }

  /** Text as it is, or a value that is written as JSON. */
  writeRegistry(registry: unknown): void {
    const text = typeof registry === "string" ? registry : JSON.stringify(registry);
    Deno.writeTextFileSync(this.paths.registry, text);
  }

  writeOpenClawConfig(config: unknown): void {
    Deno.mkdirSync(`${this.home}/.openclaw`, { recursive: true });
    Deno.writeTextFileSync(`${this.home}/.openclaw/openclaw.json`, JSON.stringify(config));
  }

  /** A file below the folder that can be run; its path. */
  writeProgram(name: string, script: string): string {
    const path = `${this.dir}/${name}`;
    writeExecutable(path, `#!/bin/sh\n${script}\n`);
    return path;
  }

  /** The wakes that wait for an agent, oldest first. */
  wakes(agentId = "warden"): { trigger: string; message: string }[] {
    const dir = `${this.paths.state}/outbox/${agentId}`;
    return namesIn(dir).filter((name) => name.endsWith(".json"))
      .map((name) => readWake(shown(`${dir}/${name}`))!);
  }

  journal(session = "warden-main"): Record<string, unknown>[] {
    const text = readTextIfThere(shown(`${this.paths.state}/journal/${session}.jsonl`)) ?? "";
    return text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  }

  /** Set by a test whose records are not those of the product. */
  hasOddRecords = false;

  /** Every record that a test has caused fits the schema. */
  async #checkRecords(): Promise<void> {
    const dir = `${this.paths.state}/journal`;
    const journals = readable(dir).filter((one) => /\.jsonl(\.\d)?$/.test(one));
    if (journals.length === 0) return;
    // Late, because a script without our deno.json has no packages.
    const file = new URL("../../lib/story/journal_schema.ts", import.meta.url).href;
    const { whyNoRecord }: typeof import("../../lib/story/journal_schema.ts") = await import(file);
    for (const name of journals) {
      for (const line of recordsIn(readable(`${dir}/${name}`)[0] ?? "")) {
        const why = whyNoRecord(line);
        if (why !== undefined) throw new Error(`No record: ${why}: ${JSON.stringify(line)}`);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (!this.hasOddRecords) await this.#checkRecords();
    } finally {
      if (this.#isOwn) await removeTree(this.dir);
    }
  }
}

/** The names in a folder, or the text of a file; nothing where a test has made it unreadable. */
function readable(path: string): string[] {
  try {
    const { isDirectory, isFile } = Deno.statSync(path);
    return isDirectory ? namesIn(path) : isFile ? [Deno.readTextFileSync(path)] : [];
  } catch {
    return [];
  }
}

/** The file, if nothing in it was hidden because a hook had not loaded what masks it. */
function shown(path: string): string {
  if (readTextIfThere(path)?.includes("rules of masking are not loaded")) {
    throw new Error(`Something is hidden that should be masked: ${readTextIfThere(path)}`);
  }
  return path;
}

/** A program that is just ending may still write into the folder. After two seconds it stays. */
export async function removeTree(dir: string): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      return Deno.removeSync(dir, { recursive: true });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return;
      await pause(100);
    }
  }
}
