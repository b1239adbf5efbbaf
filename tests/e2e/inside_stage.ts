/** The real Claude Code with the mod in it, its companion, and what has arrived, in order. */

import { assert } from "@std/assert";
import { listRoads, type Road } from "../../lib/companion/road_file.ts";
import { readTextIfThere } from "../../lib/files.ts";
import { modFolders } from "../../lib/install/mod_copy.ts";
import { readScreen } from "../../lib/pane.ts";
import type { Scene } from "../support/artefacts.ts";
import { writeExecutable } from "../support/executable.ts";
import { TestHome } from "../support/home.ts";
import type { RealClaude } from "../support/real_claude.ts";
import { until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";

export interface Arrival {
  /** When its UserPromptSubmit hook began, in milliseconds since 1970. */
  at: number;
  prompt: string;
}

/** A prompt that keeps the model busy until it is released, or asks for a permission. */
export const HOLDS = "hold the turn";
export const ASKS = "SCENARIO:bash";

/** How Claude Code gets the mod: as from spawn, as from a person, or not. */
type Loading = "by flags" | "by a variable" | "nothing";

export class InsideStage {
  #release = () => {};

  private constructor(
    readonly stage: AnswersStage,
    readonly claude: RealClaude,
    readonly log: string,
  ) {}

  static async start(
    scene: Scene,
    { loads = "by flags" }: { loads?: Loading } = {},
  ): Promise<InsideStage> {
    const log = `${scene.dir}/prompts.jsonl`;
    const record = `${scene.dir}/record.sh`;
    // One hook after the other writes: Claude Code may run several at once.
    writeExecutable(
      record,
      `#!/bin/sh\nat=$(date +%s%3N)\n(flock 9; printf '%s ' "$at"; cat; echo) 9>>${log}.lock >>${log}\n`,
    );
    const folders = modFolders(new TestHome(scene).paths);
    const stage = new AnswersStage(scene, {
      version: "2.1.325",
      hookRoad: true,
      onPrompt: record,
      args: loads === "by flags" ? folders.flatMap((folder) => ["--plugin-dir", folder]) : [],
    });
    if (loads === "by a variable") stage.env.CLAUDE_CODE_PLUGIN_DIRS = folders.join(":");
    const claude = await stage.start();
    const inside = new InsideStage(stage, claude, log);
    stage.model.answer = ({ prompt }) => {
      if (!prompt.endsWith(HOLDS)) return undefined;
      return { say: "Held.", hold: new Promise<void>((resolve) => inside.#release = resolve) };
    };
    if (loads !== "nothing") await inside.road();
    return inside;
  }

  /** The companion that runs now. */
  road(not = 0): Promise<Road> {
    const { paths } = this.stage;
    return until("the companion's road", () => listRoads(paths).find(({ pid }) => pid !== not));
  }

  arrivals(): Arrival[] {
    const lines = (readTextIfThere(this.log) ?? "").split("\n").filter((line) => line !== "");
    return lines.map((line) => {
      const blank = line.indexOf(" ");
      const { prompt } = JSON.parse(line.slice(blank));
      return { at: Number(line.slice(0, blank)), prompt };
    });
  }

  prompts(): string[] {
    return this.arrivals().map(({ prompt }) => prompt);
  }

  arrived(count: number): Promise<string[]> {
    return until(`${count} prompts`, () => {
      const prompts = this.prompts();
      return prompts.length >= count ? prompts : undefined;
    }, { present: () => [this.prompts().length, this.prompts().at(-1)?.slice(0, 80)] });
  }

  type(text: string, ...options: string[]): Promise<string> {
    return this.stage.must("--wait", "60", ...options, this.stage.session, "type", "--", text);
  }

  /** Has Claude work until `release()`. */
  async hold(): Promise<void> {
    const { model } = this.stage;
    const held = () => model.asked().filter(({ prompt }) => prompt.endsWith(HOLDS)).length;
    const before = held();
    await this.type(HOLDS);
    await until("a request that is held", () => held() > before);
  }

  release(): void {
    this.#release();
  }

  async dialog(): Promise<void> {
    await this.type(ASKS);
    await this.claude.waitForScreen("a dialog", (s) => readScreen(s).dialog !== undefined);
  }

  async draft(text: string): Promise<void> {
    await this.claude.keys("-l", text);
    await this.claude.waitForScreen("the draft", (s) => readScreen(s).draft === text);
  }
}

/** Whether a companion stays small. More than two thirds of it are pages of Deno's own program. */
export function isSmall(pid: number): void {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  const megabytes = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  const [all, own] = [megabytes("VmRSS"), megabytes("RssAnon")];
  console.log(`companion: ${all.toFixed(1)} MB, ${own.toFixed(1)} of its own`);
  assert(all <= 50 && own <= 17, `${all} MB, ${own} of its own`);
}

/** Texts that a terminal or a prompt would do something with; each is another one. */
export function textOf(index: number): string {
  const n = `no ${index}`;
  const kinds = [
    `Instruction ${n}`,
    `-rf ${n} is not an option`,
    `/tmp/some/path ${n} is where it lies`,
    `!important ${n}: do not run this`,
    `#${n} is a heading`,
    `@${n} is nobody`,
    `first ${n}\n\n  indented\n\t- list; item\\\nlast \\`,
    `paste ${n} ends \u001b[201~ here\u001b[A`,
    `žluť 🐎 e\u0301 \u200d ${n} "quotes" 'single' $VAR \`tick\``,
    `--help ${n}`,
  ];
  if (index % 50 === 49) return `${n} is long: ${"60 KB of words, ".repeat(4000)}`;
  return kinds[index % kinds.length]!;
}
