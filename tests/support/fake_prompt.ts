/** Claude Code's input box on a recorded screen, over fake time. */

import type { ClaudePane, PaneScreen } from "../../lib/driver/claude_pane.ts";
import { readScreen } from "../../lib/pane.ts";
import { FakeClock } from "./fake_clock.ts";
import { fixturePane } from "./fixtures.ts";

export interface PromptOptions {
  /** The recorded screen around the box. */
  frame?: string;
  /** Until when an input does not work. It holds up those after it; "never" drops this one. */
  delay?: (input: string, nth: number) => number | "never";
  /** The lines that Claude Code draws above the box for a draft. */
  offers?: (draft: string) => string[];
  /** What a sent text does: a line of reply, a hint in the empty box, another screen, the end. */
  sends?: (text: string) => { line?: string; hint?: string; screen?: string; ends?: true };
}

const SHELL = "$ ";

export class FakePrompt implements ClaudePane {
  readonly id = "%0";
  readonly clock = new FakeClock();
  readonly keys: string[] = [];
  /** The texts that Claude Code was sent. */
  readonly texts: string[] = [];
  draft = "";
  #cursor = 0;
  #isShell = false;
  #escapedAt = -Infinity;
  #hidesOffers = false;
  #lines: string[] = [];
  #hint = "";
  #screen: string | undefined;
  readonly #inputs: { due: number; work: () => void }[] = [];
  readonly #counts = new Map<string, number>();

  constructor(private readonly options: PromptOptions = {}) {}

  look(): Promise<PaneScreen> {
    this.#settle();
    const text = this.#screen ?? this.#drawn();
    return Promise.resolve({ ...readScreen(text), text });
  }

  press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      this.keys.push(key);
      this.#take(key, () => this.#press(key));
    }
    return Promise.resolve();
  }

  paste(text: string): Promise<void> {
    this.#take("paste", () => this.#insert(text));
    return Promise.resolve();
  }

  hasEnded(): Promise<boolean> {
    this.#settle();
    return Promise.resolve(this.#screen === SHELL);
  }

  #take(input: string, work: () => void): void {
    const nth = (this.#counts.get(input) ?? 0) + 1;
    this.#counts.set(input, nth);
    const delay = this.options.delay?.(input, nth) ?? 0;
    if (delay !== "never") this.#inputs.push({ due: this.clock.now() + delay, work });
  }

  #settle(): void {
    while (this.#inputs.length > 0 && this.#inputs[0]!.due <= this.clock.now()) {
      this.#inputs.shift()!.work();
    }
  }

  #insert(text: string): void {
    if (this.draft === "" && text.startsWith("!")) {
      this.#isShell = true;
      text = text.slice(1);
    }
    this.draft = this.draft.slice(0, this.#cursor) + text + this.draft.slice(this.#cursor);
    this.#cursor += text.length;
    this.#hidesOffers = false;
  }

  #press(key: string): void {
    const { draft } = this;
    if (key === "C-a") this.#cursor = 0;
    if (key === "C-e") this.#cursor = draft.length;
    if (key === "C-d") this.draft = draft.slice(0, this.#cursor) + draft.slice(this.#cursor + 1);
    if (key === "Escape") this.#escape();
    if (key === "C-u") {
      // The line before the cursor; on an empty line the break before it.
      const start = draft.lastIndexOf("\n", this.#cursor - 1) + 1;
      const from = start < this.#cursor ? start : Math.max(0, start - 1);
      this.draft = draft.slice(0, from) + draft.slice(this.#cursor);
      this.#cursor = from;
    }
    if (key === "C-k") {
      // The line behind the cursor; at its end the break.
      const end = draft.indexOf("\n", this.#cursor);
      const to = end === -1 ? draft.length : end === this.#cursor ? end + 1 : end;
      this.draft = draft.slice(0, this.#cursor) + draft.slice(to);
    }
    if (key === "Enter") this.#enter();
  }

  /** Leaves a shell line; a second one soon after clears the draft. */
  #escape(): void {
    this.#hidesOffers = true;
    if (this.#isShell) {
      this.#isShell = false;
      return;
    }
    const isSecond = this.clock.now() - this.#escapedAt < 800;
    this.#escapedAt = isSecond ? -Infinity : this.clock.now();
    if (isSecond) this.draft = "";
  }

  #enter(): void {
    if (this.draft[this.#cursor - 1] === "\\") {
      this.draft = this.draft.slice(0, this.#cursor - 1) + "\n" + this.draft.slice(this.#cursor);
      return;
    }
    const text = this.#offers().length > 0 && this.draft.includes("@") ? undefined : this.draft;
    if (text === undefined) {
      this.draft += "taken "; // Enter in a list of names takes one of them
      return;
    }
    this.texts.push(text);
    this.draft = "";
    this.#cursor = 0;
    const { line, hint = "", screen, ends } = this.options.sends?.(text) ?? {};
    if (line !== undefined) this.#lines.push(line);
    this.#hint = hint;
    this.#screen = ends ? SHELL : screen;
  }

  #offers(): string[] {
    return this.#hidesOffers ? [] : this.options.offers?.(this.draft) ?? [];
  }

  #drawn(): string {
    const frame = fixturePane(this.options.frame ?? "04-idle-default-mode").trimEnd().split("\n");
    const box = frame.findLastIndex((line) => line.startsWith("❯"));
    const above = [...this.#lines, ...this.#offers()];
    const mark = this.#isShell ? "!" : "❯";
    return [
      ...frame.slice(above.length, box - 1),
      ...above,
      frame[box - 1],
      ...this.#shown().split("\n").map((line, at) => (at === 0 ? `${mark}\u00a0` : "  ") + line),
      ...frame.slice(box + 1),
    ].join("\n");
  }

  /** A long paste is only named. */
  #shown(): string {
    if (this.draft === "") return this.#hint;
    const lines = this.draft.split("\n").length;
    return this.draft.length > 800 || lines > 3
      ? `[Pasted text #1 +${lines - 1} lines]`
      : this.draft;
  }
}
