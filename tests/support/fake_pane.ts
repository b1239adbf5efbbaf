/** A pane over fake time: what it shows depends on what it was sent, and on when. */

import type { ClaudePane, PaneScreen } from "../../lib/driver/claude_pane.ts";
import { readScreen } from "../../lib/pane.ts";
import { FakeClock } from "./fake_clock.ts";

export class FakePane implements ClaudePane {
  readonly id = "%0";
  readonly clock = new FakeClock();
  /** What was sent, in order: keys by their names, pasted text in quotes. */
  readonly sent: string[] = [];

  constructor(private readonly shows: (sent: string, ms: number) => string) {}

  look(): Promise<PaneScreen> {
    const text = this.shows(this.sent.join(" "), this.clock.now());
    return Promise.resolve({ ...readScreen(text), text });
  }

  press(...keys: string[]): Promise<void> {
    this.sent.push(...keys);
    return Promise.resolve();
  }

  paste(text: string): Promise<void> {
    this.sent.push(`"${text}"`);
    return Promise.resolve();
  }

  hasEnded(): Promise<boolean> {
    return Promise.resolve(false);
  }
}
