import { assert, assertEquals } from "@std/assert";
import { withHooks, withoutHooks } from "../../lib/install/settings_edit.ts";
import { readSettings } from "../../lib/install/settings_file.ts";
import { stripJsonComments } from "../../lib/json.ts";
import { type Dice, forSeeds } from "../support/fuzz.ts";
import { ROOT, WANTED, wantedFor } from "../support/settings_folder.ts";

const OLD = "bash /x/gsd-code-skill/scripts/stop-hook.sh";
const EVENTS = ["Stop", "Notification", "PreToolUse", "Other", "SubagentStop", "SessionEnd"];

Deno.test("withHooks() and withoutHooks() keep every comment and every foreign hook of any file", () => {
  forSeeds(600, (dice) => {
    const text = new Author(dice).settings();
    const before = foreignIn(text);
    const change = withHooks(text, WANTED, ROOT);
    const registered = change.kind === "changed" ? change.text : text;
    assertEquals(found(registered), WANTED.length, registered);
    assertEquals(withHooks(registered, WANTED, ROOT).kind, "unchanged", registered);
    const removed = withoutHooks(registered, ROOT);
    assertEquals(found(removed), 0, removed);
    for (const after of [registered, removed]) {
      assertEquals(foreignIn(after), before, after);
      assertEquals(commentsIn(after), commentsIn(text), after);
      assertEquals(keysIn(after), keysIn(text), after);
    }
  });
});

function found(text: string): number {
  const reading = readSettings(text, ROOT);
  assert(reading.kind === "settings", text);
  return reading.found.length;
}

function foreignIn(text: string): string[] {
  const reading = readSettings(text, ROOT);
  return reading.kind === "settings" ? reading.foreign : [reading.reason];
}

function commentsIn(text: string): string[] {
  return (text.match(/comment \d+\./g) ?? []).sort();
}

function keysIn(text: string): string[] {
  return Object.keys(JSON.parse(stripJsonComments(text))).filter((key) => key !== "hooks");
}

/** Writes settings the way people do: comments, breaks and commas wherever they may be. */
class Author {
  #count = 0;
  constructor(private readonly dice: Dice) {}

  settings(): string {
    const events = EVENTS.filter(() => this.dice.next(5) < 3)
      .map((event) => this.property(event, this.list("[", this.groups(), "]")));
    const hooks = this.property("hooks", this.list("{", events, "}"));
    const all = [this.property("a", "1"), hooks, this.property("z", "[1]")];
    return this.gap() + this.list("{", all.filter(() => this.dice.next(4) > 0), "}") + this.gap();
  }

  private groups(): string[] {
    return this.some(() => {
      const matcher = this.property("matcher", this.dice.pick(['"AskUserQuestion"', '"x"']));
      const entries = this.some(() => this.dice.next(2) ? this.foreign() : this.ours());
      const hooks = this.property("hooks", this.list("[", entries, "]"));
      return this.list("{", this.dice.next(3) ? [hooks] : [matcher, hooks], "}");
    });
  }

  private foreign(): string {
    const command = this.property("command", `"say ${this.#count++}"`);
    return this.list("{", [this.property("type", '"command"'), command], "}");
  }

  private ours(): string {
    const moved = this.dice.pick(wantedFor("/old/gsd-code-skill")).command;
    const command = this.dice.pick([this.dice.pick(WANTED).command, `${moved} || true`, OLD]);
    const timeout = this.dice.pick([10, 5]);
    const more = this.dice.next(3) ? {} : { async: true };
    return JSON.stringify({ type: "command", command, timeout, ...more });
  }

  private some(make: () => string): string[] {
    return Array.from({ length: this.dice.next(3) }, make);
  }

  private property(key: string, value: string): string {
    return `${JSON.stringify(key)}${this.gap()}:${this.gap()}${value}`;
  }

  private list(open: string, items: string[], close: string): string {
    const written = items.map((item, index) => {
      const comma = index < items.length - 1 || this.dice.next(5) === 0 ? `,${this.gap()}` : "";
      return item + this.gap() + comma;
    });
    return open + this.gap() + written.join("") + close;
  }

  private gap(): string {
    const comment = `comment ${this.#count++}.`;
    const blank = this.dice.pick(["", "", " ", "\n", "\n  ", "\r\n\t"]);
    return this.dice.pick([blank, blank, blank, ` // ${comment}\n`, ` /* ${comment} */ `]);
  }
}
